"""The page *Papers, point by point*: every row is there, and leads where it says."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pseudovoice.attacks.registry import attacker
from pseudovoice.cli.main import app
from pseudovoice.safeguards import parse_chain
from pseudovoice.study.shipped import find_plan
from reached import needed_by, reached
from test_docs import find_command, page

ROOT = Path(__file__).parents[1]
PAGE = "reference/papers-point-by-point.md"
ABSENT = "not there"
COLUMNS = ("Point", "What it is", "Where", "Command", "Test", "How we differ")
Row = dict[str, str]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables() -> dict[str, list[Row]]:
    """The rows of each paper."""
    found: dict[str, list[Row]] = {}
    for part in page(PAGE).split("\n## ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        assert tuple(cells(lines[0])) == COLUMNS
        rows = [cells(line) for line in lines[2:]]
        assert all(len(row) == len(COLUMNS) for row in rows), "a cell holds a bar"
        found[part.split("\n")[0]] = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return found


TABLES = tables()
ROWS = [(f"{paper} {row['Point']}", row) for paper, rows in TABLES.items() for row in rows]
THERE = [(name, row) for name, row in ROWS if row["Where"] != ABSENT]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize(
    ("paper", "points"),
    [
        ("noe2020", {"Eq.": 5, "Fig.": 3, "Table": 2}),
        ("noe2022", {"Eq.": 20, "Fig.": 10, "Table": 4}),
        ("maouche2022", {"Eq.": 2, "Fig.": 3, "Table": 3, "Algorithm": 1}),
    ],
)
def test_nothing_of_a_paper_is_left_out(paper: str, points: dict[str, int]) -> None:
    """Every numbered equation, figure, table and algorithm has a row, and none is made up."""
    wanted = {f"{kind} {k}" for kind, n in points.items() for k in range(1, n + 1)}
    found = [row["Point"] for row in TABLES[paper] if not row["Point"].startswith("§")]
    assert sorted(found) == sorted(wanted)


def test_what_is_missing_says_so_and_why() -> None:
    missing = [row for _, row in ROWS if row["Where"] == ABSENT]
    for row in missing:
        assert not row["Command"]
        assert not row["Test"]
        assert row["How we differ"]
    assert all(row["Command"] and row["Test"] for _, row in THERE)


@pytest.mark.parametrize(("name", "row"), THERE, ids=[name for name, _ in THERE])
def test_every_object_that_is_named_can_be_imported(name: str, row: Row) -> None:
    named = code(row["Where"])
    assert named, name
    for one in named:
        module, _, path = one.partition(":")
        found = import_module(module)
        for attribute in filter(None, path.split(".")):
            found = getattr(found, attribute)


MEANINGS: dict[str, Callable[[str], object]] = {"safeguards": parse_chain, "attackers": attacker}
"""Options whose words are looked up, and by whom."""


@pytest.mark.parametrize(("name", "row"), THERE, ids=[name for name, _ in THERE])
def test_every_command_can_be_parsed(name: str, row: Row) -> None:
    """Words that are chosen from a list are on it; only places on disk are not looked for."""
    (line,) = code(row["Command"])
    program, *words = shlex.split(line)
    assert program == "pseudovoice", name
    context, command = click.Context(app), find_command(" ".join(words))
    while isinstance(context.command, click.Group):
        inner = context.command.get_command(context, words[0])
        assert inner is not None, f"{name}: there is no command {words[0]}"
        context, words = click.Context(inner, parent=context, info_name=words[0]), words[1:]
    assert context.command is command
    values, left, _ = command.make_parser(context).parse_args(list(words))
    assert not left, f"{name}: {left} means nothing to {command.name}"
    for option in command.params:
        said = values.get(option.name or "")
        if option.name in values and not isinstance(option.type, click.Path):
            option.type_cast_value(context, said)  # raises for what it does not know
        for one in said if isinstance(said, list | tuple) else [said]:
            if isinstance(one, str) and option.name in MEANINGS:
                MEANINGS[option.name](one)
    if command.name == "run":
        find_plan(words[0])


OPTION = re.compile(r"--[a-z][a-z-]*")


@cache
def options() -> frozenset[str]:
    """Of all commands."""
    found: set[str] = set()
    waiting: list[click.Command] = [app]
    while waiting:
        command = waiting.pop()
        found |= {word for param in command.params for word in param.opts}
        if isinstance(command, click.Group):
            context = click.Context(command)
            inner = (command.get_command(context, name) for name in command.list_commands(context))
            waiting += [one for one in inner if one is not None]
    return frozenset(found)


@cache
def source() -> str:
    files = sorted((ROOT / "src").rglob("*.py"))
    plans = sorted((ROOT / "src").rglob("*.yaml"))
    return "\n".join(file.read_text(encoding="utf-8") for file in (*files, *plans))


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[name for name, _ in ROWS])
def test_what_is_said_of_our_differences_is_there(name: str, row: Row) -> None:
    """Options, files and fields that the last column names exist."""
    for said in code(row["How we differ"]):
        for option in OPTION.findall(said):
            assert option in options(), f"{name}: no command has {option}"
        for word in re.findall(r"[A-Za-z_][\w.]*", OPTION.sub(" ", said)):
            stem = word.removesuffix(".csv")
            kind = word.rpartition("_")[0]  # gain_gathering: a figure of one attacker
            ways = (word, stem, f'"{kind}"', f"{kind}_{{")
            assert any(way in source() for way in ways), f"{name}: nothing has {word}"


EXPLAINED = [(name, row) for name, row in THERE if code(row["Command"])[0].split()[1] == "explain"]


@pytest.mark.parametrize(("name", "row"), EXPLAINED, ids=[name for name, _ in EXPLAINED])
def test_every_word_that_a_row_has_explained_is_known(name: str, row: Row) -> None:
    words = shlex.split(code(row["Command"])[0])[1:]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, f"{name}: {done.output}"
    assert len(done.output) > 80


@cache
def known_tests(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


@pytest.mark.parametrize(("name", "row"), THERE, ids=[name for name, _ in THERE])
def test_every_test_that_is_named_exists(name: str, row: Row) -> None:
    named = code(row["Test"])
    assert named, name
    for one in named:
        file, _, test = one.partition("::")
        assert (ROOT / file).is_file(), f"{name}: there is no {file}"
        assert test in known_tests(file), f"{name}: {file} has no {test}"


@pytest.mark.parametrize(("name", "row"), THERE, ids=[name for name, _ in THERE])
def test_the_tests_of_a_row_reach_what_it_names(name: str, row: Row) -> None:
    """Each object is named by a test of the row, lies behind what it calls, or behind its command.

    Read off the source: it finds a test of something else, not one that checks too little.
    """
    found = [reached(test) for test in code(row["Test"])]
    words = frozenset().union(*(one.words for one in found))
    behind = frozenset().union(*(needed_by(m) for one in found for m in one.modules))
    verb = shlex.split(code(row["Command"])[0])[1]
    commanded = "app" in words and verb in words and verb != "explain"
    for one in code(row["Where"]):
        module, _, path = one.partition(":")
        named = path and {path.split(".")[0], path.split(".")[-1]} & words
        assert named or module in behind or commanded, f"{name}: no test of the row reaches {one}"


PAPERS = {
    "noe2020": "noe2020_voice_similarity_matrices.md",
    "noe2022": "noe2022_unified_assessment_framework.md",
    "maouche2022": "maouche2022_slicing.md",
}


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_numbered_in_the_papers_has_a_row(paper: str, shared: Path) -> None:
    """Looked for in the texts themselves, where they are at hand; some numbers are lost in them."""
    place = shared / "papers" / PAPERS[paper]
    if not place.is_file():
        pytest.skip(f"there is no {place}")
    text = place.read_text(encoding="utf-8")
    patterns = {
        "Eq.": r"(?m)(?:\\tag\{|\()(\d+)[)}](?:\$\$)?\s*$",
        "Fig.": r"(?m)^\W*Figure (\d+):",
        "Table": r"(?m)^\W*(?:\{\\it )?Table (\d+):",
        "Algorithm": r"(?m)^Algorithm (\d+) ",
    }
    points = {row["Point"] for row in TABLES[paper]}
    for kind, pattern in patterns.items():
        numbered = {f"{kind} {k}" for k in re.findall(pattern, text) if int(k) < 100}
        rows = {point for point in points if point.startswith(kind)}
        assert numbered <= rows
        assert len(numbered) >= 0.7 * len(rows), "the pattern finds what there is"
