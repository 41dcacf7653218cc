"""A study with awkward names, from simulated embeddings through the real assessment."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from pseudovoice.assessment.assess import Assessment, assess_scores
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.heard import Heard
from pseudovoice.attacks.registry import attacker as attacker_called
from pseudovoice.attacks.result import AttackResult, result_of
from pseudovoice.attacks.telling import tell
from pseudovoice.attacks.told import Draws, Told
from pseudovoice.attacks.traits import Trait
from pseudovoice.backends.compare import compare_all
from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import Problem
from pseudovoice.page import Clip, Findings, Study, gather
from pseudovoice.page.clips import clip_of

MARKUP = "<img src=x onerror=alert(1)>"
ENDING = "</script><script>alert(2)</script>"
PATH = "../../etc"
REVERSED = "abc\u202edcba\u2028end"
FORMULA = '=HYPERLINK("http://example.org";"x")'
SPEAKERS = (MARKUP, ENDING, PATH, REVERSED, FORMULA, "84", "174", "1272", "zoë & co", "spk09")
TAKES = 4
SAFEGUARD = "<b>mcadams</b>"
PLAIN = "mcadams-random"
PLACE = Path("/home/secret/folder/a.wav")
GENDERS = {name: "fm"[k % 2] for k, name in enumerate(SPEAKERS)}

SEX = Trait(
    "sex",
    {f"{name}-{take}": GENDERS[name] for name in SPEAKERS for take in range(TAKES)},
    {"f": 5, "m": 5},
)


def corpus() -> Corpus:
    utterances = tuple(
        Utterance(f"{name}-{take}", name, PLACE, gender=GENDERS[name])
        for name in SPEAKERS
        for take in range(TAKES)
    )
    return Corpus("awkward {{data}}", PLACE, utterances)


def _side(centres: np.ndarray, spread: float, rng: np.random.Generator) -> Embeddings:
    vectors = np.repeat(centres, TAKES, axis=0)
    vectors = vectors + spread * rng.normal(size=vectors.shape)
    names = tuple(name for name in SPEAKERS for _ in range(TAKES))
    ids = tuple(f"{name}-{take}" for name in SPEAKERS for take in range(TAKES))
    return Embeddings(vectors, ids, names)


def assessed(
    leak: float, *, seed: int, deaf: bool = False, random: bool = False, llrs: bool = False
) -> AudioAssessment:
    """A safeguard that leaves ``leak`` of a voice, heard by ``clear`` and, if asked, ``deaf``.

    A ``random`` one has another run, and with it a calibration distortion.
    """
    rng = np.random.default_rng(seed)
    results: list[AttackResult] = []
    told: list[Told | None] = []
    for encoder in ("clear", "deaf")[: 2 if deaf else 1]:
        # All safeguards are heard on the same originals, by a recogniser of its own draw.
        own = np.random.default_rng(len(encoder)).normal(size=(len(SPEAKERS), 24))
        spread = 0.9 if encoder == "clear" else 40.0
        mine, theirs = (leak * own + (1 - leak) * rng.normal(size=own.shape) for _ in range(2))
        o = _side(own, spread, np.random.default_rng(1))
        p, q = _side(mine, spread, rng), _side(theirs, spread, rng)
        if random:
            told.append(tell(Heard(encoder, o, p, q), SEX, Draws(40, 40, 0)))
        for group in ("all", "f", "m"):
            kept = [k for k, n in enumerate(o.speakers) if group in ("all", GENDERS[n])]
            a, b, c = (side.take(kept) for side in (o, p, q))
            oo = compare_all(a, a)
            for attacker, sets in (
                ("ignorant", {"oo": oo, "op": compare_all(a, b), "pp": compare_all(b, b)}),
                ("lazy", {"oo": oo, "pq": compare_all(c, b)}),
            ):
                f0 = {"op": compare_all(a, c)} if random and "op" in sets else None
                part = assess_scores(sets, f0=f0, replicates=40, permutations=40)
                who = attacker_called(attacker)
                results.append(result_of(who, encoder, group, part, llrs=llrs))
    first = results[0].assessment
    assert first is not None
    known = {
        "comparison": "plda" if llrs else "cosine",
        "encoders": [{"name": "clear", "sha256": "0" * 64, "licence": "none"}],
        "corpora": {"original": {"fingerprint": "1" * 64}},
    }
    whole = Assessment(first.rows, first.speakers, ("a warning",), {**first.provenance, **known})
    bad = Problem(str(PLACE), "is silent", "leave it out")
    return AudioAssessment(
        whole, tuple(results), (bad,), tuple(one for one in told if one is not None)
    )


def clips() -> list[Clip]:
    rng = np.random.default_rng(2)
    sound = 0.1 * rng.normal(size=24_000) * np.abs(np.sin(np.arange(24_000) / 2000))
    made = []
    for name in SPEAKERS[:4]:
        utterance = Utterance(f"{name}-0", name, PLACE)
        made += [clip_of(utterance, sound, which) for which in (None, SAFEGUARD, PLAIN)]
    return made


def utility() -> list[SimpleNamespace]:
    def row(condition: str, metric: str, value: float, unit: str) -> SimpleNamespace:
        return SimpleNamespace(
            condition=condition,
            group="all",
            metric=metric,
            value=value,
            low=0.9 * value,
            high=1.1 * value,
            unit=unit,
            direction="lower",
            method="simulated",
        )

    return [
        row("original", "wer", 0.03, "fraction"),
        row("protected", "wer", 0.06, "fraction"),
        row("change", "wer", 0.03, "fraction"),
        row("pair", "f0_correlation", 0.95, "1"),
    ]


def tested() -> list[Findings]:
    return [
        Findings(
            SAFEGUARD,
            assessed(0.75, seed=3, deaf=True),
            {"alpha": 0.8},
            deterministic=True,
            utility=utility(),
            caution="everybody knows it",
        ),
        Findings(
            PLAIN, assessed(0.3, seed=4, deaf=True, random=True), {"low": 0.7}, key="1f00ba42"
        ),
    ]


def restored(value: Any) -> Any:
    """The data of a page with its columns as records again, as the page's script restores them."""
    if isinstance(value, list):
        return [restored(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if "words" in value:
        return [value["words"][k] for k in value["at"]]
    if "columns" in value:
        columns = {name: restored(column) for name, column in value["columns"].items()}
        return [{name: c[k] for name, c in columns.items()} for k in range(value["of"])]
    return {name: restored(inner) for name, inner in value.items()}


def study() -> Study:
    return gather(f"Awkward {MARKUP} {{{{data}}}}", corpus(), tested(), clips=clips(), hours=0.5)
