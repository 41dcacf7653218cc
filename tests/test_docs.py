"""The pages against the program: options, verdicts, names and limits they quote."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import click
import pytest

import docs.generate
from pseudovoice.assessment.allpairs import BINS
from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.attacks import registry, verdict
from pseudovoice.backends.compare import MOST_EXACT
from pseudovoice.choices import LAYOUTS
from pseudovoice.cli.main import app
from pseudovoice.encoders import ENCODER_NAMES, Declaration
from pseudovoice.models import ARTEFACTS
from pseudovoice.safeguards import available
from pseudovoice.safeguards.registry import ENTRY_POINTS

DOCS = Path(__file__).parents[1] / "docs"
OPTION = re.compile(r"(?<![\w-])--[a-z0-9][a-z0-9-]*")
OF_OTHERS = re.compile(r"\b(ray start|pip install)\b[^`\n]*")
"""A line of another program, which has options of its own."""

PAGES = sorted(DOCS.rglob("*.md"))
# Results quote scripts, which have options of their own.
TASKS = [path for path in PAGES if path.parent.name != "results"]


def place(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def find_command(words: str) -> click.Command:
    """The command of that name, or the group's innermost one that a console line begins with."""
    found: click.Command = app
    for word in words.split():
        if not isinstance(found, click.Group):
            break
        inner = found.get_command(click.Context(found), word)
        if inner is None:
            break
        found = inner
    return found


def options(command: click.Command) -> set[str]:
    return {
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if option.startswith("--")
    }


def console_lines(text: str) -> list[str]:
    """What follows ``$ pseudovoice`` in the console blocks, continued lines joined."""
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    joined = "\n".join(blocks).replace("\\\n", " ")
    return re.findall(r"^\$ pseudovoice (.+)$", joined, re.MULTILINE)


def test_the_way_to_the_commands_works() -> None:
    assert "--rename" in options(find_command("protect"))
    assert "--rename" not in options(find_command("assess audio"))
    assert find_command("assess audio original --encoder x") is find_command("assess audio")
    assert OPTION.findall("`--as-norm`, a--b, -o, --json.") == ["--as-norm", "--json"]
    assert console_lines("```console\n$ pseudovoice a \\\n   --b\n```\n") == ["a     --b"]


def every_command() -> list[click.Command]:
    found: list[click.Command] = []
    groups: list[click.Command] = [app]
    while groups:
        group = groups.pop()
        found.append(group)
        if isinstance(group, click.Group):
            context = click.Context(group)
            names = group.list_commands(context)
            groups += [inner for n in names if (inner := group.get_command(context, n))]
    return found


def test_every_option_named_exists() -> None:
    known = set().union(*(options(command) for command in every_command()), {"--help"})
    assert {"--rename", "--oracle-key", "--pairing"} <= known
    for path in TASKS:
        ours = OF_OTHERS.sub("", path.read_text(encoding="utf-8"))
        wrong = set(OPTION.findall(ours)) - known
        assert not wrong, f"{place(path)} names options that do not exist: {sorted(wrong)}"


def test_every_option_is_in_the_reference() -> None:
    text = page("reference/commands.md")
    everywhere = options(app) - {"--version"}
    assert everywhere <= set(OPTION.findall(text.split("\n## ")[0]))
    for name in ("assess audio", "protect", "inspect", "slice", "run", "models fetch"):
        section = text.split(f"\n## pseudovoice {name}\n")[1].split("\n## ")[0]
        missing = options(find_command(name)) - set(OPTION.findall(section)) - everywhere
        missing -= {"--help"}
        assert not missing, f"{name} lacks {sorted(missing)}"


@pytest.mark.parametrize("path", PAGES, ids=place)
def test_console_lines_use_options_of_their_own_command(path: Path) -> None:
    for line in console_lines(path.read_text(encoding="utf-8")):
        command = find_command(line)
        used = set(OPTION.findall(line)) - {"--help", "--version"}
        wrong = sorted(used - options(command))
        assert not wrong, f"{place(path)}: pseudovoice {line}: {command.name} has no {wrong}"


def test_verdicts_and_limits_are_those_of_the_code() -> None:
    words = " ".join(page("explanation/metrics.md").split())
    limits = " ".join(page("reference/comparisons.md").split())
    control = Estimate(0.7)
    found = (
        (Estimate(0.01, chance=True, null_95=0.05), True),
        (Estimate(0.07, chance=True, null_95=0.05), True),
        (Estimate(0.35), False),
        (Estimate(0.35), True),
    )
    for disclosure, conclusive in found:
        said = verdict.verdict(disclosure, control, conclusive=conclusive)
        for part in said.split(" 50 % "):
            assert part.split(":")[0] in words, part
    assert f"exceeds {100 * verdict.WEAK_EER:.0f} %" in words
    assert f"{MOST_EXACT:,} trials" in limits
    assert f"{BINS:,} bins" in limits
    for name in registry.attackers():
        assert f"\n| `{name}` |" in page("reference/attackers.md")


def test_names_are_those_of_the_code() -> None:
    models = page("reference/models.md")
    for name in {*ENCODER_NAMES, *ARTEFACTS}:
        assert f"\n| `{name}`" in models, name
    for field in Declaration.__dataclass_fields__:
        assert f"\n| `{field}` |" in page("how-to/own-encoder.md"), field
    for name in set(LAYOUTS) - {"auto"}:
        assert f"\n| `{name}` |" in page("reference/corpora.md"), name
    assert f'[project.entry-points."{ENTRY_POINTS}"]' in page("how-to/own-safeguard.md")
    safeguards = page("reference/safeguards.md")
    ours = {name for name, made in available().items() if made.__module__.startswith("pseudovoice")}
    for name in ours:
        row = safeguards.split(f"\n| `{name}` |")[1].split("\n")[0]
        for parameter in fields(available()[name]):
            assert f"`{parameter.name}=" in row, f"{name}: {parameter.name}"


def test_columns_are_those_of_the_code() -> None:
    text = page("reference/outputs.md")
    for row, heading in ((Row, "table.csv"), (SpeakerRow, "speakers.csv")):
        section = text.split(f"### Columns of `{heading}`")[1].split("\n#")[0]
        cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
        named = re.findall(r"`(\w+)`", " ".join(cells))
        assert sorted(named) == sorted(field.name for field in fields(row))


@pytest.mark.parametrize("path", [p for p in PAGES if p.parent.name == "how-to"], ids=place)
def test_nobody_is_called_anonymous(path: Path) -> None:
    assert "anonym" not in path.read_text(encoding="utf-8").lower()


@pytest.mark.parametrize("made", docs.generate.pages())
def test_pages_made_from_the_code_are_not_stale(made: str) -> None:
    assert page(made) == docs.generate.pages()[made], "run make reference"
