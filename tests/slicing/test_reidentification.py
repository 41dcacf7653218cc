"""Whose slice it is: models, trials and controls on made-up voices, and on real slices."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from pseudovoice.alignment import ReadAlignments
from pseudovoice.backends import read_enrolment_trials
from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, read_corpus, write_audiofolder
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.encoders import load_encoder
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.models import FetchError
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.reidentification import (
    OwnSpeech,
    SlicedSpeech,
    attack_identity,
    link,
    link_scores,
    split_utterances,
)
from pseudovoice.safeguards import parse_chain
from pseudovoice.slicing import Slicing, read_table, slice_corpus
from pseudovoice.slicing.algorithm import fixed

KEY = Key(b"k" * 32)


def voices(noise: float, per_speaker: int, prefix: str, speakers: int = 12) -> Embeddings:
    """People as directions, their segments around them."""
    rng = np.random.default_rng(len(prefix) + per_speaker)
    place = np.random.default_rng(0).standard_normal((speakers, 24))
    who = np.repeat(np.arange(speakers), per_speaker)
    vectors = place[who] + noise * rng.standard_normal((who.size, 24))
    names = tuple(f"s{k}" for k in who)
    utterances = tuple(f"{prefix}{k}" for k in range(who.size))
    return Embeddings(vectors.astype(np.float32), utterances, names, (1.0,) * who.size)


def test_a_model_of_all_segments_is_the_stronger_attack() -> None:
    enrolled, tried = voices(1.5, 6, "e"), voices(1.5, 6, "t")
    one, all_of_them = (
        link(enrolled, tried, models=models, replicates=40) for models in ("segment", "speaker")
    )
    assert float(all_of_them.d_sys.value) > float(one.d_sys.value) + 0.1
    assert float(all_of_them.eer.value) < float(one.eer.value)
    assert (all_of_them.n_mated, all_of_them.n_nonmated) == (72, 72 * 11)
    assert one.n_mated == 12 * 36
    for figure in (all_of_them.d_sys, all_of_them.eer):
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low <= figure.value <= figure.high


def test_noise_links_nobody() -> None:
    rng = np.random.default_rng(1)
    enrolled, tried = voices(1.0, 20, "e"), voices(1.0, 20, "t")
    deaf = replace(tried, vectors=rng.standard_normal(tried.vectors.shape).astype(np.float32))
    found = link(enrolled, deaf, replicates=100)
    assert found.d_sys.chance
    assert abs(float(found.eer.value) - 0.5) < 0.08


def test_scores_are_those_of_the_definition_and_own_utterances_no_trials() -> None:
    enrolled, tried = voices(1.0, 2, "e", 3), voices(1.0, 2, "t", 3)
    shared = replace(tried, ids=("e0", *tried.ids[1:]))
    scores = link_scores(enrolled, shared)
    unit = enrolled.vectors / np.linalg.norm(enrolled.vectors, axis=1, keepdims=True)
    model = unit[:2].sum(axis=0)
    expected = model @ tried.vectors[1] / np.linalg.norm(model) / np.linalg.norm(tried.vectors[1])
    assert scores.score.size == 3 * 5
    assert scores.score[0] == pytest.approx(float(expected), rel=1e-5)
    assert scores.mated.sum() == 5
    with pytest.raises(InputError, match="every trial comes from an utterance"):
        link_scores(enrolled, enrolled)
    with pytest.raises(UsageError, match="choose from speaker, segment"):
        link_scores(enrolled, tried, models="person")


def test_lists_say_who_is_enrolled_and_tried_against_whom(tmp_path: Path) -> None:
    """Of two lists as one, each model is tried with every slice of what it is listed with."""
    enrolled, tried = voices(1.0, 3, "e", 4), voices(1.0, 4, "t", 4)
    # Two slices of each utterance that is tried.
    tried = replace(tried, ids=tuple(f"u{k // 2}" for k in range(16)))
    people = {
        u: s for part in (enrolled, tried) for u, s in zip(part.ids, part.speakers, strict=True)
    }
    (tmp_path / "utt2spk").write_text("".join(f"{u} {s}\n" for u, s in people.items()))
    # One utterance of each person is not enrolled, and nobody enrolled s3.
    (tmp_path / "enrolls").write_text("e0\ne1\ne3\ne4\ne6\ne7\n")
    key = {("s0", "u0"), ("s0", "u2"), ("s1", "u2"), ("s1", "u0"), ("s2", "u5"), ("s2", "u6")}
    for name, models in (("trials_f", ("s0", "s1")), ("trials_m", ("s2",))):
        (tmp_path / name).write_text(
            "".join(
                f"{m} {u} {'target' if people[u] == m else 'nontarget'}\n"
                for m, u in sorted(key)
                if m in models
            )
        )
    lists = read_enrolment_trials(
        tmp_path / "enrolls", [tmp_path / "trials_f", tmp_path / "trials_m"]
    )
    scores = link_scores(enrolled, tried, lists=lists)
    unit = enrolled.vectors / np.linalg.norm(enrolled.vectors, axis=1, keepdims=True)
    seen = []
    for model, first in (("s0", 0), ("s1", 3), ("s2", 6)):
        mean = unit[first : first + 2].sum(axis=0)
        for vector, u, who in zip(tried.vectors, tried.ids, tried.speakers, strict=True):
            if (model, u) in key:
                cosine = mean @ vector / np.linalg.norm(mean) / np.linalg.norm(vector)
                seen.append((model, who, float(cosine)))
    found = [
        (scores.speakers[a], scores.speakers[b])
        for a, b in zip(scores.enrol, scores.trial, strict=True)
    ]
    assert found == [(a, b) for a, b, _ in seen]
    assert scores.score == pytest.approx([x for _, _, x in seen], rel=1e-5)
    assert link_scores(enrolled, tried, models="segment", lists=lists).score.size == 2 * 12
    with pytest.raises(InputError, match="none of its models is enrolled with speech"):
        link_scores(replace(enrolled, ids=tuple(f"x{k}" for k in range(12))), tried, lists=lists)


def test_sessions_are_kept_apart_where_there_are_several() -> None:
    rows = [("a", f"{k // 2}", f"a{k}") for k in range(8)] + [("b", "", "b0"), ("b", "", "b1")]
    rows += [("c", "", "c0")]
    enrolled, tried = split_utterances(rows, 0.5)
    assert enrolled == {"a0", "a1", "a2", "a3", "b0"}
    assert tried == {"a4", "a5", "a6", "a7", "b1", "c0"}
    assert split_utterances(reversed(rows), 0.5) == (enrolled, tried)
    with pytest.raises(UsageError):
        split_utterances(rows, 1.0)


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Four seconds of four utterances of each of eight people."""
    folder = shared / "speech" / "dev"
    if not folder.is_dir():
        pytest.skip(f"the development speech is not here: there is no {folder}")
    whole = read_corpus(folder)
    out = tmp_path_factory.mktemp("real") / "corpus"
    taken = []
    for mine in list(whole.speakers.values())[:8]:
        for utterance in mine[::5]:
            samples, rate = soundfile.read(utterance.path, stop=16_000 * 4)
            path = out / f"{utterance.id}.wav"
            path.parent.mkdir(exist_ok=True)
            soundfile.write(path, samples, rate)
            taken.append(replace(utterance, path=path, transcript=None))
    corpus = Corpus("real", out, tuple(taken), layout="audiofolder")
    write_audiofolder(corpus, out)
    return read_corpus(out)


