"""From slices whose order is known to a network that tells which slice follows which."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pseudovoice.atomic import write_atomic
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus
from pseudovoice.progress import Progress
from pseudovoice.reassembly.decisions import Decisions, decisions
from pseudovoice.reassembly.speech_successor import REACHES, load_successor
from pseudovoice.training.draws import generator
from pseudovoice.training.ground import SUMMARY_FILE, folder_for, need_torch
from pseudovoice.training.successor_recipe import SuccessorOutcome, SuccessorRecipe

if TYPE_CHECKING:
    from pseudovoice.slicing import Origin
    from pseudovoice.training.successor_pairs import TrainingSlices

_FORMAT = 3
JUDGED = 100
"""Utterances of held-out speakers of which all pairs are judged, as many as in the paper."""


def train_successor(
    slices: Corpus,
    origins: Sequence[Origin],
    out: str | Path,
    *,
    resume: bool = True,
    progress: Progress | None = None,
    threads: int | None = None,
    **choices: Any,
) -> SuccessorOutcome:
    """Train a speech successor (Maouche et al. 2022, §5.2) and leave it in ``out``.

    Parameters
    ----------
    slices, origins : slices of the attacker's own, and the rows of the table that undoes them
    resume : go on from the checkpoint in ``out``; False begins anew
    progress : called with what is being done, how many items are done, and how many there are
    threads : cores to use, all by default; another number may change the last digits
    choices : see :class:`SuccessorRecipe`; the same ones give the same network

    ``out`` holds ``model.onnx`` (``reassembly.load_successor`` runs it without torch),
    ``checkpoint.npz`` and ``training.json``. A run that was killed and is started again ends with
    the same network. Raises MissingExtraError without torch, InputError if too few speakers have
    utterances of several slices.
    """
    need_torch("Training a successor network")
    recipe = SuccessorRecipe(**choices)
    recipe = replace(recipe, width=recipe.channels)
    # Imported here: who trains an encoder need not wait for what slices take.
    from pseudovoice.training.successor_pairs import PairSet, read_slices, split_slices

    folder = folder_for(out)
    say = progress or (lambda *_: None)
    heard, problems = read_slices(
        slices, origins, around=REACHES[recipe.network], workers=threads, progress=say
    )
    training, held_out = split_slices(heard, str(slices.root))
    # And here: nothing a user runs by default may need torch or wait for its import.
    from pseudovoice.training.epochs import run
    from pseudovoice.training.loop import MODEL_FILE
    from pseudovoice.training.successor_loop import SuccessorTraining
    from pseudovoice.training.successor_network import build

    identity = {
        "format": _FORMAT,
        "model": "successor",
        "slices": heard.fingerprint,
        **recipe.to_dict(),
    }
    learner, cores = build(recipe), threads or usable_cores()
    pairs = PairSet(training, recipe)
    job = SuccessorTraining(learner, pairs, held_out, folder, identity, cores, say)
    standing = run(job, resume=resume)
    outcome = SuccessorOutcome(
        model=folder / MODEL_FILE,
        parameters=learner.size,
        epochs=standing.epoch,
        best_epoch=standing.best_epoch,
        before=standing.before,
        after=standing.best,
        every_pair=_every_pair(held_out, folder / MODEL_FILE, cores),
        history=standing.history,
        slices=len(training.truth),
        successive=int(training.truth.queries.size),
        speakers=len(set(training.truth.speaker.tolist())),
        held_out_speakers=len(set(held_out.truth.speaker.tolist())),
        seconds=standing.seconds,
        problems=(*slices.problems, *problems),
    )
    summary = json.dumps(outcome.to_dict() | {"identity": identity}, indent=1, allow_nan=False)
    write_atomic(folder / SUMMARY_FILE, summary + "\n")
    return outcome


def _every_pair(held_out: TrainingSlices, model: Path, cores: int) -> Decisions:
    """All pairs of some utterances of the held-out speakers, judged by the network that is kept."""
    every = np.unique(held_out.truth.utterance)
    drawn = generator(0, "judged utterances").permutation(every)[:JUDGED]
    some = held_out.of_utterances(np.sort(drawn))
    scores = load_successor(model).scores(some.edges(), workers=cores)
    return decisions([(scores, some.truth)])
