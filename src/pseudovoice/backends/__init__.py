"""Back-ends: how embeddings are compared, from cosine to PLDA with score normalisation.

``backend.score(backend.prepare(rows), backend.prepare(columns))`` scores every row with every
column; ``linear_form`` gives the same scores as one product of matrices. Scores of enrolment
models (:func:`score_enrolment`) and of segments with segments (:func:`score_exhaustive`) are
different methods and are never mixed.
"""

from pseudovoice.backends.asnorm import AsNorm, with_as_norm
from pseudovoice.backends.backend import Backend, LinearForm
from pseudovoice.backends.cosine import Cosine, train_cosine
from pseudovoice.backends.enrolment import score_enrolment
from pseudovoice.backends.enrolment_lists import (
    EnrolmentTrials,
    read_enrolment_trials,
)
from pseudovoice.backends.exhaustive import score_exhaustive
from pseudovoice.backends.lda import Lda, train_lda
from pseudovoice.backends.plda import Plda
from pseudovoice.backends.plda_training import train_plda
from pseudovoice.backends.stored import (
    backend_from_arrays,
    load_backend,
    save_backend,
)

__all__ = [
    "AsNorm",
    "Backend",
    "Cosine",
    "EnrolmentTrials",
    "Lda",
    "LinearForm",
    "Plda",
    "backend_from_arrays",
    "load_backend",
    "read_enrolment_trials",
    "save_backend",
    "score_enrolment",
    "score_exhaustive",
    "train_cosine",
    "train_lda",
    "train_plda",
    "with_as_norm",
]
