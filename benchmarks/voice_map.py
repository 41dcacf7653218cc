"""The map of DeID and G_VD in docs/results: ours beside what the papers print.

    python benchmarks/voice_map.py CSV PNG [NAME=RESULT …] [--encoder ecapa]

CSV keeps the numbers, and PNG is drawn from it. A RESULT takes the place of what CSV had under that
NAME: an assessment.json of `pseudovoice assess audio`, heard by one encoder of it, or a map.csv of
`pseudovoice compare`, where the safeguard has that name.
"""

from __future__ import annotations

import argparse
import csv
import json
from dataclasses import replace
from pathlib import Path

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.figures.draw import render
from pseudovoice.figures.map import System, map_data
from pseudovoice.figures.specs import map_figure
from pseudovoice.figures.tidy import to_csv

OURS = "this assessment"
SIZE = (5.6, 4.2)
"""Inches: a page of docs is wider than a column of a paper."""


def from_map(path: Path) -> dict[str, System]:
    """The systems of a map's tidy data, without the published ones."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["source"] == OURS]

    def estimate(row: dict[str, str], value: str, other: str, factor: float) -> Estimate:
        texts = (row[value], row[f"{other}_low"], row[f"{other}_high"])
        return Estimate(*(float(text) * factor if text else None for text in texts))  # type: ignore[arg-type]

    return {
        row["system"]: System(
            row["system"],
            estimate(row, "deid_percent", "deid", 0.01),
            estimate(row, "g_vd_db", "g_vd", 1.0),
        )
        for row in rows
    }


def from_assessment(name: str, path: Path, encoder: str) -> System:
    """A system as one encoder hears it."""
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]

    def estimate(metric: str) -> Estimate:
        (row,) = (
            r
            for r in rows
            if (r["group"], r["metric"]) == ("all", metric)
            and r["attacker"].endswith(f", {encoder}")
            and not r["attacker"].startswith("worst")
        )
        return Estimate(row["value"], row["low"], row["high"])

    return System(name, estimate("deid"), estimate("g_vd"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path)
    parser.add_argument("png", type=Path)
    parser.add_argument("results", nargs="*", metavar="NAME=RESULT")
    parser.add_argument("--encoder", default="ecapa")
    options = parser.parse_args()
    systems = from_map(options.csv) if options.csv.exists() else {}
    for text in options.results:
        # Names of safeguards have their own equal signs; paths here have none.
        name, _, result = text.rpartition("=")
        path = Path(result)
        systems[name] = (
            from_map(path)[name]
            if path.suffix == ".csv"
            else from_assessment(name, path, options.encoder)
        )
    drawn = list(systems.values())
    options.csv.write_text(to_csv(map_data(drawn, ())), encoding="utf-8")
    figure = replace(map_figure(drawn), size=SIZE)
    options.png.write_bytes(render(figure, ["png"])["png"])


if __name__ == "__main__":
    main()
