"""Voice similarity matrices, what is read off them, and the measures normalised like them."""

from __future__ import annotations

from pseudovoice.glossary.term import EVIDENCE, Term

_DEID = "Higher protects better. It compares OP with OO, so the ignorant attacker is meant."
_GAIN = "Higher keeps pseudo-voices better apart. It compares PP with OO, the same key on both."
_DEID_RANGE = "−∞ … 1; below 0 protected speech is easier to link than the original"

TERMS = (
    Term(
        name="voice similarity matrix",
        aliases=(
            "similarity matrix",
            "M_OO",
            "M_OP",
            "M_PP",
            "Sim",
            "voice similarity",
            "geometric",
            "arithmetic",
        ),
        title="Who sounds like whom",
        what=(
            "A square table of speakers: each cell is the belief, at even odds, that the segments "
            "of the row's and of the column's speaker come from one person. Geometric (the "
            "default) is the geometric mean of the posteriors of all their trials, arithmetic the "
            "posterior of their mean LLR. A segment is never compared with itself or with its own "
            "protected version. M_OP is kept as it is and need not be symmetric."
        ),
        unit="1 (a probability)",
        range="0 … 1 per cell",
        direction="A diagonal that stands out is wanted in M_OO and M_PP and unwanted in M_OP.",
        good=(
            "M_OP uniform, M_PP with the diagonal of M_OO. Caveat: the cells are averages over "
            "trials; one strong trial disappears in them."
        ),
        equation=(
            "geometric:  Sim(i, j) = exp⟨ln σ(LLR)⟩ over the trials of i and j\n"
            "arithmetic: Sim(i, j) = σ⟨LLR⟩ over the trials of i and j"
        ),
        reference="noe2022 Eq. 6 (geometric); noe2020 Eq. 2 (arithmetic)",
    ),
    Term(
        name="d_diag",
        aliases=("D_diag", "diagonal dominance"),
        title="Diagonal dominance",
        what=(
            "How far the diagonal of a voice similarity matrix stands out: the distance between "
            "its mean and the mean of all other cells. Every speaker weighs the same, however many "
            "segments they have."
        ),
        unit="1 (a pure number)",
        range="0 … 1; 0 is a uniform matrix",
        direction=EVIDENCE,
        good=(
            "OP at the null level; PP near the value of OO. Caveat: it is a distance, so a "
            "diagonal that lies below the rest counts as dominance too, which is a risk in OP but "
            "no distinctiveness in PP; a warning says so."
        ),
        equation="d_diag = |mean_i Sim(i, i) − mean_{j≠k} Sim(j, k)|",
        reference="noe2022 Eq. 8; noe2020 Eq. 3",
    ),
    Term(
        name="d_diag_log",
        aliases=("log D_diag", "log-domain diagonal dominance", "D_diag(log)"),
        title="Diagonal dominance in the log domain",
        what=(
            "Diagonal dominance of the logarithms of the similarities, so that a step from 1 % to "
            "2 % weighs as much as one from 10 % to 20 %. This joins the equal weight of speakers "
            "with the additive scale of evidence."
        ),
        unit="bit",
        range="0 … ∞",
        direction=EVIDENCE,
        good=(
            "OP at the null level. Caveat: there are no published values to compare with, and "
            "similarities close to 0 dominate it."
        ),
        equation="d_diag_log = |mean_i log₂ Sim(i, i) − mean_{j≠k} log₂ Sim(j, k)|",
        reference="the future work of noe2022 §8",
    ),
    Term(
        name="deid",
        aliases=("DeID", "de-identification measure"),
        title="De-identification by voice similarity",
        what=(
            "Which share of the diagonal of the original matrix is gone when original voices are "
            "compared with protected ones."
        ),
        unit="fraction (0.98 is 98 %)",
        range=_DEID_RANGE,
        direction=_DEID,
        good=(
            "Near 1. In noe2022 Table 2 the x-vector baseline reaches 0.979 to 1.000 and the "
            "McAdams baseline 0.45 to 0.86. Caveat: it is relative to this recogniser on this set; "
            "a weak recogniser on OO makes any safeguard look good, and the code behind that table "
            "used half of the pairs (pairing upper)."
        ),
        equation="deid = 1 − d_diag(M_OP) / d_diag(M_OO)",
        reference="noe2022 Eq. 9; noe2020 Eq. 4",
    ),
    Term(
        name="g_vd",
        aliases=("G_VD", "gain of voice distinctiveness", "GVD"),
        title="Gain of voice distinctiveness",
        what=(
            "Whether protected voices are as easy to tell from one another as the originals were: "
            "the diagonal dominance among protected segments relative to that among originals, in "
            "decibel."
        ),
        unit="dB",
        range="−∞ … ∞; 0 keeps the distinctiveness, −3 halves it, −10 leaves a tenth",
        direction=_GAIN,
        good=(
            "Near 0, or above. In noe2022 Table 2 the x-vector baseline lies at −9 to −11 dB and "
            "the McAdams baseline at −1.4 to −4.6 dB. Caveat: distinct to this recogniser, which "
            "is not the ear; it is lenient towards a safeguard that keeps one group of voices "
            "apart and lets another collapse."
        ),
        equation="g_vd = 10·log₁₀(d_diag(M_PP) / d_diag(M_OO))",
        reference="noe2022 Eq. 10; noe2020 Eq. 5",
    ),
    Term(
        name="deid_log",
        aliases=("DeID (log)", "log-domain de-identification"),
        title="De-identification in the log domain",
        what=(
            "As deid, of the logarithms of the similarities: which share of the bits that the "
            "diagonal stands out by is gone."
        ),
        unit="fraction (0.98 is 98 %)",
        range=_DEID_RANGE,
        direction=_DEID,
        good=(
            "Near 1. Caveat: there are no published values to compare with; similarities close to "
            "0 weigh most, so that it depends on how surely different people are told apart."
        ),
        equation="deid_log = 1 − d_diag_log(M_OP) / d_diag_log(M_OO)",
        reference="the future work of noe2022 §8",
    ),
    Term(
        name="g_vd_log",
        aliases=("G_VD (log)", "log-domain gain of voice distinctiveness"),
        title="Gain of voice distinctiveness in the log domain",
        what="As g_vd, of the logarithms of the similarities.",
        unit="dB",
        range="−∞ … ∞; 0 keeps the distinctiveness, −3 halves it, −10 leaves a tenth",
        direction=_GAIN,
        good=(
            "Near 0, or above. Caveat: as of deid_log; read it beside g_vd and not in its place."
        ),
        equation="g_vd_log = 10·log₁₀(d_diag_log(M_PP) / d_diag_log(M_OO))",
        reference="the future work of noe2022 §8",
    ),
    Term(
        name="deid_d_ece",
        aliases=("D_ECE(OP/OO)", "DeID D_ECE", "D_ECE^(OP/OO)"),
        title="De-identification by expected disclosure",
        what="Which share of the expected disclosure of unprotected speech the safeguard removes.",
        unit="fraction (0.99 is 99 %)",
        range=_DEID_RANGE,
        direction=_DEID,
        good=(
            "Near 1. Caveat: a share says nothing about what remains in bit; read d_ece beside it."
        ),
        equation="deid_d_ece = 1 − d_ece(OP) / d_ece(OO)",
        reference="noe2022 Eq. 17",
    ),
    Term(
        name="deid_cllr_min",
        aliases=("Cllr_min(OP/OO)", "DeID Cllr_min", "C_llr^min(OP/OO)"),
        title="De-identification by oracle cost",
        what=(
            "How far the cost after oracle calibration has moved from its value on unprotected "
            "speech towards 1, where the scores are of no use."
        ),
        unit="fraction (0.99 is 99 %)",
        range=_DEID_RANGE,
        direction=_DEID,
        good="Near 1, and close to deid_d_ece. Caveat: it rests on a single prior, one half.",
        equation="deid_cllr_min = (cllr_min(OP) − cllr_min(OO)) / (1 − cllr_min(OO))",
        reference="noe2022 Eq. 18",
    ),
    Term(
        name="g_d_ece",
        aliases=("G_D_ECE", "G D_ECE(PP/OO)", "G_{D_ECE^(PP/OO)}"),
        title="Gain of voice distinctiveness by expected disclosure",
        what=(
            "As g_vd, with the expected disclosure among protected segments in place of diagonal "
            "dominance."
        ),
        unit="dB",
        range="−∞ … ∞; 0 keeps the distinctiveness, −3 halves it, −10 leaves a tenth",
        direction=_GAIN,
        good=(
            "Near 0, or above. Caveat: it weighs trials, g_vd weighs speakers; where the two "
            "disagree, look at the matrix."
        ),
        equation="g_d_ece = 10·log₁₀(d_ece(PP) / d_ece(OO))",
        reference="noe2022 Eq. 19",
    ),
    Term(
        name="g_cllr_min",
        aliases=("G_Cllr_min", "G Cllr_min(PP/OO)", "G_{C_llr^min(PP/OO)}"),
        title="Gain of voice distinctiveness by oracle cost",
        what=(
            "As g_vd, with what oracle-calibrated scores win over a coin toss (1 − cllr_min) in "
            "place of diagonal dominance."
        ),
        unit="dB",
        range="−∞ … ∞; 0 keeps the distinctiveness, −3 halves it, −10 leaves a tenth",
        direction=_GAIN,
        good="Near 0, or above, and close to g_d_ece. Caveat: it rests on a single prior.",
        equation="g_cllr_min = 10·log₁₀((1 − cllr_min(PP)) / (1 − cllr_min(OO)))",
        reference="noe2022 Eq. 20 (misprinted there; this is what its text says)",
    ),
    Term(
        name="pairing",
        aliases=("all pairs", "upper", "upper triangle"),
        title="Which pairs of segments are compared",
        what=(
            "From embeddings, 'all' compares every segment k with every other segment l, in both "
            "orders, which matters in OP. 'upper' keeps k < l only and mirrors the matrix, as the "
            "reference code of noe2022 does; it is there to reproduce old tables."
        ),
        good="all, except to compare with a published table. The method column names the choice.",
        reference="noe2022 §4.1 compares all segments of one speaker with all of another",
    ),
    Term(
        name="zoo plot",
        aliases=(
            "zoo",
            "animals",
            "zoo plot animals",
            "dove",
            "worm",
            "chameleon",
            "phantom",
            "sheep",
            "goat",
            "wolf",
            "lamb",
        ),
        title="Which speakers a recogniser finds easy or hard",
        what=(
            "Each speaker is a point: mean mated LLR against mean non-mated LLR. Those in the "
            "outer quarter on both axes get an animal's name. Dove: matches itself well, nobody "
            "else. Worm: matches itself badly and others well. Chameleon: matches everybody, "
            "itself included. Phantom: matches nobody, itself included. Everyone else is a sheep; "
            "noe2022 says sheep of those whom we call doves. (The older names goat, lamb and wolf "
            "describe one axis at a time: hard to match, easy to imitate, good at imitating.)"
        ),
        unit="natural-log LLR on both axes",
        direction=(
            "OP: the closer to (0, 0), the better; a dove far from it is a person who can be "
            "recognised. PP: doves are distinct pseudo-voices."
        ),
        good=(
            "OP: one tight cloud at the origin. Caveat: the quartiles are those of these people, "
            "so an animal ranks them against each other and is no verdict."
        ),
        equation="x = mean mated LLR of the speaker, y = mean non-mated LLR",
        reference="noe2022 §4.3, Fig. 6 (Dunstone & Yager 2009; Doddington et al. 1998)",
    ),
)
