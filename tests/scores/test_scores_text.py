"""White space, line ends, blocks and odd ids: what a text file may look like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trialfiles as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pseudovoice import InputError, ScoreSet, read_scores
from pseudovoice.scores.formats import lines
from pseudovoice.scores.formats.text import read_columns

T = tf.make()
SCORES, KEY = tf.lines(T.enrol, T.trial, T.score), tf.lines(T.enrol, T.trial, T.label)


def read(folder: Path, scores: str | bytes = SCORES, key: str | bytes = KEY) -> ScoreSet:
    reading = read_scores(
        {"oo": tf.write(folder / "s", scores)}, trials=tf.write(folder / "t", key)
    )
    assert reading.problems == ()
    return reading.sets["oo"]


def same(a: ScoreSet, b: ScoreSet) -> bool:
    return (
        a.speakers == b.speakers
        and np.array_equal(a.score, b.score)
        and np.array_equal(a.enrol, b.enrol)
        and np.array_equal(a.trial, b.trial)
    )


LOOKS: dict[str, Callable[[str], str]] = {
    "blank lines": lambda s: "\n" + s.replace("\n", "\n\n") + "\n \t\n",
    "CRLF": lambda s: s.replace("\n", "\r\n"),
    "CRCRLF": lambda s: s.replace("\n", "\r\r\n"),
    "CR only": lambda s: s.replace("\n", "\r"),
    "BOM": lambda s: "\ufeff" + s,
    "tabs": lambda s: s.replace(" ", "\t"),
    "runs of white space": lambda s: s.replace(" ", " \t  \f "),
    "leading spaces": lambda s: "  " + s.replace("\n", "\n   "),
    "trailing spaces": lambda s: s.replace("\n", "  \t\n"),
    "no final line end": lambda s: s.rstrip("\n"),
}


@pytest.mark.parametrize(
    ("look", "block"),
    [(look, lines.BLOCK) for look in LOOKS]
    + [(look, 64) for look in LOOKS if look != "CR only"],  # lone CRs must fit one block
)
def test_looks_do_not_matter(
    look: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = read(tmp_path)
    monkeypatch.setattr(lines, "BLOCK", block)
    assert same(read(tmp_path, LOOKS[look](SCORES), LOOKS[look](KEY)), wanted)


@pytest.mark.parametrize(
    "odd",
    [
        '"',
        "'",
        ",",
        "#",
        "\\",
        "a\u00a0b",
        "é",
        "𝄞",
        "=1+1",
        "<b>",
        "../..",
        "%s",
        "{}",
        "\x1c",
        "|",
    ],
)
@pytest.mark.parametrize("place", ["{}u", "u{}", "u{}u{}"])
def test_odd_ids_are_ids(odd: str, place: str, tmp_path: Path) -> None:
    t = tf.make((place.replace("{}", odd), "plain"), 2)
    scores = read(
        tmp_path, tf.lines(t.enrol, t.trial, t.score), tf.lines(t.enrol, t.trial, t.label)
    )
    assert set(scores.speakers) == {place.replace("{}", odd), "plain"}
    assert sorted(scores.score.tolist()) == sorted(t.score)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(block=st.integers(48, 200), data=st.data())
def test_blocks_of_any_size_read_the_same(tmp_path: Path, block: int, data: st.DataObject) -> None:
    """Lines that end, begin or are bad at a block's border keep their number."""
    good = [f"s{k % 3} u{k} {k}.5" for k in range(30)]
    at = data.draw(st.lists(st.integers(0, 29), max_size=4, unique=True))
    kinds = ["", "one", "a b c d e f", "s0 u99 oops"]
    for k in sorted(at, reverse=True):
        good.insert(k, data.draw(st.sampled_from(kinds)))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    path = tf.write(tmp_path / "f", end.join(good) + data.draw(st.sampled_from(["", end])))
    before, lines.BLOCK = lines.BLOCK, block
    try:
        got = read_columns(path, ("enrol", "trial", "score"), ("score",))
    finally:
        lines.BLOCK = before
    wanted = [k for k, line in enumerate(good, 1) if line.endswith(".5")]
    assert got.line.tolist() == wanted
    ids = got.names("trial")
    assert [ids.values[c] for c in ids.codes] == [good[k - 1].split()[1] for k in wanted]
    assert got.numbers("score").tolist() == [float(good[k - 1].split()[2]) for k in wanted]
    bad = [k for k, line in enumerate(good, 1) if line and not line.endswith((".5", "oops"))]
    said = [int(p.where.rpartition(":")[2]) for p in got.problems if "field(s)" in p.what]
    assert said == bad


