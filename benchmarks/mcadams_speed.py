"""McAdams compiled, against the public baseline's shape: a loop over frames with librosa's LPC.

Run: python benchmarks/mcadams_speed.py   (needs librosa: pip install librosa)
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import soundfile
from scipy.signal import lfilter

from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.mcadams import move_poles
from timing import interleaved_seconds, print_ratios, versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"


def main() -> None:
    try:
        import librosa
    except ImportError:
        print("skipped: the reference needs librosa (pip install librosa)")
        sys.exit(0)
    files = sorted(SHARED.rglob("*.flac"))[::200] if SHARED.is_dir() else []
    if files:
        speech = np.concatenate([soundfile.read(file)[0] for file in files])[: 20 * 16_000]
        print("speech: LibriSpeech dev")
    else:
        speech = lfilter([1], [1, -1.6, 0.8], np.random.default_rng(0).normal(size=320_000)) / 20
        print("speech: filtered noise")
    window = np.sqrt(np.hanning(321)[:-1])

    def loop() -> np.ndarray:
        out = np.zeros_like(speech)
        for start in range(0, speech.size - 320, 160):
            frame = window * speech[start : start + 320] + np.finfo(float).eps
            a = librosa.lpc(frame, order=20)
            poles = np.roots(a)
            moved = poles.copy()
            above = poles.imag > 0
            angle = np.angle(poles[above]) ** 0.8
            moved[above] = np.abs(poles[above]) * np.exp(1j * angle)
            moved[poles.imag < 0] = np.conj(moved[above])
            new = np.real(np.poly(moved))
            out[start : start + 320] += window * lfilter([1], new, lfilter(a, [1], frame))
        return out

    channel = Channel(None, [speech])
    spent = interleaved_seconds(
        {"compiled": lambda: list(move_poles(channel, 16_000, 0.8)), "librosa loop": loop},
        rounds=3,
    )
    seconds = speech.size / 16_000
    print_ratios(f"McAdams on {seconds:.0f} s of speech ({versions()})", spent, "compiled", {})
    times = {name: seconds / float(np.median(t)) for name, t in spent.items()}
    print("  " + ", ".join(f"{name} {speed:.0f}× real time" for name, speed in times.items()))
    gain = times["compiled"] / times["librosa loop"]
    print(f"  {gain:.1f}× as fast; target 10×, goal 20×: {'met' if gain >= 10 else 'MISSED'}")


if __name__ == "__main__":
    main()
