"""Every fault at every operation of the small study: `make faults`.

Prints a line of progress, what did not hold (once for each kind, operation and sentence), and the
table of kind × verb; also when it is stopped before the end. The exit code is 1 if anything did not
hold.

Run: python tests/faults/every_fault.py [--verb NAME] [--kind NAME] [--every N] [--jobs N]
"""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import random
import re
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from fault_shim import KINDS, why_not
from fault_study import VERBS, Verb
from fault_trials import Trial, Trials

Task = tuple[int, str, str, int]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Every fault at every file operation.")
    names = [verb.name for verb in VERBS]
    parser.add_argument("--verb", action="append", choices=names, help="only this one")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only this one")
    parser.add_argument("--every", type=int, default=1, help="only every n-th operation")
    parser.add_argument("--jobs", type=int, default=2, help="default: %(default)s")
    return parser.parse_args()


def share(part: int, asked: argparse.Namespace, results: multiprocessing.Queue[object]) -> None:
    """Every ``jobs``-th of the trials."""
    verbs = tuple(v for v in VERBS if not asked.verb or v.name in asked.verb)
    with tempfile.TemporaryDirectory(prefix="faults-") as place, Trials(Path(place), verbs) as one:
        todo = [
            (verb, kind, nth)
            for verb in verbs
            for kind in asked.kind or KINDS
            for nth in range(1, one.counts[verb.name, kind] + 1, asked.every)
        ]
        random.Random(0).shuffle(todo)  # one that is stopped is a fair sample
        results.put(len(todo))
        for verb, kind, nth in todo[part :: asked.jobs]:
            results.put(one(verb, kind, nth))
    results.put(None)


def trials(asked: argparse.Namespace) -> Iterator[Trial]:
    """All trials as they are done, with a line of progress."""
    results: multiprocessing.Queue[object] = multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=share, args=(part, asked, results))
        for part in range(asked.jobs)
    ]
    for worker in workers:
        worker.start()
    ended = done = failed = total = 0
    begun = said = monotonic()
    stopped = False

    def stop(_signal: int, _frame: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while ended < len(workers) and not stopped:
        try:
            got = results.get(timeout=1)
        except queue.Empty:
            continue
        if isinstance(got, int):
            total = got
        elif isinstance(got, Trial):
            done, failed = done + 1, failed + bool(got.failures)
            yield got
        else:
            ended += 1
        if monotonic() - said > 10:
            said = monotonic()
            spent = f"{said - begun:.0f} s"
            print(f"{done} of {total} tried, {failed} did not hold, {spent}", file=sys.stderr)
    if stopped:
        print(f"stopped after {done} of {total}", file=sys.stderr)
        for worker in workers:
            worker.terminate()


def like(text: str) -> str:
    """A sentence or path without what differs from trial to trial, so that like is counted once."""
    text = re.sub(r"\S*/study/", "", text)
    text = re.sub(r"\.[0-9a-z_]{6,}\.(tmp|part)", ".….\\1", text)
    text = re.sub(r"(slice|spk|utt|ses)-[0-9a-f]+", "\\1-…", text)
    text = re.sub(r"/[0-9a-f]{2}\b", "/…", text)
    text = re.sub(r"\b(ann|bea|cal)(-\d)?\b", "NAME", text)
    return re.sub(r"[0-9a-f]{8,}", "…", text)


def main() -> None:
    if reason := why_not():
        sys.exit(f"faults cannot be tried: {reason}.")
    asked = options()
    tried: Counter[tuple[str, str]] = Counter()
    broken: Counter[tuple[str, str]] = Counter()
    findings: dict[tuple[str, str, str], list[Trial]] = defaultdict(list)
    for trial in trials(asked):
        tried[trial.kind, trial.verb] += 1
        broken[trial.kind, trial.verb] += bool(trial.failures)
        if trial.failures:
            findings[trial.verb, trial.kind, like(trial.place)].append(trial)
    for (verb, kind, place), some in sorted(findings.items()):
        print(f"{verb}, {kind}: {place} (×{len(some)}, first n = {some[0].nth})")
        print("\n".join(f"    {line}" for line in in_short(some)))
    print(table(tried, broken, [v for v in VERBS if not asked.verb or v.name in asked.verb]))
    sys.exit(1 if findings else 0)


def in_short(some: list[Trial]) -> list[str]:
    """What did not hold at one place: the first sentence of each sort, and how many there are."""
    sorts: dict[str, list[str]] = defaultdict(list)
    for trial in some:
        for failure in trial.failures:
            sorts[failure.partition(":")[0]].append(f"{like(failure)} (exit code {trial.code})")
    return [f"{len(said)} × {' '.join(said[0].split())}" for said in sorts.values()]


def table(
    tried: Counter[tuple[str, str]], broken: Counter[tuple[str, str]], verbs: list[Verb]
) -> str:
    """Held of tried, as Markdown."""
    names = [verb.name for verb in verbs]
    lines = [f"| fault | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    for kind in KINDS:
        cells = []
        for name in names:
            n = tried[kind, name]
            cells.append(f"{n - broken[kind, name]} of {n}" if n else "–")
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