def test_long_ids_are_read(tmp_path: Path) -> None:
    t = tf.make(("x" * 30_000, "y"), 2, name="{speaker}{k}")
    scores = read(
        tmp_path, tf.lines(t.enrol, t.trial, t.score), tf.lines(t.enrol, t.trial, t.label)
    )
    assert scores.score.size == len(t)


def test_a_line_longer_than_a_block_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "BLOCK", 64)
    for text in (SCORES + "x" * 65, "x" * 65 + "\n" + SCORES, SCORES + "x" * 300 + "\n" + SCORES):
        path = tf.write(tmp_path / "f", text)
        line = text[: text.index("xx")].count("\n") + 1
        with pytest.raises(InputError, match=f"f:{line}: this line is longer than 64 bytes"):
            read_columns(path, ("enrol", "trial", "score"), ("score",))


@pytest.mark.parametrize("wrong", [b"\xff", b"\xc3", b"\0"])
def test_the_line_that_is_no_utf8_is_named(wrong: bytes, tmp_path: Path) -> None:
    text = (SCORES * 2000).encode() + b"s0 u" + wrong + b" 1\n" + SCORES.encode()
    line = len(T) * 2000 + 1
    with pytest.raises(InputError, match=f"s:{line}: this is not UTF-8 text; convert"):
        read_columns(tf.write(tmp_path / "s", text), ("a", "b", "c"))


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("+1.5", 1.5),
        (".5", 0.5),
        ("-.5", -0.5),
        ("+.5e1", 5.0),
        ("5.", 5.0),
        ("1.e3", 1000.0),
        ("1E3", 1000.0),
        ("1e-400", 0.0),
        ("-0", 0.0),
        ("0001", 1.0),
        ("12345678901234567890", 12345678901234567890.0),
        ("0.1234567890123456789", 0.1234567890123456789),
    ],
)
@pytest.mark.parametrize("spoilt", [False, True])
def test_numbers(number: str, value: float, spoilt: bool, tmp_path: Path) -> None:
    """Also where another line is spoilt, which takes another way through the reader."""
    path = tf.write(tmp_path / "f", f"{number}\n" + ("x\n" if spoilt else ""))
    got = read_columns(path, ("score",), ("score",))
    assert got.numbers("score").tolist() == [value]
    assert len(got.problems) == spoilt


@pytest.mark.parametrize("number", ["1_0", "0x10", "1e", "--1", "1,5", "٣", "1d3", "one", "1.2.3"])
def test_what_is_no_number(number: str, tmp_path: Path) -> None:
    got = read_columns(tf.write(tmp_path / "f", f"1\n{number}\n2\n"), ("score",), ("score",))
    assert got.numbers("score").tolist() == [1.0, 2.0]
    assert [p.where for p in got.problems] == [f"{tmp_path / 'f'}:2"]


def test_many_bad_lines_are_five_sentences_and_a_count(tmp_path: Path) -> None:
    path = tf.write(tmp_path / "f", "a b 1\n" + "x\n" * 12)
    problems = read_columns(path, ("a", "b", "score"), ("score",)).problems
    assert [p.where.rpartition(":")[2] for p in problems[:5]] == ["2", "3", "4", "5", "6"]
    assert str(problems[5]).startswith(f"{path}: 7 more lines have a wrong number of fields")
    assert len(problems) == 6
