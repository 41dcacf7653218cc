"""What can be chosen by name, and what is taken where nothing is named.

Nothing is imported here: the options of the command line are known before anything that does the
work is loaded. What other packages may add to has a registry of its own.
"""

from __future__ import annotations

from typing import Literal

LAYOUTS = ("auto", "folder", "librispeech", "audiofolder", "table", "kaldi", "lhotse")
"""How a corpus lies on disk."""

Cut = Literal["auto", "always", "never"]
CUTS: tuple[Cut, ...] = ("auto", "always", "never")
"""Whether recordings are cut at pauses into utterances; auto does where people have one each."""

# Comparing
BACKENDS = ("cosine", "plda")
PAIRINGS = ("all", "upper")
"""All pairs of segments, or each pair once."""

# Assessing
SIMILARITIES = ("geometric", "arithmetic")
REPLICATES = 400
"""Bootstrap replicates and permutations of an assessment."""

FEWEST = 4
"""Speakers below which shuffled names are everybody's own in more than one case of twenty (3! = 6):
nothing could be told from chance, whatever the attack."""

# Use of protected speech
Measure = Literal["words", "quality", "prosody", "diarisation"]
MEASURES: tuple[Measure, ...] = ("words", "quality", "prosody")
"""What is measured where nothing is named."""
ALL_MEASURES: tuple[Measure, ...] = (*MEASURES, "diarisation")
Reference = Literal["auto", "transcripts", "original", "original-english"]
REFERENCES: tuple[Reference, ...] = ("auto", "transcripts", "original", "original-english")
UTILITY_REPLICATES = 1000
UTTERANCES_MEASURED = 4
"""Utterances of each speaker whose words, quality and prosody a study measures."""

# Slices
SLICINGS = ("words", "shorten", "fixed")
SLICE_WORDS = 3
"""Words of a slice of text alone: about as many as are said in a second (maouche2022 §5.1)."""
LEAST_CONFIDENCE = 0.5
"""Of an alignment whose utterance is used."""

# Whose slice it is
ENROLMENTS = ("sliced", "whole")
ENROLLED_MODELS = ("speaker", "segment")
ENROLLED_SHARE = 0.5
"""Share of each person's utterances that the attacker has."""
IDENTITY_REPLICATES = 200

# Which slice follows which
SAMPLES, UTTERANCES = 5, 100
"""Samples that are listened to, and utterances in each (maouche2022, Table 3)."""
RANKING_REPLICATES = 1000

TRIES = 8
"""Voices that an attacker tries on everybody."""

KNOWN_PAIRS = 1
"""Utterances of everybody that an attacker has both in clear and protected."""

# Who speaks when
TURN_FORMATS = ("rttm", "audacity", "lhotse", "elan")
"""Files that turns are kept in."""
