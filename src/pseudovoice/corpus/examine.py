"""Look at every file of a corpus: what there is, and everything that is wrong with it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field

from ..errors import Problem
from .audio import CLIPPED, Range, at_full_scale, check_duration, silent_error
from .corpus import Corpus, Utterance
from .faults import AudioError
from .recording import reading

# Utterances per task: enough to outweigh the way to the worker, few enough for a smooth bar.
_CHUNK = 16


@dataclass(frozen=True)
class Inspection:
    """What was understood of a corpus.

    ``genders`` counts speakers; ``sample_rates`` (Hz) and ``channels`` count utterances that
    could be decoded, and ``hours`` adds them up. ``problem_kinds`` counts the problems: "listing"
    for those found in reading, else the kind of :class:`AudioError` or "clipped". ``seconds`` are
    the lengths of the decoded utterances by their ids.
    """

    name: str
    layout: str
    utterances: int
    speakers: int
    genders: dict[str, int]
    sessions: int
    hours: float
    sample_rates: dict[int, int]
    channels: dict[int, int]
    problem_kinds: dict[str, int]
    problems: tuple[Problem, ...]
    seconds: dict[str, float] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, object]:
        """All of it in plain types, for JSON; single utterances are left out."""
        return {name: value for name, value in asdict(self).items() if name != "seconds"}


@dataclass(frozen=True, slots=True)
class _Finding:
    """What one file showed; ``sample_rate`` is 0 if it could not be decoded."""

    sample_rate: int = 0
    channels: int = 0
    seconds: float = 0.0
    kind: str | None = None
    problem: Problem | None = None


def examine(
    corpus: Corpus, *, workers: int = 1, on_progress: Callable[[int], None] | None = None
) -> Inspection:
    """Decode every utterance once and note every problem, without stopping at the first.

    With more than one worker the files are decoded in that many threads, at most two chunks
    each under way, so that memory does not grow with the corpus. ``on_progress`` is called with
    the number of utterances just done. The result does not depend on the number of workers.
    """
    rates: Counter[int] = Counter()
    channels: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    problems = list(corpus.problems)
    if problems:
        kinds["listing"] = len(problems)
    lengths: list[float] = []
    for findings in _chunks_of_findings(corpus.utterances, workers):
        for finding in findings:
            if finding.sample_rate:
                rates[finding.sample_rate] += 1
                channels[finding.channels] += 1
            lengths.append(finding.seconds)
            if finding.problem is not None:
                kinds[finding.kind or "other"] += 1
                problems.append(finding.problem)
        if on_progress is not None:
            on_progress(len(findings))
    genders = Counter(word or "unknown" for word in corpus.genders.values())
    sessions = {(u.speaker, u.session) for u in corpus if u.session is not None}
    return Inspection(
        name=corpus.name,
        layout=corpus.layout,
        utterances=len(corpus),
        speakers=len(corpus.speakers),
        genders=dict(sorted(genders.items())),
        sessions=len(sessions),
        hours=sum(lengths) / 3600,
        sample_rates=dict(sorted(rates.items())),
        channels=dict(sorted(channels.items())),
        problem_kinds=dict(sorted(kinds.items())),
        problems=tuple(problems),
        seconds={u.id: length for u, length in zip(corpus, lengths, strict=True) if length > 0},
    )


def _chunks_of_findings(utterances: Sequence[Utterance], workers: int) -> Iterator[list[_Finding]]:
    chunks = (utterances[i : i + _CHUNK] for i in range(0, len(utterances), _CHUNK))
    if workers <= 1 or len(utterances) <= _CHUNK:
        yield from map(_look_at_all, chunks)
        return
    # Threads: a Python that multiprocessing starts would import from the current folder.
    with ThreadPoolExecutor(workers) as pool:
        under_way: deque[Future[list[_Finding]]] = deque()
        try:
            for chunk in chunks:
                under_way.append(pool.submit(_look_at_all, chunk))
                if len(under_way) >= 2 * workers:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _look_at_all(utterances: Sequence[Utterance]) -> list[_Finding]:
    return [_look_at(utterance) for utterance in utterances]


def _look_at(utterance: Utterance) -> _Finding:
    rate = channels = clipped = 0
    heard = Range()
    try:
        with reading(utterance) as recording:
            for block in recording.blocks():
                clipped += at_full_scale(heard.of(block), recording.subtype)
        rate, channels = recording.sample_rate, recording.channels
        check_duration(utterance, heard.samples, rate)
        if heard.silent:
            raise silent_error(utterance)
        share = clipped / (channels * heard.samples)
        if share > CLIPPED:
            what = f"is clipped: {share:.1%} of the samples are at full scale"
            remedy = "record it again at a lower level, or leave it out"
            raise AudioError("clipped", Problem(utterance.place, what, remedy))
    except AudioError as error:
        seconds = heard.samples / rate if rate else 0.0
        return _Finding(rate, channels, seconds, kind=error.kind, problem=error.problem)
    return _Finding(rate, channels, heard.samples / rate)
