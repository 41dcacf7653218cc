"""From a transcribed corpus to a speech recogniser of one's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from pseudovoice.asr.ctc.front_end import FrontEnd, load_front_end
from pseudovoice.asr.ctc.recogniser import LANGUAGE_FILE
from pseudovoice.atomic import write_atomic
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Channel, Corpus
from pseudovoice.errors import Problem
from pseudovoice.progress import Progress
from pseudovoice.text.arpa import write_arpa
from pseudovoice.text.ngram import NGram
from pseudovoice.text.normalise import normalise
from pseudovoice.training.ctc_data import CtcData, split_spoken, writable
from pseudovoice.training.ctc_features import Spoken, cached_frames
from pseudovoice.training.ctc_outcome import CtcOutcome
from pseudovoice.training.ctc_recipe import CtcRecipe
from pseudovoice.training.ground import SUMMARY_FILE, folder_for, need_torch

_FORMAT = 2


def train_recogniser(
    corpus: Corpus,
    out: str | Path,
    recipe: CtcRecipe | None = None,
    *,
    language: NGram | None = None,
    normaliser: Callable[[str], str] = normalise,
    channel: Channel = "mean",
    front_end: FrontEnd | None = None,
    threads: int | None = None,
    resume: bool = True,
    progress: Progress | None = None,
) -> CtcOutcome:
    """Train an acoustic model on the transcribed utterances of ``corpus``, whole or sliced.

    ``out`` holds ``model.onnx`` and its declaration (``load_recogniser("ctc:…")`` runs them
    without torch), ``language.arpa.gz`` if there is a ``language`` to search with,
    ``checkpoint.npz`` and ``training.json``. A run that was killed and is started again ends with
    the same network. ``threads``: cores to use, all by default; another number may change the last
    digits. Raises MissingExtraError without torch, InputError without transcripts.
    """
    need_torch("Training a recogniser")
    recipe = (recipe or CtcRecipe()).filled()
    folder = folder_for(out)
    say = progress or (lambda *_: None)
    cores = threads or usable_cores()
    front_end = front_end or load_front_end(recipe.shape.front_end)
    spoken, problems = cached_frames(
        corpus, front_end, normaliser, channel=channel, workers=cores, progress=say
    )
    spoken, short = writable(spoken, recipe.shape.stride)
    problems += _too_short(short, corpus)
    split = split_spoken(spoken, str(corpus.root))
    # Imported here: nothing a user runs by default may need torch or wait for its import.
    from pseudovoice.training.ctc_loop import CtcTraining
    from pseudovoice.training.ctc_network import build_ctc
    from pseudovoice.training.epochs import run

    identity = {
        "format": _FORMAT,
        "corpus": _fingerprint(spoken),
        "front_end": front_end.identity,
        **recipe.to_dict(),
    }
    data = CtcData(split.training, recipe, front_end.frames_per_second)
    network = build_ctc(recipe, data.mean, data.deviation)
    held_out = split.held_out
    job = CtcTraining(network, recipe, data, held_out, front_end, folder, identity, cores, say)
    standing = run(job, resume=resume)
    if language is not None:
        write_arpa(language, folder / LANGUAGE_FILE)
    learnt = sum(one.frames for one in split.training)
    outcome = CtcOutcome(
        folder=folder,
        recipe=recipe.recipe,
        parameters=network.size,
        epochs=standing.epoch,
        best_epoch=standing.best_epoch,
        cer=standing.best.cer,
        wer=standing.best.wer,
        history=standing.history,
        utterances=len(split.training),
        speakers=len({one.speaker for one in split.training}),
        hours=learnt / front_end.frames_per_second / 3600.0,
        held_out_utterances=len(split.held_out),
        language_words=None if language is None else len(language.words),
        seconds=standing.seconds,
        problems=(*corpus.problems, *problems),
    )
    summary = json.dumps(outcome.to_dict() | {"identity": identity}, indent=1, allow_nan=False)
    write_atomic(folder / SUMMARY_FILE, summary + "\n")
    return outcome


def _too_short(short: Sequence[Spoken], corpus: Corpus) -> list[Problem]:
    if not short:
        return []
    what = (
        f"has {len(short):,} utterance(s), such as {short[0].id}, with more letters than frames to "
        "write them in"
    )
    return [Problem(str(corpus.root), what, "they are left out; look at their transcripts")]


def _fingerprint(spoken: Sequence[Spoken]) -> str:
    """Who says what, whatever the order: another corpus must not go on from this checkpoint."""
    lines = sorted(repr((s.id, s.speaker, s.units.tolist(), s.key)) for s in spoken)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