def test_longer_pieces_tell_more_of_real_speakers(real: Corpus) -> None:
    try:
        encoder = load_encoder("ge2e")
    except FetchError as error:
        pytest.skip(str(error))
    rows = ((u.speaker, u.session or "", u.id) for u in real)
    enrolled, tried = split_utterances(rows)
    whole = embed_corpus(real, encoder, workers=1)
    short = embed_corpus(
        real, encoder, cut=lambda _, seconds: fixed((), seconds, 0.6)[:3], workers=1
    )
    assert not short.problems
    assert set(short.seconds) == {0.6}
    mine = whole.of(enrolled)
    long, brief = (link(mine, s.of(tried), replicates=0) for s in (whole, short))
    assert float(long.eer.value) + 0.05 < float(brief.eer.value) < 0.45


def test_attackers_and_their_control_on_public_slices(real: Corpus, tmp_path: Path) -> None:
    try:
        load_encoder("ge2e")
    except FetchError as error:
        pytest.skip(str(error))
    table = tmp_path / "undo.csv"
    chain = parse_chain("mcadams:alpha=0.6+slice:duration=1.5,method=fixed")
    public = protect_corpus(real, tmp_path / "slices", chain, key=KEY, undo_table=table)
    protected = protect_corpus(
        real, tmp_path / "own", parse_chain("mcadams:alpha=0.6"), key=None
    ).corpus
    known = SlicedSpeech(public.corpus, read_table(table), real)
    attacks, problems = attack_identity(
        known, [load_encoder("ge2e")], OwnSpeech(protected, protected), replicates=0, workers=1
    )
    assert not problems
    assert [(a.attacker, a.enrolment) for a in attacks] == [
        (attacker, enrolment)
        for enrolment in ("sliced", "whole")
        for attacker in ("ignorant", "lazy", "semi")
    ]
    by = {(a.attacker, a.enrolment): a for a in attacks}
    # Clear speech of the speakers says less about protected slices than the same safeguard does.
    ignorant, lazy = by["ignorant", "whole"], by["lazy", "whole"]
    assert float(ignorant.linked.eer.value) > float(lazy.linked.eer.value)
    assert float(ignorant.control.eer.value) < float(ignorant.linked.eer.value)
    assert ignorant.control == lazy.control
    # Who trained an encoder is heard through it alone; here it is the one of the others.
    own = OwnSpeech(protected, protected, True, {"xvector": load_encoder("ge2e")})
    cut, _ = attack_identity(
        known, [], own, attackers=("ignorant", "semi", "semi-encoder"), enrolments=("whole",),
        replicates=0, workers=1,
    )  # fmt: skip
    assert [a.attacker for a in cut] == ["semi-encoder"]
    semi = by["semi", "whole"].linked
    assert cut[0].linked.n_mated == semi.n_mated
    assert cut[0].linked.d_sys != semi.d_sys, "a PLDA of pieces is another than one of whole speech"
    words = ["attack", "identity", str(tmp_path / "slices"), str(real.root), "--table", str(table)]
    words += ["--encoder", "ge2e", "--enrolment", "whole", "--replicates", "0", "--workers", "1"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)["attacks"]
    assert [f["attacker"] for f in facts] == ["ignorant"]
    assert facts[0]["eer"]["value"] == pytest.approx(float(ignorant.linked.eer.value))
    shown = CliRunner().invoke(app, words)
    assert "has original recordings of the speakers" in shown.stdout
    with pytest.raises(UsageError, match="enrols speech it protected itself"):
        attack_identity(known, [], OwnSpeech(None, protected))


def test_tables_and_corpora_that_do_not_belong_together_are_refused(
    known: tuple[Corpus, ReadAlignments], tmp_path: Path
) -> None:
    corpus, aligner = known
    table = tmp_path / "undo.csv"
    done = slice_corpus(
        corpus, tmp_path / "out", Slicing(0.7), key=KEY, aligner=aligner, table=table
    )
    origins = read_table(table)
    with pytest.raises(InputError, match="name the table that was written with them"):
        attack_identity(SlicedSpeech(done.corpus, origins[:-1], corpus), [])
    other = replace(corpus, utterances=tuple(replace(u, id=f"x{u.id}") for u in corpus.utterances))
    with pytest.raises(InputError, match="none of the utterances that the table names"):
        attack_identity(SlicedSpeech(done.corpus, origins, other), [])
    with pytest.raises(UsageError, match="There is no enrolment"):
        attack_identity(SlicedSpeech(done.corpus, origins, corpus), [], enrolments=("half",))
