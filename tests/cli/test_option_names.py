"""The library's sentences name parameters; those of the command line name its options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from cliruns import run

import pseudovoice
from pseudovoice.cli.option_names import as_options

SOURCE = Path(pseudovoice.__file__).parent
WHOLE_LINE = re.compile(r"pseudovoice [a-z-]+( [A-Z]+)*( --[a-z-]+( \w+)?)+")
"""A line to type, such as `pseudovoice run --list`."""
ARGUMENTS_OF_PROGRAMS = {"models/download.py", "models/npm.py"}
"""Where another program is started, which has options of its own."""


def sentences(file: Path) -> Iterator[tuple[int, str]]:
    """Every string of a module that is no docstring, and its line."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    described = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in described:
            yield node.lineno, str(node.value)


def test_the_library_names_no_options() -> None:
    files = {file.relative_to(SOURCE).as_posix(): file for file in SOURCE.rglob("*.py")}
    found = [
        f"{name}:{line}: {text}"
        for name, file in files.items()
        if not name.startswith("cli/") and name not in ARGUMENTS_OF_PROGRAMS
        for line, text in sentences(file)
        if re.search(r"(?<![\w-])--[a-z]", WHOLE_LINE.sub("", text))
    ]
    assert not found, "\n".join(found)
    assert len(files) > 300


@click.command()
@click.argument("corpus")
@click.option("--layout")
@click.option("--path", "paths", multiple=True)
@click.option("-k", "--key-file")
@click.option("--prune", is_flag=True)
@click.option("--restart", "resume", is_flag=True)
@click.option("--undo-table", "--table", "undo_table")
def some(corpus: str, **_: object) -> None:
    click.echo(as_options(corpus))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("name it with `layout`.", "name it with --layout."),
        ('`layout="kaldi"` or `layout="table"`.', "--layout kaldi or --layout table."),
        ("pass `paths={'a b': '/x=y'}`", "pass --path a b=/x=y"),
        ("one with `key`; no `key_file`", "one with --key-file; no --key-file"),
        ("`prune` or `prune=True`", "--prune or --prune"),
        ("`resume=False` begins anew", "--restart begins anew"),
        ("another name for `undo_table`", "another name for --undo-table"),
        # what is no parameter, no option of this command, or no value of it
        ("`pseudovoice run --list`, `workers`, `corpus`", None),
        ("`layout=f(x)`, `layout=`, ``layout``", None),
    ],
)
def test_parameters_become_options(said: str, shown: str | None) -> None:
    ran = CliRunner().invoke(some, [said])
    assert ran.output == f"{shown or said}\n", ran.output


def test_outside_a_command_a_sentence_stays_as_it_is() -> None:
    assert as_options("name it with `layout`") == "name it with `layout`"


def test_errors_and_problems_name_options_of_the_command_that_met_them(tmp_path: Path) -> None:
    """The same two faults, as an error and as a problem, told by verbs with and without groups."""
    speech = tmp_path / "speech"
    speech.mkdir()
    (speech / "wav.scp").write_text("a-1 cat a.wav |\n")
    (speech / "utt2spk").write_text("a-1 a\n")
    (speech / "metadata.csv").write_text("file_name,speaker\na.wav,a\n")
    both = "say which with --layout kaldi or --layout audiofolder."
    command = "pass --allow-commands if you trust whoever wrote it"
    for verb in (["inspect"], ["assess", "audio", str(speech)]):
        assert both in run(*verb, speech).err
        assert command in run(*verb, speech, "--layout", "kaldi").err
    # This one has no such option, and does not invent it.
    ran = run("attack", "identity", speech, speech, "--table", tmp_path / "no.csv")
    assert 'say which with `layout="kaldi"` or `layout="audiofolder"`.' in ran.err
