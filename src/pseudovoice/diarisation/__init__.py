"""Who speaks when in a recording: found by ear, read and written in the usual formats, measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudovoice.diarisation.turns import Strip, Turn, Turns
from pseudovoice.lazy_names import lazy_names

if TYPE_CHECKING:
    from pseudovoice.diarisation.diarise import Diarised, diarise_corpus
    from pseudovoice.diarisation.error_rate import DiarisationError, diarisation_error

__all__ = [
    "DiarisationError",
    "Diarised",
    "Strip",
    "Turn",
    "Turns",
    "diarisation_error",
    "diarise_corpus",
]

__getattr__ = lazy_names(
    __name__,
    {
        "DiarisationError": "pseudovoice.diarisation.error_rate",
        "Diarised": "pseudovoice.diarisation.diarise",
        "diarisation_error": "pseudovoice.diarisation.error_rate",
        "diarise_corpus": "pseudovoice.diarisation.diarise",
    },
)
