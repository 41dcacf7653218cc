"""From assessments to what the page says: the numbers stay, and the words follow from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import page_study
import pytest

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.registry import attackers
from pseudovoice.page import Findings, Study, gather
from pseudovoice.page.headline import headline
from pseudovoice.page.people import dominance
from pseudovoice.page.pictures import clustered
from pseudovoice.page.sessions import SAME_VOICE, session_results


@pytest.fixture(scope="module")
def tested() -> list[Findings]:
    return page_study.tested()


def part(assessed: AudioAssessment, attacker: str, encoder: str = "clear", group: str = "all"):  # type: ignore[no-untyped-def]
    return assessed.result(attacker, encoder, group)


def test_every_attack_carries_its_own_numbers(study: Study, tested: list[Findings]) -> None:
    for one, source in zip(study.safeguards, tested, strict=True):
        assert len(one.attacks) == len(source.assessed.attacks) == 12
        for attack in one.attacks:
            origin = part(source.assessed, attack.attacker, attack.encoder, attack.group)
            for metric, e in attack.metrics.items():
                row = origin.row(attack.condition, metric)
                assert (e.value, e.low, e.high, e.null, e.null_95, e.chance) == (
                    row.value,
                    row.low,
                    row.high,
                    row.null,
                    row.null_95,
                    row.chance,
                )
                assert attack.control.get(metric, e).value == (
                    origin.row("oo", metric).value if metric in attack.control else e.value
                )
            assert attack.condition == attackers()[attack.attacker].condition
            assert attack.knows == attackers()[attack.attacker].knows


def test_an_attack_that_fails_on_unprotected_speech_is_too_weak(study: Study) -> None:
    weak = {a.encoder: a.too_weak for a in study.safeguards[0].attacks if a.group == "all"}
    assert weak == {"clear": False, "deaf": True}
    verdicts = {a.verdict for a in study.safeguards[0].attacks if a.too_weak}
    assert verdicts == {"attack too weak to conclude: it fails on unprotected speech too"}


def test_places_matrices_zoos_and_profiles_are_those_of_the_assessment(
    study: Study, tested: list[Findings]
) -> None:
    one, source = study.safeguards[0], part(tested[0].assessed, "ignorant")
    place = next(p for p in one.places if (p.group, p.encoder) == ("all", "clear"))
    assert place.deid.value == source.value("op", "deid")
    assert place.g_vd.value == source.value("pp", "g_vd")
    found = next(m for m in one.matrices if (m.group, m.encoder) == ("all", "clear"))
    for name in ("oo", "op", "pp"):
        assert found.speakers == source.matrices[name].speakers
        np.testing.assert_array_equal(getattr(found, name), source.matrices[name].values)
    zoo = next(z for z in one.zoos if (z.group, z.encoder, z.condition) == ("all", "clear", "op"))
    assert zoo.mated == tuple(source.zoos["op"].mated)
    assert zoo.attacker == "ignorant"
    profiles = next(p for p in one.profiles if (p.group, p.encoder) == ("all", "clear"))
    middle = profiles.logit_prior.index(0.0)
    at_half = {(c.condition, c.kind): c.ece[middle] for c in profiles.curves}
    assert at_half[("op", "oracle")] == pytest.approx(source.value("op", "cllr_min"))
    assert ("op", "actual") not in at_half  # cosines are no LLRs
    assert profiles.prior[middle] == pytest.approx(1.0)
    assert {c.condition for c in profiles.curves} == {"oo", "op", "pp", "pq"}


def test_scores_that_are_llrs_have_actual_curves() -> None:
    source = page_study.assessed(0.3, seed=5, llrs=True)
    study = gather("x", page_study.corpus(), [Findings("a", source)])
    curves = study.safeguards[0].profiles[0].curves
    middle = study.safeguards[0].profiles[0].logit_prior.index(0.0)
    actual = next(c for c in curves if (c.condition, c.kind) == ("op", "actual"))
    cllr = part(source, "ignorant").value("op", "cllr")
    assert actual.ece[middle] == pytest.approx(float(cllr), abs=1e-3)
    assert "PLDA" in study.comparisons


def test_everybody_is_listed_worst_first_with_their_own_control(
    study: Study, tested: list[Findings]
) -> None:
    rows = [
        r
        for r in study.safeguards[0].speakers
        if (r.attacker, r.encoder, r.group) == ("lazy", "clear", "all")
    ]
    assert {r.speaker for r in rows} == set(page_study.SPEAKERS)
    values = [float(r.d_ece.value) for r in rows]
    assert values == sorted(values, reverse=True)
    source = part(tested[0].assessed, "lazy").speakers
    before = {r.speaker: r.d_ece for r in source if r.condition == "oo"}
    assert {r.speaker: r.control and r.control.value for r in rows} == before


def test_the_better_safeguard_is_the_one_that_tells_less(study: Study) -> None:
    first, second = (
        {
            r.speaker: r
            for r in one.speakers
            if (r.attacker, r.encoder, r.group) == ("ignorant", "clear", "all")
        }
        for one in study.safeguards
    )
    assert any(r.better for r in first.values())
    for name, row in first.items():
        other = second[name]
        if float(other.d_ece.value) < float(row.d_ece.value):
            assert row.better is not None
            assert row.better.safeguard == page_study.PLAIN
            assert row.better.d_ece == other.d_ece.value
            assert row.better.sure == (float(other.d_ece.high) < float(row.d_ece.low))  # type: ignore[arg-type]
            assert other.better is None
        else:
            assert row.better is None


def test_with_one_safeguard_nothing_is_better(tested: list[Findings]) -> None:
    study = gather("x", page_study.corpus(), tested[:1])
    assert all(row.better is None for row in study.safeguards[0].speakers)


def test_dominance_of_a_person_is_analytic() -> None:
    assert dominance(np.full((4, 4), 0.5)) == pytest.approx([0.0] * 4)
    assert dominance(np.eye(3)) == pytest.approx([1.0] * 3)
    lopsided = np.array([[0.9, 0.2, 0.4], [0.0, 0.5, 0.5], [0.2, 0.5, 0.5]])
    assert dominance(lopsided)[0] == pytest.approx(0.9 - (0.2 + 0.4 + 0.0 + 0.2) / 4)


def test_a_copy_hides_nobody(tested: list[Findings]) -> None:
    """With protected speech that equals the original, DeID of each person is 0."""
    source = tested[0].assessed
    one = part(source, "ignorant")
    same = {**one.conditions, "op": one.conditions["oo"]}
    told = replace(source, results=(replace(one, conditions=same), *source.results[1:]))
    study = gather("x", page_study.corpus(), [Findings("copy", told)])
    known = [
        r.deid
        for r in study.safeguards[0].speakers
        if (r.attacker, r.encoder, r.group) == ("ignorant", "clear", "all")
    ]
    assert [d for d in known if d is not None] == pytest.approx(
        [0.0] * sum(d is not None for d in known)
    )
    assert any(d is not None for d in known)


def test_clustering_brings_those_alike_together() -> None:
    truth = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    values = np.where(truth[:, None] == truth, 0.9, 0.1)
    order = clustered(values)
    assert sorted(order) == list(range(9))
    assert np.count_nonzero(np.diff(truth[list(order)])) == 2


def test_the_headline_says_what_the_attacker_knows_before_any_number(study: Study) -> None:
    for one in study.safeguards:
        text = one.headline
        fair = [a for a in one.attacks if a.group == "all" and not a.too_weak]
        worst = max(fair, key=lambda a: float(a.metrics["d_ece"].value))
        assert worst.knows in text
        before = text[: text.index(worst.knows)]
        assert not any(c.isdigit() for c in before)
        assert worst.verdict in text


def test_a_headline_without_a_conclusive_attack_says_so(study: Study) -> None:
    attacks = study.safeguards[0].attacks
    assert headline([a for a in attacks if a.too_weak]).startswith("Every attack was too weak")
    assert headline([]).startswith("No attack was made")


def test_who_has_the_key_does_not_compete_for_the_headline(study: Study) -> None:
    worst = max(study.safeguards[0].attacks, key=lambda a: float(a.metrics["d_ece"].value))
    leak = replace(
        worst,
        attacker="oracle-key",
        knows="has the key",
        too_weak=False,
        group="all",
        competes=False,
    )
    assert "has the key" not in headline([*study.safeguards[0].attacks, leak])


@pytest.mark.parametrize(
    ("disclosed", "says"),
    [
        (Estimate(0.02, 0.0, 0.05, 0.01, 0.03, True), "cannot be told from those of two people"),
        (Estimate(0.08, 0.0, 0.14, 0.01, 0.05, True), "seem to be linked, but the interval"),
        (Estimate(0.30, 0.2, 0.40, 0.01, 0.05, False), "still yields 50 %"),
    ],
)
def test_sessions_are_as_linked_as_the_verdict_says(
    study: Study, disclosed: Estimate, says: str
) -> None:
    """What shuffled names confirm is not called chance here either."""
    lazy = next(a for a in study.safeguards[1].attacks if a.attacker == "lazy" and not a.too_weak)
    attack = replace(
        lazy,
        metrics={**lazy.metrics, "d_ece": disclosed},
        control={**lazy.control, "d_ece": Estimate(0.6)},
    )
    (found,) = session_results([attack], deterministic=False)
    assert says in found.says


def test_a_safeguard_without_a_secret_links_sessions_and_cannot_be_renewed(study: Study) -> None:
    fixed, random = study.safeguards
    assert {s.says for s in fixed.sessions} == {SAME_VOICE}
    assert all(s.says != SAME_VOICE for s in random.sessions)
    lazy = next(a for a in random.attacks if (a.attacker, a.encoder) == ("lazy", "clear"))
    assert random.sessions[0].metrics == lazy.metrics
    found = {row.property: row.found for row in study.annex}
    assert any(
        line == f"{fixed.name}: no; it has no secret that could be changed."
        for line in found["Renewability"]
    )


def test_the_annex_has_the_words_of_both_standards(study: Study) -> None:
    assert [(row.framework.split()[0], row.property) for row in study.annex] == [
        ("ISO/IEC", "Irreversibility"),
        ("ISO/IEC", "Unlinkability"),
        ("ISO/IEC", "Renewability"),
        ("WP216", "Singling out"),
        ("WP216", "Linkability"),
        ("WP216", "Inference"),
    ]
    assert all(row.found for row in study.annex)


def test_what_can_be_told_of_people_is_said_with_its_control(
    study: Study, tested: list[Findings]
) -> None:
    fixed, random = study.safeguards
    assert fixed.told == ()
    first = random.told[0]
    assert (first.trait, first.encoder) == ("sex", "clear")
    assert list(first.found) == ["op", "pq"]
    said = next(row.found for row in study.annex if row.property == "Inference")
    assert any(line.startswith(f"{random.name}: sex can") for line in said)
    assert attackers()["attributes"].knows not in " ".join(study.not_tested)
    silent = gather("x", page_study.corpus(), [tested[0]])
    assert attackers()["attributes"].knows in " ".join(silent.not_tested)
    (inference,) = (row.found for row in silent.annex if row.property == "Inference")
    assert inference[0] == "Not tested."


def test_attackers_who_did_not_take_part_are_named(study: Study, tested: list[Findings]) -> None:
    said = " ".join(study.not_tested)
    assert attackers()["semi"].knows in said
    assert attackers()["oracle-key"].knows in said
    assert attackers()["lazy"].knows not in said
    assert "still good for" not in said
    bare = gather(
        "x", page_study.corpus(), [replace(tested[1], utility=())], also_not_tested=["Z."]
    )
    assert any("still good for" in text for text in bare.not_tested)
    assert bare.not_tested[-1] == "Z."


def test_use_stands_beside_its_original(study: Study) -> None:
    rows = {u.metric: u for u in study.safeguards[0].utility}
    assert rows["wer"].original == Estimate(0.03, 0.9 * 0.03, 1.1 * 0.03)
    assert rows["wer"].protected.value == 0.06
    assert rows["f0_correlation"].original is None


def test_provenance_names_hashes_and_the_identifier_of_the_key(study: Study) -> None:
    facts = {fact.name: fact.value for fact in study.provenance}
    assert facts[f"key of {page_study.PLAIN}"] == "identifier 1f00ba42"
    assert facts[f"key of {page_study.SAFEGUARD}"] == "none"
    assert facts["recogniser clear"].endswith("0" * 64)
    assert facts["original speech"].endswith("1" * 64)
    assert len(facts) == len(study.provenance)


def test_a_study_of_nothing_is_a_study() -> None:
    empty = gather("x", page_study.corpus(), [])
    assert empty.safeguards == ()
    assert empty.comparisons == "Nothing was compared."
