"""Which speakers are trained on, and which are held out to choose the best epoch.

The choice hangs on the speakers' names alone, not on the seed: a second training on a protected
copy of the same corpus, started from the first, then holds out the same people.
"""

from __future__ import annotations

from dataclasses import dataclass

from pseudovoice.errors import InputError
from pseudovoice.training.draws import generator
from pseudovoice.training.features import TrainingRecording

FEWEST_SPEAKERS = 8
FEWEST_HELD_OUT = 4
MOST_HELD_OUT = 100
HELD_OUT_SHARE = 0.1
MOST_UTTERANCES = 10
"""Of a held-out speaker; more would cost time each epoch and hardly change the error rate."""


@dataclass(frozen=True)
class Split:
    """The recordings of the speakers trained on, by speaker, and those held out."""

    training: dict[str, tuple[TrainingRecording, ...]]
    held_out: tuple[TrainingRecording, ...]


def split_speakers(recordings: list[TrainingRecording], corpus: str) -> Split:
    """Hold out a tenth of the speakers who have several utterances, four of them at least."""
    by_speaker: dict[str, list[TrainingRecording]] = {}
    # By id: what is drawn must not depend on the order in which files were found.
    for recording in sorted(recordings, key=lambda r: r.id):
        by_speaker.setdefault(recording.speaker, []).append(recording)
    several = [speaker for speaker, own in by_speaker.items() if len(own) > 1]
    if len(by_speaker) < FEWEST_SPEAKERS or len(several) < FEWEST_HELD_OUT:
        raise InputError(
            f"{corpus}: has {len(by_speaker)} usable speaker(s), {len(several)} of them with "
            f"several utterances; training needs at least {FEWEST_SPEAKERS} speakers, "
            f"{FEWEST_HELD_OUT} of them with several utterances to be held out."
        )
    wanted = round(HELD_OUT_SHARE * len(several))
    count = min(max(wanted, FEWEST_HELD_OUT), MOST_HELD_OUT)
    out = set(sorted(several, key=lambda name: _rank("speaker", name))[:count])
    held_out = [
        recording
        for speaker in sorted(out)
        for recording in sorted(by_speaker[speaker], key=lambda r: _rank("utterance", r.id))[
            :MOST_UTTERANCES
        ]
    ]
    training = {name: tuple(by_speaker[name]) for name in sorted(by_speaker) if name not in out}
    return Split(training, tuple(held_out))


def _rank(kind: str, name: str) -> float:
    return float(generator(0, "held out", kind, name).random())
