"""Attacks that try to undo slicing: which slice follows which, by words and by sound."""

from pseudovoice.reassembly.attack import Sampled, attack_samples, attack_text, learn_fusions
from pseudovoice.reassembly.chain import Recovered, recovered
from pseudovoice.reassembly.cues import Ends, HeardSlices, cue_scores, listen
from pseudovoice.reassembly.matrix import rank_by_scores
from pseudovoice.reassembly.ranking import Ranking, Ranks, measure
from pseudovoice.reassembly.speech_successor import SpeechSuccessor, load_successor, load_successors
from pseudovoice.reassembly.succession import Succession, public_texts, succession
from pseudovoice.reassembly.text_successor import rank_by_text, text_scores
from pseudovoice.text.arpa import read_arpa, write_arpa
from pseudovoice.text.disjoint import without
from pseudovoice.text.kneser_ney import train
from pseudovoice.text.ngram import NGram
from pseudovoice.text.tokens import tokens

__all__ = [
    "Ends",
    "HeardSlices",
    "NGram",
    "Ranking",
    "Ranks",
    "Recovered",
    "Sampled",
    "SpeechSuccessor",
    "Succession",
    "attack_samples",
    "attack_text",
    "cue_scores",
    "learn_fusions",
    "listen",
    "load_successor",
    "load_successors",
    "measure",
    "public_texts",
    "rank_by_scores",
    "rank_by_text",
    "read_arpa",
    "recovered",
    "succession",
    "text_scores",
    "tokens",
    "train",
    "without",
    "write_arpa",
]
