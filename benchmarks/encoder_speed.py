"""How much an encoder costs on top of its bare onnxruntime calls, as a ratio in one run.

The very batches that ``embed`` hands to the network are recorded, then both are timed in turn. The
clock is the processor time of the process, which other work on the machine hardly disturbs. The
target is 1.2. Where our own loops do a part of the network, the bare call is that of the whole
file, and how far both are apart is printed, as a share of an embedding's length.

    python benchmarks/encoder_speed.py [NAME ...] [--utterances 12] [--repeats 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from pseudovoice.encoders import load_encoder
from pseudovoice.encoders.frame_encoder import FrameEncoder
from pseudovoice.encoders.ge2e import Ge2eEncoder
from pseudovoice.models import fetch
from pseudovoice.models.session import as_function, open_session
from pseudovoice.signal.frames import Float32

Network = Callable[[Float32], Float32]

RATE = 16_000
TARGET = 1.2


def waveforms(count: int) -> list[Float32]:
    """Noise of 3 to 9 s (content does not matter to the time); every fourth repeats a length."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(3 * RATE, 9 * RATE, count)
    lengths[3::4] = lengths[2::4][: len(lengths[3::4])]
    return [(0.1 * rng.standard_normal(n)).astype(np.float32) for n in lengths]


def recorded(encoder: FrameEncoder | Ge2eEncoder, batch: list[Float32]) -> list[Float32]:
    """The arrays that ``embed`` gives to the network."""
    inputs: list[Float32] = []

    def record(features: Float32) -> Float32:
        inputs.append(features)
        return np.zeros((len(features), encoder.dimension), np.float32)

    replace(encoder, network=record).embed(batch)
    return inputs


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def difference(one: Network, other: Network, inputs: list[Float32]) -> float:
    """The largest of any number, as a share of the length of its embedding."""
    made = ((one(features), other(features)) for features in inputs)
    return max(float((np.abs(a - b) / np.linalg.norm(a, axis=1)[:, None]).max()) for a, b in made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["resnet34-lm", "ecapa", "ge2e"])
    parser.add_argument("--utterances", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    batch = waveforms(options.utterances)
    audio = sum(map(len, batch)) / RATE
    print(f"{options.utterances} waveforms, {audio:.0f} s of audio, one thread")
    print(f"{'encoder':<14}{'calls':>6}{'bare s':>9}{'embed s':>9}{'ratio':>8}{'RTF':>8}")
    threadpool_limits(1)
    for name in options.names:
        encoder = load_encoder(name)
        assert isinstance(encoder, FrameEncoder | Ge2eEncoder)
        inputs = recorded(encoder, batch)
        network, apart = encoder.network, ""
        if name.startswith("resnet34"):
            network = as_function(open_session(fetch(name).path))
            apart = f"  apart by {difference(network, encoder.network, inputs):.1e}"
        bare, whole = [], []
        network(inputs[0])  # the first call also allocates
        for _ in range(options.repeats):
            bare.append(seconds(lambda f=network, a=inputs: [f(features) for features in a]))
            whole.append(seconds(lambda e=encoder: e.embed(batch)))
        ratio = median(w / b for w, b in zip(whole, bare, strict=True))
        mark = "" if ratio <= TARGET else f"  above {TARGET}"
        print(
            f"{name:<14}{len(inputs):>6}{median(bare):>9.2f}{median(whole):>9.2f}{ratio:>8.3f}"
            f"{median(whole) / audio:>8.4f}{mark}{apart}"
        )


if __name__ == "__main__":
    main()
