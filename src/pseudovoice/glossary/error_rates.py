"""Error rates and costs: how well the scores decide between same and different speaker."""

from __future__ import annotations

from pseudovoice.glossary.term import CONFUSION, EVIDENCE, Term

TERMS = (
    Term(
        name="eer",
        aliases=("ROCCH-EER", "equal error rate", "EER (ROCCH)"),
        title="Equal error rate on the ROC convex hull",
        what=(
            "The error rate at the threshold where the attacker misses as many mated trials as it "
            "accepts non-mated ones. It is read off the convex hull of the ROC, which is what "
            "oracle calibration yields, so ties and small dents of the curve do not move it."
        ),
        unit="fraction (0.07 is 7 %)",
        range="0 … 0.5",
        direction=CONFUSION,
        good=(
            "OP or PQ near 0.5: on average the attacker does no better than a coin toss. Caveat: "
            "it looks at one threshold and averages over speakers, so a few people may be fully "
            "exposed behind an EER of 0.45; read l_w and the per-speaker table beside it. The EERs "
            "of two tools agree only if both name the same method."
        ),
        equation="eer = P_miss(t*) = P_fa(t*), t* on the ROC convex hull",
        reference="noe2022 §3.5 (hull: Brümmer & De Villiers 2011); noe2020 §1 on its limits",
    ),
    Term(
        name="eer_kaldi",
        aliases=("Kaldi EER", "compute-eer"),
        title="Equal error rate as Kaldi's compute-eer finds it",
        what=(
            "The same idea without the hull: mated scores are walked upwards until the share of "
            "them passed reaches the share of non-mated scores that are still accepted. It is here "
            "to be compared with VoicePrivacy tables."
        ),
        unit="fraction (0.077 is 7.7 %)",
        range="0 … 1; above 0.5 the scores point the wrong way",
        direction=CONFUSION,
        good=(
            "OP or PQ near 0.5. Caveat: it moves in steps of one mated trial, and a value well "
            "above 0.5 is no protection, since an attacker can turn the scores round."
        ),
        equation=(
            "eer_kaldi = i / n_mated, i the first with\n"
            "#{non-mated ≥ t_i} ≤ ⌊n_nonmated · i / n_mated⌋,\n"
            "t_0 ≤ t_1 ≤ … the mated scores"
        ),
        reference="compute-eer of Kaldi, used by the VoicePrivacy challenges; not in noe2022",
    ),
    Term(
        name="min_dcf",
        aliases=("minDCF", "minimum detection cost", "min_dcf_01"),
        title="Minimum detection cost, target prior 0.01",
        what=(
            "What the best threshold costs an attacker who expects one trial in a hundred to be "
            "mated and weighs a miss like a false alarm, as a share of what ignoring the scores "
            "would cost."
        ),
        unit="1 (a pure number)",
        range="0 … 1",
        direction=CONFUSION,
        good=(
            "OP or PQ equal to 1: at this prior the scores are of no use. Caveat: 1 is reached "
            "while much weaker evidence is still there, because strong evidence is needed to act "
            "at so small a prior; it does not replace d_ece."
        ),
        equation=("min_dcf = min_t [P·P_miss(t) + (1 − P)·P_fa(t)] / min(P, 1 − P)\nP = 0.01"),
        reference=(
            "Detection cost of the NIST speaker recognition evaluations (Brümmer & du Preez 2006, "
            "cited in noe2022 §3.5)"
        ),
    ),
    Term(
        name="min_dcf_001",
        aliases=("minDCF(0.001)", "minDCF001"),
        title="Minimum detection cost, target prior 0.001",
        what="As min_dcf, for an attacker who expects one trial in a thousand to be mated.",
        unit="1 (a pure number)",
        range="0 … 1",
        direction=CONFUSION,
        good=(
            "OP or PQ equal to 1. Caveat: with few non-mated trials it rests on a handful of "
            "scores; see its interval."
        ),
        equation=("min_dcf_001 = min_t [P·P_miss(t) + (1 − P)·P_fa(t)] / min(P, 1 − P)\nP = 0.001"),
        reference=(
            "Detection cost of the NIST speaker recognition evaluations (Brümmer & du Preez 2006, "
            "cited in noe2022 §3.5)"
        ),
    ),
    Term(
        name="cllr",
        aliases=("C_llr", "log-likelihood-ratio cost", "actual Cllr"),
        title="Cost of the scores read as log-likelihood-ratios",
        what=(
            "How far somebody who takes the scores at face value, as natural-log LLRs, is misled: "
            "the mean surprise over mated and non-mated trials, both classes weighing the same. It "
            "is the actual ECE curve at a prior of one half."
        ),
        unit="bit",
        range="0 … ∞; 1 is a coin toss, above 1 the scores mislead",
        direction=CONFUSION,
        good=(
            "Only meaningful for scores that claim to be LLRs. OP or PQ of 1 or more means the "
            "uncalibrated scores help nobody. Caveat: that is bad calibration, not protection, as "
            "long as cllr_min stays below 1: an attacker can calibrate."
        ),
        equation=(
            "cllr = [⟨−ln σ(a)⟩ + ⟨−ln σ(−b)⟩] / (2 ln 2)\na: mated scores, b: non-mated scores"
        ),
        reference="noe2022 Eq. 4",
    ),
    Term(
        name="cllr_min",
        aliases=("C_llr_min", "min Cllr", "Cllr(min)", "C_llr^min"),
        title="Cost after oracle calibration",
        what=(
            "Cllr once an oracle has turned the scores into the best LLRs their order allows: what "
            "is lost for want of discrimination alone. It is the oracle ECE curve at a prior of "
            "one half."
        ),
        unit="bit",
        range="0 … 1",
        direction=CONFUSION,
        good=(
            "OP or PQ near 1: the order of the scores says nothing. PP near the value of OO: "
            "pseudo-voices are as distinct as the originals. Caveat: it looks at one prior only, "
            "and finite data push it below 1 even for pure chance; compare with the null level."
        ),
        equation="cllr_min = cllr of the LLRs given by plain PAV, ties pooled",
        reference="noe2022 §3.5, Eq. 4 and 5",
    ),
    Term(
        name="cllr_cal",
        aliases=("C_llr_cal", "calibration loss", "Cllr(cal)", "C_llr^cal"),
        title="Calibration loss",
        what=(
            "The part of Cllr that calibration would win back: how badly the scores' scale, not "
            "their order, misleads."
        ),
        unit="bit",
        range="0 … ∞",
        direction=CONFUSION,
        good=(
            "0 in a well-calibrated OO. In OP or PQ a large value confuses only an attacker who "
            "does not calibrate. Caveat: never count it as protection by itself; c_ece_linear and "
            "c_ece_isotonic ask whether an attacker could repair it."
        ),
        equation="cllr_cal = cllr − cllr_min",
        reference="noe2022 §5.3",
    ),
    Term(
        name="d_sys",
        aliases=("linkability", "D_sys", "global linkability", "D↔sys"),
        title="Global linkability",
        what=(
            "How far the histogram of mated scores stands out from that of non-mated scores: at "
            "each score the excess of one probability over the other, averaged over mated trials. "
            "Unlike error rates it does not require that higher scores mean more alike."
        ),
        unit="1 (a pure number)",
        range="0 … 1",
        direction=EVIDENCE,
        good=(
            "OP or PQ at its null level. Caveat: zero is not reached on finite data; with labels "
            "shuffled at random it still shows 0.05 and more, so the value means nothing without "
            "the null beside it. It depends on the number of bins."
        ),
        equation=(
            "D(s) = max(0, 2·ω·LR(s) / (1 + ω·LR(s)) − 1), or\n"
            "D(s) = 1 where only mated scores fall\n"
            "d_sys = ∫ D(s) p(s | mated) ds, trapezoid rule over the bins\n"
            "ω = 1, min(n_mated // 10, 100) bins"
        ),
        reference=(
            "Gomez-Barrero et al. 2018 and Maouche et al. 2020, as used in maouche2022 §4.1"
        ),
    ),
    Term(
        name="auc",
        aliases=("AUC", "area under the ROC curve", "area under the curve"),
        title="Area under the ROC curve: how well a trait can be told",
        what=(
            "Of two recordings, one of a class and one of another, how often the one of the class "
            "gets the higher score. Of a trait, it comes from a probe that learnt from other "
            "people; with more than two classes it is the mean of each against the rest. Of a room "
            "it is the likeness of two recordings of one speaker, and the classes are one session "
            "and two. It says what people are, not who, and stands for itself: d_ece and "
            "eer have nothing to do with it."
        ),
        unit="1 (a probability)",
        range="0 … 1; 0.5 is chance, below it the probe is misled",
        direction=(
            "Higher means that more can be told. OP and PQ: lower protects better. PP: lower hides "
            "better that two protected recordings come from one room. OO: what unprotected speech "
            "tells, the yardstick."
        ),
        good=(
            "OP and PQ at the null level. Caveat: a better probe may tell more; a value well below "
            "0.5 in OP is no protection, since whoever knows the safeguard learns from protected "
            "speech (PQ) or turns the answer round."
        ),
        equation="auc = P(score of the class > score of another) + ½ P(equal)",
        reference="WP216 on inference; the area is Mann and Whitney's U (1947) as a share",
    ),
    Term(
        name="der",
        aliases=("diarisation error rate", "diarization error rate", "collar"),
        title="Speech that is given to nobody, or to somebody else",
        what=(
            "Seconds of speech that were missed, found where nobody speaks (false alarm) or given "
            "to another person (confusion), over the seconds of speech there are. Where two speak "
            "at once both count. A collar of 0.25 s leaves out so much on either side of the "
            "beginning and end of every true turn."
        ),
        unit="share of the speech",
        range="0 to 1, and more where much is found that is not there",
        direction="Less is better.",
        equation="(missed + false alarm + confusion) / speech",
        reference="NIST Rich Transcription (md-eval)",
    ),
)
