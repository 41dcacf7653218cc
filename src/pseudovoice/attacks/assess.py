"""From two corpora of speech to the assessment, for several recognisers and attackers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pseudovoice.assessment.assess import REPLICATES, Assessment, assess_scores
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.notes import NotGiven
from pseudovoice.attacks.attackers import Attack, judge, strongest
from pseudovoice.attacks.mixup import mixed_up
from pseudovoice.backends import (
    Backend,
    Cosine,
    EnrolmentTrials,
    score_enrolment,
    train_plda,
    with_as_norm,
)
from pseudovoice.backends.compare import Side, compare_all
from pseudovoice.corpus import Channel, Corpus, pair
from pseudovoice.embeddings.embed import Embedded, embed_corpus
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.npz import Embeddings
from pseudovoice.scores.scoreset import ScoreSet

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many items are done, and how many there are."""


@dataclass(frozen=True)
class AudioAssessment:
    """Assessments by (attacker set-up, group), and the one table of them all."""

    whole: Assessment
    parts: dict[tuple[str, str], Assessment]
    attacks: tuple[Attack, ...]
    problems: tuple[Problem, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.whole.to_dict(),
            "attacks": [attack.to_dict() for attack in self.attacks],
            "problems": [str(problem) for problem in self.problems],
        }


@dataclass(frozen=True)
class Material:
    """The corpora of an assessment; those of informed attackers may be missing.

    ``attacker_protected`` is the speakers' speech under the attacker's own key (lazy),
    ``attacker_training`` other speakers' speech the attacker protected utterance by utterance
    (semi). ``another_run`` is the speakers' speech under any other key, on which calibration is
    learnt for C_ECE (noe2022 Eq. 15–16).
    """

    original: Corpus
    protected: Corpus
    attacker_protected: Corpus | None = None
    attacker_training: Corpus | None = None
    another_run: Corpus | None = None


@dataclass(frozen=True)
class Recogniser:
    """How embeddings are compared, by every attacker alike.

    ``backend`` is ``cosine`` or ``plda``; PLDA, and AS-norm's cohort, come from ``training``.
    With ``lists`` the trials are those listed (enrolment models × segments, method
    ``enrolment``); without, every segment is compared with every other (``exhaustive``).
    """

    backend: str = "cosine"
    training: Corpus | None = None
    as_norm: bool = False
    lists: EnrolmentTrials | None = None

    def __post_init__(self) -> None:
        if (self.backend == "plda" or self.as_norm) and self.training is None:
            raise UsageError(
                f"{'AS-norm' if self.as_norm else 'PLDA'} learns from speech of other people; "
                "name a corpus with --backend-training."
            )


