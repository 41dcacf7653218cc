"""What is wanted: the definitions of noe2022 §2, in our words."""

from __future__ import annotations

from pseudovoice.glossary.term import Term

TERMS = (
    Term(
        name="de-identification",
        aliases=("deidentification", "voice disguise", "identity masking", "concealment"),
        title="Making it uncertain who spoke",
        what=(
            "Changing speech so that linking an utterance to the person who spoke it becomes less "
            "certain. It comes in degrees: identity cannot be cleanly taken apart from what must "
            "stay, such as the words. Its far end is perfect privacy."
        ),
        direction="More is better for the speaker; measured in OP and PQ.",
        good=(
            "d_ece and d_sys of OP and PQ at their null levels, deid near 1. Caveat: against the "
            "attacker that was tried, with the recogniser that was used."
        ),
        reference="noe2022 §2.1; noe2020 §2",
    ),
    Term(
        name="perfect privacy",
        aliases=("perfect secrecy", "zero evidence"),
        title="The attacker learns nothing",
        what=(
            "Whatever the attacker believed before it heard the protected speech, it believes "
            "afterwards: every LLR is 0. On an ECE profile the oracle curve then lies on the prior "
            "curve."
        ),
        good=(
            "A limit to measure distance from, not a state to be certified: a test can only fail "
            "to find evidence."
        ),
        equation="posterior = prior for every trial, so d_ece = 0 and l_w = 0",
        reference="noe2022 §2.1, §5.1 (Shannon 1949)",
    ),
    Term(
        name="voice distinctiveness",
        aliases=("voice distinctiveness preservation", "distinctiveness"),
        title="Protected voices stay different from one another",
        what=(
            "After protection, all utterances of one person still sound like one voice, and "
            "different people like different voices, so that a conversation can be followed and "
            "speakers counted. The map from voices to protected voices must not merge two."
        ),
        direction="More is better where speakers must be told apart; measured in PP.",
        good=(
            "g_vd near 0 dB. Caveat: distinctness under one key is wanted; the same figure under "
            "the attacker's own key (PQ) is a leak."
        ),
        reference="noe2022 §2.2; noe2020 §2",
    ),
    Term(
        name="anonymisation",
        aliases=("anonymization",),
        title="A goal nobody can claim to have reached",
        what=(
            "Protection that no one could undo by any means, now or later. Speech has to keep its "
            "words, and words alone can give a person away, so the term names a direction of work, "
            "not a result. No measurement can establish it and this software never prints it as a "
            "verdict. It also rules out voice distinctiveness: what keeps people apart can in "
            "principle be inverted."
        ),
        good="Not measurable. State the attacker, the disclosure and its uncertainty instead.",
        reference="noe2022 §2.3",
    ),
    Term(
        name="pseudonymisation",
        aliases=("pseudonymization",),
        title="De-identification that keeps voices distinct",
        what=(
            "Hiding who speaks while giving every person a consistent, different protected voice. "
            "Softer than anonymisation: with additional information, such as the secret key, the "
            "link can be restored."
        ),
        direction="Two aims at once: little evidence in OP and PQ, much in PP.",
        good=(
            "deid near 1 together with g_vd near 0 dB. Caveat: most safeguards trade one for the "
            "other, so quote both."
        ),
        reference="noe2022 §2.4; noe2020 §2",
    ),
    Term(
        name="pseudo-voice",
        aliases=("pseudovoice", "pseudo voice"),
        title="The voice a speaker is given",
        what=(
            "The protected voice of one person, borne like a pen name: known to be theirs only to "
            "those they tell. Consistent within a key, different from everybody else's."
        ),
        reference="noe2022 §2.4; noe2020 §1",
    ),
    Term(
        name="diarisation",
        aliases=("diarization", "diarise", "turns", "rttm", "who speaks when", "voice activity"),
        title="Who speaks when in a recording of several people",
        what=(
            "Finding from when to when each person speaks. The turns decide whose pseudo-voice is "
            "heard: whoever is taken for somebody else is heard in the wrong one. Where several "
            "speak at once all of them have a turn, and what lies outside all turns is nobody's."
        ),
        good="Turns that a person has listened to. Its error is measured as der.",
        reference="this project",
    ),
    Term(
        name="safeguard",
        aliases=("privacy safeguard", "protection", "run"),
        title="What protects the speech",
        what=(
            "The system that turns original speech into protected speech. One run is one "
            "application of it with one key; a deterministic safeguard gives the same result every "
            "time and has no calibration distortion."
        ),
        reference="noe2022 §3.1, §5.3",
    ),
    Term(
        name="key",
        aliases=("secret key", "trial key", "trials file"),
        title="Two things bear this name",
        what=(
            "The secret key of a safeguard decides which pseudo-voice a person gets; whoever does "
            "not have it cannot recompute the map. The trial key (the file 'trials') says which "
            "trials are mated and which are not."
        ),
        reference="this project",
    ),
)
