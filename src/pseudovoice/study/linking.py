"""Whose slice is it: the identity attacks of a study, and the same on speech that was not cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pseudovoice.backends import Backend, train_plda
from pseudovoice.corpus import Corpus
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem
from pseudovoice.reidentification import (
    Attacked,
    Found,
    Known,
    Segments,
    attack_identity,
    embed_segments,
    link,
    split_utterances,
)
from pseudovoice.study.plan import Plan

Say = Callable[[str, int, int], None]

LEFT_OUT = "slices are shown without speech that was not cut beside them"


@dataclass(frozen=True)
class Identity:
    """What the stage found, as it is kept.

    ``whole`` are the same attacks on the chain's unsliced form, empty where it is not at hand;
    ``whole_mean`` and ``whole_sd`` are the seconds of what was tried there.
    """

    attacks: tuple[Attacked, ...]
    whole: tuple[Attacked, ...]
    whole_mean: float | None
    whole_sd: float | None
    encoders: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Linker:
    """What all identity attacks of a study share."""

    plan: Plan
    encoders: Callable[[], Sequence[Encoder]]
    workers: int | None
    say: Say

    def __call__(
        self, known: Known, made: Found, uncut: Corpus | None, attackers: Sequence[str]
    ) -> Identity:
        """Attack slices and, where there is any, ``uncut`` speech with the same people enrolled."""
        encoders = self.encoders()
        attacks, problems = attack_identity(
            known,
            encoders,
            made,
            replicates=self.plan.replicates,
            seed=self.plan.seed,
            workers=self.workers,
            progress=self.say,
        )
        whole: list[Attacked] = []
        seconds: tuple[float, ...] = ()
        try:
            for encoder in encoders if uncut is not None else ():
                found, seconds = self._uncut(known, made, uncut or known.original, encoder)
                whole += found
        except InputError as error:  # a small corpus has more slices than recordings
            problems += (
                Problem(f"{known.slices.name} before it was cut", str(error).rstrip("."), LEFT_OUT),
            )
        return Identity(
            tuple(one for one in attacks if one.attacker in attackers),
            tuple(one for one in whole if one.attacker in attackers),
            float(np.mean(seconds)) if seconds else None,
            float(np.std(seconds, ddof=1)) if len(seconds) > 1 else None,
            tuple({"name": e.name, "sha256": e.sha256, "licence": e.licence} for e in encoders),
            problems,
        )

    def _uncut(
        self, known: Known, made: Found, uncut: Corpus, encoder: Encoder
    ) -> tuple[list[Attacked], tuple[float, ...]]:
        """Utterance against person, split between enrolment and trials as the slices were."""
        rows = ((o.speaker, o.session, o.utterance) for o in known.origins)
        enrolled, tried = split_utterances(rows)

        def hear(corpus: Corpus, wanted: frozenset[str] | None = None) -> Segments:
            self.say(f"embedding {corpus.name}, not cut, with {encoder.name}", 0, 0)
            ids = [u.id for u in corpus if wanted is None or u.id in wanted]
            # What cannot be decoded was said when slices of it were tried.
            segments, _ = embed_segments(corpus.subset(ids=ids), encoder, workers=self.workers)
            return segments

        trials, clear_trials = hear(uncut, tried), hear(known.original, tried)
        clear = hear(known.original, enrolled)
        who: dict[str, tuple[Segments, Backend | None]] = {"ignorant": (clear, None)}
        if made.protected is not None:
            own = hear(made.protected, enrolled)
            who["lazy"] = (own, None)
            if made.training is not None:
                theirs = hear(made.training)
                who["semi"] = (own, train_plda(theirs.vectors, theirs.speakers))
        found = []
        for attacker, (enrolment, backend) in who.items():
            self.say(f"{attacker}, not cut, {encoder.name}", 0, 0)
            attack, control = (
                link(
                    rows,
                    columns,
                    backend,
                    replicates=self.plan.replicates,
                    seed=self.plan.seed,
                )
                for rows, columns in ((enrolment, trials), (clear, clear_trials))
            )
            found.append(Attacked(attacker, encoder.name, "whole", attack, control))
        return found, trials.seconds
