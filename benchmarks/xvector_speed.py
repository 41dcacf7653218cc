"""xvector with its targets chosen, against the bare networks and WORLD on the same files.

Bare are Moonshine's encoder, SwiftF0 and WORLD's synthesis, with nothing read, written, normalised
or resampled. How much faster than real time that is stands beside it, and what another voice for
the same recordings costs, as whoever tries voices on makes them.

Run: python benchmarks/xvector_speed.py
"""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path

import numpy as np
import soundfile

from pseudovoice.corpus import read_corpus
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.heard_before import heard_before
from pseudovoice.safeguards.xvector.frames import SHARED as PER_STEP
from pseudovoice.safeguards.xvector.frames import pitch_of, steps, waveform_of
from pseudovoice.safeguards.xvector.neural_voice import prosody, shipped_voice
from timing import interleaved_seconds, print_ratios, versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"


def main() -> None:
    files = sorted(SHARED.rglob("*.flac"))[::100]
    if not files:
        print(f"skipped: there is no speech in {SHARED}")
        return
    voice = shipped_voice()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for file in files:
            speaker = place / "speech" / file.parts[-3]
            speaker.mkdir(parents=True, exist_ok=True)
            (speaker / file.name).write_bytes(file.read_bytes())
        corpus = read_corpus(place / "speech")
        key, runs = Key(b"s" * 32), iter(range(100))

        def protect(safeguard: str) -> None:
            out = place / f"run{next(runs)}"
            chain = parse_chain(safeguard)
            protect_corpus(corpus, out, chain, key=key, key_file=place / "key", workers=1)

        loaded = [soundfile.read(u.path, dtype="float32")[0] for u in corpus]

        def bare() -> None:
            for x in loaded:
                voice.front_end(x)
                f0 = pitch_of(x)
                count = steps(x.size)
                content = np.zeros((count, voice.about.content_mean.size), np.float32)
                spoken = voice.speak(content, prosody(f0), np.zeros(voice.dimensions))
                waveform_of(spoken[: PER_STEP * count], f0)

        protect("xvector")  # chooses the targets

        def anew() -> None:
            heard_before.forget()
            protect("xvector")

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        spent = interleaved_seconds(
            {
                "bare networks and WORLD": bare,
                "xvector": anew,
                "xvector, once more": lambda: protect("xvector"),
                "persona, no search": lambda: protect("persona:candidates=1"),
            },
            rounds=3,
        )
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    title = f"xvector on {len(files)} utterances of LibriSpeech dev, one core ({versions()})"
    print_ratios(title, spent, "bare networks and WORLD", {"xvector": 1.5})
    seconds = sum(x.size for x in loaded) / 16_000
    print(f"  xvector: {seconds / float(np.median(spent['xvector'])):.1f} × real time (target 5)")
    print(f"  peak memory grew by {(after - before) / 1024:.0f} MB over these passes")


if __name__ == "__main__":
    main()
