"""Slices in the page: whose voice it is in them, and whether they can be put together again.

Who attacks and what they know stands before every number, the level of chance beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.attacks.registry import attacker
from pseudovoice.attacks.verdict import is_conclusive, verdict
from pseudovoice.figures.wording import number
from pseudovoice.reassembly import Ranking, Sampled
from pseudovoice.reidentification import IdentityResult
from pseudovoice.report.maouche import linkability
from pseudovoice.slicing import Summary

LOOKS_AT = {
    "text, Eq. 2": "the words on either side of the cut, likely together in a language model",
    "text, ratio": "the same, less what each slice's words are worth on their own",
    "silence": "the same samples at the end of one slice and the beginning of another",
    "waveform": "whether the waveform goes on across the cut",
    "energy": "whether the loudness goes on across the cut",
    "pitch": "whether the melody goes on across the cut",
    "spectrum": "whether the sound goes on across the cut",
    "channel": "one microphone, one room, one voice",
    "embedding": "one voice, as a recogniser hears it",
    "all of sound, mean rank": "all that can be heard, together",
    "sound and text, mean rank": "all that can be heard and read, together",
}
ENROLMENTS = {
    "whole": "with whole recordings of each person",
    "sliced": "with recordings of each person that are cut like the slices",
}
READER = "has the slices with their transcripts and a language model (neither names nor key)"
LISTENER = "has nothing but the slices (neither names nor key)"

COMPARISONS = (
    "A speaker recogniser plays the attacker. It has some recordings of each person and compares "
    "them with slices of others."
)
REFERENCE = (
    "M. Maouche, B. M. L. Srivastava, N. Vauquier, A. Bellet, M. Tommasi, E. Vincent: Enhancing "
    "speech privacy with slicing. Interspeech 2022, hal-03369137."
)
NOT_TRIED = (
    "A network trained to hear which slices belong together (pseudovoice train --model successor), "
    "and cues whose weights are learnt on the attacker's own slices: both put together more.",
    "Whether a speech recogniser can still be trained on slices, Table 1 of Maouche et al. 2022: "
    "it takes hours and is made with pseudovoice train-asr.",
    "Whoever has the key: the key alone tells from the name of a slice where it comes from.",
    "Words, melody and quality of slices: they are those of the speech before it was cut.",
)
NO_TEXT = (
    "Putting slices together by their words was not tried: the plan names no text for a language "
    "model (slices.language_model)."
)


@dataclass(frozen=True)
class SliceAttack:
    """What one attacker learns about whose slices they are, beside clear speech cut alike.

    ``cut`` is False for the same attack on speech before it was cut, D_sys None where there are too
    few trials to tell. ``mean`` and ``sd`` are the seconds of what was tried.
    """

    attacker: str
    knows: str
    encoder: str
    enrolment: str
    cut: bool
    mean: float | None
    sd: float | None
    d_sys: Estimate | None
    eer: Estimate
    d_ece: Estimate
    clear_d_sys: Estimate | None
    clear_eer: Estimate
    clear_d_ece: Estimate
    n_mated: int
    n_nonmated: int
    too_weak: bool
    verdict: str


@dataclass(frozen=True)
class Joining:
    """How well one attack finds which slice follows which.

    ``samples`` is 0 where all slices were ranked at once by their words. ``recovered`` is the share
    of utterances put together whole.
    """

    attack: str
    knows: str
    looks_at: str
    slices: float
    samples: int
    average: Estimate
    median: Estimate
    top_1: Estimate
    top_10: Estimate
    recovered: Estimate | None


@dataclass(frozen=True)
class SliceFigures:
    """What was found about one chain of slices, as its stages give it.

    ``summary`` adds up the slices, ``whole_seconds`` are mean and standard deviation of the uncut
    utterances tried, ``reference`` is the name of the uncut form, ``nothing`` why no two slices
    could be joined.
    """

    name: str
    parameters: Mapping[str, object]
    key: str
    summary: Summary
    attacks: Sequence[IdentityResult]
    whole: Sequence[IdentityResult]
    whole_seconds: tuple[float | None, float | None]
    reference: str
    text: Mapping[str, Ranking]
    sound: Mapping[str, Sampled]
    nothing: str
    reads: bool


@dataclass(frozen=True)
class SlicedResults:
    """What a page says of one chain of slices; ``headline`` is its verdict, ``says`` its lines."""

    name: str
    parameters: dict[str, str]
    key: str
    cut: str
    headline: str
    whose: str
    together: str
    attacks: tuple[SliceAttack, ...]
    strongest: int | None
    joinings: tuple[Joining, ...]
    best: int | None
    reference: str
    not_tried: tuple[str, ...]


def sliced_results(found: SliceFigures) -> SlicedResults:
    """Everything of one chain of slices that a page shows."""
    mean, sd = found.summary.mean_duration, found.summary.sd_duration
    attacks = [
        *(_attack(one, True, mean, sd) for one in found.attacks),
        *(_attack(one, False, *found.whole_seconds) for one in found.whole),
    ]
    joinings = [
        *(
            _joining(name, ranking, float(ranking.slices), 0, None)
            for name, ranking in found.text.items()
        ),
        *(
            _joining(name, sampled, sampled.slices, sampled.samples, sampled.recovered)
            for name, sampled in found.sound.items()
        ),
    ]
    strongest, best = _strongest(attacks), _best(joinings)
    whose = _whose(attacks, strongest, found.reference)
    together = _together(joinings, best, found.nothing)
    return SlicedResults(
        name=found.name,
        parameters={name: str(value) for name, value in found.parameters.items()},
        key=found.key,
        cut=str(found.summary),
        headline=f"{whose} {together}",
        whose=whose,
        together=together,
        attacks=tuple(attacks),
        strongest=strongest,
        joinings=tuple(joinings),
        best=best,
        reference=found.reference,
        not_tried=() if found.reads else (NO_TEXT,),
    )


def annex_lines(results: Sequence[SlicedResults]) -> dict[str, tuple[str, ...]]:
    """What slices add to the annex, by property."""
    whose = tuple(f"{one.name}: {one.whose}" for one in results)
    together = tuple(f"{one.name}: {one.together}" for one in results)
    renewed = tuple(
        f"{one.name}: another key or session gives the slices other names." for one in results
    )
    return {
        "Irreversibility": together,
        "Unlinkability": whose,
        "Renewability": renewed,
        "Singling out": whose,
        "Linkability": together,
    }


def disclosed(result: SlicedResults) -> float:
    """D_ECE of the strongest attacker, 0 where none could conclude."""
    return 0.0 if result.strongest is None else float(result.attacks[result.strongest].d_ece.value)


def _attack(one: IdentityResult, cut: bool, mean: float | None, sd: float | None) -> SliceAttack:
    ours, clear = one.linked, one.control
    weak = not is_conclusive(clear.d_ece, clear.eer)
    return SliceAttack(
        attacker=one.attacker,
        knows=attacker(one.attacker).knows,
        encoder=one.encoder,
        enrolment=one.enrolment,
        cut=cut,
        mean=mean,
        sd=sd,
        d_sys=linkability(ours),
        eer=ours.eer,
        d_ece=ours.d_ece,
        clear_d_sys=linkability(clear),
        clear_eer=clear.eer,
        clear_d_ece=clear.d_ece,
        n_mated=ours.n_mated,
        n_nonmated=ours.n_nonmated,
        too_weak=weak,
        verdict=verdict(
            ours.d_ece,
            clear.d_ece,
            conclusive=not weak,
            what="slices" if cut else "speech",
            tells="tell" if cut else "tells",
        ),
    )


def _joining(
    name: str,
    found: Ranking | Sampled,
    slices: float,
    samples: int,
    whole: Estimate | None,
) -> Joining:
    return Joining(
        attack=name,
        knows=READER if "text" in name else LISTENER,
        looks_at=LOOKS_AT.get(name, name),
        slices=slices,
        samples=samples,
        average=found.average,
        median=found.median,
        top_1=found.top_1,
        top_10=found.top_10,
        recovered=whole,
    )


def _strongest(attacks: Sequence[SliceAttack]) -> int | None:
    """The attack on slices that learns most, among those that can conclude anything."""
    able = [k for k, one in enumerate(attacks) if one.cut and not one.too_weak]
    return max(able, key=lambda k: float(attacks[k].d_ece.value), default=None)


def _best(joinings: Sequence[Joining]) -> int | None:
    """The attack that puts most utterances together, or finds most successors."""
    return max(
        range(len(joinings)),
        key=lambda k: (_share(joinings[k].recovered), float(joinings[k].top_1.value)),
        default=None,
    )


def _share(figure: Estimate | None) -> float:
    return -1.0 if figure is None else float(figure.value)


def _whose(attacks: Sequence[SliceAttack], strongest: int | None, reference: str) -> str:
    """Who attacks, what they know, what they learn about whose slices they are."""
    if not any(one.cut for one in attacks):
        return "Whose slices they are was not tried."
    if strongest is None:
        return (
            "Every attack on whose slices they are was too weak to conclude: each fails on "
            "unprotected slices too."
        )
    worst = attacks[strongest]
    before = [
        one
        for one in attacks
        if not one.cut and (one.attacker, one.encoder) == (worst.attacker, worst.encoder)
    ]
    uncut = f"; {reference}, not cut: {_percent(before[0].eer)}" if before else ""
    linked = ""
    if worst.d_sys is not None:
        linked = f"; linkability D_sys {_plain(worst.d_sys)}"
        if worst.d_sys.null is not None:
            linked += f", where shuffled names give {number(worst.d_sys.null, 2)}"
    return (
        f"The strongest attacker tested {worst.knows}; {ENROLMENTS[worst.enrolment]}, heard "
        f"through {worst.encoder}, {worst.verdict} (equal error rate {_percent(worst.eer)}, where "
        f"guessing gives 50 %{uncut}{linked})."
    )


def _together(joinings: Sequence[Joining], best: int | None, nothing: str) -> str:
    """Who tries to put slices in order again, what they know, how far they get."""
    if nothing:
        return f"Putting slices together: {nothing}."
    if best is None:
        return "Putting slices together was not tried."
    one = joinings[best]
    sampled = one.samples > 1
    found = _percent(one.top_1, sampled=sampled)
    first = f"a slice's successor is found in {found} of the cases"
    if one.top_1.null is not None:
        first += f", where guessing finds it in {number(100 * one.top_1.null, 1)} %"
    if one.recovered is None:
        return f"Somebody who {one.knows} looks at {one.looks_at}: {first}."
    of = f"{one.samples} samples of utterances" if sampled else "all utterances"
    whole = _percent(one.recovered, sampled=sampled)
    return (
        f"Somebody who {one.knows} puts {whole} of the utterances together again "
        f"(looking at {one.looks_at}; {of}): {first}."
    )


def _percent(figure: Estimate, *, sampled: bool = False) -> str:
    """With its 95 % interval, or with the smallest and the largest of several samples."""
    value = f"{number(100 * float(figure.value), 1)} %"
    if figure.low is None or figure.high is None:
        return value
    low, high = (number(100 * float(x), 1) for x in (figure.low, figure.high))
    return f"{value} ({low} to {high})" if sampled else f"{value} [{low}, {high}]"


def _plain(figure: Estimate) -> str:
    value = number(float(figure.value), 2)
    if figure.low is None or figure.high is None:
        return value
    return f"{value} [{number(float(figure.low), 2)}, {number(float(figure.high), 2)}]"
