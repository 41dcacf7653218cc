"""What a test reaches, read off its source: names, words, and modules of the package behind them.

A test is followed through fixtures, helpers and constants of its file, of the conftest files above
it and of the modules of tests it imports from. Nothing is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pseudovoice import _PUBLIC

ROOT = Path(__file__).parents[1]
TESTS, SOURCE = ROOT / "tests", ROOT / "src"
PACKAGE = "pseudovoice"
# Whoever imports these could reach anything, which says nothing.
EVERYTHING = {PACKAGE, f"{PACKAGE}.cli.main"}


@dataclass(frozen=True)
class Reached:
    """Names and words of strings, and the modules that the names were imported from."""

    words: frozenset[str]
    modules: frozenset[str]


@cache
def reached(test: str) -> Reached:
    """``test`` is written as pytest does, ``tests/file.py::test_name``."""
    file, _, name = test.partition("::")
    words: set[str] = set()
    modules: set[str] = set()
    seen: set[tuple[Path, str]] = set()
    waiting = [(ROOT / file, name)]
    while waiting:
        place, name = waiting.pop()
        if (place, name) in seen:
            continue
        seen.add((place, name))
        modules |= set(_homes(place, name))
        for node in ast.walk(_defined(place).get(name, ast.Pass())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words |= set(re.findall(r"[\w-]+", node.value))
            used = _name(node)
            if used:
                words.add(used)
                waiting += [(near, used) for near in _near(place, used)]
    return Reached(frozenset(words), frozenset(modules))


@cache
def needed_by(module: str) -> frozenset[str]:
    """A module and all that it imports, at once or when it is called, and what those import."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        one = waiting.pop()
        if one in found or one in EVERYTHING:
            continue
        found.add(one)
        waiting += _imported_modules(one)
    return frozenset(found)


def _imported_modules(module: str) -> list[str]:
    place = _source(module)
    if place is None:
        return []
    found = []
    for parent, names in _imports(place):
        if _ours(parent):
            found += [parent, *(f"{parent}.{name}" for name in names)]
    return [one for one in found if _source(one) is not None]


def _source(module: str) -> Path | None:
    base = SOURCE / module.replace(".", "/")
    for place in (base.with_suffix(".py"), base / "__init__.py"):
        if place.is_file():
            return place
    return None


def _homes(place: Path, name: str) -> Iterator[str]:
    """Modules of the package that a file has a name from."""
    for module, names in _imports(place):
        if module == PACKAGE and name in _PUBLIC:  # by name, or as an attribute of the package
            yield _PUBLIC[name]
        elif name in names and _ours(module):
            yield module


def _ours(module: str) -> bool:
    return module.split(".")[0] == PACKAGE


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.arg if isinstance(node, ast.arg) else ""


def _near(place: Path, name: str) -> Iterator[Path]:
    """Files in which the name may be defined."""
    yield place
    folder = place.parent
    while folder.is_relative_to(TESTS):
        yield folder / "conftest.py"
        folder = folder.parent
    for module, names in _imports(place):
        if name in names and not _ours(module):
            inside = f"{module.replace('.', '/')}.py"
            yield from (base / inside for base in (ROOT, TESTS, place.parent))


@cache
def _tree(place: Path) -> ast.Module:
    return ast.parse(place.read_text(encoding="utf-8") if place.is_file() else "")


@cache
def _defined(place: Path) -> dict[str, ast.AST]:
    """Functions, classes and constants of a file by name."""
    found: dict[str, ast.AST] = {}
    for node in _tree(place).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {one.id: node for one in targets if isinstance(one, ast.Name)}
    return found


@cache
def _imports(place: Path) -> list[tuple[str, frozenset[str]]]:
    """Modules that a file imports from, anywhere in it, and the names it takes."""
    found = []
    for node in ast.walk(_tree(place)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {alias.asname or alias.name for alias in node.names}
            found.append((node.module, frozenset(names | {alias.name for alias in node.names})))
        elif isinstance(node, ast.Import):
            found += [(a.name, frozenset({a.asname or a.name})) for a in node.names]
    return found
