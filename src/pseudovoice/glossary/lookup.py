"""Find a term by whatever a reader would type: ``D_ECE``, ``d-ece``, ``DeID``, ``linkability``."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches

from pseudovoice.errors import InputError
from pseudovoice.glossary import (
    annex,
    attack,
    disclosure,
    error_rates,
    evidence,
    means,
    others,
    protection,
    similarity,
    study,
    uncertainty,
    use,
)
from pseudovoice.glossary.term import Term

SECTIONS: dict[str, tuple[Term, ...]] = {
    "Error rates, costs and linkability": error_rates.TERMS,
    "Disclosure (ZEBRA)": disclosure.TERMS,
    "Voice similarity and normalised measures": similarity.TERMS,
    "Conditions, attackers and trials": attack.TERMS,
    "Protection": protection.TERMS,
    "Safeguards, encoders and back-ends": means.TERMS,
    "Words, quality and prosody": use.TERMS,
    "A study and its page": study.TERMS,
    "The annex of the page": annex.TERMS,
    "Evidence and calibration": evidence.TERMS,
    "Uncertainty": uncertainty.TERMS,
    **({"Metrics of other packages": others.TERMS} if others.TERMS else {}),
}

TERMS: tuple[Term, ...] = tuple(term for terms in SECTIONS.values() for term in terms)


def bare(name: str) -> str:
    """A name without case, accents, spaces and punctuation, which nobody remembers."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in letters if c.isalnum())


_BY_NAME = {bare(name): term for term in TERMS for name in (*term.aliases, term.name)}


def find(name: str) -> Term:
    """The term of that name or alias; case, ``_``, ``-`` and spaces do not matter.

    Raises InputError with the closest names where there is none.

    >>> find("D-ECE").name
    'd_ece'
    """
    term = _BY_NAME.get(bare(name))
    if term is not None:
        return term
    close = dict.fromkeys(_BY_NAME[key].name for key in get_close_matches(bare(name), _BY_NAME, 6))
    hint = f"did you mean {', '.join(list(close)[:3])}? " if close else ""
    raise InputError(
        f"There is no term {name!r} in the glossary; {hint}"
        f"'pseudovoice explain' without a name lists all {len(TERMS)}."
    )
