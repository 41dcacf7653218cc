"""Enrolment models and trial lists as VoicePrivacy publishes them, against scores by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from two_covariance_world import world

from pseudovoice.backends import (
    Cosine,
    read_enrolment_trials,
    score_enrolment,
    train_plda,
    with_as_norm,
)
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import InputError

SPEAKERS = ("1272", "174", "251")


@pytest.fixture
def enrol() -> Embeddings:
    drawn = world(1, [3, 3, 3], 5)
    utt = [f"{s}-enrol-{k:04d}" for s in SPEAKERS for k in range(3)]
    return Embeddings(drawn.vectors, tuple(utt), (), source="enrol.npz")


@pytest.fixture
def trial() -> Embeddings:
    drawn = world(2, [2, 2, 2], 5)
    utt = [f"{s}-trial-{k:04d}" for s in SPEAKERS for k in range(2)]
    return Embeddings(drawn.vectors, tuple(utt), (), source="trial.npz")


@pytest.fixture
def folders(tmp_path: Path, enrol: Embeddings, trial: Embeddings) -> tuple[Path, Path]:
    """libri_x_enrolls and libri_x_trials_f as the VoicePrivacy scripts leave them."""
    enrols, trials = tmp_path / "libri_x_enrolls", tmp_path / "libri_x_trials_f"
    for folder, side in ((enrols, enrol), (trials, trial)):
        folder.mkdir()
        (folder / "utt2spk").write_text("".join(f"{u} {u.split('-')[0]}\n" for u in side.ids))
    (enrols / "enrolls").write_text("".join(f"{u}\n" for u in enrol.ids))
    (enrols / "spk2utt").write_text(
        "".join(f"{s} {' '.join(u for u in enrol.ids if u.startswith(s))}\n" for s in SPEAKERS)
    )
    lines = [
        f"{s} {u} {'target' if u.startswith(s) else 'nontarget'}\n"
        for s in SPEAKERS
        for u in trial.ids
    ]
    (trials / "trials").write_text("".join(lines))
    return enrols, trials


def by_hand(enrol: Embeddings, trial: Embeddings) -> dict[tuple[str, str], float]:
    """Cosine of the mean of unit vectors."""

    def unit(x):
        return x / np.linalg.norm(x, axis=-1, keepdims=True)

    scores = {}
    for s in SPEAKERS:
        mine = [k for k, u in enumerate(enrol.ids) if u.startswith(s)]
        model = unit(unit(enrol.vectors[mine]).mean(axis=0))
        for u, x in zip(trial.ids, trial.vectors, strict=True):
            scores[s, u] = float(model @ unit(x))
    return scores


def test_folders_of_voiceprivacy(folders, enrol, trial):
    joined = score_enrolment(Cosine(), read_enrolment_trials(*folders), enrol, trial)
    assert not joined.problems
    scores = joined.scores
    assert scores.method == "enrolment"
    assert scores.speakers == SPEAKERS
    expected = by_hand(enrol, trial)
    np.testing.assert_allclose(scores.score, list(expected.values()), rtol=1e-12)
    assert [scores.speakers[k] for k in scores.enrol] == [s for s, _ in expected]
    assert [scores.speakers[k] for k in scores.trial] == [u.split("-")[0] for _, u in expected]
    assert scores.mated.sum() == 6


@pytest.mark.parametrize("listing", ["enrolls", "spk2utt"])
def test_files_give_the_same_as_folders(folders, enrol, trial, listing):
    enrols, trials = folders
    whole = score_enrolment(Cosine(), read_enrolment_trials(*folders), enrol, trial).scores
    lists = read_enrolment_trials(enrols / listing, trials / "trials")
    assert (score_enrolment(Cosine(), lists, enrol, trial).scores.score == whole.score).all()


@pytest.mark.parametrize("normed", [False, True])
def test_plda_models_count_their_utterances(folders, enrol, trial, normed):
    training = world(3, [3] * 30, 5)
    backend = train_plda(training.vectors, training.speakers, shrinkage=0.3)
    if normed:
        backend = with_as_norm(backend, training.vectors[::3])
    # One model of two utterances among models of three: the wide form is used.
    enrols, trials = folders
    (enrols / "enrolls").write_text("\n".join(enrol.ids[:-1]))
    scores = score_enrolment(backend, read_enrolment_trials(enrols, trials), enrol, trial).scores
    rows = backend.enrol(backend.prepare(enrol.vectors[:-1]), np.repeat([0, 1, 2], [3, 3, 2]), 3)
    expected = backend.score(rows, backend.prepare(trial.vectors)).ravel()
    np.testing.assert_allclose(scores.score, expected, rtol=1e-9, atol=1e-9)


def test_without_utt2spk_the_trials_tell_who_speaks(folders, enrol, trial):
    enrols, trials = folders
    for folder in folders:
        (folder / "utt2spk").unlink()
    lists = read_enrolment_trials(enrols / "spk2utt", trials)
    scores = score_enrolment(Cosine(), lists, enrol, trial).scores
    assert scores.speakers == SPEAKERS
    assert scores.mated.sum() == 6
    with pytest.raises(InputError, match="nobody says who speaks; give utt2spk"):
        read_enrolment_trials(enrols / "enrolls", trials)


def test_several_models_of_a_speaker(folders, enrol, trial, tmp_path):
    """Models need not be called like speakers; even like utterances they make no exhaustive set."""
    enrols, trials = folders
    (enrols / "enrolls").unlink()
    lines = [f"{u} {u}\n" for u in enrol.ids]
    (enrols / "spk2utt").write_text("".join(lines))
    key = [
        f"{m} {u} {'target' if m[:3] == u[:3] else 'nontarget'}\n"
        for m in enrol.ids
        for u in trial.ids
    ]
    (trials / "trials").write_text("".join(key))
    joined = score_enrolment(Cosine(), read_enrolment_trials(enrols, trials), enrol, trial)
    assert not joined.problems
    assert joined.scores.score.size == 54
    assert joined.scores.speakers == SPEAKERS
    assert joined.scores.method == "enrolment"
    named = tmp_path / "named"
    named.write_text("".join(f"model-{line}" for line in lines))
    (trials / "trials").write_text("".join(f"model-{line}" for line in key))
    again = score_enrolment(
        Cosine(), read_enrolment_trials(named, trials, _all(folders)), enrol, trial
    )
    assert (again.scores.score == joined.scores.score).all()
    assert (again.scores.mated == joined.scores.mated).all()
    assert again.scores.speakers == SPEAKERS


def _all(folders: tuple[Path, Path]) -> Path:
    both = folders[0] / "both"
    both.write_text("".join((folder / "utt2spk").read_text() for folder in folders))
    return both


def test_protected_trials_may_carry_the_ids_of_the_enrolment(folders, enrol):
    """Trials of the very utterances a model was enrolled with are listed and left out."""
    enrols, trials = folders
    lines = [
        f"{s} {u} {'target' if u.startswith(s) else 'nontarget'}\n"
        for s in SPEAKERS
        for u in enrol.ids
    ]
    (trials / "trials").write_text("".join(lines))
    (enrols / "enrolls").write_text("\n".join(enrol.ids[::3]))
    lists = read_enrolment_trials(enrols, trials)
    joined = score_enrolment(Cosine(), lists, enrol, enrol)
    assert joined.scores.score.size == 24
    assert joined.scores.mated.sum() == 6
    assert ["enrolled with" in str(p) for p in joined.problems] == [True]


def test_models_called_like_trial_utterances_are_still_models(folders, enrol):
    """Single-utterance models over one set of ids look exhaustive; the method says what it is."""
    enrols, trials = folders
    (enrols / "models").write_text("".join(f"{u} {u}\n" for u in enrol.ids))
    lines = [
        f"{m} {u} {'target' if m[:3] == u[:3] else 'nontarget'}\n"
        for m in enrol.ids
        for u in enrol.ids
        if m != u
    ]
    (trials / "trials").write_text("".join(lines))
    lists = read_enrolment_trials(enrols / "models", trials)
    scores = score_enrolment(Cosine(), lists, enrol, enrol).scores
    assert scores.method == "enrolment"
    assert scores.score.size == 72
    assert scores.mated.sum() == 18


def test_missing_and_broken_vectors_are_listed_and_left_out(folders, enrol, trial):
    vectors = enrol.vectors.copy()
    vectors[0] = 0
    vectors[3:6] = np.nan
    joined = score_enrolment(
        Cosine(),
        read_enrolment_trials(*folders),
        replace(enrol, vectors=vectors),
        replace(trial, ids=[*trial.ids[:-1], trial.ids[0]]),
    )
    said = " ".join(map(str, joined.problems))
    assert "enrol.npz: 4 vector(s) are zero or not finite" in said
    assert "4 enrolment utterance(s) have no usable embedding" in said
    assert "1 model(s) have no enrolment utterance (174), 6 trial(s) in all" in said
    assert "trial.npz: 1 utterance id(s) stand twice (1272-trial-0000)" in said
    assert "1 trial utterance(s) have no usable embedding (251-trial-0001)" in said
    assert joined.scores.score.size == 2 * 5
    expected = by_hand(replace(enrol, ids=enrol.ids[1:], vectors=enrol.vectors[1:]), trial)[
        "1272", trial.ids[0]
    ]
    assert joined.scores.score[0] == pytest.approx(expected)


def test_bad_lines_lose_only_themselves(folders, enrol, trial):
    enrols, trials = folders
    (enrols / "enrolls").write_text("\n".join([*enrol.ids, "stranger", "two fields", ""]))
    with (trials / "trials").open("a") as file:
        file.write("nobody 1272-trial-0000 nontarget\n1272 1272-trial-0000\n")
    joined = score_enrolment(Cosine(), read_enrolment_trials(enrols, trials), enrol, trial)
    said = " ".join(map(str, joined.problems))
    assert "speaker of 1 enrolment utterance(s) is not known (stranger)" in said
    assert "enrolls:11: the line has 2 fields" in said
    assert "trials:20: the line has 2 field(s) where 3 are expected" in said
    assert "1 model(s) have no enrolment utterance (nobody)" in said
    assert joined.scores.score.size == 18


def test_models_that_are_none_are_listed(folders, enrol, trial):
    enrols, trials = folders
    text = (enrols / "spk2utt").read_text().splitlines()
    mixed = f"mixed {enrol.ids[0]} {enrol.ids[5]}"
    (enrols / "list").write_text("\n".join([*text, text[0], "251x", mixed]))
    joined = score_enrolment(Cosine(), read_enrolment_trials(enrols / "list", trials), enrol, trial)
    said = " ".join(map(str, joined.problems))
    assert "list:4: model 1272 is listed already" in said
    assert "list:5: model 251x has no utterance" in said
    assert "1 model(s) mix utterances of several speakers (mixed)" in said
    assert joined.scores.score.size == 18


def test_lists_that_do_not_belong_together_get_a_sentence(folders, enrol, trial, tmp_path):
    enrols, trials = folders
    with pytest.raises(InputError, match="holds no enrolls or spk2utt"):
        read_enrolment_trials(tmp_path, trials)
    with pytest.raises(InputError, match="no such file"):
        read_enrolment_trials(enrols / "nothing", trials)
    (tmp_path / "empty").touch()
    with pytest.raises(InputError, match="the file is empty"):
        read_enrolment_trials(tmp_path / "empty", trials)
    (tmp_path / "latin").write_bytes(b"J\xf6rg utt\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_enrolment_trials(tmp_path / "latin", trials)
    (tmp_path / "spk2utt").write_text("9999 9999-1-0000\n")
    with pytest.raises(InputError, match=r"none of its 3 models \(1272, 174, 251\) is enrolled"):
        read_enrolment_trials(tmp_path / "spk2utt", trials)
    strangers = replace(trial, ids=[f"x{u}" for u in trial.ids])
    with pytest.raises(InputError, match="no trial has both a model and an embedding"):
        score_enrolment(Cosine(), read_enrolment_trials(enrols, trials), enrol, strangers)


def test_golden_trial_list_is_read(shared: Path, tmp_path: Path):
    """The published key with its own trial vectors, each speaker enrolled with three of them."""
    folder = shared / "golden" / "libri_test_trials_f"
    speaker_of = dict(line.split() for line in (folder / "utt2spk").read_text().splitlines())
    with np.load(folder / "xvectors.npz") as file:
        utt, vectors = file["utt"].tolist(), file["original"]
    mine: dict[str, list[str]] = {}
    for u in utt:
        mine.setdefault(speaker_of[u], []).append(u)
    (tmp_path / "spk2utt").write_text("".join(f"{s} {' '.join(u[:3])}\n" for s, u in mine.items()))
    lists = read_enrolment_trials(tmp_path / "spk2utt", folder / "trials", folder / "utt2spk")
    embeddings = Embeddings(vectors, tuple(utt), (), source="xvectors.npz")
    joined = score_enrolment(Cosine(), lists, embeddings, embeddings)
    assert joined.scores.mated.sum() == 548 - _overlap(folder / "trials", mine)
    assert joined.scores.method == "enrolment"
    assert joined.scores.mated_scores.mean() > joined.scores.nonmated_scores.mean() + 0.2


def _overlap(trials: Path, mine: dict[str, list[str]]) -> int:
    rows = [line.split() for line in trials.read_text().splitlines()]
    return sum(utt in mine.get(model, [])[:3] for model, utt, _ in rows)
