"""How sure a number is: intervals, null levels, and what chance means here."""

from __future__ import annotations

from pseudovoice.glossary.term import Term

TERMS = (
    Term(
        name="interval",
        aliases=("low", "high", "confidence interval", "95 % interval", "CI"),
        title="95 % interval over speakers",
        what=(
            "Where the value could have come out with other speakers of the same kind. Speakers, "
            "not trials, are drawn with replacement: the trials of one person are alike and do not "
            "count as independent. Columns low and high; clipped to the metric's range."
        ),
        direction="Narrower is surer; it grows as speakers become fewer.",
        good=(
            "Narrow compared with the difference you want to claim. Caveat: with fewer than about "
            "ten speakers any interval is a rough guess."
        ),
        equation=(
            "speaker i drawn w_i times:\n"
            "mated trials of i weigh w_i, non-mated ones of i and j w_i·w_j"
        ),
        reference="this project; the papers give none",
    ),
    Term(
        name="basic bootstrap",
        aliases=("interval method basic bootstrap", "basic interval", "bootstrap", "replicates"),
        title="How the interval is made of the replicates",
        what=(
            "The quantiles of the replicates are reflected about the value. Fitting a calibration "
            "to resampled speakers overstates evidence again, on top of what the first fit "
            "overstated; reflecting takes that bias out where plain percentiles would double it. "
            "l_w and tag are extremes of the sample, not averages, and keep their percentiles."
        ),
        equation="[2·value − q97.5, 2·value − q2.5], q quantiles of the replicates",
        reference="this project",
    ),
    Term(
        name="null level",
        aliases=("null", "null_95", "chance level", "permutation", "speaker permutation"),
        title="What chance alone gives",
        what=(
            "The value when scores have nothing to do with who speaks: the names of the speakers "
            "on one side are shuffled, a person's utterances staying together, and "
            "everything is computed again. Columns null (the mean) and null_95 (what 95 % of the "
            "shuffles do not pass on the side of evidence). For ratios only the condition in the "
            "numerator is shuffled. A tag has none."
        ),
        direction="In the metric's own unit; the value is to be read against it.",
        good=(
            "A small gap between null and the metric's ideal value: the test is large enough to "
            "see weak evidence."
        ),
        reference="this project; the papers give none",
    ),
    Term(
        name="chance",
        aliases=("not distinguishable from chance", "indistinguishable from chance"),
        title="Not distinguishable from chance: the figure could be luck",
        what=(
            "Said of a value whose interval includes the null level, or which does not pass what "
            "95 % of the shuffles stay within. In OP or PQ it means that this attacker with these "
            "trials found no evidence; in PP it means that the pseudo-voices could not be told "
            "apart."
        ),
        good=(
            "The best outcome a test of OP or PQ can have. Caveat: it is not proof that there is "
            "no evidence. More speakers, more speech or a stronger attacker may find it."
        ),
        equation="chance = (low ≤ null ≤ high) or value not beyond null_95",
        reference="this project",
    ),
    Term(
        name="estimate",
        aliases=("row", "tidy table", "table"),
        title="One number with all that belongs to it",
        what=(
            "A row of the result: condition, attacker, metric, value, low, high, null, null_95, "
            "chance, the numbers of mated and non-mated trials, unit, direction and method. No "
            "number is printed without its interval and its control where these can be had."
        ),
        reference="this project",
    ),
)
