"""pseudovoice: give every speaker a pseudo-voice, and prove how well it protects them.

``import pseudovoice as pv`` is free; each name below is loaded when it is first used. What the
command line does is here in a line or two: `pv.compare`, `pv.protect`, `pv.diarise`, `pv.assess`,
`pv.attack`, `pv.slice_corpus`. Results become tables (``.to_pandas()``), figures
(``.figure("zoo")``) and files (``.save(path)``, `pv.load`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pseudovoice.lazy_names import lazy_names
from pseudovoice.version import __version__

# From 1.29 on, onnxruntime tells its maker of this machine, this program and every network that is
# opened, unless it was told not to before it is first imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

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
    "AudioAssessment": "pseudovoice.attacks.assess",
    "assess_audio": "pseudovoice.attacks.assess",
    "ScoreSet": "pseudovoice.scores.scoreset",
    "read_scores": "pseudovoice.scores.read",
    "score_embeddings": "pseudovoice.scores.embeddings",
    "Corpus": "pseudovoice.corpus",
    "read_corpus": "pseudovoice.corpus",
    "load_encoder": "pseudovoice.encoders",
    "load_recogniser": "pseudovoice.asr.registry",
    "parse_chain": "pseudovoice.safeguards",
    "Key": "pseudovoice.keys",
    "new_key": "pseudovoice.keys",
    "read_key": "pseudovoice.keys",
    "protect": "pseudovoice.library.protect",
    "protect_samples": "pseudovoice.library.protect",
    "diarise": "pseudovoice.library.diarise",
    "diarisation_error": "pseudovoice.diarisation",
    "slice_corpus": "pseudovoice.library.slices",
    "attack": "pseudovoice.library.slices",
    "assess": "pseudovoice.library.assess",
    "assess_utility": "pseudovoice.library.assess",
    "compare": "pseudovoice.library.compare",
    "embed": "pseudovoice.library.embed",
    "merge": "pseudovoice.library.merge",
    "run": "pseudovoice.library.compare",
    "load": "pseudovoice.library.keep",
    "people_of": "pseudovoice.library.who",
    "pseudonyms_of": "pseudovoice.library.who",
    "pack_release": "pseudovoice.library.release",
    "demo_speech": "pseudovoice.demo.speech",
    "Outcome": "pseudovoice.study.outcome",
    "ScoreMetric": "pseudovoice.assessment.own_metrics",
    "Metric": "pseudovoice.assessment.metrics",
    "PseudovoiceError": "pseudovoice.errors",
    "InputError": "pseudovoice.errors",
    "UsageError": "pseudovoice.errors",
}

__all__ = ["__version__", *sorted(_PUBLIC)]

if TYPE_CHECKING:
    from pseudovoice.asr.registry import load_recogniser as load_recogniser
    from pseudovoice.assessment.assess import Assessment as Assessment
    from pseudovoice.assessment.assess import assess_scores as assess_scores
    from pseudovoice.assessment.evaluate import ece_profile as ece_profile
    from pseudovoice.assessment.evaluate import evaluate as evaluate
    from pseudovoice.assessment.linkability import d_sys as d_sys
    from pseudovoice.assessment.metrics import Metric as Metric
    from pseudovoice.assessment.own_metrics import ScoreMetric as ScoreMetric
    from pseudovoice.assessment.similarity import similarity_matrix as similarity_matrix
    from pseudovoice.attacks.assess import AudioAssessment as AudioAssessment
    from pseudovoice.attacks.assess import assess_audio as assess_audio
    from pseudovoice.calibration import calibrate as calibrate
    from pseudovoice.calibration import learn_isotonic as learn_isotonic
    from pseudovoice.calibration import learn_linear as learn_linear
    from pseudovoice.corpus import Corpus as Corpus
    from pseudovoice.corpus import read_corpus as read_corpus
    from pseudovoice.demo.speech import demo_speech as demo_speech
    from pseudovoice.diarisation import diarisation_error as diarisation_error
    from pseudovoice.encoders import load_encoder as load_encoder
    from pseudovoice.errors import InputError as InputError
    from pseudovoice.errors import PseudovoiceError as PseudovoiceError
    from pseudovoice.errors import UsageError as UsageError
    from pseudovoice.keys import Key as Key
    from pseudovoice.keys import new_key as new_key
    from pseudovoice.keys import read_key as read_key
    from pseudovoice.library.assess import assess as assess
    from pseudovoice.library.assess import assess_utility as assess_utility
    from pseudovoice.library.compare import compare as compare
    from pseudovoice.library.compare import run as run
    from pseudovoice.library.diarise import diarise as diarise
    from pseudovoice.library.embed import embed as embed
    from pseudovoice.library.keep import load as load
    from pseudovoice.library.merge import merge as merge
    from pseudovoice.library.protect import protect as protect
    from pseudovoice.library.protect import protect_samples as protect_samples
    from pseudovoice.library.release import pack_release as pack_release
    from pseudovoice.library.slices import attack as attack
    from pseudovoice.library.slices import slice_corpus as slice_corpus
    from pseudovoice.library.who import people_of as people_of
    from pseudovoice.library.who import pseudonyms_of as pseudonyms_of
    from pseudovoice.safeguards import parse_chain as parse_chain
    from pseudovoice.scores.embeddings import score_embeddings as score_embeddings
    from pseudovoice.scores.read import read_scores as read_scores
    from pseudovoice.scores.scoreset import ScoreSet as ScoreSet
    from pseudovoice.study.outcome import Outcome as Outcome


__getattr__ = lazy_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return list(__all__)
