"""What `persona_frontier.py` kept in WORK, as the tables of docs/results/persona.md and the plot.

    python benchmarks/persona_tables.py WORK [WORK …] [--plot frontier.png]

A point of the plot is a safeguard: its DeID and G_VD are those of the worst encoder and gender, an
encoder never judging voices that it helped to choose.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.ticker import NullLocator

ENCODERS = ("resnet34-lm", "ecapa", "ge2e")
GROUPS = {"f": "F", "m": "M", "all": "all"}


@dataclass(frozen=True)
class Measured:
    """A safeguard of WORK: rows by encoder, and those of its utility."""

    name: str
    rows: dict[str, list[dict[str, Any]]]
    speakers: dict[str, list[dict[str, Any]]]
    utility: list[dict[str, Any]]

    def row(self, encoder: str, group: str, condition: str, metric: str) -> dict[str, Any] | None:
        for row in self.rows[encoder]:
            here = (row["group"], row["condition"], row["metric"])
            if here == (group, condition, metric) and "worst" not in row["attacker"]:
                return row
        return None

    def worst(self, condition: str, metric: str) -> float:
        """The least over encoders and genders: DeID and G_VD are better when higher."""
        found = [self.row(encoder, g, condition, metric) for encoder in self.rows for g in "fm"]
        return min(row["value"] for row in found if row)

    def worst_off(self, encoder: str) -> dict[str, Any]:
        """The speaker of whom the ignorant attacker learns most."""
        ignorant = [
            speaker
            for speaker in self.speakers[encoder]
            if (speaker["condition"], speaker["group"]) == ("op", "all")
        ]
        return max(ignorant, key=lambda speaker: float(speaker["d_ece"]))

    def cost(self, metric: str, condition: str = "protected") -> dict[str, Any]:
        return next(
            row
            for row in self.utility
            if (row["group"], row["metric"], row["condition"]) == ("all", metric, condition)
        )


def measured(work: Path) -> Iterator[Measured]:
    for folder in sorted(work.glob("*.utility")):
        name = folder.name.removesuffix(".utility")
        rows, speakers = {}, {}
        for encoder in ENCODERS:
            judged = f"{name}-without-{encoder}" if name.startswith("persona") else name
            path = work / f"{judged}.{encoder}" / "assessment.json"
            if path.exists():
                assessment = json.loads(path.read_text())
                rows[encoder], speakers[encoder] = assessment["rows"], assessment["speakers"]
        if rows:
            utility = json.loads((folder / "utility.json").read_text())["rows"]
            yield Measured(name, rows, speakers, utility)


def shown(row: dict[str, Any] | None, factor: float = 1.0, digits: int = 1) -> str:
    if row is None:
        return ""
    value, low, high = (
        None if row[k] is None else f"{factor * row[k]:.{digits}f}"
        for k in ("value", "low", "high")
    )
    text = f"{value} [{low}, {high}]" if low is not None else str(value)
    return text.replace("-", "−")


def print_tables(everything: list[Measured]) -> None:
    print("| encoder | | safeguard | DeID % | G_VD dB | D_ECE (OP) bit | l_w (OP) | EER (PQ) % |")
    print("|---|---|---|---|---|---|---|---|")
    for encoder in ENCODERS:
        for group, label in GROUPS.items():
            for one in (m for m in everything if encoder in m.rows):
                cells = [
                    shown(one.row(encoder, group, "op", "deid"), 100),
                    shown(one.row(encoder, group, "pp", "g_vd"), 1, 2),
                    shown(one.row(encoder, group, "op", "d_ece"), 1, 3),
                    shown(one.row(encoder, group, "op", "l_w"), 1, 2).split(" ")[0],
                    shown(one.row(encoder, group, "pq", "eer"), 100),
                ]
                print(f"| `{encoder}` | {label} | {one.name} |", " | ".join(cells), "|")
    print()
    print("| | DeID %, worst | G_VD dB, worst | WER % | lost % | OVRL | F0 correlation |")
    print("|---|---|---|---|---|---|---|")
    for one in everything:
        cells = [
            f"{100 * one.worst('op', 'deid'):.1f}",
            f"{one.worst('pp', 'g_vd'):.2f}".replace("-", "−"),
            shown(one.cost("wer"), 100),
            f"{100 * one.cost('lost')['value']:.1f}",
            f"{one.cost('ovrl')['value']:.2f}",
            f"{one.cost('f0_correlation', 'pair')['value']:.2f}",
        ]
        print(f"| {one.name} |", " | ".join(cells), "|")
    print()
    print("| worst-protected speaker |", " | ".join(f"`{name}`" for name in ENCODERS), "|")
    print("|---" * (len(ENCODERS) + 1) + "|")
    for one in everything:
        found = [one.worst_off(name) for name in ENCODERS if name in one.speakers]
        cells = [f"{who['speaker']}, {float(who['d_ece']):.3f}" for who in found]
        print(f"| {one.name} |", " | ".join(cells), "|")


def plot(everything: list[Measured], path: Path) -> None:
    """DeID of the worst encoder and gender against word errors; G_VD beside the same axis."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, layout="constrained")
    families = {
        "B2": r"b2-",
        "B2r": r"b2r",
        "persona": r"persona",
        "persona, drawn, not searched": r"plain-",
    }
    marks = dict(zip(families, "osDd", strict=True))
    for family, pattern in families.items():
        points = [one for one in everything if re.match(pattern, one.name)]
        if not points:
            continue
        points.sort(key=lambda one: one.cost("wer")["value"])
        words = [100 * one.cost("wer")["value"] for one in points]
        for axis, metric, condition, factor in (
            (axes[0], "deid", "op", 100.0),
            (axes[1], "g_vd", "pp", 1.0),
        ):
            heights = [factor * one.worst(condition, metric) for one in points]
            axis.plot(words, heights, marker=marks[family], label=family)
            for k, (x, y, one) in enumerate(zip(words, heights, points, strict=True)):
                label = one.name.split("-", 1)[1] if "-" in one.name else ""
                # Above and below in turn: neighbours may lie close.
                axis.annotate(
                    label, (x, y), xytext=(4, -11 if k % 2 else 4), textcoords="offset points",
                    fontsize=8,
                )  # fmt: skip
    axes[0].set_ylabel("DeID % (worst encoder and gender)")
    axes[1].set_ylabel("G_VD dB (worst encoder and gender)")
    for axis in axes:
        axis.set_xscale("log")
        axis.set_xticks([3, 5, 10, 20, 50, 100], labels=["3", "5", "10", "20", "50", "100"])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.set_xlabel("word error rate % (Moonshine base)")
        axis.grid(alpha=0.3)
    axes[0].legend()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path, nargs="+")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    everything = [one for work in options.work for one in measured(work)]
    print_tables(everything)
    if options.plot:
        plot(everything, options.plot)


if __name__ == "__main__":
    main()
