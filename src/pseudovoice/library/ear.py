"""The ear of an attacker who trains one: made once for the same speech, and kept."""

from __future__ import annotations

from pathlib import Path

from pseudovoice.corpus import Channel, Corpus
from pseudovoice.encoders import Encoder
from pseudovoice.private import private_folder
from pseudovoice.progress import Progress
from pseudovoice.training.ear import ear_mark, train_ear


def attackers_ear(
    kind: str,
    training: Corpus,
    workplace: Path,
    channel: Channel,
    workers: int | None,
    progress: Progress | None,
) -> Encoder:
    """An encoder that learnt from ``training``; one that the workplace holds is not made again.

    A training that was stopped goes on.
    """
    mark = ear_mark(kind, f"{training.fingerprint(content=True)} {channel}")
    folder = private_folder(workplace / f"ear-{mark}")
    return train_ear(kind, training, folder, channel=channel, threads=workers, progress=progress)
