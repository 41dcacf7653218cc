"""Safeguards, encoders and back-ends by the names that tables and pages print."""

from __future__ import annotations

from pseudovoice.glossary.term import Term

TERMS = (
    Term(
        name="mcadams",
        aliases=("B2", "McAdams", "McAdams coefficient"),
        title="Safeguard: formants moved, for everybody alike",
        what=(
            "The angles of the poles of linear prediction are raised to a power, the McAdams "
            "coefficient. It has no secret: who knows it can undo it. A baseline, no protection."
        ),
        reference="Patino et al. 2021; VoicePrivacy B2; docs/reference/safeguards.md",
    ),
    Term(
        name="mcadams-random",
        aliases=("B2r", "random McAdams"),
        title="Safeguard: formants moved, by a draw for each speaker",
        what=(
            "As mcadams, with a coefficient that the key draws for every speaker. Whoever tries "
            "a dozen coefficients comes close to it, which is what the attacker adaptive does."
        ),
        reference="VoicePrivacy 2022 B2; docs/reference/safeguards.md",
    ),
    Term(
        name="persona",
        aliases=("persona safeguard",),
        title="Safeguard: a new vocal tract, pitch and timbre",
        what=(
            "Our own: WORLD takes a voice apart, and a pseudo-voice is searched for, with "
            "several encoders, that is far from the speaker and from all others. Voices stay "
            "beside the key."
        ),
        reference="docs/explanation/persona.md",
    ),
    Term(
        name="xvector",
        aliases=("x-vector", "B1", "neural voice", "voice conversion"),
        title="Safeguard: said again by a network in another voice",
        what=(
            "What a recogniser's encoder hears is spoken again by a small network in the voice "
            "of a target: nobody's, or made of people of a pool. As B1 of VoicePrivacy 2020."
        ),
        reference="docs/explanation/xvector.md",
    ),
    Term(
        name="pool",
        aliases=("pool of voices", "farthest", "dense", "synthetic", "nearest"),
        title="Voices of other people, from which targets are made",
        what=(
            "The safeguard xvector takes its targets from a pool, or draws one from a density "
            "over it (synthetic). `target` says how: farthest, dense, random, nearest or "
            "synthetic."
        ),
        reference="docs/explanation/xvector.md",
    ),
    Term(
        name="slice",
        aliases=("slicing", "slice safeguard"),
        title="Last step of a chain: short pieces without names",
        what=(
            "Cuts protected utterances between words into pieces of about a second whose names "
            "and order tell nothing, so that little can be learnt of any one person."
        ),
        reference="maouche2022; docs/explanation/slicing.md",
    ),
    Term(
        name="cosine",
        aliases=("cosine similarity", "backend", "back-end"),
        title="Back-end: the angle between two embeddings",
        what=(
            "How an attacker compares two voices: by the cosine of the angle between their "
            "embeddings. It needs no training, so it is what is taken by default."
        ),
        reference="docs/reference/comparisons.md",
    ),
    Term(
        name="plda",
        aliases=("PLDA", "probabilistic linear discriminant analysis"),
        title="Back-end: a model of how voices differ",
        what=(
            "Learns from speech of other people how much embeddings differ between people and "
            "within one, and gives the log-likelihood-ratio of two embeddings under that model."
        ),
        reference="docs/reference/comparisons.md",
    ),
    Term(
        name="as-norm",
        aliases=("AS-norm", "as_norm", "score normalisation", "cohort"),
        title="Scores measured against those of strangers",
        what=(
            "Every score is set in relation to the highest ones that either side reaches with a "
            "cohort of other people, so that scores of different people can be compared."
        ),
        reference="docs/reference/comparisons.md",
    ),
    Term(
        name="resnet34-lm",
        aliases=("resnet34", "resnet34-lm-hub", "wespeaker"),
        title="Encoder: wespeaker's ResNet34, fine-tuned on long speech",
        what=(
            "The encoder that is taken by default: 34 layers, trained on VoxCeleb2. The plain "
            "resnet34 is the same network before the last fine-tuning."
        ),
        reference="docs/reference/models.md",
    ),
    Term(
        name="ecapa",
        aliases=("ECAPA-TDNN",),
        title="Encoder: ECAPA-TDNN of SpeechBrain",
        what=(
            "Convolutions over time with attention to channels, trained on VoxCeleb. Built "
            "unlike the ResNets, so it hears other things of a voice."
        ),
        reference="docs/reference/models.md",
    ),
    Term(
        name="ge2e",
        aliases=("GE2E", "resemblyzer"),
        title="Encoder: a small recurrent network, fast and weak",
        what=(
            "Three LSTM layers of Resemblyzer, trained with the generalised end-to-end loss. It "
            "is fast; where it fails, a stronger one may not."
        ),
        reference="docs/reference/models.md",
    ),
)