def assess_audio(
    material: Material,
    encoders: Sequence[Encoder],
    *,
    recogniser: Recogniser = Recogniser(),  # noqa: B008 - frozen
    store: EmbeddingStore | None = None,
    keep_counts: Path | None = None,
    channel: Channel = "mean",
    workers: int | None = None,
    oracle_key: bool = False,
    by_gender: bool = True,
    similarity: str = "geometric",
    replicates: int = REPLICATES,
    permutations: int = REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> AudioAssessment:
    """Assess protected speech against its originals.

    Every encoder is an attacker of its own. With ``material.attacker_protected`` the
    lazy-informed attacker's ``pq`` is assessed too, and with ``attacker_training`` that of the
    semi-informed one, whose PLDA is trained on speech it protected itself. With ``another_run``
    the ignorant attacker's ``op`` has C_ECE. Bad files are listed and left out on both sides.
    """
    pairing = pair(material.original, material.protected)
    problems = dict.fromkeys(  # in order, each once
        (*material.original.problems, *material.protected.problems, *pairing.problems)
    )
    # Listed trials are one set, whoever made the list; they are not cut up again.
    groups = _groups(material.original, pairing.ids, by_gender and recogniser.lists is None)
    parts: dict[tuple[str, str], Assessment] = {}
    attacks: list[Attack] = []
    notes: list[str] = []
    for encoder in encoders:
        say = progress or (lambda *_: None)
        through = _Through(encoder, store, channel, workers, say)
        sides, said = _embed(material, pairing.ids, through)
        backends, more = _backends(material, recogniser, through)
        problems |= dict.fromkeys((*said, *more))
        notes += [f"{encoder.name}: {note}" for note in mixed_up(sides["o"], sides["p"])]
        for group, members in groups.items():
            inside = {name: _within(side, members) for name, side in sides.items()}
            if len(set(inside["o"].speakers)) < 2:
                notes.append(f"{encoder.name}: group {group} has fewer than two speakers left.")
                continue
            scored, f0, more = _score(
                inside, backends, recogniser.lists, similarity, oracle_key, keep_counts
            )
            problems |= dict.fromkeys(more)
            for attacker, sets in scored.items():
                say(f"assessing {group} with {encoder.name} ({attacker})", 0, 0)
                assessment = assess_scores(
                    sets,
                    f0=f0 if attacker == "ignorant" else None,
                    attackers=_names(attacker, encoder.name),
                    similarity=similarity,
                    replicates=replicates,
                    permutations=permutations,
                    seed=seed,
                )
                assessment = replace(assessment, warnings=tuple(_worth_saying(assessment)))
                parts[(f"{attacker}, {encoder.name}", group)] = assessment
                attack = judge(attacker, encoder.name, group, assessment)
                attacks += [attack] if attack else []
    if not parts:
        raise InputError("No group of at least two speakers is left to assess.")
    provenance, unread = _provenance(material, encoders, recogniser)
    problems |= dict.fromkeys(unread)
    whole = _merge(parts, attacks, notes, provenance)
    return AudioAssessment(whole, parts, tuple(attacks), tuple(problems))


def _groups(corpus: Corpus, ids: Iterable[str], by_gender: bool) -> dict[str, set[str]]:
    """Utterances of everybody, and of each gender that has at least two speakers."""
    wanted = set(ids)
    groups = {"all": wanted}
    if by_gender:
        for gender in sorted({g for g in corpus.genders.values() if g}):
            people = {s for s, g in corpus.genders.items() if g == gender}
            members = {u.id for u in corpus if u.speaker in people} & wanted
            if len({corpus.by_id[name].speaker for name in members}) >= 2:
                groups[gender] = members
    # One gender only: its group is everybody.
    return groups if len(groups) > 2 else {"all": wanted}


@dataclass(frozen=True)
class _Through:
    """An encoder with all that embedding a corpus through it takes."""

    encoder: Encoder
    store: EmbeddingStore | None
    channel: Channel
    workers: int | None
    say: Progress

    def __call__(self, corpus: Corpus) -> Embedded:
        so_far = 0

        def step(count: int) -> None:
            nonlocal so_far
            so_far += count
            self.say(f"embedding {corpus.name} with {self.encoder.name}", so_far, len(corpus))

        return embed_corpus(
            corpus,
            self.encoder,
            self.store,
            channel=self.channel,
            workers=self.workers,
            progress=step,
        )


def _embed(
    material: Material, ids: Sequence[str], through: _Through
) -> tuple[dict[str, Side], list[Problem]]:
    """Embed all corpora; an utterance that fails on one side is left out on every side."""
    corpora = {
        "o": material.original.subset(ids=ids),
        "p": material.protected.subset(ids=ids),
    }
    if material.attacker_protected is not None:
        corpora["q"] = _version(material.attacker_protected, ids, "the attacker's protected speech")
    if _is_one_more(material):
        assert material.another_run is not None
        corpora["r"] = _version(material.another_run, ids, "another run of the safeguard")
    done = {name: through(corpus) for name, corpus in corpora.items()}
    kept = set.intersection(*({u.id for u in done[name].utterances} for name in ("o", "p")))
    sides = {}
    for name, embedded in done.items():
        rows = [k for k, u in enumerate(embedded.utterances) if u.id in kept]
        sides[name] = Side(
            embedded.vectors[rows],
            [embedded.utterances[k].speaker for k in rows],
            [embedded.utterances[k].id for k in rows],
        )
    if material.another_run is not None and "r" not in sides:
        sides["r"] = sides["q"]
    return sides, [problem for e in done.values() for problem in e.problems]


def _version(corpus: Corpus, ids: Sequence[str], what: str) -> Corpus:
    """The part of another version of the originals that has their names."""
    wanted = set(ids)
    part = corpus.subset(ids=[u.id for u in corpus if u.id in wanted])
    if not len(part):
        raise InputError(
            f"{corpus.root}: no utterance has the id of an original; {what} must keep the names "
            "of the originals."
        )
    return part


def _is_one_more(material: Material) -> bool:
    """Whether the other run is speech of its own; mostly it is the lazy-informed attacker's."""
    other = material.another_run
    return other is not None and other is not material.attacker_protected


def _backends(
    material: Material, recogniser: Recogniser, through: _Through
) -> tuple[dict[str, Backend | None], list[Problem]]:
    """The back-end of each kind of attacker; the semi-informed one trains its own."""
    problems: list[Problem] = []
    common: Backend | None = None
    if recogniser.training is not None:
        cohort = through(recogniser.training)
        problems += cohort.problems
        if recogniser.backend == "plda":
            common = train_plda(cohort.vectors, cohort.speakers)
        if recogniser.as_norm:
            common = with_as_norm(common or Cosine(), cohort.vectors)
    backends = {"common": common}
    if material.attacker_training is not None:
        theirs = through(material.attacker_training)
        problems += theirs.problems
        backends["semi"] = train_plda(theirs.vectors, theirs.speakers)
    return backends, problems


def _within(side: Side, members: set[str]) -> Side:
    return side.take([k for k, name in enumerate(side.ids) if name in members])


def _score(
    sides: Mapping[str, Side],
    backends: Mapping[str, Backend | None],
    lists: EnrolmentTrials | None,
    similarity: str,
    oracle_key: bool,
    keep_counts: Path | None,
) -> tuple[dict[str, dict[str, Any]], dict[str, Any], list[Problem]]:
    """The score sets of each attacker, each with its own OO as control, and OP of another run."""
    o, p = sides["o"], sides["p"]
    problems: list[Problem] = []

    def compare(rows: Side, columns: Side, backend: Backend | None) -> ScoreSet | BinnedScores:
        if lists is None:
            return compare_all(
                rows, columns, backend=backend, similarity=similarity, keep_counts=keep_counts
            )
        joined = score_enrolment(
            backend or Cosine(), lists, _as_embeddings(rows), _as_embeddings(columns)
        )
        problems.extend(joined.problems)
        return joined.scores

    common = backends["common"]
    oo, pp = compare(o, o, common), compare(p, p, common)
    sets: dict[str, dict[str, Any]] = {
        "ignorant": {"oo": oo, "op": compare(o, p, common), "pp": pp}
    }
    if "q" in sides:
        q = sides["q"]
        sets["lazy"] = {"oo": oo, "pq": compare(q, p, common)}
        if "semi" in backends:
            semi = backends["semi"]
            sets["semi"] = {"oo": compare(o, o, semi), "pq": compare(q, p, semi)}
    if oracle_key:
        # With the key itself the attacker's protection is ours: the scores of PP, read as attack.
        sets["oracle-key"] = {"oo": oo, "pq": pp}
    f0 = {}
    if "r" in sides and len(set(sides["r"].speakers)) > 1:
        f0["op"] = compare(o, sides["r"], common)
    return sets, f0, problems


def _as_embeddings(side: Side) -> Embeddings:
    return Embeddings("the corpus", side.ids, side.vectors, side.speakers)


def _names(attacker: str, encoder: str) -> dict[str, str]:
    kind = {"ignorant": "ignorant", "lazy": "lazy-informed", "semi": "semi-informed"}
    who = kind.get(attacker, attacker)
    control = f"{encoder} retrained" if attacker == "semi" else encoder
    return {
        "oo": f"none (unprotected), {control}",
        "op": f"{who}, {encoder}",
        "pp": f"none (same key), {encoder}",
        "pq": f"{who}, {encoder}",
    }


def _merge(
    parts: Mapping[tuple[str, str], Assessment],
    attacks: list[Attack],
    notes: Sequence[str],
    provenance: dict[str, Any],
) -> Assessment:
    """One table: every attacker's rows, the shared OO once, and the worst attacker of each."""
    rows: list[Row] = []
    seen: set[tuple[str, ...]] = set()
    for (_, group), part in parts.items():
        for row in part.rows:
            key = (group, row.condition, row.attacker, row.metric)
            if key not in seen:
                seen.add(key)
                rows.append(replace(row, group=group))
    for (group, condition), attack in strongest(attacks).items():
        name = f"{attack.attacker}, {attack.encoder}"
        worst = parts[(name, group)]
        rows += [
            replace(row, group=group, attacker=f"worst attacker ({row.attacker})")
            for row in worst.rows
            if row.condition == condition
        ]
    speakers = tuple(
        replace(row, group=group, attacker=name)
        for (name, group), part in parts.items()
        for row in part.speakers
        if row.condition != "oo"
    )
    warnings = [*notes]
    for (name, group), part in parts.items():
        warnings += [f"{name}, {group}: {warning}" for warning in part.warnings]
    warnings += [
        f"{attack.attacker}, {attack.encoder}, {attack.group}: {attack.verdict} "
        f"(EER {100 * attack.control_eer:.1f} %)."
        for attack in attacks
        if not attack.conclusive
    ]
    first = next(iter(parts.values()))
    return Assessment(
        tuple(rows),
        speakers,
        tuple(dict.fromkeys(warnings)),
        {**first.provenance, **provenance},
        first.conditions,
    )


def _worth_saying(part: Assessment) -> list[str]:
    """Warnings of a part, without what is plain from the set-up of an audio assessment."""
    return [warning for warning in part.warnings if not isinstance(warning, NotGiven)]


def _provenance(
    material: Material, encoders: Sequence[Encoder], recogniser: Recogniser
) -> tuple[dict[str, Any], list[Problem]]:
    """Where the numbers come from, and what of the speech could not be read for its fingerprint."""
    unread: list[Problem] = []
    corpora = {
        "original": material.original,
        "protected": material.protected,
        "attacker_protected": material.attacker_protected,
        "attacker_training": material.attacker_training,
        "another_run": material.another_run if _is_one_more(material) else None,
        "backend_training": recogniser.training,
    }
    facts = {
        "corpora": {
            name: {
                "name": corpus.name,
                "layout": corpus.layout,
                "utterances": len(corpus),
                "speakers": len(corpus.speakers),
                "fingerprint": corpus.fingerprint(content=True, unread=unread.append),
            }
            for name, corpus in corpora.items()
            if corpus is not None
        },
        "encoders": [{"name": e.name, "sha256": e.sha256, "licence": e.licence} for e in encoders],
        "comparison": recogniser.backend + (", AS-norm" if recogniser.as_norm else ""),
    }
    return facts, unread
