"""From a corpus to a speaker encoder of one's own."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pseudovoice.atomic import write_atomic
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Channel, Corpus
from pseudovoice.errors import UsageError
from pseudovoice.progress import Progress
from pseudovoice.training.data import TrainingSet
from pseudovoice.training.features import TrainingRecording, cached_features
from pseudovoice.training.ground import SUMMARY_FILE, folder_for, need_torch
from pseudovoice.training.outcome import TrainingOutcome
from pseudovoice.training.recipe import Recipe
from pseudovoice.training.split import split_speakers
from pseudovoice.training.start import check_fit, read_start

_FORMAT = 1


def train_encoder(
    corpus: Corpus,
    out: str | Path,
    *,
    model: str | None = None,
    epochs: int = Recipe.epochs,
    seed: int = Recipe.seed,
    init: str | Path | None = None,
    resume: bool = True,
    progress: Progress | None = None,
    width: int | None = None,
    channel: Channel = "mean",
    threads: int | None = None,
    **choices: Any,
) -> TrainingOutcome:
    """Train a speaker encoder on ``corpus`` and leave it in the folder ``out``.

    Parameters
    ----------
    model : ``"xvector"`` (the default) or ``"ecapa"``
    epochs, seed, width, choices : see :class:`Recipe`; the same ones give the same network
    init : a folder of a former training to go on from (fine-tuning), or ``"ecapa"`` for
        SpeechBrain's published weights; its network decides ``model`` and ``width``
    resume : go on from the checkpoint in ``out``; False begins anew
    progress : called with what is being done, how many items are done, and how many there are
    threads : cores to use, all by default; another number may change the last digits

    ``out`` holds ``model.onnx`` (``load_encoder("onnx:…")`` runs it without torch), its
    declaration, ``encoder.npz`` (for ``init``), ``checkpoint.npz`` and ``training.json``.
    A run that was killed and is started again ends with the same network. Raises
    MissingExtraError without torch, InputError if the corpus has too few speakers.
    """
    need_torch("Training an encoder")
    if init is not None and Path(init).resolve() == Path(out).resolve():
        raise UsageError(
            f"{out} is where training starts from: give another folder for its result."
        )
    start = None if init is None else read_start(init)
    if start is not None:
        check_fit(start, model, width)
        model, width = start.model, start.width
    recipe = Recipe(model=model or Recipe.model, width=width, epochs=epochs, seed=seed, **choices)
    recipe = replace(recipe, width=recipe.channels)
    folder = folder_for(out)
    say = progress or (lambda *_: None)
    recordings, problems = cached_features(corpus, channel=channel, progress=say)
    split = split_speakers(recordings, str(corpus.root))
    # Imported here: nothing a user runs by default may need torch or wait for its import.
    from pseudovoice.training.epochs import run
    from pseudovoice.training.loop import MODEL_FILE, EncoderTraining
    from pseudovoice.training.network import build

    identity = {
        "format": _FORMAT,
        "corpus": _fingerprint(recordings),
        "start": None if start is None else start.sha256,
        **recipe.to_dict(),
    }
    training = TrainingSet(split.training, recipe)
    network = build(recipe, training.classes, start)
    cores = threads or usable_cores()
    held_out, fine_tuning = split.held_out, start is not None
    job = EncoderTraining(network, training, held_out, fine_tuning, folder, identity, cores, say)
    standing = run(job, resume=resume)
    outcome = TrainingOutcome(
        model=folder / MODEL_FILE,
        kind=recipe.model,
        dimension=network.dimension,
        parameters=sum(p.numel() for p in network.encoder.parameters()),
        epochs=standing.epoch,
        best_epoch=standing.best_epoch,
        before=standing.before,
        after=standing.best,
        history=standing.history,
        speakers=len(split.training),
        utterances=sum(map(len, split.training.values())),
        held_out_speakers=len({recording.speaker for recording in split.held_out}),
        held_out_utterances=len(split.held_out),
        seconds=standing.seconds,
        problems=(*corpus.problems, *problems),
    )
    summary = json.dumps(outcome.to_dict() | {"identity": identity}, indent=1, allow_nan=False)
    write_atomic(folder / SUMMARY_FILE, summary + "\n")
    return outcome


def _fingerprint(recordings: list[TrainingRecording]) -> str:
    """Who says what, whatever the order: another corpus must not go on from this checkpoint."""
    lines = sorted(repr((r.id, r.speaker, r.gender, r.key)) for r in recordings)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
