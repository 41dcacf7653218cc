"""`pseudovoice assess scores`: from speaker-verification scores to every metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pseudovoice.assessment.conditions import CONDITIONS
from pseudovoice.cli.options import left_out, say_what_was_read, shared_options
from pseudovoice.cli.requiring import require_option
from pseudovoice.errors import UsageError
from pseudovoice.scores.formats.names import FORMATS

if TYPE_CHECKING:
    from pseudovoice.assessment.assess import Assessment
    from pseudovoice.errors import Problem
    from pseudovoice.scores.read import Reading

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(dir_okay=False, path_type=Path)


def _system(name: str, what: str) -> Callable[[F], F]:
    """An option of a system's scores, of which there may be several."""
    text = f"{what} NAME=FILE for several systems."
    return click.option(name, multiple=True, metavar="[NAME=]FILE", help=text)


@click.command(name="scores")
@click.option("--oo", type=FILE, help="Scores of original against original.")
@_system("--op", "Scores of original against protected (run f1, with --op-f0).")
@_system("--pp", "Scores of protected against protected, same key.")
@_system("--pq", "Scores of protected against the attacker's own protection.")
@_system("--op-f0", "OP scores of another run of the safeguard, for C_ECE.")
@_system("--pp-f0", "PP scores of another run of the safeguard, for C_ECE.")
@click.option("--trials", type=FILE, help="The key: which trials are target and nontarget.")
@click.option("--utt2spk", type=FILE, help="The speaker of each trial utterance.")
@click.option("--mated", type=FILE, help="One mated score a line (with --nonmated).")
@click.option("--nonmated", type=FILE, help="One non-mated score a line (with --mated).")
@click.option(
    "--condition",
    type=click.Choice(list(CONDITIONS)),
    default="oo",
    show_default=True,
    help="With --mated and --nonmated: which condition they are.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="FILE=FORMAT",
    help=f"The format of a file where it cannot be detected: {', '.join(FORMATS)}.",
)
@require_option
@shared_options
def command(
    oo: Path | None,
    op: tuple[str, ...],
    pp: tuple[str, ...],
    pq: tuple[str, ...],
    op_f0: tuple[str, ...],
    pp_f0: tuple[str, ...],
    trials: Path | None,
    utt2spk: Path | None,
    mated: Path | None,
    nonmated: Path | None,
    condition: str,
    formats: tuple[str, ...],
    similarity: str,
    replicates: int,
    permutations: int,
    seed: int,
    system: str,
    required: tuple[str, ...],
    **result: Any,
) -> None:
    """Assess a safeguard from speaker-verification scores, or several side by side.

    Any condition may be missing; then what needs it is absent and named.
    """
    from pseudovoice.assessment.assess import assess_scores
    from pseudovoice.cli.scores_result import check_output, finish
    from pseudovoice.library.require import known_metrics, read_requirements

    requirements = read_requirements(required, known_metrics(use=False))
    check_output(result["output"])
    named = {"op": op, "pp": pp, "pq": pq, "op/f0": op_f0, "pp/f0": pp_f0}
    systems = _systems(named, system) or {system: {}}
    assessed: dict[str, Assessment] = {}
    problems: list[Problem] = []
    for called, theirs in systems.items():
        files = theirs if oo is None else {"oo": oo, **theirs}
        reading = _read(files, trials, utt2spk, mated, nonmated, condition, formats)
        say_what_was_read(reading.files)
        assessed[called] = assess_scores(
            {name: s for name, s in reading.sets.items() if "/" not in name},
            f0={name[:2]: s for name, s in reading.sets.items() if "/" in name},
            similarity=similarity,
            replicates=replicates,
            permutations=permutations,
            seed=seed,
            notes=reading.notes,
            provenance={"inputs": reading.files, **left_out(reading.problems)},
        )
        problems += reading.problems
    finish(assessed, list(dict.fromkeys(problems)), required=requirements, **result)


def _systems(named: Mapping[str, Sequence[str]], system: str) -> dict[str, dict[str, Path]]:
    """Files by system and condition; a file without a name is that of --system."""
    found: dict[str, dict[str, Path]] = {}
    for name, texts in named.items():
        option = f"--{name.replace('/', '-')}"
        for text in texts:
            called, equals, file = text.partition("=")
            if not equals or Path(text).exists():  # a file may have that sign in its name
                called, file = system, text
            if not called or not file:
                raise UsageError(f"{option} {text}: write FILE, or NAME=FILE for several systems.")
            if name in found.setdefault(called, {}):
                raise UsageError(
                    f"{option} is there twice for {called}; write NAME=FILE for several systems."
                )
            found[called][name] = Path(file)
    return found


def _read(
    files: dict[str, Path],
    trials: Path | None,
    utt2spk: Path | None,
    mated: Path | None,
    nonmated: Path | None,
    condition: str,
    formats: tuple[str, ...],
) -> Reading:
    from pseudovoice.scores.read import Reading, read_classes, read_scores

    if mated is not None or nonmated is not None:
        if mated is None or nonmated is None or files:
            raise UsageError(
                "--mated and --nonmated go together, and not with --oo, --op, --pp or --pq."
            )
        if trials is not None or utt2spk is not None or formats:
            raise UsageError(
                "--mated and --nonmated hold one score a line; --trials, --utt2spk and --format "
                "have no meaning with them."
            )
        reading = read_classes(mated, nonmated)
        return Reading(
            {condition: reading.sets[""]}, reading.problems, reading.notes, reading.files
        )
    for name in ("op", "pp"):
        if f"{name}/f0" in files and name not in files:
            raise UsageError(
                f"--{name}-f0 is the run a calibration map is learnt on; name the run it "
                f"is applied to with --{name}."
            )
    if not files:
        raise UsageError(
            "Name at least one score file with --oo, --op, --pp or --pq, and the key with --trials."
        )
    for name in [item for item in formats if "=" not in item]:
        raise UsageError(
            f"--format takes FILE=FORMAT, not {name!r}; the formats are {', '.join(FORMATS)}."
        )
    chosen = dict(item.rsplit("=", 1) for item in formats)
    return read_scores(files, trials=trials, utt2spk=utt2spk, formats=chosen)
