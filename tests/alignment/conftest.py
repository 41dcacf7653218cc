"""What the tests of alignment share: joined digits, and the weights for unknown words."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import soundfile
from known_times import RATE, Joined, join, words_between_gaps

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
    """Digits of eight speakers, with pauses of 0.1 to 0.4 s between them."""
    return digits(shared, tmp_path_factory.mktemp("digits"), (0.1, 0.4))


@pytest.fixture(scope="session")
def hurried_digits(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Joined]:
    """The same with pauses of 0.05 to 0.09 s."""
    return digits(shared, tmp_path_factory.mktemp("hurried"), (0.05, 0.09))


def digits(shared: Path, out: Path, pauses: tuple[float, float]) -> list[Joined]:
    folder = shared / "speech" / "train"
    if not (folder / "metadata.tsv").is_file():
        pytest.skip(f"the training speech is not here: there is no {folder}")
    with (folder / "metadata.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    made: list[Joined] = []
    for row in [row for row in rows if row["utt_id"].startswith("amnist-")][::25]:
        samples, rate = soundfile.read(folder / row["path"])
        assert rate == RATE
        words = row["transcript"].split()
        if len(made) == 8 or words_between_gaps(samples, len(words)) is None:
            continue
        joined, kept, times = join(samples, words, pauses)
        path = out / f"{row['utt_id']}.wav"
        soundfile.write(path, joined, RATE)
        text = " ".join(kept)
        made.append(Joined(Utterance(row["utt_id"], row["speaker"], path, transcript=text), times))
    return made
