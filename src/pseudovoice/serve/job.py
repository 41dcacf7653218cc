"""One piece of work in a process of its own: ``python -P -m pseudovoice.serve.job``.

What is asked for comes as one line of JSON on standard input, events go as lines of JSON to
standard output. A process can be stopped at any moment, whatever native code it is in; nothing is
lost but the batch under way, because embeddings are stored as soon as they are there and files are
written whole. When standard input closes, the server has gone, and so does this process.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pseudovoice.attacks.assess import AudioAssessment, Statistics
from pseudovoice.attacks.material import Scoring
from pseudovoice.attacks.registry import attackers
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.errors import PseudovoiceError
from pseudovoice.models.cache import private_cache
from pseudovoice.page import Findings, gather, write_page
from pseudovoice.page.clips import make_clips
from pseudovoice.report.audio_folder import write_audio_folder
from pseudovoice.serve.compare_job import compare_take
from pseudovoice.serve.events import Say, tell_problems
from pseudovoice.serve.pace import Pace
from pseudovoice.serve.plan import RunRequest
from pseudovoice.serve.protection import ProtectionRecord, read_protection
from pseudovoice.serve.readable import check_links, confined
from pseudovoice.serve.recording_job import find_turns, make_take, pack_take
from pseudovoice.serve.reports import PAGE
from pseudovoice.serve.tasks import Compare, Diarise, Protect, Release
from pseudovoice.study.assessing import AssessWork
from pseudovoice.study.given import GivenProtection
from pseudovoice.study.stage import Stage, StageStore, Walk
from pseudovoice.study.tools import Tools


def run(
    plan: RunRequest, folder: Path, roots: Sequence[Path], say: Say, workers: int | None
) -> None:
    """Assess what the plan names and write tables and page into ``folder``."""
    pace = Pace(lambda progress: say({"event": "progress", **progress.to_dict()}))
    pace("reading the original speech")
    before = _read(plan.original, roots)
    pace("reading the protected speech")
    after = _read(plan.protected, roots)
    if after.name == before.name:
        after = replace(after, name=f"{after.name} (protected)")
    tools = Tools(workers, pace)
    for name in plan.encoders:
        pace(f"preparing the recogniser {name}")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", UserWarning)
            tools.encoders([name])
        for warning in said:
            say({"event": "problem", "text": str(warning.message)})
    assessed = _assessed(plan, before, after, tools)
    pace("writing the tables and figures" if plan.figures else "writing the tables")
    write_audio_folder(
        assessed, folder, set_name=before.name, system=plan.safeguard, figures=plan.figures
    )
    pace("writing the page")
    headline = _page(plan, folder, before, after, assessed, read_protection(plan.protected))
    tell_problems([*tools.unread, *assessed.problems], say)
    say({"event": "done", "headline": headline})


def _assessed(plan: RunRequest, before: Corpus, after: Corpus, tools: Tools) -> AudioAssessment:
    """The stage of a study, on speech that is protected already; what was found is kept."""
    tools.say("reading what both hold", 0, 0)
    protected = Stage(GivenProtection(after, tools.fingerprint(after)))
    work = AssessWork(
        before.name,
        plan.safeguard,
        before,
        Scoring(),
        tuple(name for name, who in attackers().items() if who.competes and not who.protects),
        tuple(plan.encoders),
        by_gender=True,
        statistics=Statistics(replicates=plan.replicates, permutations=plan.replicates),
        content={"original": tools.fingerprint(before)},
        scores=plan.figures,
    )
    walk = Walk(StageStore(private_cache("serve") / "stages"), tools)
    assessed: AudioAssessment = walk.result(Stage(work, (protected,)))
    return assessed


def _read(folder: Path, roots: Sequence[Path]) -> Corpus:
    check_links(folder, roots)
    return confined(read_corpus(folder), roots)


def _page(
    plan: RunRequest,
    folder: Path,
    before: Corpus,
    after: Corpus,
    assessed: AudioAssessment,
    known: ProtectionRecord | None,
) -> str:
    clips = make_clips(after, plan.safeguard) if plan.clips else []
    if plan.originals:
        clips += make_clips(before, None)
    tested = Findings(
        plan.safeguard,
        assessed,
        {} if known is None else known.parameters,
        deterministic=known is not None and known.key is None,
        key=None if known is None else known.key,
    )
    study = gather(plan.title, before, [tested], clips=clips)
    write_page(folder / PAGE, study)
    return study.safeguards[0].headline


def main() -> int:
    """Read the plan, run it, and say how it ended; 2 is an error that was told as an event."""
    # Whatever a library prints must not get among the events.
    events = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(event: dict[str, Any]) -> None:
        events.write(json.dumps(event) + "\n")
        events.flush()

    asked = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_leave_with_the_server, daemon=True).start()
    try:
        _do(asked, say)
    except (PseudovoiceError, OSError, MemoryError) as error:
        say({"event": "error", "text": _sentence(error)})
        return 2
    return 0


def _do(asked: dict[str, Any], say: Say) -> None:
    """Checked by the server; here the words only become a plan, or a task, again."""
    pace = Pace(lambda progress: say({"event": "progress", **progress.to_dict()}))
    workers = asked["workers"]
    if asked["kind"] == Diarise.kind:
        find_turns(Diarise(**asked["task"]), say, pace, workers)
    elif asked["kind"] == Protect.kind:
        make_take(Protect(**asked["task"]), Path(asked["folder"]), say, pace, workers)
    elif asked["kind"] == Compare.kind:
        compare_take(Compare(**asked["task"]), Path(asked["folder"]), say, pace, workers)
    elif asked["kind"] == Release.kind:
        pack_take(Release(**asked["task"]), Path(asked["folder"]), say, pace)
    else:
        plan = RunRequest.read(asked["plan"], Path)
        roots = [Path(root) for root in asked["roots"]]
        run(plan, Path(asked["folder"]), roots, say, workers)


def _leave_with_the_server() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(3)


def _sentence(error: Exception) -> str:
    if isinstance(error, PseudovoiceError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory; take fewer replicates, or smaller folders."
    filename, reason = getattr(error, "filename", None), getattr(error, "strerror", None) or error
    where = f"{os.fsdecode(filename)}: " if filename else ""
    return f"{where}{reason}; check the path, its permissions and the space on the disk."


if __name__ == "__main__":
    sys.exit(main())
