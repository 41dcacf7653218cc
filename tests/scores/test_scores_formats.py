"""Every format is read alike, detected from its content, and refused when two fit."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import trialfiles as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pseudovoice import InputError, ScoreSet, evaluate, read_scores
from pseudovoice.errors import UsageError
from pseudovoice.scores.formats.detect import detect, read_trials
from pseudovoice.scores.formats.names import FORMATS


def as_rows(scores: ScoreSet) -> list[tuple[str, str, float, bool]]:
    """The trials of a score set in an order of their own."""
    names = scores.speakers
    return sorted(
        (names[e], names[t], s, m)
        for e, t, s, m in zip(
            scores.enrol.tolist(),
            scores.trial.tolist(),
            scores.score.tolist(),
            scores.mated.tolist(),
            strict=True,
        )
    )


def expected_rows(t: tf.Listed) -> list[tuple[str, str, float, bool]]:
    return sorted(zip(t.enrol, t.trial_speaker, t.score, t.mated, strict=True))


@pytest.mark.parametrize("name", tf.WRITERS)
def test_each_format_gives_the_same_trials(name: str, tmp_path: Path) -> None:
    t = tf.make()
    writer, format = tf.WRITERS[name]
    reading = read_scores(**writer(t, tmp_path))
    scores = reading.sets["oo"]
    assert reading.problems == ()
    assert reading.files["oo"]["format"] == format
    assert reading.files["oo"]["items"] == len(t)
    if name in tf.NAMELESS:
        assert not scores.named
        assert scores.method == "unnamed"
        got = sorted(zip(scores.score.tolist(), scores.mated.tolist(), strict=True))
        assert got == sorted(zip(t.score, t.mated, strict=True))
    else:
        assert scores.speakers == ("s0", "s1", "s2")
        assert scores.method == "enrolment"
        assert as_rows(scores) == expected_rows(t)


odd_ids = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")),
    min_size=1,
    max_size=8,
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    speakers=st.lists(odd_ids, min_size=2, max_size=5, unique=True),
    utterances=st.integers(1, 4),
    seed=st.integers(0, 2**16),
)
def test_shuffled_files_of_all_formats_evaluate_alike(
    tmp_path: Path, speakers: list[str], utterances: int, seed: int
) -> None:
    """Whatever the ids, the order of the lines and the format: the same score set."""
    t = tf.make(speakers, utterances, seed=seed, name="{speaker}/{k}")
    a = np.array(t.score)
    mated = np.array(t.mated)
    wanted = dataclasses.asdict(evaluate(a[mated], a[~mated]))
    rows = expected_rows(t)
    for k, (name, (writer, format)) in enumerate(tf.WRITERS.items()):
        files = writer(t.shuffled(seed + k), tmp_path)
        # Ids such as "1" make some files ambiguous to detection, rightly; say what they are.
        formats = {p.name: format for p in files["files"].values()}
        if "trials" in files and files["trials"].suffix not in (".h5", ".csv"):
            key = "voxceleb-key" if name == "voxceleb" else "kaldi-key"
            formats[files["trials"].name] = key
        utt2spk = tf.write(tmp_path / "u2s", tf.lines(t.utt2spk, t.utt2spk.values()))
        reading = read_scores(**files, utt2spk=utt2spk, formats=formats)
        scores = reading.sets["oo"]
        assert reading.problems == (), name
        got = dataclasses.asdict(evaluate(scores.mated_scores, scores.nonmated_scores))
        assert got == wanted, name
        if scores.named:
            assert as_rows(scores) == rows, name


@pytest.mark.parametrize(
    ("text", "needs", "format"),
    [
        ("a b 0.5\n", "score", "scores"),
        ("a b 1\nc d 0\n", "score", "scores"),
        ("a b 0.5 target\n", "score", "wespeaker"),
        ("a b 0.5 1\n", "label", "wespeaker"),
        ("0.5 1\n-2 0\n", "score", "score-label"),
        ("1 0\n0 1\n0.5 1\n", "score", "score-label"),  # one line settles it
        ("target 0.5\n", "score", "label-score"),
        ("a b target\n", "label", "kaldi-key"),
        ("a b IMPOSTOR\n", "label", "kaldi-key"),
        ("a b imp\n", "label", "kaldi-key"),
        ("a b True\n", "label", "kaldi-key"),
        ("1 a b\n0 c d\n", "label", "voxceleb-key"),
        ("0 u 1\n1 v 0\n2 w 0\n", "label", "kaldi-key"),  # 2 is no label
        ("1 5 6\n0 7 8\n", "label", "voxceleb-key"),
        ("a b 0.5\nbad line of five fields\nc d 1.5\n", "score", "scores"),
        ("a b oops\nc d 1.5\ne f 2\n", "score", "scores"),
        ("enrol,trial,score\na,b,1\n", "score", "csv"),
        ("enrol, trial, score\na, b, 1\n", "score", "csv"),
        ("enrol\ttrial\tscore\na\tb\t1\n", "score", "tsv"),
        ("\n\n \t\na b 0.5\n", "score", "scores"),
    ],
)
def test_detection(text: str, needs: str, format: str, tmp_path: Path) -> None:
    assert detect(tf.write(tmp_path / "file", text), needs) == format


@pytest.mark.parametrize(
    ("text", "needs", "one", "other"),
    [
        ("1 0\n0 1\n", "score", "score-label", "label-score"),
        ("1 x 0\n0 y 1\n", "label", "kaldi-key", "voxceleb-key"),
    ],
)
def test_a_file_that_fits_two_formats_is_refused(
    text: str, needs: str, one: str, other: str, tmp_path: Path
) -> None:
    path = tf.write(tmp_path / "file", text)
    with pytest.raises(InputError, match=f"{one} .* or {other} .*`formats={{'file': '{one}'}}`"):
        read_trials(path, needs)
    assert read_trials(path, needs, other).format == other


def test_format_overrides_detection(tmp_path: Path) -> None:
    t = tf.make(("0", "1"), 3, name="{speaker}{k}")
    scores = tf.write(tmp_path / "s", tf.lines(t.enrol, t.trial, t.score))
    key = tf.write(tmp_path / "t", tf.lines(t.enrol, t.trial, t.digit))
    with pytest.raises(InputError, match="could be"):
        read_scores({"oo": scores}, trials=key)
    for name in ("t", str(key)):
        reading = read_scores({"oo": scores}, trials=key, formats={name: "kaldi-key"})
        assert as_rows(reading.sets["oo"]) == expected_rows(t)


def test_format_by_path_tells_files_of_one_name_apart(tmp_path: Path) -> None:
    """VoicePrivacy keeps the scores of every condition in a file called `scores`."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = tf.write(tmp_path / "a" / "scores", "0 1\n1 0\n1 1\n")
    two = tf.write(tmp_path / "b" / "scores", "0 1\n1 0\n1 1\n")
    chosen = {str(one): "score-label", str(two): "label-score"}
    reading = read_scores({"oo": one, "op": two}, formats=chosen)
    assert [f["format"] for f in reading.files.values()] == ["score-label", "label-score"]


