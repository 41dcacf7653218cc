"""What must hold whatever fails: after the disturbed run, and after one more that nothing disturbs.

Each check gives sentences about what does not hold; none is what is wanted.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import soundfile
from fault_study import Verb
from forked_runs import Run

from pseudovoice.corpus import read_corpus
from pseudovoice.errors import PseudovoiceError

AUDIO = (".wav", ".flac")
TELLS_OF_RESUMING = ("resumed", "protected_now")
"""Facts that differ between a run that resumes and one that does not."""

Tree = dict[str, str]


STATE = (".pseudovoice", ".slicing")
"""How folders end that only the owner needs: a run's journal and what is on its way."""


def tree(folder: Path) -> Tree:
    """Every file and folder below, hidden or not, by its content and its mode.

    Of an owner's state only the names count: a journal of two runs is not that of one.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.name.endswith(("-wal", "-shm", "-journal")):
            continue  # SQLite's own, gone or not
        content = "kept" if path.is_file() and _is_state(name) else _content(path)
        found[name.as_posix()] = f"{oct(path.lstat().st_mode)} {content}"
    return found


def _is_state(name: Path) -> bool:
    return any(part.endswith(STATE) for part in name.parts)


def _content(path: Path) -> str:
    if path.is_dir():
        return "folder"
    data = path.read_bytes()
    if path.suffix == ".jsonl":  # a journal: what it says counts, not the order
        data = b"\n".join(sorted(set(data.splitlines())))
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Calm:
    """The undisturbed run of a verb: what it leaves and what it says."""

    out: Tree
    inputs: Tree
    stdout: str
    ids: frozenset[str]


def ids_in(folder: Path) -> list[str]:
    """The utterances a reader finds in a folder; none if it holds no corpus."""
    try:
        return [utterance.id for utterance in read_corpus(folder)]
    except PseudovoiceError:
        return []


def calm(verb: Verb, root: Path, run: Run) -> Calm:
    assert run.code == 0, run.stderr
    ids = ids_in(root / "out" / verb.release) if verb.release else []
    return Calm(tree(root / "out"), tree(root / "in"), run.stdout, frozenset(ids))


def after_fault(verb: Verb, kind: str, root: Path, run: Run, undisturbed: Calm) -> Iterator[str]:
    """What does not hold after the run that a fault struck."""
    if kind == "killed":
        if not run.killed:
            yield f"code: {run.code} though the process was killed"
    else:
        yield from _ending(kind, root, run)
    out = tree(root / "out")
    if run.code == 0 and kind != "vanished":
        yield from _differences("record: exit code 0, but", out, undisturbed.out)
    elif run.code == 0 and not _last_look(run):
        # Without its state a release is all there; the next run makes the state anew, as it does
        # stages whose results have gone.
        wanted = {
            n: what
            for n, what in undisturbed.out.items()
            if not _is_state(Path(n)) and "/work/stages/" not in n
        }
        yield from _differences("record: exit code 0, but", out, wanted, lost_only=True)
    strange = _of_another_corpus(verb, out, undisturbed) if run.code == 1 else set()
    yield from _half_files(root / "out", out, undisturbed, strange)
    if verb.release and (root / "out" / verb.release).is_dir() and not _last_look(run):
        yield from _release(root / "out" / verb.release, run, undisturbed)
    if not run.killed and run.struck is not None and run.struck[0] != "remove":
        yield from (f"tidy: {name} is left" for name in out if _temporary(name))
    if kind != "vanished":
        kept = {name: what for name, what in tree(root / "in").items() if ".persona-" not in name}
        before = {n: what for n, what in undisturbed.inputs.items() if ".persona-" not in n}
        yield from _differences("input:", kept, before)


def _last_look(run: Run) -> bool:
    """Whether a folder of the output went when it was only listed, after all was looked at: it
    might as well have gone a moment after the end."""
    return run.struck is not None and run.struck[0] == "list" and "/out/" in run.struck[1]


def after_resuming(
    verb: Verb, disturbed: Run, root: Path, run: Run, undisturbed: Calm
) -> Iterator[str]:
    """What does not hold after the run that takes up the work."""
    if run.code != 0 and _refuses(disturbed, run):
        return
    if run.code != 0:
        yield f"resume: exit code {run.code}: {run.stderr.strip()[-400:]}"
        return
    out = tree(root / "out")
    strange = _of_another_corpus(verb, out, undisturbed) if disturbed.code == 1 else set()
    if disturbed.killed:
        # Nobody could tidy up. Among results a hidden half does no harm; given away it would.
        strange |= {name for name in out if _temporary(name) and not _given_away(verb, name)}
    kept = {name: what for name, what in out.items() if name not in strange}
    yield from _differences("resume:", kept, undisturbed.out)
    yield from _differences("resume: input:", tree(root / "in"), undisturbed.inputs)
    if _facts(run.stdout) != _facts(undisturbed.stdout):
        yield "resume: another result is printed"


def _refuses(disturbed: Run, run: Run) -> bool:
    """A folder that somebody took away while it was filled has to be cleared by hand: what a run
    wrote after that lies in a folder without a record."""
    taken = disturbed.struck is not None and "/out/" in disturbed.struck[1] and disturbed.code != 0
    away = "was removed" in disturbed.stderr or "has gone" in disturbed.stderr
    said = ("the folder is not empty", "what lies there is something else")
    return taken and away and any(sentence in run.stderr for sentence in said)


def _ending(kind: str, root: Path, run: Run) -> Iterator[str]:
    """The exit code and the sentences that go with it."""
    if run.code not in (0, 1, 2):
        yield f"code: {run.code}"
    for mark in ("Traceback", "Exception ignored", "Exception in thread"):
        if mark in run.stderr:
            last = run.stderr.strip().splitlines()[-1]
            yield f"sentence: {mark}: {last[:200]}"
            return
    said = [line for line in run.stderr.splitlines() if line.startswith(("pseudovoice: ", "- "))]
    if run.code in (0, 1):
        problems = _facts(run.stdout).get("problems", [])
        if bool(problems) != (run.code == 1):
            yield f"code: {run.code} with {len(problems)} problems"
        said = said or [str(problem) for problem in problems]
    if run.code and not said:
        yield f"sentence: none, with exit code {run.code}"
    if run.code == 2 and len(run.stderr.strip().splitlines()) > 3:
        yield f"sentence: {len(run.stderr.strip().splitlines())} lines instead of one"
    # A disk that is full stays so: the file that stops the run may come later. What goes with a
    # folder on its way is missed in its place.
    hit = run.struck and run.struck[1]
    if kind == "full" or (kind == "vanished" and hit and Path(hit).is_relative_to(root / "out")):
        hit = str(root / "out")
    if run.code and hit and said and not any(_names(s, root, hit) for s in said):
        yield f"sentence: does not name the file: {said[0][:200]}"


def _names(sentence: str, root: Path, struck: str) -> bool:
    """Whether a sentence names the file, a folder above it, or one beside it (a temporary one)."""
    for word in re.findall(r"(?:/|\b(?:in|out|cache)/)[^\s'\":;,()]+", sentence):
        path = Path(word.rstrip(".")) if word.startswith("/") else root / word.rstrip(".")
        hit = Path(struck)
        inside = path.is_relative_to(root) and path != root
        near = hit.is_relative_to(path) or path.is_relative_to(hit.parent)
        if inside and (near or hit.name in path.parts):  # a copy has the name of its source
            return True
    return False


def _differences(
    where: str, found: Tree, wanted: Tree, *, lost_only: bool = False
) -> Iterator[str]:
    for name in sorted(set(found) | set(wanted)):
        if name not in found:
            yield f"{where} {name} is missing"
        elif name not in wanted:
            if not lost_only:
                yield f"{where} {name} is left over"
        elif found[name] != wanted[name]:
            yield f"{where} {name} differs"


def _of_another_corpus(verb: Verb, out: Tree, undisturbed: Calm) -> set[str]:
    """What lies in entries of folders by content that the undisturbed run does not have."""
    tops = {
        "/".join([folder, name.removeprefix(f"{folder}/").split("/", 1)[0]])
        for folder in verb.by_content
        for name in out
        if name.startswith(f"{folder}/")
    }
    new = {top for top in tops if top not in undisturbed.out and not _temporary(top)}
    return {name for name in out if any(f"{name}/".startswith(f"{top}/") for top in new)}


def _given_away(verb: Verb, name: str) -> bool:
    """Whether a file below ``out`` lies in a release."""
    places = [place for place in (verb.release, verb.speech) if place is not None]
    return any(name.startswith(f"{place}/") for place in places) and not _is_state(Path(name))


def _temporary(name: str) -> bool:
    last = name.rsplit("/", 1)[-1]
    return last.startswith(".") and last.endswith((".tmp", ".part"))


def _half_files(folder: Path, out: Tree, undisturbed: Calm, other: set[str]) -> Iterator[str]:
    """Files under a final name that are neither what they should be nor whole."""
    for name, what in out.items():
        if what.endswith("folder") or undisturbed.out.get(name) == what:
            continue
        if any(part.startswith(".") for part in Path(name).parts) or _is_state(Path(name)):
            continue
        if fault := _fault_of(folder / name, other=name in other):
            yield f"half: {name} {fault}"


def _fault_of(path: Path, *, other: bool) -> str | None:
    """Why a file is not whole; audio of this corpus is never other than it should be."""
    if path.suffix in AUDIO:
        try:
            soundfile.read(path)
        except soundfile.LibsndfileError:
            return "cannot be decoded"
        return None if other else "is other audio than it should be"
    text = path.read_bytes().decode("utf-8", "replace")
    if not text:
        return "is empty"
    if path.suffix == ".json":
        try:
            json.loads(text)
        except ValueError:
            return "is no JSON"
    if path.suffix in (".csv", ".tsv"):
        rows = list(csv.reader(io.StringIO(text), delimiter="\t" if "tsv" in path.suffix else ","))
        if not text.endswith("\n") or len({len(row) for row in rows}) > 1:
            return "ends in the middle"
    if path.suffix == ".html" and not text.rstrip().endswith("</html>"):
        return "ends in the middle"
    if path.suffix in (".tex", ".md", ".yaml") and not text.endswith("\n"):
        return "ends in the middle"
    return None


def _release(folder: Path, run: Run, undisturbed: Calm) -> Iterator[str]:
    """What a reader finds in a release: nothing that is not of it, and what was reported."""
    ids = ids_in(folder)
    if strange := sorted(set(ids) - undisturbed.ids):
        yield f"leftover: a reader takes {strange[0]} for data"
    if len(set(ids)) < len(ids):
        yield "doubled: an utterance is there twice"
    if run.code in (0, 1):
        facts = _facts(run.stdout)
        reported = facts.get("slices", facts.get("utterances"))
        if isinstance(reported, int) and reported != len(ids):
            yield f"record: {reported} reported, {len(ids)} there"
        for path in folder.rglob("*"):
            if path.suffix in AUDIO and path.stem not in ids and not path.name.startswith("."):
                yield f"record: {path.name} is there and not listed"


def _facts(stdout: str) -> dict[str, object]:
    try:
        facts = json.loads(stdout)
    except ValueError:
        return {"no": "JSON"}
    return {name: value for name, value in facts.items() if name not in TELLS_OF_RESUMING}
