"""From corpora to a neural voice of one's own, with the pool that its targets come from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pseudovoice.asr.ctc.front_end import load_front_end
from pseudovoice.atomic import write_atomic
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.errors import InputError
from pseudovoice.progress import Progress
from pseudovoice.safeguards.xvector.build import people_of, pool_of
from pseudovoice.safeguards.xvector.neural_voice import GRAPH_FILE, About, height
from pseudovoice.safeguards.xvector.pool import write_pool
from pseudovoice.safeguards.xvector.space import DIMENSIONS, space_of
from pseudovoice.training.draws import generator
from pseudovoice.training.ground import SUMMARY_FILE, folder_for, need_torch
from pseudovoice.training.voice_begun import Begun
from pseudovoice.training.voice_card import CARD_FILE, card
from pseudovoice.training.voice_data import VoiceData, scale_of
from pseudovoice.training.voice_features import Taken, taken_apart
from pseudovoice.training.voice_outcome import VoiceOutcome
from pseudovoice.training.voice_recipe import VoiceRecipe

FRONT_END = "moonshine-base"
ENCODER = "resnet34-lm"
POOL_FILE = "pool.npz"

FEWEST_SPEAKERS = 8
HELD_OUT_SHARE, FEWEST_HELD_OUT = 0.05, 2
_FORMAT = 3


def train_voice(
    corpora: Sequence[Corpus],
    out: str | Path,
    recipe: VoiceRecipe | None = None,
    *,
    start: str | Path | None = None,
    threads: int | None = None,
    resume: bool = True,
    progress: Progress | None = None,
) -> VoiceOutcome:
    """Train a voice on all utterances of ``corpora``; no transcript is needed.

    ``out`` then holds what ``xvector:voice=OUT,pool=OUT/pool.npz`` speaks with, a model card, the
    curves in ``training.json`` and ``checkpoint.npz``. A run that was killed and is started again
    ends with the same network. Some utterances are held out to judge every epoch. ``start`` is
    a voice to go on from, in the package or in a folder: its shape, its scale and the space of its
    targets stay, so that targets which were given are still where they were.
    """
    need_torch("Training a voice")
    recipe = recipe or VoiceRecipe()
    begun = None if start is None else Begun.of(start)
    if begun is not None:
        recipe = begun.shaped(recipe)
    folder = folder_for(out)
    say = progress or (lambda *_: None)
    cores = threads or usable_cores()
    front_end, encoder = load_front_end(FRONT_END), load_encoder(ENCODER)
    taken, problems = taken_apart(corpora, front_end, cores, say)
    everybody = sum(len(corpus.speakers) for corpus in corpora)
    heard = 0

    def hearing(count: int) -> None:
        nonlocal heard
        heard += count
        say("hearing speakers", heard, everybody)

    people, silent = people_of(corpora, encoder, cores, hearing)
    known = {person.speaker for person in people}
    taken = [one for one in taken if one.speaker in known]
    learning, held_out = _split(taken, corpora)
    about = {"encoder": encoder.name, "encoder_sha256": encoder.sha256}
    pool = pool_of(people, {**about, "corpora": [corpus.name for corpus in corpora]})
    if begun is None:
        space = space_of(encoder.name, pool.embeddings, min(DIMENSIONS, len(pool) - 1))
        scale = scale_of(learning)
    else:
        space, scale = begun.about.space, begun.scale
    # Imported here: nothing a user runs by default may need torch or wait for its import.
    from pseudovoice.training.epochs import run
    from pseudovoice.training.learner import load
    from pseudovoice.training.voice_loop import VoiceTraining
    from pseudovoice.training.voice_network import build_voice

    told = {
        "front_end": front_end.name,
        "front_end_identity": front_end.identity,
        **about,
        "recipe": recipe.to_dict(),
        **({} if begun is None else {"start": begun.sha256}),
    }
    description = About(scale.content_mean, scale.content_deviation, space, told)
    places = {p.speaker: space.places(p.embedding[None])[0] for p in people}
    heights = {p.speaker: float(height(p.pitch)) for p in people}
    learner = build_voice(
        recipe,
        scale.content_mean.size,
        len(space.axes),
        scale.mean,
        scale.deviation,
        len(places),
    )
    if begun is not None:
        load(learner.net, begun.state)
    job = VoiceTraining(
        learner,
        recipe,
        VoiceData(learning, places, heights, description, scale, recipe),
        VoiceData(held_out, places, heights, description, scale, recipe),
        description,
        folder,
        {"format": _FORMAT, "speech": _fingerprint(taken), **told},
        cores,
        say,
    )
    standing = run(job, resume=resume)
    write_pool(pool, folder / POOL_FILE)
    outcome = VoiceOutcome(
        folder=folder,
        parameters=learner.size,
        size=(folder / GRAPH_FILE).stat().st_size,
        epochs=standing.epoch,
        before=standing.before,
        after=standing.best,
        history=standing.history,
        utterances=len(learning),
        speakers=len({one.speaker for one in learning}),
        hours=sum(one.steps for one in learning) * 0.024 / 3600.0,
        held_out_utterances=len(held_out),
        seconds=standing.seconds,
        problems=tuple([p for corpus in corpora for p in corpus.problems] + problems + silent),
    )
    summary = json.dumps(outcome.to_dict() | {"identity": job.identity}, indent=1, allow_nan=False)
    write_atomic(folder / SUMMARY_FILE, summary + "\n")
    write_atomic(folder / CARD_FILE, card(outcome, corpora, told))
    return outcome


def _split(taken: Sequence[Taken], corpora: Sequence[Corpus]) -> tuple[list[Taken], list[Taken]]:
    """What is learnt from, and what judges: one utterance in twenty, by name alone.

    Of people whose others are learnt from: how an unknown person sounds cannot be told from a
    place, and an epoch that guesses less would seem the better.
    """
    several: dict[str, int] = {}
    for one in taken:
        several[one.speaker] = several.get(one.speaker, 0) + 1
    if len(several) < FEWEST_SPEAKERS:
        where = ", ".join(str(corpus.root) for corpus in corpora)
        raise InputError(
            f"{where}: {len(several)} speaker(s) can be learnt from; a voice needs at least "
            f"{FEWEST_SPEAKERS}, and hundreds to speak as anybody."
        )
    choice = sorted(
        (one for one in taken if several[one.speaker] > 1),
        key=lambda one: float(generator(0, "held out", one.speaker, one.id).random()),
    )
    if not choice:
        raise InputError("Everybody has one utterance: there is none to judge a voice by.")
    count = max(FEWEST_HELD_OUT, round(HELD_OUT_SHARE * len(choice)))
    out = {(one.speaker, one.id) for one in choice[:count]}
    held = [one for one in taken if (one.speaker, one.id) in out]
    return [one for one in taken if (one.speaker, one.id) not in out], held


def _fingerprint(taken: Sequence[Taken]) -> str:
    """Who says what, whatever the order: other speech must not go on from this checkpoint."""
    lines: list[Any] = sorted((one.speaker, one.id, one.key) for one in taken)
    return hashlib.sha256(json.dumps(lines).encode()).hexdigest()