def test_unknown_formats_and_files_are_refused(tmp_path: Path) -> None:
    given_files = tf.kaldi(tf.make(), tmp_path)
    with pytest.raises(UsageError, match="no format 'kaldi'; choose one of scores, wespeaker"):
        read_scores(**given_files, formats={"scores": "kaldi"})
    with pytest.raises(UsageError, match="`formats` names nothere, but the files given are scores"):
        read_scores(**given_files, formats={"nothere": "scores"})


@pytest.mark.parametrize("format", [f for f in FORMATS if f != "scores"])
def test_a_wrong_format_is_a_sentence(format: str, tmp_path: Path) -> None:
    given_files = tf.kaldi(tf.make(), tmp_path)
    with pytest.raises(InputError, match=str(tmp_path / "scores")):
        read_scores(**given_files, formats={"scores": format})


class TestTables:
    def test_ids_stay_text(self, tmp_path: Path) -> None:
        """007 is not 7, 1e3 not 1000, True not true and 2020-01-01 no date."""
        ids = ["7", "007", "7.0", "1e3", "1000", "True", "true", "2020-01-01", "NA", "null", "nan"]
        t = tf.make(ids, 1, name="{speaker}")
        t = dataclasses.replace(
            t, trial=[f"0{u}" for u in t.trial], utt2spk={f"0{u}": u for u in t.utt2spk}
        )
        for writer in (tf.csv_table, tf.csv_and_key, tf.parquet):
            reading = read_scores(**writer(t, tmp_path))
            assert reading.problems == ()
            assert as_rows(reading.sets["oo"]) == expected_rows(t)

    def test_quotes_spaces_and_other_columns(self, tmp_path: Path) -> None:
        text = (
            "\ufeffx,Enrol , trial,score ,label,x\r\n"
            '1,"a,b", u1 , 1.5,target,z\r\n'
            '2,"a,b","u""2",-1.5 ,nontarget,\r\n'
            "\r\n"
            "3,c,u1,+.5,0,z\r\n"
            '4,c,"u""2",2e0,1,z'
        )
        reading = read_scores({"oo": tf.write(tmp_path / "s.csv", text)})
        assert reading.problems == ()
        assert as_rows(reading.sets["oo"]) == [
            ("a,b", "a,b", 1.5, True),
            ("a,b", "c", -1.5, False),
            ("c", "a,b", 0.5, False),
            ("c", "c", 2.0, True),
        ]

    def test_lines_are_counted_with_the_header_and_blank_lines(self, tmp_path: Path) -> None:
        text = (
            "\nenrol,trial,score,label\n\n"
            "a,u,1,target\na,v,x,nontarget\n\na,w\na,w,1,maybe\n,w,1,target\na,z,0,nontarget\n"
        )
        problems = read_scores({"oo": tf.write(tmp_path / "s.csv", text)}).problems
        assert [(p.where.rpartition(":")[2], p.what) for p in problems] == [
            ("7", "the line has 2 field(s) where 4 are expected"),
            (
                "5",
                "1 line(s) hold something that is not a number where a score is expected (lines 5)",
            ),
            ("9", "1 line(s) have an empty enrol id (lines 9)"),
            ("8", "1 line(s) have a label that is neither target nor nontarget (lines 8)"),
        ]

    def test_speaker_columns_name_the_speakers(self, tmp_path: Path) -> None:
        t = tf.make(utterances=1)
        columns = {**tf.columns_of(t), "spk1": t.enrol, "trial_speaker": t.trial_speaker}
        # Enrolment by utterance: only the columns can tell who it is.
        columns["enrol"] = [f"{e}-enrolled" for e in t.enrol]
        path = tf.write(tmp_path / "s.csv", tf.table(columns, ","))
        scores = read_scores({"oo": path}).sets["oo"]
        assert scores.speakers == ("s0", "s1", "s2")
        assert as_rows(scores) == expected_rows(t)

    def test_parquet_types(self, tmp_path: Path) -> None:
        t = tf.make(("1", "2", "3"), 2)
        table = pa.table(
            {
                "enrol": pa.array([int(e) for e in t.enrol], pa.int16()),
                "trial": pa.array(t.trial).dictionary_encode(),
                "score": pa.array([str(s) for s in t.score], pa.large_string()),
                "label": pa.array([float(m) for m in t.mated]),
            }
        )
        pq.write_table(table, tmp_path / "s")
        assert as_rows(read_scores({"oo": tmp_path / "s"}).sets["oo"]) == expected_rows(t)

    def test_parquet_nulls_are_listed(self, tmp_path: Path) -> None:
        t = tf.make()
        columns = {name: list(values) for name, values in tf.columns_of(t).items()}
        columns["enrol"][0] = columns["trial"][1] = columns["score"][2] = columns["label"][3] = None
        pq.write_table(pa.table(columns), tmp_path / "s")
        reading = read_scores({"oo": tmp_path / "s"})
        assert [p.where.rpartition(":")[2] for p in reading.problems] == ["3", "1", "2", "4"]
        assert reading.sets["oo"].score.tolist() == t.score[4:]

    def test_folder_names_are_no_columns(self, tmp_path: Path) -> None:
        """Arrow's datasets read label=1/ as a column."""
        folder = tmp_path / "label=target"
        folder.mkdir()
        pq.write_table(pa.table({"enrol": ["a"], "trial": ["b"], "score": [1.0]}), folder / "s")
        assert read_trials(folder / "s", "score").label is None

    def test_columns_that_look_alike_are_refused(self, tmp_path: Path) -> None:
        path = tf.write(tmp_path / "s.csv", "enrol,trial,score,LLR\na,b,1,2\n")
        with pytest.raises(InputError, match="columns score and LLR both look like the score"):
            read_trials(path, "score")


