"""An interview of half an hour from the phone to the release, and what every step of it costs.

Two people of LibriSpeech dev in turn (`conversations.py`), written as a phone does (AAC, 44.1 kHz,
stereo), and then the lines of docs/walks/interview.md as they stand, each in a process of its own.
`compare` is told the true turns besides, so that the report has the diarisation error rate; the
annex is the report, printed by chromium.

Nobody of dev has spoken for half an hour: each of their utterances comes several times, every time
from another place on. What repeats itself helps the attacker. Two people of the training speech of
the voice have enough, but what it has learnt from would help us: that is worse. `--minutes 4`
repeats nothing.

Run: python benchmarks/interview.py FOLDER [--minutes 30] [--people 3536,422]
         [--safeguard NAME] [--after STEP] [--compose]
     (a folder that is there already is walked through as it is)
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import av
import numpy as np
import soxr

from conversations import RATE, Conversation, interview
from costs import cost
from pseudovoice.diarisation import Turns
from pseudovoice.diarisation.formats import write_turns
from timing import versions

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "speech" / "dev"
WALK = ROOT / "docs" / "walks" / "interview.md"
NAME = "Gespräch mit Frau Müller"
PHONE_RATE = 44_100
FARTHER = 0.8
"""How loud a person is on the channel that they are farther from."""


def as_a_phone(spoken: Conversation, path: Path) -> None:
    """Write it as AAC in stereo, with each person nearer to a channel of their own."""
    channels = np.stack([spoken.samples, spoken.samples])
    for turn in spoken.truth.turns:
        farther = spoken.truth.people.index(turn.person) % 2
        channels[farther, round(turn.start * RATE) : round(turn.end * RATE)] *= FARTHER
    heard = np.stack([soxr.resample(one, RATE, PHONE_RATE) for one in channels])
    with av.open(path, "w") as out:
        stream = out.add_stream("aac", rate=PHONE_RATE)
        stream.layout = "stereo"
        for first in range(0, heard.shape[1], PHONE_RATE):
            block = np.ascontiguousarray(heard[:, first : first + PHONE_RATE], np.float32)
            frame = av.AudioFrame.from_ndarray(block, "fltp", "stereo")
            frame.sample_rate, frame.pts = PHONE_RATE, first
            for packet in stream.encode(frame):
                out.mux(packet)
        for packet in stream.encode(None):
            out.mux(packet)


def composed(folder: Path, people: list[str], minutes: float) -> None:
    """The interview, and who really speaks when in it, beside each other in a folder."""
    spoken = interview(SHARED, people, seconds=60 * minutes)
    (folder / "interviews").mkdir(parents=True)
    as_a_phone(spoken, folder / "interviews" / f"{NAME}.m4a")
    write_turns([Turns.of(NAME, spoken.truth.turns)], folder / "truth.rttm")
    times = {one: Counter(u.id for u in used) for one, used in spoken.sources.items()}
    for one, counts in times.items():
        print(f"{one}: {counts.total()} turns from {len(counts)} utterances", flush=True)
    print(f"{spoken.samples.size / RATE / 60:.1f} minutes, {len(spoken.truth.turns)} turns")


def lines() -> list[list[str]]:
    """What the walk types, without the name of the program."""
    blocks = re.findall(r"^```console\n(.*?)^```$", WALK.read_text("utf-8"), re.M | re.S)
    every = [line for block in blocks for line in block.strip().splitlines()]
    return [shlex.split(line.removeprefix("$ pseudovoice ")) for line in every]


def printed(page: Path, annex: Path) -> None:
    """The report as a browser prints it."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("the annex is printed by chromium, which is not there: make browser")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={annex}"]
    subprocess.run([chromium, *options, page.as_uri()], check=True, capture_output=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--people", default="3536,422", help="a woman and a man")
    options.add_argument("--safeguard", help="another than the walk's")
    options.add_argument("--after", help="go on after this step of a walk that was stopped")
    options.add_argument("--compose", action="store_true", help="compose it, and walk nowhere")
    given = options.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: there is no speech in {SHARED}")
        return
    folder = given.folder.resolve()
    if not folder.exists():
        composed(folder, given.people.split(","), given.minutes)
    if given.compose:
        return
    print(f"per hour of recording ({versions()})")
    print(f"  {'':10} {'peak':>9} {'CPU s/h':>8} {'s/h':>7}")
    steps = lines()
    if given.after is not None:
        steps = steps[[words[0] for words in steps].index(given.after) + 1 :]
    for words in steps:
        if given.safeguard is not None and "--safeguard" in words:
            words[words.index("--safeguard") + 1] = given.safeguard
        if words[0] == "compare":
            words += ["--true-turns", str(folder / "truth.rttm")]
        if words[0] == "release":
            printed(folder / "study" / "report.html", folder / "signed.pdf")
        told = cost(words, cwd=folder)
        print(
            f"  {words[0]:10} {told.peak:6.0f} MB {60 * told.processor / given.minutes:8.0f} "
            f"{60 * told.clock / given.minutes:7.0f}",
            flush=True,
        )
        print("".join(f"    | {line}\n" for line in told.said.splitlines()), end="", flush=True)
        if told.code:
            raise SystemExit(f"{words[0]} ended with {told.code}")


if __name__ == "__main__":
    main()
