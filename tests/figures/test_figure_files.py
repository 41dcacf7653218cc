"""What `draw_all` writes: all files, the same bytes each time, harmless whatever the names are."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Text

from pseudovoice import assess_scores
from pseudovoice.assessment.assess import Assessment
from pseudovoice.attacks.curves import Fewer, curves
from pseudovoice.attacks.had import Had
from pseudovoice.errors import UsageError
from pseudovoice.figures import (
    compared,
    comparison_figures,
    draw_all,
    draw_comparison,
    figure_specs,
    gain_figure,
    render,
)
from pseudovoice.figures.draw import figure_of
from pseudovoice.figures.style import house_style
from pseudovoice.scores.scoreset import ScoreSet, unnamed_scores

ALL = [
    "similarity",
    "map",
    "profiles",
    "actual",
    "distortion_op",
    "speakers",
    "zoo",
    "histograms",
    "calibration",
]


@pytest.fixture(scope="module")
def drawn(three: Assessment, nasty_f0: ScoreSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures") / "new"
    files = draw_all(three, folder, f0={"op": nasty_f0}, system="$a$ <i> _b")
    assert sorted(folder.iterdir()) == sorted(files)
    return folder


def test_gains_are_drawn_as_they_are_told(nasty: Assessment) -> None:
    own = tuple(row for row in nasty.rows if row.condition == "pq")
    points = [Fewer(Had(enrolled=n, tried=n, sessions=1), own) for n in (1, 2, 4)]
    points += [Fewer(Had(enrolled=n, tried=1, sessions=1), own) for n in (2, 4)]
    spec = gain_figure("gathering, $e$", list(curves(points)))
    assert spec is not None
    assert len(spec.data["n"]) == 2 * 3 * 3
    assert spec.data["n"][:4] == [1, 1, 1, 2]
    assert set(spec.data["metric"]) == {"eer", "d_ece", "l_w"}
    assert "recordings of the person (1 utterance of a voice): from 1 to 4" in spec.caption
    figure = figure_of(spec)
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "EER [%]",
        "D_ECE [bit]",
        "l_w, log10",
    ]
    assert render(spec) == render(spec)
    assert gain_figure("nobody", []) is None


def test_every_figure_comes_in_every_format_with_data_and_captions(drawn: Path) -> None:
    expected = {f"{name}.{kind}" for name in ALL for kind in ("svg", "pdf", "png", "csv")}
    assert {file.name for file in drawn.iterdir()} == expected | {"captions.md"}
    for name in ALL:
        assert (drawn / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (drawn / f"{name}.pdf").read_bytes().startswith(b"%PDF")


def test_svg_is_well_formed_and_tells_its_title_and_caption(drawn: Path) -> None:
    for name in ALL:
        root = ElementTree.parse(drawn / f"{name}.svg").getroot()
        title = root.find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        assert title.text
        assert b"<b>" not in (drawn / f"{name}.svg").read_bytes()


def test_files_hold_no_dates(drawn: Path) -> None:
    for name in ALL:
        assert b"<dc:date>" not in (drawn / f"{name}.svg").read_bytes()
        assert b"CreationDate" not in (drawn / f"{name}.pdf").read_bytes()


def test_the_same_assessment_gives_the_same_bytes_whatever_the_users_style(
    drawn: Path, three: Assessment
) -> None:
    mine = {"font.size": 20.0, "lines.linewidth": 9.0, "svg.hashsalt": "other", "pdf.fonttype": 3}
    with matplotlib.rc_context(mine):
        made = {spec.name: spec for spec in figure_specs(three)}
        for name, kind in (("zoo", "svg"), ("profiles", "pdf"), ("similarity", "png")):
            content = render(made[name], [kind])[kind]
            assert content == (drawn / f"{name}.{kind}").read_bytes(), name
        assert matplotlib.rcParams["font.size"] == 20.0


def test_another_process_gives_the_same_bytes_and_needs_no_pyplot(
    drawn: Path, tmp_path: Path
) -> None:
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from conftest import NASTY, make_assessment\n"
        "from pseudovoice.figures import figure_specs, render\n"
        "for spec in figure_specs(make_assessment(NASTY, without='pq')):\n"
        "    if spec.name == 'speakers':\n"
        "        for kind, content in render(spec, ['svg', 'pdf']).items():\n"
        f"            open({str(tmp_path)!r} + '/speakers.' + kind, 'wb').write(content)\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": "7"}
    )
    files = sorted(tmp_path.iterdir())
    assert len(files) == 2
    for file in files:
        assert file.read_bytes() == (drawn / file.name).read_bytes(), file.name


def test_names_stay_what_they_are_in_csv_and_captions(drawn: Path) -> None:
    with (drawn / "speakers.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = {row["speaker"] for row in rows}
    assert {"$x_1$", "<b>&amp;--", "'=1+1|cmd", "张三", "line\nbreak"} <= names
    captions = (drawn / "captions.md").read_text(encoding="utf-8")
    assert "<b>" not in captions
    assert "<i>" not in captions
    assert "$a$ &lt;i&gt; \\_b" in captions


@pytest.fixture(scope="module")
def figures(nasty: Assessment, many: Assessment) -> list[tuple[str, Figure]]:
    crowded = [p for p in figure_specs(many) if p.name in ("similarity", "zoo", "speakers")]
    return [(p.name, figure_of(p)) for p in [*figure_specs(nasty, system="$a$ <i> _b"), *crowded]]


@pytest.fixture
def drawn_texts(monkeypatch: pytest.MonkeyPatch) -> Callable[[Figure], list[Text]]:
    """The texts that a figure really draws; ticks beyond the axes exist but stay hidden."""
    seen: list[Text] = []
    draw = Text.draw

    def recording(self: Text, renderer: RendererBase) -> None:
        seen.append(self)
        draw(self, renderer)

    def texts(figure: Figure) -> list[Text]:
        seen.clear()
        with monkeypatch.context() as patch, house_style():
            patch.setattr(Text, "draw", recording)
            figure.draw_without_rendering()
        return [t for t in dict.fromkeys(seen) if t.get_visible() and t.get_text().strip()]

    return texts


def test_names_are_never_read_as_mathtext(
    figures: list[tuple[str, Figure]], drawn_texts: Callable[[Figure], list[Text]]
) -> None:
    met = set()
    for name, figure in figures:
        for text in drawn_texts(figure):
            words = text.get_text()
            if words.startswith(("$x_1", "$a$", "\\frac")):
                met.add(name)
                assert not text.get_parse_math(), (name, words)
    assert met >= {"similarity", "map", "speakers"}


def test_no_text_is_cut_small_or_on_top_of_another(
    figures: list[tuple[str, Figure]], drawn_texts: Callable[[Figure], list[Text]]
) -> None:
    for name, figure in figures:
        page = figure.bbox.padded(0.5)
        boxes = []
        for text in drawn_texts(figure):
            box, words = Text.get_window_extent(text), (name, text.get_text())
            assert text.get_fontsize() >= 7.0, words
            assert page.x0 <= box.x0, words
            assert box.x1 <= page.x1, words
            assert page.y0 <= box.y0, words
            assert box.y1 <= page.y1, words
            boxes.append((words, box.padded(-0.5)))
        for (one, a), (other, b) in combinations(boxes, 2):
            assert not a.overlaps(b), (one, other)


@pytest.mark.parametrize(
    ("conditions", "absent"),
    [(("op",), {"map"}), (("oo", "pp"), {"map"}), (("oo", "op", "pp"), set())],
)
def test_missing_conditions_leave_out_only_what_needs_them(
    nasty: Assessment, conditions: tuple[str, ...], absent: set[str]
) -> None:
    scores = {name: nasty.conditions[name].scores for name in conditions}
    made = figure_specs(assess_scores(scores, replicates=0, permutations=0))
    assert {p.name for p in made} == set(ALL) - {"distortion_op"} - absent
    if len(conditions) == 1:
        (heat,) = [p for p in made if p.name == "similarity"]
        assert render(heat, ["png"])["png"]
        assert "upper left M_OO (original against original): absent" in heat.caption.replace(
            "Upper", "upper"
        )


def test_scores_without_speakers_or_without_evidence_are_drawn() -> None:
    rng = np.random.default_rng(0)
    sets = {
        "oo": unnamed_scores(rng.normal(300, 90, 30), rng.normal(-300, 90, 90)),
        "op": unnamed_scores(np.ones(12), np.ones(30)),
    }
    made = figure_specs(assess_scores(sets))
    assert [p.name for p in made] == ["profiles", "actual", "histograms", "calibration"]
    for spec in made:
        assert render(spec, ["svg"])["svg"]


def test_an_unknown_format_is_refused_before_anything_is_written(
    nasty: Assessment, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="svg, pdf, png"):
        draw_all(nasty, tmp_path / "x", formats=["svg", "gif"])
    assert not (tmp_path / "x").exists()


def test_several_systems_share_one_map_and_one_yardstick(
    nasty: Assessment, many: Assessment, tmp_path: Path
) -> None:
    files = draw_comparison([("_one", nasty), ("$two$", nasty)], tmp_path, formats=["svg"])
    names = {"map", "profiles_op", "profiles_pp", "profiles_pq"}
    assert {f.name for f in files} == {f"{n}.{k}" for n in names for k in ("svg", "csv")} | {
        "captions.md"
    }
    curves = {
        p.name: list(dict.fromkeys(p.data["curve"]))
        for p in comparison_figures([compared("_one", nasty), compared("$two$", nasty)])
        if p.name != "map"
    }
    assert curves["profiles_op"] == ["perfect privacy", "unprotected", "_one", "$two$"]
    other = {p.name: p for p in comparison_figures([compared("a", nasty), compared("b", many)])}
    assert "unprotected" not in other["profiles_op"].data["curve"]
