"""Everything the command line does, in Python: on paths, on objects and on arrays."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pseudovoice as pv
from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, decode
from pseudovoice.encoders import Encoder
from pseudovoice.safeguards import McAdams, RandomMcAdams

EXAMPLES = Path(__file__).parents[2] / "examples"
SECRET = bytes(range(32))


@pytest.fixture(scope="session")
def ltas() -> Encoder:
    """An encoder that needs no weights: the one of the examples, as an object."""
    sys.path.insert(0, str(EXAMPLES / "encoder"))
    try:
        from ltas import load
    finally:
        sys.path.pop(0)
    encoder: Encoder = load()
    return encoder


@pytest.fixture(scope="session")
def protected(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("protected") / "p"
    pv.protect(folder, out, "mcadams-random", key=pv.Key(SECRET))
    return out


@pytest.fixture(scope="session")
def assessed(folder: Path, protected: Path, ltas: Encoder) -> pv.AudioAssessment:
    return pv.assess(
        str(folder), protected, encoders=ltas, cache=False, replicates=60, permutations=60
    )


def samples_of(corpus: Corpus) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    return {u.id: decode(u).samples for u in corpus}


def test_importing_it_loads_nothing() -> None:
    code = (
        "import sys, pseudovoice as pv; "
        "print([m for m in ('numpy', 'matplotlib', 'pandas', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert set(pv.__all__) <= set(dir(pv))
    for name in pv.__all__:
        assert getattr(pv, name) is not None


def test_protecting_loads_no_tables_no_statistics_and_no_aligner() -> None:
    code = (
        "import sys, pseudovoice.library.protect; "
        "print([m for m in ('pyarrow', 'scipy.stats', 'scipy.optimize', 'pocketsphinx') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_assessing_loads_no_tables() -> None:
    """Without lists of trials; pyarrow takes 25 MB, and the aligner is for slices."""
    code = (
        "import sys, pseudovoice.library.assess, pseudovoice.library.compare;"
        "print([m for m in ('pyarrow', 'pandas', 'pocketsphinx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("given", ["text", "path", "corpus"])
@pytest.mark.parametrize("safeguard", ["mcadams:alpha=0.9", McAdams(0.9), "chain"])
def test_every_form_of_a_corpus_and_a_safeguard_gives_the_same_speech(
    folder: Path, tmp_path: Path, given: str, safeguard: str | McAdams
) -> None:
    corpus = {"text": str(folder), "path": folder, "corpus": pv.read_corpus(folder)}[given]
    chain = pv.parse_chain("mcadams:alpha=0.9") if safeguard == "chain" else safeguard
    out = tmp_path / "out"
    done = pv.protect(corpus, str(out) if given == "text" else out, chain)
    assert (done.problems, done.key) == ((), None)
    assert not (tmp_path / "out.key").exists()  # nothing is drawn
    reference = pv.protect_samples(
        decode(pv.read_corpus(folder).utterances[0]).samples, 16_000, "mcadams:alpha=0.9"
    )
    made = decode(pv.read_corpus(out).utterances[0]).samples
    assert np.abs(made - reference).max() < 2.0**-14  # 16 bits


@pytest.mark.parametrize("given", ["text", "path", "key"])
def test_every_form_of_a_key_gives_the_same_voice(
    folder: Path, protected: Path, tmp_path: Path, given: str
) -> None:
    file = tmp_path / "my.key"
    secret = pv.Key(SECRET)
    from pseudovoice.keys import write_key

    write_key(secret, str(file))
    key = {"text": str(file), "path": file, "key": secret}[given]
    first = pv.read_corpus(folder).utterances[0]
    made = pv.protect_samples(
        decode(first).samples, 16_000, RandomMcAdams(), key=key, speaker=first.speaker
    )
    assert pv.read_key(file) == secret
    released = samples_of(pv.read_corpus(protected))[first.id]
    assert np.abs(made - released).max() < 2.0**-14


def test_a_key_that_is_needed_is_made_beside_the_speech_and_said(
    folder: Path, tmp_path: Path
) -> None:
    said: list[Path] = []
    done = pv.protect(folder, tmp_path / "out", "mcadams-random", on_new_key=said.append)
    assert said == [tmp_path / "out.key"]
    assert done.key == pv.read_key(said[0]).identifier
    assert pv.protect(folder, tmp_path / "out", "mcadams-random").resumed == len(done.corpus)


def test_samples_have_channels_levels_and_limits(folder: Path) -> None:
    sound = decode(pv.read_corpus(folder).utterances[0]).samples.astype(np.float64).ravel()
    both = np.stack([sound, 0.5 * sound[::-1]], axis=1)
    key = pv.new_key()
    made = pv.protect_samples(both, 16_000, "mcadams-random", key=key, speaker="a")
    assert made.shape == both.shape
    assert np.square(made).sum(axis=0) == pytest.approx(np.square(both).sum(axis=0), rel=1e-6)
    alone = pv.protect_samples(sound, 16_000, "mcadams-random", key=key, speaker="a")
    assert np.array_equal(alone, made[:, 0])
    other = pv.protect_samples(sound, 16_000, "mcadams-random", key=key, speaker="b")
    assert not np.allclose(other, alone)
    for wrong, sentence in (
        ({"key": None, "speaker": "a"}, "draws from a secret key"),
        ({"key": key}, "Whose voice is it"),
    ):
        with pytest.raises(pv.UsageError, match=sentence):
            pv.protect_samples(sound, 16_000, "mcadams-random", **wrong)  # type: ignore[arg-type]
    with pytest.raises(pv.InputError, match="divide 16-bit samples by 32768"):
        pv.protect_samples(np.zeros(99, np.int16), 16_000, "mcadams")
    with pytest.raises(pv.UsageError, match="slice makes a corpus of a corpus"):
        pv.protect_samples(sound, 16_000, "mcadams+slice", key=key, speaker="a")


def test_persona_on_samples_is_the_persona_of_the_release(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "my.key"
    pv.new_key(file)
    corpus = pv.read_corpus(folder)
    one = corpus.subset(ids=[u.id for u in next(iter(corpus.speakers.values()))[:2]])
    pv.protect(one, tmp_path / "out", "persona:candidates=1", key=file)
    released = samples_of(pv.read_corpus(tmp_path / "out"))
    for utterance in one:
        made = pv.protect_samples(
            decode(utterance).samples,
            16_000,
            "persona:candidates=1",
            key=file,
            speaker=utterance.speaker,
        )
        assert np.abs(made - released[utterance.id]).max() < 2.0**-13


def test_tables_and_what_a_notebook_shows(assessed: pv.AudioAssessment, folder: Path) -> None:
    table = assessed.to_pandas()
    assert len(table) == len(assessed.whole.rows)
    row = table[(table.metric == "d_ece") & (table.condition == "op")].iloc[0]
    assert row.value == assessed.result("ignorant", "ltas").disclosure.value
    assert list(assessed.to_pandas("attacks").attacker) == ["ignorant"]
    assert set(assessed.to_pandas("speakers").speaker) == set(pv.read_corpus(folder).speakers)
    with pytest.raises(pv.UsageError, match="no table 'x' in this result; it has rows, speakers"):
        assessed.to_pandas("x")
    html = assessed._repr_html_()
    assert "<table>" in html
    assert "The ignorant attacker" in html


def test_pandas_is_an_extra(assessed: pv.AudioAssessment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(pv.PseudovoiceError) as error:
        assessed.to_pandas()
    assert str(error.value) == (
        "A table as a DataFrame needs the package pandas, which is not installed: "
        "pip install 'pseudovoice[pandas]'."
    )


@pytest.mark.parametrize(
    "name", ["zoo", "similarity", "map", "profiles", "speakers", "histograms", "calibration"]
)
def test_figures_go_into_the_axes_they_are_given(
    assessed: pv.AudioAssessment, tmp_path: Path, name: str
) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert assessed.figure(name, ax=right) is right
    assert right.has_data()
    assert not left.has_data()
    loaded = pv.load(assessed.save(tmp_path / "r.json"))
    if name in ("histograms", "calibration"):
        with pytest.raises(pv.UsageError, match="were not kept"):
            loaded.figure(name, ax=left)
    else:
        assert loaded.figure(name, ax=left) is left
        assert left.has_data()


def test_a_figure_without_axes_makes_its_own(assessed: pv.AudioAssessment) -> None:
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    ax = assessed.figure("zoo", condition="pp")
    assert ax.get_xlabel() == "mean mated LLR"
    pyplot.close("all")
    for wrong, sentence in (
        ({"name": "bee"}, "no figure 'bee'; choose from map"),
        ({"name": "zoo", "condition": "pq"}, "no condition 'pq' to draw here"),
        ({"name": "zoo", "attacker": "lazy"}, "no attack lazy, all in this result"),
        ({"name": "zoo", "colour": "red"}, "'colour' does not choose anything"),
    ):
        with pytest.raises(pv.UsageError, match=sentence):
            assessed.figure(**wrong)


def test_what_is_saved_is_loaded_to_the_last_bit(
    assessed: pv.AudioAssessment, tmp_path: Path
) -> None:
    place = assessed.save(str(tmp_path / "deep" / "result.json"))
    loaded = pv.load(str(place))
    assert loaded.whole.rows == assessed.whole.rows
    assert loaded.whole.speakers == assessed.whole.speakers
    for mine, theirs in zip(assessed.results, loaded.results, strict=True):
        for name, condition in mine.conditions.items():
            other = theirs.conditions[name]
            assert condition.oracle.tobytes() == other.oracle.tobytes()
            assert condition.matrix.values.tobytes() == other.matrix.values.tobytes()
    assert loaded.save(tmp_path / "again.json").read_bytes() == place.read_bytes()
    assert str(tmp_path) not in place.read_text()


def test_scores_are_kept_with_their_assessment(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(6, 8)).repeat(5, axis=0) + rng.normal(size=(30, 8))
    speakers = [f"s{k // 5}" for k in range(30)]
    found = pv.assess_scores(
        {"oo": pv.score_embeddings(vectors, vectors, speakers)}, replicates=30, permutations=30
    )
    loaded = pv.load(found.save(tmp_path / "a.json"))
    assert loaded.to_dict() == found.to_dict()
    scores, kept = found.conditions["oo"].scores, loaded.conditions["oo"].scores
    assert kept.score.tobytes() == scores.score.tobytes()
    assert loaded.value("oo", "d_ece") == loaded.conditions["oo"].evaluation.d_ece
    from matplotlib.figure import Figure

    for name in ("histograms", "zoo", "profiles"):
        assert loaded.figure(name, ax=Figure().subplots()).has_data()


@pytest.mark.parametrize("content", ["", "{}", '{"format": 1}', "[1]", '{"format": 9}', "\udcff"])
def test_what_is_no_result_is_a_sentence(tmp_path: Path, content: str) -> None:
    place = tmp_path / "x.json"
    place.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(pv.InputError, match=r"x\.json: (this is no saved result|was saved by)"):
        pv.load(place)
    with pytest.raises(pv.InputError, match="there is no such file"):
        pv.load(tmp_path / "nowhere")


def test_a_comparison_of_a_part_of_a_corpus(people: Corpus, weights: None, tmp_path: Path) -> None:
    del weights
    some = people.subset(ids=[u.id for mine in people.speakers.values() for u in mine[:2]])
    outcome = pv.compare(
        some,
        ["mcadams", RandomMcAdams()],
        encoders="ge2e",
        out=str(tmp_path / "out"),
        measures=(),
        figures=False,
        clips=False,
        replicates=30,
        permutations=30,
    )
    assert [one.name for one in outcome.found] == ["mcadams", "mcadams-random"]
    assert outcome.page.is_file()
    assert outcome.new_key == tmp_path / "out.key"
    speakers = set(outcome.to_pandas("speakers").speaker)
    assert speakers == set(some.speakers)
    # The command line goes on from the plan that was written, and finds everything done.
    said = CliRunner().invoke(
        app,
        ["run", str(tmp_path / "out" / "plan.yaml"), "-o", str(tmp_path / "out"), "--json",
         "--key-file", str(tmp_path / "out.key")],
    )  # fmt: skip
    assert said.exit_code == 0, said.output
    assert json.loads(said.stdout)["headlines"] == list(outcome.headlines)
    again = pv.run(tmp_path / "out" / "plan.yaml", tmp_path / "out", key=tmp_path / "out.key")
    loaded = pv.load(outcome.save(tmp_path / "outcome.json"))
    assert loaded.to_pandas().equals(outcome.to_pandas())
    assert again.to_pandas().equals(outcome.to_pandas())
    assert loaded.headlines == outcome.headlines
    from matplotlib.figure import Figure

    for name, which in (
        ("map", {}),
        ("profiles", {"attacker": "lazy"}),
        ("zoo", {"safeguard": "mcadams"}),
        ("similarity", {"safeguard": "mcadams-random"}),
    ):
        ax = Figure().subplots()
        assert loaded.figure(name, ax=ax, **which) is ax
        assert ax.has_data()
    with pytest.raises(pv.UsageError, match="say which: safeguard= one of mcadams, mcadams-random"):
        loaded.figure("zoo", ax=Figure().subplots())
    assert "The strongest attacker tested" in loaded._repr_html_()


def test_slices_and_the_attacks_on_them(folder: Path, ltas: Encoder, tmp_path: Path) -> None:
    table = tmp_path / "undo.csv"
    cut = pv.slice_corpus(
        str(folder), tmp_path / "slices", method="fixed", duration=0.6, key=pv.Key(SECRET),
        undo_table=str(table),
    )  # fmt: skip
    assert cut.key == pv.Key(SECRET).identifier
    assert len(cut.corpus) > 60
    found = pv.attack(
        tmp_path / "slices", table, folder, sound=True, encoders=[ltas], samples=2, utterances=5,
        replicates=30,
    )  # fmt: skip
    assert {one.attacker for one in found.identity} == {"ignorant"}
    assert {"channel", "embedding"} <= set(found.sound)
    assert 0 <= found.sound[next(iter(found.sound))].top_1.value <= 1
    loaded = pv.load(found.save(tmp_path / "attack.json"))
    assert loaded == found
    linked = loaded.to_pandas("identity")
    assert linked.d_sys[0] == found.identity[0].linked.d_sys.value
    assert {"average", "top_1_null", "recovered_high"} <= set(loaded.to_pandas("order").columns)
    assert "ignorant" in loaded._repr_html_()
    with pytest.raises(pv.UsageError, match="no figures"):
        loaded.figure("zoo")
    with pytest.raises(pv.UsageError, match="language model"):
        pv.attack(tmp_path / "slices", table)


def test_a_safeguard_that_no_plan_can_name_is_a_sentence(folder: Path, tmp_path: Path) -> None:
    sys.path.insert(0, str(EXAMPLES / "safeguard"))
    try:
        from tilt import Tilt
    finally:
        sys.path.pop(0)
    done = pv.protect(folder, tmp_path / "p", Tilt(), key=pv.new_key())
    assert done.done == len(pv.read_corpus(folder))
    with pytest.raises(pv.UsageError, match=r"install it by entry point \(pseudovoice.safeguards"):
        pv.compare(folder, Tilt(), out=tmp_path / "out")
