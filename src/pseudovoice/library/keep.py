"""Results as files and back, every digit of them.

A file is JSON: the kind of result and its record. Reading goes by the types that the records
declare, so that a file holds data and can become nothing else. Of an assessment of scores the
scores are kept too, which figures are drawn from; never what anybody said, nor any path or key.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.assessed_once import condition_of
from pseudovoice.assessment.condition import Condition
from pseudovoice.atomic import write_atomic
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.errors import InputError, UsageError
from pseudovoice.json_tree import json_tree
from pseudovoice.library.slices import SliceAttack
from pseudovoice.plain_arrays import DAMAGE
from pseudovoice.result import Result
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet
from pseudovoice.study import Outcome
from pseudovoice.study.records import from_tree, to_json
from pseudovoice.utility.assess import UtilityAssessment
from pseudovoice.version import __version__

FORMAT = 1
KINDS: dict[str, type[Result]] = {
    kind.__name__: kind
    for kind in (Assessment, AudioAssessment, UtilityAssessment, SliceAttack, Outcome)
}
SCORES: dict[str, type[ScoreSet | BinnedScores]] = {
    kind.__name__: kind for kind in (ScoreSet, BinnedScores)
}


def save(result: Result, path: str | Path) -> Path:
    """Write a result into a file, whole or not at all."""
    path, kind = Path(path), type(result).__name__
    if kind not in KINDS:
        raise UsageError(f"A {kind} is not kept in a file; {', '.join(KINDS)} are.")
    content: dict[str, Any] = {
        "pseudovoice": __version__,
        "format": FORMAT,
        "result": kind,
        "record": result,
    }
    if isinstance(result, Assessment):
        content["conditions"] = {name: _kept(part) for name, part in result.conditions.items()}
        content["f0"] = {n: one for n, one in result.f0.items() if isinstance(one, ScoreSet)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, to_json(content) + "\n")
    return path


def load(path: str | Path) -> Any:
    """The result that :meth:`Result.save` wrote into a file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from None
    except UnicodeDecodeError:
        raise _no_result(path) from None
    try:
        content = json_tree(text)
        if content["format"] != FORMAT:
            raise InputError(
                f"{path}: was saved by pseudovoice {str(content['pseudovoice'])[:20]} in another "
                "format; read it with that version, or make the result anew."
            )
        result = from_tree(content["record"], KINDS[content["result"]])
        if isinstance(result, Assessment):
            return replace(
                result,
                conditions={n: _condition(n, of) for n, of in content["conditions"].items()},
                f0={name: from_tree(of, ScoreSet) for name, of in content["f0"].items()},
            )
        return result
    except (*DAMAGE, LookupError, ArithmeticError):
        raise _no_result(path) from None


def _kept(part: Condition) -> dict[str, Any]:
    kept = {
        "similarity": part.similarity,
        "scores": type(part.scores).__name__,
        "record": part.scores,
    }
    if part.under_similarity is not part:
        kept["pairs"] = _kept(part.under_similarity)
    return kept


def _condition(name: str, content: dict[str, Any]) -> Any:
    """A condition as it was, without the draws of its replicates: their figures are in rows."""
    scores = from_tree(content["record"], SCORES[content["scores"]])
    beside = content.get("pairs")
    pairs = None if beside is None else _condition(name, beside)
    return condition_of(name, scores, content["similarity"], None, pairs)


def _no_result(path: Path) -> InputError:
    return InputError(f"{path}: this is no saved result; name a file that .save() wrote.")
