"""Are the protected recordings still of use? Words, quality and prosody, before and after."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, Literal

from pseudovoice import engines
from pseudovoice.asr.languages import DETECT
from pseudovoice.asr.languages import ENGLISH as ENGLISH_CODE
from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.registry import load_recogniser
from pseudovoice.choices import ALL_MEASURES, MEASURES, UTILITY_REPLICATES, Measure, Reference
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Channel, Corpus, Utterance, hashed_ahead, pair
from pseudovoice.diarisation.activity import load_activity
from pseudovoice.encoders import load_encoder
from pseudovoice.engines import Lost, in_parallel, worker_lost
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.memory import give_back
from pseudovoice.progress import Progress
from pseudovoice.result import Result
from pseudovoice.signal.pitch import tracker
from pseudovoice.text.normalise import normalise
from pseudovoice.utility.counting import Counting
from pseudovoice.utility.dnsmos import load_dnsmos
from pseudovoice.utility.measure import Instruments, Measured, Pair, measure_together
from pseudovoice.utility.quality import QualityPredictor
from pseudovoice.utility.rows import Item, UtilityRow, utility_rows
from pseudovoice.utility.spoken import Spoken, spoken_in, whisper_ear
from pseudovoice.utility.store import MeasureStore, Notes, NotKeptError
from pseudovoice.utility.telling_apart import NOBODY_CONVERSES, Conversing, told_apart
from pseudovoice.version import __version__

ENGLISH = "english"
"""Name of the recording sessions that ``original-english`` counts words in."""


@dataclass(frozen=True, repr=False)
class UtilityAssessment(Result):
    """The table of all groups, that of each speaker, and what every utterance gave.

    ``items`` hold the texts as recognised; :meth:`to_dict` leaves texts out, since what people
    said is nobody's business in a table of error rates; nor are they kept in a file.
    """

    rows: tuple[UtilityRow, ...]
    speakers: tuple[UtilityRow, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    provenance: dict[str, Any]
    items: tuple[Item, ...] = field(default=(), metadata={"kept": False})

    def value(self, metric: str, condition: str = "protected", group: str = "all") -> UtilityRow:
        """One row; a name that is not there is a sentence."""
        for row in self.rows:
            if (row.metric, row.condition, row.group) == (metric, condition, group):
                return row
        raise InputError(
            f"There is no {metric} of condition {condition} and group {group} in the table; it has "
            f"{', '.join(sorted({f'{row.metric} ({row.condition})' for row in self.rows}))}."
        )

    def lost(self, condition: Literal["original", "protected"] = "protected") -> tuple[str, ...]:
        """Ids of utterances in which nothing was recognised or the WER is 1 or more."""
        return tuple(
            item.measured.utterance.id
            for item in self.items
            if (errors := getattr(item, condition)) is not None and errors.lost
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": [row.to_dict() for row in self.rows],
            "speakers": [row.to_dict() for row in self.speakers],
            "lost": {side: list(self.lost(side)) for side in ("original", "protected")},
            "notes": list(self.notes),
            "problems": [str(problem) for problem in self.problems],
            "provenance": self.provenance,
        }


def assess_utility(
    original: Corpus,
    protected: Corpus,
    *,
    recogniser: SpeechRecogniser | None = None,
    quality: QualityPredictor | None = None,
    measures: Collection[Measure] = MEASURES,
    reference: Reference = "auto",
    language: str = DETECT,
    normaliser: Callable[[str], str] = normalise,
    limit_per_speaker: int | None = None,
    store: MeasureStore | None = None,
    channel: Channel = "mean",
    workers: int | None = None,
    by_gender: bool = True,
    replicates: int = UTILITY_REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> UtilityAssessment:
    """Measure what protected speech is still good for, beside its originals.

    ``recogniser`` and ``quality`` are loaded by name if not given (:func:`load_recogniser`,
    :func:`load_dnsmos`) and ``measures`` asks for them. ``reference`` is what words are counted
    against: the corpora's ``transcripts``, what the recogniser hears in the ``original``, or
    ``auto``, which takes transcripts if there are any. ``original-english`` is ``original`` for
    corpora of several languages, of which the recogniser knows one: words are counted only in
    recordings whose session is ``english``. ``language`` is what is spoken, by code or name;
    ``auto`` listens, and words of a language that the recogniser does not know are not counted.
    ``limit_per_speaker`` takes that many utterances of each, spread evenly. Bad files are listed
    and left out on both sides.
    """
    measures = _known(measures)
    if limit_per_speaker is not None and limit_per_speaker < 1:
        raise UsageError("The limit per speaker must be at least 1.")
    pairing = pair(original, protected)
    problems = [*original.problems, *protected.problems, *pairing.problems]
    chosen = _spread(original, pairing.ids, limit_per_speaker)
    transcripts = _transcripts(chosen, protected) if "words" in measures else {}
    if reference == "transcripts" and "words" in measures and not transcripts:
        raise InputError(
            f"{original.root}: no utterance has a transcript; add them, or count against what the "
            "recogniser hears in the original (reference original)."
        )
    instruments = Instruments(
        (recogniser or load_recogniser()) if "words" in measures else None,
        (quality or load_dnsmos()) if "quality" in measures else None,
        "prosody" in measures,
        channel,
    )
    english = reference == "original-english"
    spoken = Spoken()
    if english and "words" in measures:
        _insist_on_english(chosen, original)
    elif instruments.recogniser is not None:
        heard_by = instruments.recogniser
        spoken = spoken_in(chosen, language, heard_by, whisper_ear, channel, store, workers)
        give_back()  # the ear for languages is as large as all that follows
    pairs = [(utterance, protected.by_id[utterance.id]) for utterance in chosen]
    measuring = _Measuring(instruments, english, spoken, store)
    measured, bad = _measure(pairs, protected, measuring, workers, progress)
    problems += [problem for problem in dict.fromkeys(bad) if problem not in problems]
    own = reference.startswith("original") or (reference == "auto" and not transcripts)
    counting = Counting(
        normaliser,
        transcripts,
        own,
        "in English" if english else "",
        "" if instruments.recogniser is None else spoken.written(instruments.recogniser, chosen),
        _plain(spoken) if normaliser is normalise else frozenset(),
    )
    items = [counting.item(one) for one in measured]
    about = [] if instruments.recogniser is None else spoken.notes(instruments.recogniser, chosen)
    counted = any(item.protected is not None for item in items)
    problems += counting.problems(items, original) if "words" in measures else []
    groups = _groups(items, original, by_gender)
    used = {item.measured.utterance.id for item in items}
    by_speaker: dict[str, list[Item]] = {}
    for item in items:
        by_speaker.setdefault(item.speaker, []).append(item)
    said = counting.said(instruments.recogniser) if counted else ""
    rows = partial(
        utility_rows,
        words=said,
        quality="" if instruments.quality is None else instruments.quality.name,
        replicates=replicates,
        seed=seed,
    )
    apart: list[UtilityRow] = []
    if "diarisation" in measures:
        listeners = Conversing(original, protected, load_encoder(), load_activity(), channel, store)
        apart, unheard = told_apart(
            listeners,
            [utterance.id for utterance in chosen],
            workers=workers,
            replicates=replicates,
            seed=seed,
            progress=progress,
        )
        problems += [problem for problem in dict.fromkeys(unheard) if problem not in problems]
        about = [*about, *([] if apart else [NOBODY_CONVERSES])]
    return UtilityAssessment(
        (*rows(groups), *apart),
        tuple(rows(by_speaker, resample="utterances")),
        (*about, *_notes(items, own and counted, groups)),
        tuple(problems),
        {
            "pseudovoice": __version__,
            "corpora": {
                "original": _described(original, used),
                "protected": _described(protected, used),
            },
            "limit_per_speaker": limit_per_speaker,
            "channel": channel,
            "replicates": replicates,
            "seed": seed,
            **_models(instruments),
            "words_counted": said or None,
            "words_in_doubt": list(about),
            "language": spoken.to_dict(),
        },
        tuple(items),
    )


def _known(measures: Collection[Measure]) -> tuple[Measure, ...]:
    unknown = [name for name in measures if name not in ALL_MEASURES]
    if unknown or not measures:
        raise UsageError(
            f"There is no measure {', '.join(map(repr, unknown)) or 'named'}; name some of "
            f"{', '.join(ALL_MEASURES)}."
        )
    return tuple(name for name in ALL_MEASURES if name in measures)


def _spread(corpus: Corpus, ids: Iterable[str], limit: int | None) -> list[Utterance]:
    """The utterances to measure: all, or ``limit`` of each speaker, spread over theirs."""
    wanted = set(ids)
    chosen = [utterance for utterance in corpus if utterance.id in wanted]
    if limit is None:
        return chosen
    of: dict[str, list[str]] = {}
    for utterance in chosen:
        of.setdefault(utterance.speaker, []).append(utterance.id)
    kept = {
        names[k * len(names) // min(limit, len(names))]
        for names in of.values()
        for k in range(min(limit, len(names)))
    }
    return [utterance for utterance in chosen if utterance.id in kept]


def _transcripts(chosen: Sequence[Utterance], protected: Corpus) -> dict[str, str]:
    found = {u.id: u.transcript or protected.by_id[u.id].transcript or "" for u in chosen}
    return {name: text for name, text in found.items() if text.strip()}


def _insist_on_english(chosen: Sequence[Utterance], original: Corpus) -> None:
    if not any(utterance.session == ENGLISH for utterance in chosen):
        raise InputError(
            f"{original.root}: no recording has the session {ENGLISH}, so no words can be counted "
            "in English; name the sessions by their language, or count in all (reference original)."
        )


_Pair = tuple[Utterance, Utterance]


TOGETHER = 8
"""Pairs that one worker measures together."""


@dataclass(frozen=True)
class _Noted:
    """What was measured of some pairs, and what of it is new."""

    results: list[Measured | Problem]
    fresh: dict[str, Any]

    @property
    def failed(self) -> int:
        return sum(isinstance(result, Problem) for result in self.results)


@dataclass(frozen=True)
class _Measuring:
    """Measures pairs; words perhaps of English recordings only.

    The store is only read, and does not go with it to another process: a database is for one
    machine.
    """

    instruments: Instruments
    english: bool
    spoken: Spoken
    store: MeasureStore | None

    def __reduce__(self) -> tuple[Any, ...]:
        return _Measuring, (self.instruments, self.english, self.spoken, None)

    def __call__(self, some: Sequence[_Pair]) -> _Noted:
        notes = Notes(self.store)
        pairs = [Pair(self._by(original), original, twin) for original, twin in some]
        return _Noted(measure_together(pairs, notes), notes.fresh)

    def kept(self, pair: _Pair) -> Measured | Problem | None:
        """What is known of a pair without measuring anything; None if that is not all."""
        try:
            return self._by(pair[0]).measure(*pair, Notes(self.store, measured=False))
        except NotKeptError:
            return None

    def _by(self, utterance: Utterance) -> Instruments:
        recogniser = self.instruments.recogniser
        if self.english and utterance.session != ENGLISH:
            recogniser = None
        if recogniser is not None:
            recogniser = self.spoken.recogniser(utterance, recogniser)
        return replace(self.instruments, recogniser=recogniser)


def _lost(some: Sequence[_Pair], lost: Lost) -> _Noted:
    return _Noted([worker_lost(original.place, lost) for original, _ in some], {})


def _in_groups(pairs: Iterable[_Pair], size: int) -> Iterator[tuple[_Pair, ...]]:
    left = iter(pairs)
    while some := tuple(islice(left, size)):
        yield some


def _measure(
    pairs: Sequence[_Pair],
    protected: Corpus,
    measuring: _Measuring,
    workers: int | None,
    progress: Progress | None,
) -> tuple[list[Measured], list[Problem]]:
    """Measure every pair, in the order of the corpus."""
    results: dict[str, Measured | Problem] = {}

    def take(utterance: Utterance, result: Measured | Problem) -> None:
        results[utterance.id] = result
        if progress is not None:
            progress(f"measuring {protected.name}", len(results), len(pairs))

    def todo() -> Iterator[_Pair]:
        """Where workers cannot look into the store, whoever hands out the work does."""
        if measuring.store is None or not engines.chosen().ships:
            yield from pairs
            return
        clear = hashed_ahead(original for original, _ in pairs)
        theirs = hashed_ahead(version for _, version in pairs)
        for both in zip(clear, theirs, strict=True):
            known = measuring.kept(both)
            if known is None:
                yield both
            else:
                take(both[0], known)

    # Nobody should be without work while another has several left.
    size = max(1, min(TOGETHER, -(-len(pairs) // (2 * (workers or usable_cores())))))
    for some, noted in in_parallel(measuring, _in_groups(todo(), size), workers, _lost):
        if measuring.store is not None and noted.fresh:
            measuring.store.put(noted.fresh)
        for (utterance, _), result in zip(some, noted.results, strict=True):
            take(utterance, result)
    ordered = [results[utterance.id] for utterance, _ in pairs]
    measured = [one for one in ordered if isinstance(one, Measured)]
    bad = [one for one in ordered if isinstance(one, Problem)]
    if not measured:
        raise InputError(
            f"{protected.root}: none of the {len(pairs)} utterances could be measured; the first "
            f"reason: {bad[0]}"
        )
    return measured, bad


def _plain(spoken: Spoken) -> frozenset[str]:
    return frozenset(name for name, code in spoken.codes.items() if code != ENGLISH_CODE)


def _groups(items: Sequence[Item], corpus: Corpus, by_gender: bool) -> dict[str, list[Item]]:
    """Everybody, and each gender if there are several."""
    groups = {"all": list(items)}
    genders = sorted({g for g in corpus.genders.values() if g})
    if by_gender and len(genders) > 1:
        for gender in genders:
            members = [item for item in items if corpus.genders[item.speaker] == gender]
            if members:
                groups[gender] = members
    return groups


def _notes(items: Sequence[Item], own: bool, groups: dict[str, list[Item]]) -> list[str]:
    notes = []
    if own:
        notes.append(
            "Words are counted against what the recogniser heard in the original, not against "
            "what was said: mistakes it makes in both do not count."
        )
    compared = [item.measured.prosody for item in items if item.measured.prosody is not None]
    unequal = sum(prosody.voicing_agreement is None for prosody in compared)
    if unequal:
        notes.append(
            f"{unequal} of {len(compared)} utterances do not last as long as their originals: "
            "their frames cannot be compared, so F0 correlation and voicing leave them out."
        )
    flat = sum(
        prosody.f0_correlation is None and prosody.voicing_agreement is not None
        for prosody in compared
    )
    if flat:
        notes.append(
            f"{flat} of {len(compared)} utterances have too little speech voiced in both versions, "
            "or a single note in one, for an F0 correlation."
        )
    small = [
        name for name, members in groups.items() if len({item.speaker for item in members}) < 3
    ]
    if small:
        notes.append(f"Fewer than three speakers, hence no intervals: {', '.join(small)}.")
    return notes


def _described(corpus: Corpus, used: Collection[str]) -> dict[str, Any]:
    """A corpus for the provenance, with the hash of what was measured of it."""
    measured = corpus.subset(ids=used)
    return {
        "name": corpus.name,
        "layout": corpus.layout,
        "utterances": len(corpus),
        "measured_utterances": len(measured),
        "measured_speakers": len(measured.speakers),
        "fingerprint": measured.fingerprint(content=True),
    }


def _models(instruments: Instruments) -> dict[str, Any]:
    recogniser, quality = instruments.recogniser, instruments.quality
    models: dict[str, Any] = {}
    if recogniser is not None:
        models["recogniser"] = {
            "name": recogniser.name,
            "licence": recogniser.licence,
            "sha256s": recogniser.sha256s,
            "decoding": recogniser.decoding,
        }
    if quality is not None:
        models["quality"] = {
            "name": quality.name,
            "licence": quality.licence,
            "sha256": quality.sha256,
        }
    if instruments.prosody:
        models["pitch"] = tracker()
    return models
