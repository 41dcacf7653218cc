"""The pages of the reference that are made from the code: `make reference` writes them.

Commands come from click, attackers from their registry, metrics and terms from the glossary. A test
compares the pages with what this makes, so that none grows stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from pseudovoice.assessment.metrics import METRICS, direction
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.registry import OURS
from pseudovoice.cli.main import app
from pseudovoice.glossary import SECTIONS, Term, find
from pseudovoice.glossary.term import NONE

HERE = Path(__file__).parent

COMMANDS = """\
# Commands

<!-- Generated from the commands by `make reference`. Do not edit. -->

Every verb and every option. `pseudovoice VERB --help` prints the same in the terminal. Results go
to standard output, everything else to standard error. Colours are off when the output is not a
terminal or `NO_COLOR` is set. Every verb also takes `-q` (`--quiet`), `-v` (`--verbose`) and
`--log FILE` ([pipelines](../how-to/pipelines.md#how-far-it-is)).

| exit code | means |
|---|---|
| 0 | done |
| 1 | done; bad items were left out and are listed on standard error |
| 2 | wrong use, or an input that cannot be used at all; one sentence says what to do |
| 3 | done, but a requirement (`--require`) is not met |
| 70 | a fault of pseudovoice's own; what was finished is whole, and `-v` says what happened |
| 130, 143 | stopped by Ctrl-C or SIGTERM; what was done is kept, and the same command goes on |
"""

ATTACKERS = """\
# Attackers

<!-- Generated from the registry of attackers by `make reference`. Do not edit. -->

Every number holds for one attacker. `--attacker` and plans take these names;
[why the attacker comes first](../explanation/attackers.md), and
[how to let each try](../how-to/stronger-attackers.md). Other packages add theirs by the entry point
`pseudovoice.attackers`.

| name | knows and does | condition | material | reference |
|---|---|---|---|---|
"""

METRIC_TABLE = """\
# Metrics

<!-- Generated from the table of metrics and the glossary by `make reference`. Do not edit. -->

Every scalar of an assessment, then each in full, with its formula and the equation of the paper.
`pseudovoice explain NAME` prints the same entries in the terminal;
[the numbers and their traps](../explanation/metrics.md) is for reading them together. Conditions
are written OO, OP, PP and PQ; σ is the sigmoid, ⟨·⟩ a mean.

| metric | is | unit | range | good | equation in |
|---|---|---|---|---|---|
"""

GLOSSARY = """\
# Glossary

<!-- Generated from src/pseudovoice/glossary by `make reference`. Do not edit. -->

What every word means; the numbers are in [Metrics](metrics.md). `pseudovoice explain NAME` prints
the same entries in the terminal.

The papers are quoted by short names: *noe2020*, Speech pseudonymisation assessment using voice
similarity matrices (Interspeech 2020); *noe2022*, Towards a unified assessment framework of
speech pseudonymisation (Computer Speech & Language 72); *maouche2022*, Enhancing speech privacy
with slicing (Interspeech 2022).
"""

FACTS = (
    ("unit", "Unit"),
    ("range", "Range"),
    ("direction", "Direction"),
    ("good", "A good value"),
    ("reference", "Reference"),
)


def commands() -> str:
    """Every verb with its arguments and options."""
    return "\n".join([COMMANDS, *(_command(name, found) for name, found in _verbs())])


def _verbs() -> Iterator[tuple[str, click.Command]]:
    def walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        if not isinstance(command, click.Group):
            yield name, command
            return
        if command.invoke_without_command:
            yield name, command
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield from walk(f"{name} {word}", inner)

    context = click.Context(app)
    for verb in app.list_commands(context):
        inner = app.get_command(context, verb)
        assert inner is not None
        yield from walk(f"pseudovoice {verb}", inner)


def _command(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    text = "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    lines = [f"## {name}\n", f"```text\n{name} {usage}\n```\n", f"{_cell(text)}\n"]
    rows = [
        record
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option)
        and "--help" not in parameter.opts
        and (record := parameter.get_help_record(context))
    ]
    if rows:
        lines += ["| option | means |", "|---|---|"]
        lines += [f"| {_code(option)} | {_cell(text)} |" for option, text in rows]
        lines.append("")
    return "\n".join(lines)


def _code(text: str) -> str:
    """As code; renderers do not agree on how a bar in a table is written, so choices have none."""
    return "`" + " ".join(text.split()).replace("|", ", ") + "`"


def _cell(text: str) -> str:
    """Keep Markdown from reading markup or the end of a cell into a text."""
    for mark in "\\|*_[]":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("<", "&lt;").replace("  ", " ").strip()


def attackers() -> str:
    """Who attacks, from who knows least to who knows most."""
    rows = [_attacker(one.attacker) for one in OURS]
    parts = [ATTACKERS + "\n".join(rows) + "\n"]
    for one in (attack.attacker for attack in OURS):
        parts.append(f"## {one.name}\n\n**{one.summary}.** {one.explained}\n")
    return "\n".join(parts)


def _attacker(one: Attacker) -> str:
    material = {
        "original": "none beyond the two corpora",
        "own key": "`--attacker-protected DIR`, or `--attacker-safeguard` with "
        "`--attacker-key-file`",
        "same key": "none; asked for by name, or with `--oracle-key`",
        "fitted mapping": "`--attacker-safeguard`; asked for by name, with `--known-pairs N`",
        "other sessions": "`--another-release DIR`; asked for by name",
    }[one.enrolment]
    if one.trains:
        material = "that of `lazy`, and `--attacker-training DIR`"
    if one.infers:
        material = "labels of the originals; for PQ that of `lazy`"
    cells = (f"`{one.name}`", one.knows, one.condition.upper(), material, one.reference)
    return "| " + " | ".join(cells) + " |"


def metrics() -> str:
    """The metrics in a table, then the sections of the glossary that hold metrics."""
    rows = []
    for name in METRICS:
        term = find(name)
        unit = term.unit.split(" (")[0]
        cells = (f"[`{name}`](#{name})", term.title, unit, term.range, _good(name), term.reference)
        rows.append("| " + " | ".join(_plain(cell) for cell in cells) + " |")
    return "\n".join([METRIC_TABLE + "\n".join(rows) + "\n", *_sections(of_metrics=True)])


def _good(metric: str) -> str:
    """Which way is good; ratios to the originals stand in one condition only."""
    if metric.startswith("deid"):
        return f"OP: {direction(metric, 'op')}"
    if metric.startswith("g_"):
        return f"PP: {direction(metric, 'pp')}"
    return f"OP, PQ: {direction(metric, 'op')}; PP: {direction(metric, 'pp')}"


def glossary() -> str:
    """All other sections: words."""
    return "\n".join([GLOSSARY, *_sections(of_metrics=False)])


def _sections(*, of_metrics: bool) -> Iterator[str]:
    for section, terms in SECTIONS.items():
        if any(term.name in METRICS for term in terms) == of_metrics:
            yield f"## {section}\n"
            yield from map(_entry, terms)


def _entry(term: Term) -> str:
    lines = [f"### {term.name}\n", f"**{term.title}.** {term.what}\n"]
    if term.equation != NONE:
        lines.append(f"```text\n{term.equation}\n```\n")
    facts = [(label, getattr(term, field)) for field, label in FACTS]
    lines += [f"- {label}: {_plain(value)}" for label, value in facts if value != NONE]
    if term.aliases:
        lines.append(f"- Also found as: {', '.join(f'`{alias}`' for alias in term.aliases)}")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Keep Markdown from reading markup into a value."""
    return text.replace("<", "&lt;").replace("*", "\\*")


def pages() -> dict[str, str]:
    """The text of every page that is made from the code, by its place in docs/."""
    return {
        "reference/commands.md": commands(),
        "reference/attackers.md": attackers(),
        "reference/metrics.md": metrics(),
        "reference/glossary.md": glossary(),
    }


if __name__ == "__main__":
    for place, text in pages().items():
        (HERE / place).write_text(text, encoding="utf-8")
