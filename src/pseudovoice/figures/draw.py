"""Write the figures of assessments: pictures, tidy data and captions, the same bytes each time."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pseudovoice.assessment.assess import Assessment
from pseudovoice.atomic import write_atomic
from pseudovoice.errors import UsageError
from pseudovoice.figures.comparison import compared, comparison_figures
from pseudovoice.figures.labels import settle
from pseudovoice.figures.specs import FigureSpec, figure_specs
from pseudovoice.figures.style import house_style
from pseudovoice.figures.tidy import to_csv
from pseudovoice.figures.wording import markdown
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet

FORMATS = ("svg", "pdf", "png")


def draw_all(
    assessment: Assessment,
    directory: str | PathLike[str],
    *,
    formats: Sequence[str] = FORMATS,
    f0: Mapping[str, ScoreSet | BinnedScores] | None = None,
    system: str = "this system",
    prior: float | None = 0.5,
) -> list[Path]:
    """Draw everything the assessment allows into a folder, and list the files written.

    Each figure gives ``<name>.svg``, ``.pdf``, ``.png`` and its tidy data ``<name>.csv``; all
    captions are in ``captions.md``. The same assessment gives the same bytes. ``f0``,
    ``system`` and ``prior`` are those of `figure_specs`.
    """
    _check(formats)
    specs = figure_specs(assessment, f0=f0, system=system, prior=prior)
    return write_figures(specs, Path(directory), formats)


def draw_comparison(
    systems: Sequence[tuple[str, Assessment]],
    directory: str | PathLike[str],
    *,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Draw several named assessments into common figures; files as those of `draw_all`."""
    _check(formats)
    return write_figures(
        comparison_figures([compared(*one) for one in systems]), Path(directory), formats
    )


def figure_of(spec: FigureSpec) -> Figure:
    """One figure, drawn and laid out; no pyplot, no window, no global state."""
    with house_style():
        figure = Figure(figsize=spec.size, layout="constrained")
        FigureCanvasAgg(figure)
        spec.draw(figure)
        # One layout for all formats, whose renderers measure text slightly differently.
        settle(figure)
        figure.set_layout_engine("none")
    return figure


def render(spec: FigureSpec, formats: Sequence[str] = FORMATS) -> dict[str, bytes]:
    """One figure in each format."""
    _check(formats)
    out = {}
    with house_style():
        figure = figure_of(spec)
        for name in formats:
            file = io.BytesIO()
            figure.savefig(file, format=name, metadata=_metadata(name, spec))
            out[name] = file.getvalue()
    return out


def write_figures(
    specs: Sequence[FigureSpec], folder: Path, formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Write figures, their data and their captions into a folder, and list the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, bytes | str] = {}
    captions = ["# Figures\n"]
    for spec in specs:
        files |= {f"{spec.name}.{name}": made for name, made in render(spec, formats).items()}
        files[f"{spec.name}.csv"] = to_csv(spec.data)
        captions.append(f"## {spec.title} (`{spec.name}`)\n\n{markdown(spec.caption)}\n")
    files["captions.md"] = "\n".join(captions)
    for file, content in files.items():
        write_atomic(folder / file, content)
    return [folder / file for file in files]


def _check(formats: Sequence[str]) -> None:
    if unknown := [name for name in formats if name not in FORMATS]:
        raise UsageError(
            f"Figures cannot be written as {unknown[0]!r}; choose from {', '.join(FORMATS)}."
        )


def _metadata(name: str, spec: FigureSpec) -> dict[str, Any]:
    """Title and caption travel with the picture; dates would make every run differ."""
    if name == "svg":
        return {"Date": None, "Title": spec.title, "Description": spec.caption}
    if name == "pdf":
        return {"CreationDate": None, "Title": spec.title, "Subject": spec.caption}
    return {"Title": spec.title, "Description": spec.caption}
