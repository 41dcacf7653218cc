"""The pages on speech against the program: options, verdicts, names and limits they quote."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from pseudovoice.assessment.allpairs import BINS
from pseudovoice.assessment.estimate import Estimate
from pseudovoice.attacks import registry, verdict
from pseudovoice.backends.compare import MOST_EXACT
from pseudovoice.cli.main import app
from pseudovoice.corpus import LAYOUTS
from pseudovoice.encoders import ENCODER_NAMES, Declaration
from pseudovoice.models import ARTEFACTS
from pseudovoice.safeguards import available
from pseudovoice.safeguards.registry import ENTRY_POINTS

DOCS = Path(__file__).parents[1] / "docs"
OPTION = re.compile(r"(?<![\w-])--[a-z0-9][a-z0-9-]*")

# The page, the command it describes in full, and others whose options it may mention.
SUBJECTS = {
    "assess-audio.md": ("assess audio", ("protect", "train", "inspect")),
    "protect.md": ("protect", ("assess audio", "key new", "list safeguards")),
    "utility.md": ("assess utility", ()),
    "serve.md": ("serve", ()),
    "compare.md": ("compare", ("run", "check")),
    "corpora.md": ("inspect", ("assess audio", "protect", "train")),
    "models.md": (
        "models fetch",
        ("models", "models list", "models verify", "assess audio", "train"),
    ),
}


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


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_option_named_exists(name: str) -> None:
    subject, others = SUBJECTS[name]
    known = set().union(*(options(find_command(words)) for words in (subject, *others)))
    named = set(OPTION.findall(page(name)))
    assert named
    assert named <= known, f"{name} names options that do not exist: {sorted(named - known)}"


@pytest.mark.parametrize("name", ["assess-audio.md", "protect.md", "corpora.md"])
def test_every_option_is_named(name: str) -> None:
    missing = options(find_command(SUBJECTS[name][0])) - set(OPTION.findall(page(name)))
    # What -o abbreviates is known from every other page.
    assert missing <= {"--output", "--help"}, f"{name} does not name {sorted(missing)}"


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_console_lines_use_options_of_their_own_command(path: Path) -> None:
    for line in console_lines(path.read_text(encoding="utf-8")):
        command = find_command(line)
        used = set(OPTION.findall(line)) - {"--help", "--version"}
        wrong = sorted(used - options(command))
        assert not wrong, f"{path.name}: pseudovoice {line}: {command.name} has no {wrong}"


def test_verdicts_and_limits_are_those_of_the_code() -> None:
    text = page("assess-audio.md")
    words = " ".join(text.split())
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
    assert f"{MOST_EXACT:,} trials" in words
    assert f"{BINS:,} bins" in words
    for name in registry.attackers():
        assert f"\n| {name} |" in text


def test_names_are_those_of_the_code() -> None:
    models = page("models.md")
    for name in {*ENCODER_NAMES, *ARTEFACTS}:
        assert f"\n| `{name}`" in models, name
    for field in Declaration.__dataclass_fields__:
        assert f"\n| `{field}` |" in models, field
    for name in set(LAYOUTS) - {"auto"}:
        assert f"\n| `{name}` |" in page("corpora.md"), name
    protect = page("protect.md")
    assert f'[project.entry-points."{ENTRY_POINTS}"]' in protect
    ours = {name for name, made in available().items() if made.__module__.startswith("pseudovoice")}
    for name in ours:
        assert f"\n| `{name}` |" in protect, name


@pytest.mark.parametrize("name", SUBJECTS)
def test_nobody_is_called_anonymous(name: str) -> None:
    assert "anonym" not in page(name).lower()
