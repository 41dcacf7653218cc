"""Evidence and calibration: the prerequisites of noe2022 §3, in our words."""

from __future__ import annotations

from pseudovoice.glossary.term import Term

TERMS = (
    Term(
        name="LLR",
        aliases=("log-likelihood-ratio", "likelihood-ratio", "LR", "strength of evidence", "llrs"),
        title="Log-likelihood-ratio: the strength of evidence",
        what=(
            "How much more probable the compared speech is if one person spoke than if two did, as "
            "a logarithm. It is what turns a belief before the comparison into the belief after "
            "it. 0 says nothing; positive speaks for the same speaker, negative against. Natural "
            "logarithms everywhere inside; l_w alone is shown in powers of ten."
        ),
        unit="nat (natural logarithm)",
        range="−∞ … ∞",
        direction="Far from 0 means strong evidence, whichever sign.",
        equation=(
            "LLR = ln [P(E | mated) / P(E | non-mated)]\nlogit(posterior) = LLR + logit(prior)"
        ),
        reference="noe2022 Eq. 1 and 3",
    ),
    Term(
        name="prior and posterior",
        aliases=("prior", "posterior", "Bayes", "belief"),
        title="What is believed before and after the evidence",
        what=(
            "The prior is the probability an attacker gives to 'same speaker' before it compares "
            "anything; the posterior is the probability afterwards. Protection is about what lies "
            "between them, since nobody knows the attacker's prior or what a mistake costs it."
        ),
        unit="1 (a probability)",
        range="0 … 1",
        equation="posterior = σ(LLR + logit(prior))",
        reference="noe2022 §3.3–3.4, Eq. 3",
    ),
    Term(
        name="log-odds",
        aliases=("logit", "odds", "sigmoid"),
        title="Probabilities on an even scale",
        what=(
            "The logarithm of p : (1 − p). Steps on it are equally large in evidence wherever they "
            "are taken, and a half lies at 0. The logit leads to it, the sigmoid σ back."
        ),
        unit="nat",
        range="−∞ … ∞",
        equation="logit(p) = ln(p / (1 − p)); σ(x) = 1 / (1 + e^−x)",
        reference="noe2022 §3.4",
    ),
    Term(
        name="calibration",
        aliases=("calibrated", "idempotence", "empirical calibration plot"),
        title="Scores that mean what they say",
        what=(
            "Scores are calibrated when they can be taken as LLRs: among trials with an LLR of 2, "
            "mated ones are e² times as frequent as non-mated ones, class sizes made equal. The "
            "LLR of such an LLR is itself. An empirical calibration plot shows it: stated "
            "posterior against observed share of mated trials, on the diagonal if calibrated."
        ),
        equation="LLR = ln [p(LLR | mated) / p(LLR | non-mated)]",
        reference="noe2022 Eq. 2, §3.5, Fig. 4",
    ),
    Term(
        name="oracle calibration",
        aliases=("oracle", "oracle scores"),
        title="The best calibration the order of the scores allows",
        what=(
            "A rising map from scores to LLRs, fitted with knowledge of the labels. It grants the "
            "attacker more than it could have, so that bad calibration is never mistaken for "
            "protection. Each condition is calibrated on its own trials. Plain, it serves d_ece, "
            "cllr_min, eer and the ECE profiles; with Laplace's rule, l_w and the similarity "
            "matrices."
        ),
        equation="LLR = logit(PAV posterior) − ln(n_mated / n_nonmated)",
        reference="noe2022 Eq. 5, §3.5",
    ),
    Term(
        name="PAV",
        aliases=("pool adjacent violators", "isotonic regression", "PAVA"),
        title="Pool adjacent violators",
        what=(
            "The algorithm behind oracle calibration: walk up the scores, and wherever the share "
            "of mated trials falls instead of rising, pool the neighbours until it rises "
            "everywhere. Equal scores are pooled first, whatever their labels; otherwise 100 "
            "identical scores would pass for evidence."
        ),
        reference="noe2022 §3.5 (Brümmer & du Preez 2013)",
    ),
    Term(
        name="Laplace",
        aliases=("Laplace's rule", "rule of succession", "laplace variant"),
        title="Laplace's rule: pseudo-scores that keep evidence finite",
        what=(
            "Before pooling, one mated and one non-mated pseudo-score are added at each end of the "
            "scores, and dropped again afterwards; the prior odds stay those of the real trials. "
            "No LLR is then infinite, and the largest one is limited by the number of trials (the "
            "ceiling)."
        ),
        reference="noe2022 §5.2, footnote 6",
    ),
    Term(
        name="calibration map",
        aliases=("linear map", "isotonic map", "learn_linear", "learn_isotonic"),
        title="A calibration learnt on one set and used on another",
        what=(
            "Linear: LLR = slope · score + offset with the least Cllr on the set it is learnt on. "
            "Isotonic: the PAV map with Laplace's rule, straight lines between its steps, flat "
            "beyond its ends. Both can be stored as JSON."
        ),
        reference="noe2022 §5.3, Eq. 15",
    ),
)
