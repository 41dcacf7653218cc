"""What a reader must know before relying on a page, and what nobody looked at."""

from __future__ import annotations

from collections.abc import Set

from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.registry import attackers
from pseudovoice.figures.published import NOE2020, NOE2022

LIMITS = (
    "A test can find a leak; it cannot show that there is none. Every number holds for the named "
    "attacker, recogniser and speakers.",
    "A stronger recogniser, longer recordings or a better-informed attacker may learn more.",
    "Only the voice was changed and only the voice was attacked. What is said, turns of phrase, "
    "rhythm, background noise and the names of files may still tell who speaks.",
    "Attackers hear through software. People who know a speaker may recognise what software does "
    "not, and the other way round.",
    "Intervals draw speakers again. With few speakers they are wide, and on clear evidence "
    "somewhat too narrow.",
    "A worst case is limited by the number of comparisons. A small test cannot earn a bad letter, "
    "so a good letter on few comparisons proves little; the ceiling says how far the test could "
    "see.",
    "Similarities and averages hide single strong comparisons; the worst case shows them.",
)

REFERENCES = (
    NOE2020.rsplit(", Table", 1)[0] + ".",
    NOE2022.rsplit(", Table", 1)[0] + ".",
    "A. Nautsch, J. Patino, N. Tomashenko, J. Yamagishi, P.-G. Noé, J.-F. Bonastre, M. Todisco, "
    "N. Evans: The privacy ZEBRA: zero evidence biometric recognition assessment. Interspeech "
    "2020, doi:10.21437/Interspeech.2020-1815.",
    "T. Dunstone, N. Yager: Biometric system and data analysis. Springer 2009.",
    "ISO/IEC 24745:2022, Information security, cybersecurity and privacy protection: biometric "
    "information protection.",
    "Article 29 Data Protection Working Party: Opinion 05/2014 on anonymisation techniques, WP216.",
)

ALWAYS = (
    "Human listeners: nobody was asked to recognise anybody.",
    "The words: names, places and turns of phrase were left as they are.",
    "What else a voice tells: health, mood, and whatever nobody labelled.",
    "Undoing the transformation itself, sample by sample, to have the original voice back.",
    "Attackers who combine the voice with other knowledge, such as who was present.",
)


EVERY_PAIR = (
    "A speaker recogniser plays the attacker. It compares every recording with every other, never "
    "with itself nor with its own protected version, {how}."
)
LISTED = (
    "A speaker recogniser plays the attacker. It compares voices enrolled from several recordings "
    "with single recordings, as a list of trials says, {how}."
)


def comparisons(assessed: AudioAssessment) -> str:
    """How voices were compared, in a sentence."""
    how = str(assessed.whole.provenance.get("comparison", "cosine"))
    methods = {c.method for one in assessed.results for c in one.conditions.values()}
    text = EVERY_PAIR if methods <= {"exhaustive"} else LISTED
    return text.format(how=f"by {how.replace('plda', 'PLDA').replace('cosine', 'the cosine')}")


def not_tried(tested: Set[str]) -> tuple[str, ...]:
    """Names of the attackers who did not take part and might have learnt more."""
    return tuple(name for name, who in attackers().items() if who.competes and name not in tested)


def not_tested(tested: Set[str], *, utility: bool, sessions: bool) -> tuple[str, ...]:
    """Attackers that did not take part, and whatever else is missing from the results."""
    missing = [
        f"The attacker who {kind.knows} ({name})."
        for name, kind in attackers().items()
        if name not in tested
    ]
    if not sessions:
        missing.append("Whether pseudo-voices of two sessions can be linked.")
    if not utility:
        missing.append("What protected speech is still good for: words, melody, quality.")
    return (*missing, *ALWAYS)
