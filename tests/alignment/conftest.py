"""What the tests of alignment share: joined digits, and the weights for unknown words."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import soundfile
from known_times import RATE, Joined, loud_runs
from numpy.typing import NDArray

from pseudovoice.corpus import Utterance
from pseudovoice.models import FetchError, fetch


@pytest.fixture(scope="session")
def g2p_weights() -> None:
    try:
        fetch("g2p-en")
    except FetchError as error:
        pytest.skip(f"the weights of g2p-en are not to be had: {error}")


@pytest.fixture(scope="session")
def joined_digits(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Joined]:
    """Digits of six speakers, each word faded in and out, with pauses of 0.1 to 0.4 s."""
    folder = shared / "speech" / "train"
    if not (folder / "metadata.tsv").is_file():
        pytest.skip(f"the training speech is not here: there is no {folder}")
    with (folder / "metadata.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    digits = [row for row in rows if row["utt_id"].startswith("amnist-")][::80]
    rng = np.random.default_rng(0)
    out = tmp_path_factory.mktemp("digits")
    made = []
    for row in digits:
        samples, rate = soundfile.read(folder / row["path"])
        assert rate == RATE
        words = row["transcript"].split()
        pieces: list[NDArray[np.float64]] = []
        times = []
        at = 0
        for begin, end in loud_runs(samples, len(words)):
            pause = 1e-4 * rng.standard_normal(int(rng.uniform(0.1, 0.4) * RATE))
            ramp = np.minimum(1.0, np.arange(end - begin) / 80)
            word = samples[begin:end] * ramp * ramp[::-1]
            times.append(((at + pause.size) / RATE, (at + pause.size + word.size) / RATE))
            pieces += [pause, word]
            at += pause.size + word.size
        pieces.append(1e-4 * rng.standard_normal(RATE // 5))
        path = out / f"{row['utt_id']}.wav"
        soundfile.write(path, np.concatenate(pieces), RATE)
        utterance = Utterance(row["utt_id"], row["speaker"], path, transcript=row["transcript"])
        made.append(Joined(utterance, times))
    return made
