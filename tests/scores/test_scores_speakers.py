"""Who is behind the ids: the key's mated trials, utt2spk or columns agree where all know it."""

from __future__ import annotations

from pathlib import Path

import pytest
import trialfiles as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pseudovoice import InputError, ScoreSet, read_scores


def people(scores: ScoreSet) -> list[tuple[str, str, float]]:
    names = scores.speakers
    return sorted(
        (names[e], names[t], s)
        for e, t, s in zip(
            scores.enrol.tolist(), scores.trial.tolist(), scores.score.tolist(), strict=True
        )
    )


def with_utt2spk(t: tf.Listed, folder: Path, more: str = "") -> Path:
    return tf.write(folder / "utt2spk", tf.lines(t.utt2spk, t.utt2spk.values()) + more)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    speakers=st.integers(2, 5),
    utterances=st.integers(1, 3),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_the_key_and_utt2spk_agree_where_the_key_is_complete(
    tmp_path: Path, speakers: int, utterances: int, seed: int, data: st.DataObject
) -> None:
    """Every utterance keeps its mated trial; any of the non-mated trials may be missing."""
    t = tf.make([f"s{k}" for k in range(speakers)], utterances).shuffled(seed)
    keep = [k for k in range(len(t)) if t.mated[k] or data.draw(st.booleans())]
    if all(t.mated[k] for k in keep):
        keep.append(t.mated.index(False))
    t = tf.Listed(
        *([getattr(t, name)[k] for k in keep] for name in ("enrol", "trial", "score", "mated")),
        t.utt2spk,
    )
    files = tf.kaldi(t, tmp_path)
    by_key = read_scores(**files)
    by_list = read_scores(**files, utt2spk=with_utt2spk(t, tmp_path))
    assert by_key.notes == by_list.notes == ()
    assert by_key.sets["oo"].speakers == by_list.sets["oo"].speakers
    assert people(by_key.sets["oo"]) == people(by_list.sets["oo"])


def test_segments_that_mated_trials_connect_are_one_speaker(tmp_path: Path) -> None:
    """A VoxCeleb key enrols utterances: a chain of mated pairs is one person."""
    key = tf.write(tmp_path / "t", "1 a b\n1 b c\n1 d e\n0 a d\n0 c e\n")
    scores = tf.write(tmp_path / "s", "a b 1\nb c 2\nd e 3\na d 4\nc e 5\n")
    found = read_scores({"oo": scores}, trials=key).sets["oo"]
    assert found.speakers == ("a", "d")
    assert people(found) == [
        ("a", "a", 1.0),
        ("a", "a", 2.0),
        ("a", "d", 4.0),
        ("a", "d", 5.0),
        ("d", "d", 3.0),
    ]


def test_an_utterance_without_mated_trial_is_remarked(tmp_path: Path) -> None:
    t = tf.make()
    files = tf.kaldi(t, tmp_path)
    text = (
        files["trials"]
        .read_text()
        .replace("s2 s2-u0 target\n", "")
        .replace("s2 s2-u1 target\n", "")
    )
    scores = files["files"]["oo"].read_text()
    tf.write(files["trials"], text)
    kept = [line for line in scores.splitlines() if not line.startswith(("s2 s2-u0", "s2 s2-u1"))]
    tf.write(files["files"]["oo"], "\n".join(kept))
    reading = read_scores(**files)
    assert reading.sets["oo"].speakers == ("s0", "s1", "s2", "s2-u0", "s2-u1")
    assert reading.notes == (
        f"{files['trials']}: 2 trial utterance(s) have no mated trial, so nobody can tell who "
        "speaks; each counts as a speaker of its own: give `utt2spk` for right intervals.",
    )
    told = read_scores(**files, utt2spk=with_utt2spk(t, tmp_path))
    assert told.sets["oo"].speakers == ("s0", "s1", "s2")
    assert told.notes == ()


@pytest.mark.parametrize("how", ["utt2spk", "blank line", "bad label", "left out"])
def test_people_without_a_trial_are_no_speakers(how: str, tmp_path: Path) -> None:
    """They would be drawn by the bootstrap and widen or narrow every interval."""
    files = tf.kaldi(t := tf.make(), tmp_path)
    more = "other-u0 other\n" if how == "utt2spk" else ""
    line = {
        "utt2spk": "",
        "blank line": "\n",
        "bad label": "s9 s9-u0 perhaps\n",
        "left out": "s9 s9-u0 target\n",
    }[how]
    tf.write(files["trials"], line + files["trials"].read_text())
    utt2spk = with_utt2spk(t, tmp_path, more) if how == "utt2spk" else None
    assert read_scores(**files, utt2spk=utt2spk).sets["oo"].speakers == ("s0", "s1", "s2")


def test_enrolled_utterances_that_utt2spk_does_not_list(tmp_path: Path) -> None:
    """Where a key enrols utterances, an unlisted one is nobody's, not a person of its own."""
    key = tf.write(tmp_path / "t", "1 a1 a2\n0 a1 b1\n0 x1 a2\n1 b1 b2\n0 b1 a1\n")
    scores = tf.write(tmp_path / "s", "a1 a2 1\na1 b1 2\nx1 a2 3\nb1 b2 4\nb1 a1 5\n")
    utt2spk = tf.write(tmp_path / "u", "a1 a\na2 a\nb1 b\nb2 b\n")
    reading = read_scores({"oo": scores}, trials=key, utt2spk=utt2spk)
    assert reading.sets["oo"].speakers == ("a", "b")
    assert reading.sets["oo"].score.tolist() == [1.0, 2.0, 4.0, 5.0]
    assert [p.what for p in reading.problems] == [
        "the speaker of 1 utterance(s) is not known (x1), 1 trial(s) in all"
    ]


def test_enrolled_speakers_need_not_be_in_utt2spk(tmp_path: Path) -> None:
    """Kaldi enrols speakers by name; one without trial utterances is in no utt2spk."""
    key = tf.write(tmp_path / "t", "a a1 target\na b1 nontarget\nz a1 nontarget\nb b1 target\n")
    scores = tf.write(tmp_path / "s", "a a1 1\na b1 2\nz a1 3\nb b1 4\n")
    utt2spk = tf.write(tmp_path / "u", "a1 a\nb1 b\n")
    reading = read_scores({"oo": scores}, trials=key, utt2spk=utt2spk)
    assert reading.problems == ()
    assert reading.sets["oo"].speakers == ("a", "b", "z")


def test_an_id_with_two_speakers_in_a_table(tmp_path: Path) -> None:
    t = tf.make()
    columns = {**tf.columns_of(t), "spk1": t.enrol, "spk2": t.trial_speaker}
    columns["spk2"] = ["who", *t.trial_speaker[1:]]
    reading = read_scores({"oo": tf.write(tmp_path / "s.csv", tf.table(columns, ","))})
    assert reading.sets["oo"].score.size == 15
    assert [p.what for p in reading.problems] == [
        "1 id(s) have two speakers (s0-u0)",
        "the speaker of 1 utterance(s) is not known (s0-u0), 3 trial(s) in all",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        ("\n\n", "no line reads 'utterance speaker'"),
        ("a b c\n", "First: .*:1: the line has 3 field.s. where 2 are expected"),
        (b"\xff\n", "u:1: this is not UTF-8 text"),
    ],
)
def test_utt2spk_that_cannot_be_used(text: str | bytes, sentence: str, tmp_path: Path) -> None:
    files = tf.kaldi(tf.make(), tmp_path)
    with pytest.raises(InputError, match=sentence):
        read_scores(**files, utt2spk=tf.write(tmp_path / "u", text))
