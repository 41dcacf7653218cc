"""ZEBRA: how much evidence of identity the scores disclose, on average and at worst."""

from __future__ import annotations

from pseudovoice.glossary.term import EVIDENCE, Term

TERMS = (
    Term(
        name="d_ece",
        aliases=("D_ECE", "expected disclosure", "expected privacy disclosure", "ZEBRA"),
        title="Expected disclosure",
        what=(
            "How much an attacker learns about identity from a trial, averaged over all beliefs it "
            "may have started with: the area between the entropy of the prior and the ECE of "
            "oracle-calibrated scores. The attacker is granted perfect calibration, so this is "
            "what the order of the scores discloses and no more. Per speaker it is taken over that "
            "person's trials under the common calibration and may be negative."
        ),
        unit="bit",
        range="0 … 1/(2 ln 2) = 0.721348",
        direction=EVIDENCE,
        good=(
            "OP or PQ at the null level; in noe2022 Table 2 the three baselines lie between "
            "0.00003 and 0.35 and unprotected speech between 0.58 and 0.69. Caveat: a small "
            "average can hide single trials with strong evidence (see l_w), it holds for this "
            "recogniser and this attacker, and a small test raises it above 0 by chance."
        ),
        equation=(
            "d_ece = ∫₀¹ [ECE_prior(π) − ECE_oracle(π)] dπ\n"
            "      = [⟨Z(a)⟩ + ⟨Z(−b)⟩] / (2 ln 2), a mated, b non-mated LLRs\n"
            "Z(l) = 1/2 + (l − (e^l − 1)) / (e^l − 1)²\n"
            "Z(l) ≈ l/3 − l²/12 near 0"
        ),
        reference="noe2022 Eq. 13 (ZEBRA: Nautsch et al. 2020)",
    ),
    Term(
        name="d_ece_person",
        aliases=("most disclosed person", "most disclosed", "worst protected", "worst person"),
        title="Disclosure of the most disclosed person",
        what=(
            "The largest D_ECE that any one person has: what is disclosed of whoever is protected "
            "worst. The largest of many numbers is large by chance alone, the more so the more "
            "people there are and the fewer trials each has; so its null level is the largest of "
            "everybody's whenever names are shuffled. The interval is that person's own."
        ),
        unit="bit",
        range="−∞ … 0.721348",
        direction=(
            "Higher means that more is told of one person. OP and PQ: lower protects better. "
            "PP: higher keeps pseudo-voices apart, and has no row. OO: the yardstick."
        ),
        good=(
            "OP or PQ at the null level. Caveat: with two recordings of each of forty people the "
            "null level itself passes 0.1 bit, and a smaller promise cannot be tested; more "
            "recordings of each person bring it down."
        ),
        equation="d_ece_person = max over speakers s of d_ece over the trials of s",
        reference="pseudovoice; per-speaker disclosure is the future work of noe2022 §8",
    ),
    Term(
        name="l_w",
        aliases=("worst case", "worst-case disclosure", "lw", "log10 l_w"),
        title="Worst-case disclosure",
        what=(
            "The strongest evidence that any single trial yields, for or against the same speaker: "
            "the largest absolute LLR, as a power of ten. 2 means that one trial shifts the odds a "
            "hundredfold. Laplace calibration keeps it finite; where plain calibration finds no "
            "evidence at all it is 0."
        ),
        unit="decade (powers of ten of the likelihood-ratio)",
        range="0 … ceiling; the ceiling depends on the number of trials and is printed",
        direction=EVIDENCE,
        good=(
            "OP or PQ below 1 (tag A): no trial shifts the odds tenfold. Caveat: it is the extreme "
            "of a sample and grows with its size, and it cannot pass its ceiling, so a small test "
            "cannot show a bad value. A low l_w on few trials proves little."
        ),
        equation=(
            "l_w = max |LLR| / ln 10, over Laplace oracle LLRs\n"
            "ceiling = log₁₀ max{(n_mated + 1)·n_nonmated / n_mated,\n"
            "                    (n_nonmated + 1)·n_mated / n_nonmated}"
        ),
        reference="noe2022 §5.2",
    ),
    Term(
        name="tag",
        aliases=("categorical tag", "ZEBRA tag", "tags"),
        title="Category of the worst case",
        what=(
            "l_w in a letter. 0: no evidence; A: less than tenfold; B: ten- to a hundredfold; C: a "
            "hundred- to ten-thousandfold; D, E: up to a hundred thousand-, a millionfold; F: "
            "beyond."
        ),
        unit="tag",
        range="0, A, B, C, D, E, F",
        direction=(
            "A later letter means stronger evidence. OP and PQ: earlier protects better. PP: later "
            "keeps pseudo-voices apart. OO: the yardstick, neither good nor bad."
        ),
        good=(
            "OP or PQ of 0 or A. Caveat: all caveats of l_w; the letter comes with the range of "
            "letters its interval spans and has no null level. Check the ceiling before calling a "
            "letter good."
        ),
        equation=(
            "0: l_w = 0; A: 0 < l_w < 1; B: 1 ≤ l_w < 2; C: 2 ≤ l_w < 4\n"
            "D: 4 ≤ l_w < 5; E: 5 ≤ l_w < 6; F: 6 ≤ l_w"
        ),
        reference="noe2022 Table 1",
    ),
    Term(
        name="c_ece_linear",
        aliases=("C_ECE linear", "linear C_ECE"),
        title="Calibration distortion, linear map",
        what=(
            "What an attacker still learns when it has to calibrate for itself: a straight-line "
            "map (logistic regression) is learnt on the scores of one run f0 of the safeguard and "
            "applied to those of another run f1, and the D_ECE of the result is taken. Undefined "
            "for a safeguard whose runs are all the same."
        ),
        unit="bit",
        range="−∞ … 0.721348",
        direction=EVIDENCE,
        good=(
            "OP or PQ of 0 or below: calibrating on one run does not help, or misleads, on the "
            "next. Negative values are kept as they are. Caveat: a better map may succeed where "
            "the straight line fails, so d_ece, which grants the best map, stays the safer figure."
        ),
        equation=(
            "L = c_lin(S(f1) | S(f0))\n"
            "c_lin(s) = slope·s + offset with the least Cllr on f0\n"
            "c_ece_linear = D_ECE(L)"
        ),
        reference="noe2022 Eq. 15–16, §5.3",
    ),
    Term(
        name="c_ece_isotonic",
        aliases=("C_ECE isotonic", "isotonic C_ECE"),
        title="Calibration distortion, isotonic map",
        what=(
            "As c_ece_linear with a rising step map (PAV with Laplace's rule, straight lines "
            "between the steps) in place of a straight line. It follows every bend of run f0, also "
            "those that are noise."
        ),
        unit="bit",
        range="−∞ … 0.721348",
        direction=EVIDENCE,
        good=(
            "OP or PQ of 0 or below. Caveat: negative values may only say that the map was "
            "overfitted to few trials of f0; compare with c_ece_linear and d_ece."
        ),
        equation="L = c_iso(S(f1) | S(f0)), c_iso the PAV map of f0\nc_ece_isotonic = D_ECE(L)",
        reference="noe2022 Eq. 15–16, §5.3",
    ),
    Term(
        name="calibration distortion",
        aliases=("C_ECE", "expected calibration distortion", "f0", "f1"),
        title="Can the attacker calibrate?",
        what=(
            "D_ECE grants the attacker an oracle's calibration. C_ECE asks what is left when it "
            "has to learn the calibration on one run of the safeguard (f0) and use it on another "
            "(f1). Two maps are tried: c_ece_linear and c_ece_isotonic."
        ),
        reference="noe2022 §5.3, Eq. 15–16",
    ),
    Term(
        name="ECE profile",
        aliases=("ECE", "empirical cross-entropy", "ZEBRA profile", "ECE plot", "prior curve"),
        title="Empirical cross-entropy over the prior",
        what=(
            "How uncertain a decision remains, in bit, at every prior from 'surely different' to "
            "'surely the same'. Three curves: prior (without any score; this is perfect privacy), "
            "actual (scores taken as they are) and oracle (after oracle calibration). The gap "
            "between the first and the last has the area D_ECE; at a prior of one half the curves "
            "pass through 1, Cllr and Cllr_min."
        ),
        unit="bit, over the prior log-odds",
        range="0 … 1 for the prior and oracle curves; the actual one may exceed 1",
        direction="OP and PQ: the closer the oracle curve to the prior curve, the better.",
        good=(
            "Curves that lie on one another. Caveat: the eye does not see the small gap that d_ece "
            "measures, nor single strong trials."
        ),
        equation=(
            "ECE(π) = π·⟨−log₂ σ(a + logit π)⟩ over mated a\n"
            "       + (1 − π)·⟨−log₂ σ(−b − logit π)⟩ over non-mated b\n"
            "prior curve: −π log₂ π − (1 − π) log₂(1 − π)"
        ),
        reference="noe2022 Eq. 11–12, Fig. 7",
    ),
    Term(
        name="per-speaker disclosure",
        aliases=("per speaker", "speaker table", "speakers.csv"),
        title="Who is protected worst",
        what=(
            "D_ECE and l_w of one person: the condition's calibrated LLRs, restricted to the "
            "trials with that person on either side. Nothing is calibrated per speaker, so a D_ECE "
            "may be negative: the evidence about this person misleads the attacker."
        ),
        unit="bit and decade",
        range="d_ece −∞ … 0.721348; l_w 0 … ceiling",
        direction="OP and PQ: lower protects this person better.",
        good=(
            "Nobody stands out from the rest. Caveat: among many people somebody is always worst; "
            "look at the interval and the null level of that person before blaming the safeguard."
        ),
        equation="as d_ece and l_w, over the trials of one speaker",
        reference="the future work of noe2022 §8",
    ),
    Term(
        name="ceiling",
        aliases=("l_w ceiling", "ceiling of l_w"),
        title="The largest worst case so few trials can show",
        what=(
            "Laplace's rule adds one trial of each class at each end, so the strongest LLR is "
            "limited by the number of trials. The limit is printed next to every l_w and tag: a "
            "test of 20 trials cannot earn tag C, however bad the safeguard."
        ),
        unit="decade",
        range="0.3 … ∞, growing with the number of trials",
        good="Well above the tag bound that matters to you; otherwise collect more trials.",
        equation=(
            "ceiling = log₁₀ max{(n_mated + 1)·n_nonmated / n_mated,\n"
            "                    (n_nonmated + 1)·n_mated / n_nonmated}"
        ),
        reference="follows from Laplace's rule in noe2022 §5.2",
    ),
)
