"""What `assess audio` prints and writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from pseudovoice.assessment.estimate import Row
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.attributes import ATTRIBUTES
from pseudovoice.attacks.result import in_full
from pseudovoice.cli.option_names import as_options, with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.requiring import leave, show_judgements
from pseudovoice.cli.scores_result import PAGE
from pseudovoice.cli.show import console, show_assessment, show_problems
from pseudovoice.cli.talk import remark
from pseudovoice.corpus import Corpus
from pseudovoice.library.require import Requirement, attack_numbers, judge
from pseudovoice.page import Findings, gather, write_page
from pseudovoice.report.audio_folder import write_audio_folder
from pseudovoice.serve.protection import read_protection


def finish_audio(
    assessed: AudioAssessment,
    original: Corpus,
    protected: Corpus,
    *,
    set_name: str,
    system: str,
    output: Path | None,
    no_figures: bool,
    empirical_prior: bool,
    as_json: bool,
    required: Sequence[Requirement] = (),
) -> None:
    """Write and print a result; exit with the code that says what is missing or not met."""
    judged = judge(required, {"": attack_numbers(assessed)})
    if output is not None:
        write_audio_folder(
            assessed,
            output,
            set_name=set_name,
            system=system,
            figures=not no_figures,
            prior=None if empirical_prior else 0.5,
        )
        known = read_protection(protected.root)
        tested = Findings(
            system,
            assessed,
            {} if known is None else known.parameters,
            deterministic=known is not None and known.key is None,
            key=None if known is None else known.key,
            elsewhere=known is None,
        )
        write_page(output / PAGE, gather(f"{system} on {set_name}", original, [tested]))
        what = "tables are" if no_figures else "tables and figures are"
        remark(f"The report is in {output / PAGE}, its {what} in {output}.")
    if as_json:
        whole = assessed.to_dict()
        if judged:
            whole["requirements"] = [one.to_dict() for one in judged]
        text = json.dumps(with_options(whole), indent=1, ensure_ascii=False, allow_nan=False)
        # JSON is UTF-8 whatever the terminal speaks (RFC 8259).
        sys.stdout.flush()
        sys.stdout.buffer.write(f"{text}\n".encode())
        sys.stdout.buffer.flush()
    else:
        _show_attacks(assessed)
        _show_told(assessed)
        first = in_full(assessed.results)
        title = f"\nIn full for {first.attacker}, {first.encoder}, speakers: {first.group}"
        console().print(Text(title, style="bold"))
        assert first.assessment is not None
        show_assessment(first.assessment)
        for warning in assessed.whole.warnings:
            console().print(Text(printable(f"- {as_options(warning)}")))
        if len(assessed.results) > 1 and output is None:
            remark("Every attacker and group in full: -o FOLDER or --json.")
    show_judgements(judged, as_json=as_json)
    show_problems(assessed.problems)
    leave(assessed.problems, judged)


def _show_attacks(assessed: AudioAssessment) -> None:
    """Attack, control and floor side by side, the attacker's knowledge before any number."""
    out = console()
    for attacker in dict.fromkeys(attack.attacker for attack in assessed.attacks):
        some = [attack for attack in assessed.attacks if attack.attacker == attacker]
        out.print(Text(f"\nThe {attacker} attacker {some[0].who.knows}.", style="bold"))
        for one in some:
            a = one.to_dict()
            low, floor = a["d_ece_low"], a["floor_d_ece"]
            within = "" if low is None else f" [{low:.4f}, {a['d_ece_high']:.4f}]"
            chance = "" if floor is None else f", chance {floor:.4f}"
            out.print(
                Text(
                    printable(
                        f"  {one.encoder}, speakers {one.group}: {one.verdict}.\n"
                        f"    D_ECE {a['d_ece']:.4f}{within} bit (unprotected "
                        f"{a['control_d_ece']:.4f}{chance}), tag {a['tag']}, EER "
                        f"{100 * a['eer']:.2f} % (unprotected {100 * a['control_eer']:.2f} %)"
                    )
                )
            )


def _show_told(assessed: AudioAssessment) -> None:
    """What can be told of people, a line for each trait and ear."""
    if not assessed.told:
        return
    out = console()
    who = ATTRIBUTES.attacker
    out.print(Text(f"\nThe {who.name} attacker {who.knows}.", style="bold"))
    for one in assessed.told:
        people = ", ".join(f"{kind}: {n}" for kind, n in one.people.items())
        found = ", ".join(f"{row.condition.upper()} {_auc(row)}" for row in one.rows)
        out.print(
            Text(printable(f"  {one.encoder}: {one.verdict}.\n    {found} (speakers {people})"))
        )


def _auc(row: Row) -> str:
    within = "" if row.low is None else f" [{row.low:.3f}, {row.high:.3f}]"
    return f"{row.value:.3f}{within}"
