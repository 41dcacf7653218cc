"""Corpora of speech: read any usual layout, load audio, write listings, pair and inspect."""

from .audio import Channel, audio_hash, excerpt, load
from .corpus import Corpus, Utterance
from .decode import Sound, decode
from .detect import detect, read_corpus
from .examine import Inspection, examine
from .export import write_audiofolder, write_kaldi, write_table
from .faults import AudioError
from .hashes import hashed_ahead
from .labels import UNLABELLED, Labels
from .pairing import Pairing, pair
from .recording import Recording, reading
from .resampling import resampled
from .write import write_audio, writing

__all__ = [
    "UNLABELLED",
    "AudioError",
    "Channel",
    "Corpus",
    "Inspection",
    "Labels",
    "Pairing",
    "Recording",
    "Sound",
    "Utterance",
    "audio_hash",
    "decode",
    "detect",
    "examine",
    "excerpt",
    "hashed_ahead",
    "load",
    "pair",
    "read_corpus",
    "reading",
    "resampled",
    "write_audio",
    "write_audiofolder",
    "write_kaldi",
    "write_table",
    "writing",
]
