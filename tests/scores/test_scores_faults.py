"""What is wrong with scores or key is listed with file and line; what is left is exact."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import trialfiles as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pseudovoice import InputError, read_scores
from pseudovoice.errors import UsageError
from pseudovoice.scores.read import Reading, read_classes

T = tf.make()  # 3 speakers × 6 utterances: 18 trials, 6 mated
SCORES = tf.lines(T.enrol, T.trial, T.score).splitlines()
KEY = tf.lines(T.enrol, T.trial, T.label).splitlines()


def read(
    folder: Path,
    scores: Sequence[str] = SCORES,
    key: Sequence[str] | None = KEY,
    utt2spk: Sequence[str] | None = None,
) -> Reading:
    def file(name: str, content: Sequence[str] | None) -> Path | None:
        return None if content is None else tf.write(folder / name, "\n".join(content) + "\n")

    path = file("scores", scores)
    assert path is not None
    return read_scores({"oo": path}, trials=file("trials", key), utt2spk=file("u2s", utt2spk))


def counts(reading: Reading) -> tuple[int, int]:
    scores = reading.sets["oo"]
    return int(scores.mated.sum()), int((~scores.mated).sum())


def said(reading: Reading, folder: Path) -> list[str]:
    return [str(p).replace(f"{folder}/", "") for p in reading.problems]


@pytest.mark.parametrize(
    "value", ["nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400", "1e101"]
)
def test_scores_that_are_no_finite_numbers(value: str, tmp_path: Path) -> None:
    scores = [f"s0 s0-u0 {value}", *SCORES[1:4], f"s0 s2-u0 {value}", *SCORES[5:]]
    reading = read(tmp_path, scores)
    assert counts(reading) == (5, 11)
    assert said(reading, tmp_path) == [
        "scores:1: 2 score(s) are NaN, infinite or beyond ±1e+100 (lines 1, 5); "
        "they are left out; rescore these trials."
    ]


def test_missing_trials(tmp_path: Path) -> None:
    reading = read(tmp_path, [s for k, s in enumerate(SCORES) if k not in (1, 7)])
    assert counts(reading) == (5, 11)
    assert said(reading, tmp_path) == [
        "trials:2: 2 of 18 trials have no score in scores (lines 2, 8 of the key); "
        "they are left out, not filled in; score them."
    ]


def test_repeated_alike_counts_once(tmp_path: Path) -> None:
    reading = read(tmp_path, [*SCORES, SCORES[0], SCORES[0], SCORES[5]])
    assert counts(reading) == (6, 12)
    assert said(reading, tmp_path) == [
        "scores:19: 3 line(s) score a trial again with the same score (lines 19, 20, 21); "
        "each trial is counted once; remove the repetition."
    ]


def test_repeated_unlike_does_not_count(tmp_path: Path) -> None:
    """Neither the first nor the last, and also not where two of three agree."""
    again = ["s0 s0-u0 9", SCORES[0], SCORES[4], "s0 s2-u0 9"]
    reading = read(tmp_path, [*SCORES, *again])
    assert counts(reading) == (5, 11)
    assert said(reading, tmp_path) == [
        "scores:1: 2 trial(s) are scored more than once with different scores "
        "(lines 1, 5, 19, 20, 21 and 1 more); they are left out, nobody can tell which score "
        "is right; rescore these trials."
    ]


def test_a_failed_repetition_does_not_spoil_a_score(tmp_path: Path) -> None:
    reading = read(tmp_path, [*SCORES, "s0 s0-u0 nan"])
    assert counts(reading) == (6, 12)
    assert len(reading.problems) == 1
    assert reading.problems[0].where.endswith("scores:19")


def test_scores_that_are_not_in_the_key(tmp_path: Path) -> None:
    reading = read(tmp_path, [*SCORES, "s9 s0-u0 1", "s0 nobody 1"])
    assert counts(reading) == (6, 12)
    assert said(reading, tmp_path) == [
        "scores:19: 2 score(s) belong to no trial of trials (lines 19, 20; not in the key at "
        "all: s9); they are left out; check that scores and key belong together."
    ]


def test_a_trial_listed_with_both_labels(tmp_path: Path) -> None:
    reading = read(tmp_path, key=[*KEY, "s0 s0-u0 nontarget", "s0 s1-u0 target"])
    assert counts(reading) == (5, 11)
    assert said(reading, tmp_path) == [
        "trials:1: 4 line(s) list a trial both as target and as nontarget (lines 1, 3, 19, 20); "
        "they are left out; correct the key."
    ]


def test_a_trial_listed_twice(tmp_path: Path) -> None:
    reading = read(tmp_path, key=[*KEY, KEY[0], KEY[17]])
    assert counts(reading) == (6, 12)
    assert said(reading, tmp_path) == [
        "trials:19: 2 line(s) list a trial again (lines 19, 20); each trial is counted once; "
        "remove the repetition."
    ]


def test_a_key_that_contradicts_itself(tmp_path: Path) -> None:
    """s0-u1 is mated with s0 and with s1, which makes them one person."""
    key = [k.replace("s1 s0-u1 nontarget", "s1 s0-u1 target") for k in KEY]
    reading = read(tmp_path, key=key)
    assert counts(reading) == (7, 8)
    assert said(reading, tmp_path) == [
        "trials:3: the key says nontarget but the speakers are s0 and s0; 3 trial(s) like this "
        "(lines 3, 4, 7); they are left out; correct the key or utt2spk."
    ]


def test_a_key_that_contradicts_utt2spk(tmp_path: Path) -> None:
    people = [f"{u} {s}" for u, s in T.utt2spk.items()]
    people[0] = "s0-u0 s1"
    reading = read(tmp_path, utt2spk=people)
    assert counts(reading) == (5, 11)
    assert said(reading, tmp_path) == [
        "trials:1: the key says target but the speakers are s0 and s1; 2 trial(s) like this "
        "(lines 1, 7); they are left out; correct the key or utt2spk."
    ]


def test_an_utterance_that_utt2spk_does_not_list(tmp_path: Path) -> None:
    people = [f"{u} {s}" for u, s in T.utt2spk.items() if u not in ("s0-u0", "s2-u1")]
    reading = read(tmp_path, utt2spk=people)
    assert counts(reading) == (4, 8)
    assert said(reading, tmp_path) == [
        "trials:1: the speaker of 2 utterance(s) is not known (s0-u0, s2-u1), 6 trial(s) in all; "
        "they are left out; name their speakers (`utt2spk`)."
    ]


def test_an_utterance_with_two_speakers(tmp_path: Path) -> None:
    people = [f"{u} {s}" for u, s in T.utt2spk.items()]
    reading = read(tmp_path, utt2spk=[*people, "s0-u0 s0", "s0-u0 s2", "only", "a b c"])
    assert counts(reading) == (6, 12)
    assert said(reading, tmp_path) == [
        "u2s:9: the line has 1 field(s) where 2 are expected; it is left out; correct the line.",
        "u2s:10: the line has 3 field(s) where 2 are expected; it is left out; correct the line.",
        "u2s:8: utterance s0-u0 belongs to s0 already; the line is left out; correct it.",
    ]


def test_labels_that_say_nothing(tmp_path: Path) -> None:
    reading = read(tmp_path, key=[KEY[0].replace("target", "maybe"), *KEY[1:]])
    assert counts(reading) == (5, 12)
    assert said(reading, tmp_path)[0] == (
        "trials:1: 1 line(s) have a label that is neither target nor nontarget (lines 1); "
        "they are left out; write target or nontarget, or 1 or 0."
    )


def test_labels_of_the_score_file_that_are_not_the_keys(tmp_path: Path) -> None:
    own = [f"{s} {k.split()[2]}" for s, k in zip(SCORES, KEY, strict=True)]
    assert counts(read(tmp_path, own)) == (6, 12)
    own[0] = f"{SCORES[0]} nontarget"
    reading = read(tmp_path, own)
    assert counts(reading) == (5, 12)
    assert said(reading, tmp_path) == [
        "scores:1: 1 line(s) carry another label than trials (lines 1); they are left out; "
        "correct one of the files."
    ]


def test_a_segment_against_itself_is_no_trial(tmp_path: Path) -> None:
    """And nothing is missing where it has no score."""
    key = [
        f"u{i} u{j} {'target' if i // 2 == j // 2 else 'nontarget'}"
        for i in range(6)
        for j in range(6)
    ]
    scores = [f"u{i} u{j} {i + j / 10}" for i in range(6) for j in range(6) if i != j or i == 3]
    reading = read(tmp_path, scores, key)
    assert counts(reading) == (6, 24)
    assert reading.problems == ()
    assert [n.replace(f"{tmp_path}/", "") for n in reading.notes] == [
        "scores: 1 scores of a segment against itself are no trials and are left out."
    ]
    assert reading.sets["oo"].method == "exhaustive"


def test_the_key_in_place_of_scores(tmp_path: Path) -> None:
    """`enrol trial 1` reads as scores; the very same file cannot be both."""
    digits = tf.lines(T.enrol, T.trial, T.digit).splitlines()
    with pytest.raises(UsageError, match=r"scores: this is the key itself \(.*trials\)"):
        read(tmp_path, digits, digits)
    reading = read(tmp_path, digits, KEY)
    assert [n.rpartition("/")[2] for n in reading.notes] == [
        "scores: every score is 0 or 1, like the labels of a key; check that these are scores."
    ]


def test_the_same_file_for_two_conditions_is_remarked(tmp_path: Path) -> None:
    path = tf.write(tmp_path / "a", "\n".join(SCORES))
    key = tf.write(tmp_path / "t", "\n".join(KEY))
    notes = read_scores({"oo": path, "op": path, "op/f0": path}, trials=key).notes
    assert notes == (
        "op and oo were read from files with the same content (a); check that this is meant.",
        "op/f0 and oo were read from files with the same content (a); check that this is meant.",
    )
    assert read_scores({"op": path, "op/f0": path}, trials=key).notes == ()


def test_a_key_is_not_used_for_scores_without_names(tmp_path: Path) -> None:
    reading = read(tmp_path, ["0.5 1", "-2 0"])
    assert counts(reading) == (1, 1)
    assert "name no trials, so the key" in reading.notes[0]


@pytest.mark.parametrize("wanted", ["target", "nontarget"])
def test_one_class_empty(wanted: str, tmp_path: Path) -> None:
    key = [k for k in KEY if k.endswith(f" {wanted}")]
    name = "non-mated (nontarget)" if wanted == "target" else "mated (target)"
    with pytest.raises(InputError) as caught:
        read(tmp_path, key=key)
    assert f"no {name} trial is left; both classes are needed" in str(caught.value)


def test_a_class_that_was_left_out_says_why(tmp_path: Path) -> None:
    scores = [
        s if k.endswith("nontarget") else s.rpartition(" ")[0] + " nan"
        for s, k in zip(SCORES, KEY, strict=True)
    ]
    with pytest.raises(InputError, match=r"no mated .* Left out: .*scores:1: 6 score\(s\) are NaN"):
        read(tmp_path, scores)


def test_no_trial_in_common(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, [s.replace("-u", "-v") for s in SCORES])
    assert str(caught.value).replace(f"{tmp_path}/", "") == (
        "scores: none of the 18 trials of trials has a score here ('s0 s0-v0' comes first here, "
        "'s0 s0-u0' there); check that scores and key belong together."
    )


def test_scores_without_labels_need_a_key(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="carry no labels, so a key is needed: name it with `tri"):
        read(tmp_path, key=None)


def test_problems_of_a_key_are_said_once_for_all_conditions(tmp_path: Path) -> None:
    one, two = (tf.write(tmp_path / n, "\n".join(SCORES)) for n in "ab")
    key = tf.write(tmp_path / "t", "\n".join([*KEY, KEY[0]]))
    assert len(read_scores({"oo": one, "op": two}, trials=key).problems) == 1


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_left_is_exact(tmp_path: Path, data: st.DataObject) -> None:
    """Spoil any lines in any way: the scores left are those of the lines nobody touched."""
    what = st.sampled_from(
        ["keep", "keep", "keep", "drop", "nan", "text", "short", "alike", "unlike"]
    )
    scores: list[str] = []
    left = []
    for k, line in enumerate(SCORES):
        pair = line.rpartition(" ")[0]
        kind = data.draw(what)
        scores += {
            "keep": [line],
            "drop": [],
            "nan": [f"{pair} nan"],
            "text": [f"{pair} x"],
            "short": [pair],
            "alike": [line, line],
            "unlike": [line, f"{pair} 77"],
        }[kind]
        if kind in ("keep", "alike"):
            left.append(k)
    order = data.draw(st.permutations(range(len(scores))))
    mated = sum(T.mated[k] for k in left)
    if not 0 < mated < len(left):
        with pytest.raises(InputError, match=r"scores: (no|none|the)"):
            read(tmp_path, [scores[k] for k in order])
        return
    try:
        reading = read(tmp_path, [scores[k] for k in order])
    except InputError as error:
        if "fits no known format" in str(error):  # most lines were spoilt
            return
        raise
    assert counts(reading) == (mated, len(left) - mated)
    assert sorted(reading.sets["oo"].score.tolist()) == sorted(T.score[k] for k in left)
    assert bool(reading.problems) == (scores != SCORES)


class TestTwoFiles:
    def test_one_score_a_line(self, tmp_path: Path) -> None:
        a = tf.write(tmp_path / "a", "1\n2.5\n\nnan\nx\n3 4\n")
        b = tf.write(tmp_path / "b", "0\r\n-1")
        reading = read_classes(a, b)
        assert reading.sets[""].mated_scores.tolist() == [1.0, 2.5]
        assert reading.sets[""].nonmated_scores.tolist() == [0.0, -1.0]
        assert [p.where.rpartition(":")[2] for p in reading.problems] == ["6", "5", "4"]

    @pytest.mark.parametrize("text", ["x\n", "a b 1\n", "nan\n", "\n"])
    def test_no_score_at_all(self, text: str, tmp_path: Path) -> None:
        a = tf.write(tmp_path / "a", text)
        with pytest.raises(InputError, match="there is no score in this file; write one number"):
            read_classes(a, a)

    def test_files_that_are_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="there is no such file; check the path"):
            read_classes(tmp_path / "a", tmp_path / "b")
        with pytest.raises(InputError, match="the file is empty"):
            read_classes(tf.write(tmp_path / "a", ""), tmp_path / "b")
