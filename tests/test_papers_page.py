"""The page *Papers, point by point*: every row is there, and leads where it says."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pseudovoice.cli.main import app
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


@pytest.mark.parametrize(("name", "row"), THERE, ids=[name for name, _ in THERE])
def test_every_command_can_be_parsed(name: str, row: Row) -> None:
    (line,) = code(row["Command"])
    program, *words = shlex.split(line)
    assert program == "pseudovoice", name
    context, command = click.Context(app), find_command(" ".join(words))
    while isinstance(context.command, click.Group):
        inner = context.command.get_command(context, words[0])
        assert inner is not None, f"{name}: there is no command {words[0]}"
        context, words = click.Context(inner, parent=context, info_name=words[0]), words[1:]
    assert context.command is command
    left = command.make_parser(context).parse_args(list(words))[1]
    assert not left, f"{name}: {left} means nothing to {command.name}"


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
