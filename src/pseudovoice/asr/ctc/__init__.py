"""A recogniser of one's own: a CTC network, searched with a lexicon and three-word statistics."""

from pseudovoice.asr.ctc.decoder import Decoded, Decoder
from pseudovoice.asr.ctc.language import learn_language
from pseudovoice.asr.ctc.recogniser import CtcRecogniser, load_ctc

__all__ = ["CtcRecogniser", "Decoded", "Decoder", "learn_language", "load_ctc"]
