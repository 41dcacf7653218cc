"""The attacks by sound: what each must find, and what must tell them nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.alignment import ReadAlignments, Word
from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, decode, read_corpus
from pseudovoice.keys import Key
from pseudovoice.reassembly import (
    Succession,
    cue_scores,
    listen,
    measure,
    rank_by_scores,
    recovered,
    succession,
)
from pseudovoice.reassembly.chain import chain
from pseudovoice.reassembly.cues import Ends, shared_samples
from pseudovoice.reassembly.fusion import balanced_pairs, learn, mean_rank
from pseudovoice.reassembly.waveform import continuity
from pseudovoice.slicing import Origin, Slicing, read_table, slice_corpus

KEY = Key(b"k" * 32)
UTTERANCES = 12


def row(utterances: list[int]) -> Succession:
    """Utterances of so many slices each."""
    return succession(
        [
            Origin(f"{u}-{k}", str(u), k, 0.0, 1.0, f"s{u % 2}", "", "")
            for u, count in enumerate(utterances)
            for k in range(count)
        ]
    )


@pytest.fixture(scope="module")
def speech(shared: Path) -> tuple[Corpus, ReadAlignments]:
    """Real utterances with made-up words of 0.3 s and a pause of 60 ms between some."""
    folder = shared / "speech" / "dev"
    if not folder.is_dir():
        pytest.skip(f"the development speech is not here: there is no {folder}")
    whole = read_corpus(folder)
    utterances, words = [], {}
    for utterance in whole.utterances[:: len(whole) // UTTERANCES][:UTTERANCES]:
        count = int(decode(utterance).duration / 0.36)
        text = " ".join(f"w{k}" for k in range(count))
        utterances.append(replace(utterance, transcript=text))
        words[utterance.id] = tuple(Word(f"w{k}", 0.36 * k, 0.36 * k + 0.3) for k in range(count))
    corpus = replace(whole, utterances=tuple(utterances), problems=())
    return corpus, ReadAlignments("made up", words)


def sliced(
    speech: tuple[Corpus, ReadAlignments], folder: Path, **options: float
) -> tuple[Corpus, list[Origin]]:
    corpus, aligner = speech
    done = slice_corpus(
        corpus,
        folder / "out",
        Slicing(**options),  # type: ignore[arg-type]
        key=KEY,
        aligner=aligner,
        table=folder / "undo.csv",
    )
    return done.corpus, list(read_table(folder / "undo.csv"))


def top_1(scores: NDArray[np.float64], truth: Succession) -> float:
    return float(measure(rank_by_scores(scores, truth), replicates=0).top_1.value)


def test_scores_do_not_hang_on_the_number_of_cores() -> None:
    rng = np.random.default_rng(0)

    def ends() -> Ends:
        head, tail = rng.normal(size=(2, 80))
        samples = rng.integers(-99, 99, 400).astype(np.int16)
        return Ends(head, tail, rng.normal(size=80), 7.0, 7.1, samples, rng.normal(size=256))

    slices = [ends() for _ in range(137)]
    found = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            found.append(cue_scores(slices))
    assert found[0].keys() >= {"spectrum", "channel", "embedding"}
    for more in found[1:]:
        for name, scores in found[0].items():
            np.testing.assert_array_equal(more[name], scores, err_msg=name)


def test_overlap_gives_slices_away_and_the_middle_does_not(
    speech: tuple[Corpus, ReadAlignments], tmp_path: Path
) -> None:
    found = {}
    for name, overlap in (("letter", True), ("middle", False)):
        corpus, origins = sliced(speech, tmp_path / name, overlap=overlap)
        heard = listen(corpus)
        assert not heard.problems
        truth = succession(origins)
        scores = cue_scores([heard.slices[o.slice] for o in origins])
        found[name] = {cue: top_1(matrix, truth) for cue, matrix in scores.items()}
    assert found["letter"]["silence"] > 0.95
    # All tied: one in all candidates.
    assert found["middle"]["silence"] < 0.05
    # But without a gap the waveform itself goes on.
    assert found["middle"]["waveform"] > 0.5


def test_trimming_stops_the_waveform(speech: tuple[Corpus, ReadAlignments], tmp_path: Path) -> None:
    success = {}
    for trim in (0.0, 0.03):
        corpus, origins = sliced(speech, tmp_path / str(trim), trim=trim)
        pieces = [
            np.rint(decode(corpus.by_id[o.slice]).samples[:, 0] * 32768).astype(np.int16)
            for o in origins
        ]
        success[trim] = top_1(continuity(pieces), succession(origins))
    assert success[0.03] < success[0.0] / 3


def test_shared_samples_are_counted_exactly() -> None:
    rng = np.random.default_rng(0)
    whole = rng.integers(-500, 500, 4000).astype(np.int16)
    other = rng.integers(-500, 500, 1000).astype(np.int16)
    flat = np.full(500, 7, np.int16)
    slices = [whole[:2000], whole[1900:3000], whole[2990:], other, flat, flat, whole[:10]]
    expected = np.zeros((7, 7))
    expected[0, 1] = 100
    # Ten samples alike are luck, and flat stretches are alike everywhere.
    assert (shared_samples(slices) == expected).all()


def test_continuity_is_highest_where_nothing_was_cut() -> None:
    rng = np.random.default_rng(0)
    pieces = []
    for tone in (200, 310, 470, 640, 830):
        time = np.arange(3200) / 16_000
        wave = 6000 * np.sin(2 * np.pi * tone * time + tone) + 20 * rng.standard_normal(3200)
        pieces += [wave[:1500].astype(np.int16), wave[1500:].astype(np.int16)]
    assert top_1(continuity(pieces), row([2] * 5)) == 1.0
    tiny = [np.array([1, 2, 3], np.int16), np.zeros(5, np.int16)]
    assert np.isfinite(continuity(tiny)).all()


def test_chains_by_hand() -> None:
    truth = row([3, 2, 1])
    right = np.zeros((6, 6))
    right[0, 1], right[1, 2], right[3, 4] = 5, 4, 3
    assert chain(right, 3).tolist() == [1, 2, -1, 4, -1, -1]
    perfect = recovered(right, truth)
    assert (perfect.links, perfect.right, perfect.whole, perfect.exactly) == (3, 3, 2, 2)
    assert perfect.fraction == 1.0
    # A false link 2→3 that scores best hangs one utterance on to the other, and the last
    # right one is no longer made.
    wrong = right.copy()
    wrong[2, 3] = 9
    some = recovered(wrong, truth)
    assert (some.right, some.utterances, some.whole, some.exactly) == (2, 2, 1, 0)
    # Circles and second successors are never made.
    circle = np.zeros((3, 3))
    circle[0, 1] = circle[1, 2] = circle[2, 0] = circle[0, 2] = 1
    made = chain(circle, 3)
    assert (made >= 0).sum() == 2
    assert len({v for v in made if v >= 0}) == 2


def test_chance_recovers_next_to_nothing() -> None:
    truth = row([4] * 50)
    scores = np.random.default_rng(0).random((200, 200))
    assert recovered(scores, truth).fraction < 0.05
    assert recovered(np.zeros((200, 200)), truth).fraction < 0.05


def test_training_pairs_are_half_successive_a_quarter_each_other() -> None:
    truth = row([5] * 40)
    one, other, label = balanced_pairs(truth, np.random.default_rng(0))
    assert label.mean() == pytest.approx(0.5)
    assert (truth.successor[one[label == 1]] == other[label == 1]).all()
    false = label == 0
    assert (truth.successor[one[false]] != other[false]).all()
    assert (one != other).all()
    same = truth.speaker[one[false]] == truth.speaker[other[false]]
    assert same.mean() == pytest.approx(0.5)


def test_fusion_learns_what_counts() -> None:
    rng = np.random.default_rng(0)
    truth = row([6] * 30)
    n = len(truth)
    answer = np.zeros((n, n))
    answer[truth.queries, truth.successor[truth.queries]] = 1

    def world() -> dict[str, NDArray[np.float64]]:
        return {
            "good": answer * 2 + rng.standard_normal((n, n)),
            "also": answer + rng.standard_normal((n, n)),
            "noise": 50 * rng.standard_normal((n, n)),
            "flat": np.ones((n, n)),
        }

    fusion = learn([(world(), truth)], ["good", "also", "noise", "flat"])
    test = world()
    assert top_1(fusion(test), truth) > top_1(test["good"], truth) > top_1(test["also"], truth)
    assert fusion.weight[0] > fusion.weight[1] > abs(fusion.weight[2])
    both = mean_rank(test, ["good", "also"])
    assert top_1(both, truth) > top_1(mean_rank(test, ["good", "also", "noise"]), truth)


def test_command_prints_the_tables(speech: tuple[Corpus, ReadAlignments], tmp_path: Path) -> None:
    sliced(speech, tmp_path)
    sentences = ["w0 w1 w2 w3 w4 w5", "w3 w4 w5 w6 w7", "something else"]
    (tmp_path / "text.txt").write_text("\n".join(sentences))
    words = ["attack", "slices", str(tmp_path / "out"), "--table", str(tmp_path / "undo.csv")]
    text = ["--lm-text", str(tmp_path / "text.txt"), "--write-arpa", str(tmp_path / "lm.arpa")]
    sound = ["--sound", "--encoder", "none", "--samples", "2", "--utterances", "8"]
    shown = CliRunner().invoke(app, [*words, *text, *sound])
    assert shown.exit_code == 0, shown.output
    for part in ("text, Eq. 2", "average rank %", "waveform", "chance", "whole utterances %"):
        assert part in shown.stdout
    assert "1 of 3 sentences share six words in a row" in shown.stderr
    as_json = CliRunner().invoke(app, [*words, "--arpa", str(tmp_path / "lm.arpa"), "--json"])
    facts = json.loads(as_json.stdout)["attacks"]
    assert set(facts) == {"text, Eq. 2", "text, ratio"}
    low, value, high = (facts["text, ratio"]["average"][k] for k in (1, 0, 2))
    assert 0 < low <= value <= high < 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "either --lm-text or --arpa"),
        (["--arpa", "a", "--lm-text", "b"], "either --lm-text or --arpa"),
        (["--sound", "--own", "x"], "need both --own and --own-table"),
        (["--arpa", "none"], "no such language model"),
        (["--lm-text", "none"], "no such text"),
    ],
)
def test_wrong_use_gets_a_sentence(
    speech: tuple[Corpus, ReadAlignments], tmp_path: Path, words: list[str], sentence: str
) -> None:
    corpus, aligner = speech
    few = replace(corpus, utterances=corpus.utterances[:2]), aligner
    sliced(few, tmp_path)
    start = ["attack", "slices", str(tmp_path / "out"), "--table", str(tmp_path / "undo.csv")]
    result = CliRunner().invoke(app, [*start, *words])
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_another_corpus_s_table_is_refused(
    speech: tuple[Corpus, ReadAlignments], tmp_path: Path
) -> None:
    corpus, aligner = speech
    for name, utterances in (("a", corpus.utterances[:2]), ("b", corpus.utterances[2:4])):
        sliced((replace(corpus, utterances=utterances), aligner), tmp_path / name)
    words = ["attack", "slices", str(tmp_path / "a" / "out"), "--sound", "--table"]
    result = CliRunner().invoke(app, [*words, str(tmp_path / "b" / "undo.csv")])
    assert result.exit_code == 2
    assert "the table knows 0 of its" in " ".join(result.output.split())