class TestHdf5:
    def test_masked_and_unlisted_trials_are_no_trials(self, tmp_path: Path) -> None:
        t = tf.make()
        rows, columns, scores, mask, key = tf.matrices(t)
        mask[0, 3] = 0
        key[0, 3] = 0
        ids = {"ID__row_ids": rows, "ID__column_ids": columns}
        reading = read_scores(
            {"oo": tf.hdf5(tmp_path / "s", **ids, scores=scores, score_mask=mask)},
            trials=tf.hdf5(tmp_path / "k", **ids, trial_mask=key),
        )
        assert reading.problems == ()
        assert reading.sets["oo"].score.size == len(t) - 1

    def test_scores_without_mask_and_with_their_own_key(self, tmp_path: Path) -> None:
        t = tf.make()
        rows, columns, scores, _, key = tf.matrices(t)
        path = tf.hdf5(
            tmp_path / "s", modelset=rows, segset=columns, scoremat=scores, trial_mask=key
        )
        assert as_rows(read_scores({"oo": path}).sets["oo"]) == expected_rows(t)

    def test_a_row_id_that_stands_twice_is_no_second_trial(self, tmp_path: Path) -> None:
        path = tf.hdf5(
            tmp_path / "s",
            ID__row_ids=["a", "a", "b"],
            ID__column_ids=["a1", "b1"],
            scores=np.arange(6.0).reshape(3, 2),
            trial_mask=np.array([[1, -1], [1, -1], [-1, 1]]),
        )
        reading = read_scores({"oo": path})
        assert reading.problems[0].what.startswith("2 trial(s) are scored more than once")
        assert sorted(reading.sets["oo"].score.tolist()) == [4.0, 5.0]
