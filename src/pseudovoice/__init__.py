"""pseudovoice: give every speaker a pseudo-voice, and prove how well it protects them.

Importing the package is free; each name below is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudovoice.lazy_names import lazy_names
from pseudovoice.version import __version__

_PUBLIC = {
    "calibrate": "pseudovoice.calibration",
    "learn_linear": "pseudovoice.calibration",
    "learn_isotonic": "pseudovoice.calibration",
    "evaluate": "pseudovoice.assessment.evaluate",
    "ece_profile": "pseudovoice.assessment.evaluate",
    "d_sys": "pseudovoice.assessment.linkability",
    "similarity_matrix": "pseudovoice.assessment.similarity",
    "assess_scores": "pseudovoice.assessment.assess",
    "Assessment": "pseudovoice.assessment.assess",
    "ScoreSet": "pseudovoice.scores.scoreset",
    "read_scores": "pseudovoice.scores.read",
    "score_embeddings": "pseudovoice.scores.embeddings",
    "read_corpus": "pseudovoice.corpus",
    "load_encoder": "pseudovoice.encoders",
    "assess_audio": "pseudovoice.attacks.assess",
    "parse_chain": "pseudovoice.safeguards",
    "protect_corpus": "pseudovoice.protection.protect",
    "assess_utility": "pseudovoice.utility.assess",
    "load_recogniser": "pseudovoice.asr.registry",
    "PseudovoiceError": "pseudovoice.errors",
    "InputError": "pseudovoice.errors",
}

__all__ = ["__version__", *sorted(_PUBLIC)]

if TYPE_CHECKING:
    from pseudovoice.asr.registry import load_recogniser as load_recogniser
    from pseudovoice.assessment.assess import Assessment as Assessment
    from pseudovoice.assessment.assess import assess_scores as assess_scores
    from pseudovoice.assessment.evaluate import ece_profile as ece_profile
    from pseudovoice.assessment.evaluate import evaluate as evaluate
    from pseudovoice.assessment.linkability import d_sys as d_sys
    from pseudovoice.assessment.similarity import similarity_matrix as similarity_matrix
    from pseudovoice.attacks.assess import assess_audio as assess_audio
    from pseudovoice.calibration import calibrate as calibrate
    from pseudovoice.calibration import learn_isotonic as learn_isotonic
    from pseudovoice.calibration import learn_linear as learn_linear
    from pseudovoice.corpus import read_corpus as read_corpus
    from pseudovoice.encoders import load_encoder as load_encoder
    from pseudovoice.errors import InputError as InputError
    from pseudovoice.errors import PseudovoiceError as PseudovoiceError
    from pseudovoice.protection.protect import protect_corpus as protect_corpus
    from pseudovoice.safeguards import parse_chain as parse_chain
    from pseudovoice.scores.embeddings import score_embeddings as score_embeddings
    from pseudovoice.scores.read import read_scores as read_scores
    from pseudovoice.scores.scoreset import ScoreSet as ScoreSet
    from pseudovoice.utility.assess import assess_utility as assess_utility


__getattr__ = lazy_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return list(__all__)
