"""What listings tell of a corpus and no fingerprint of its audio knows."""

from __future__ import annotations

import hashlib
import json

from pseudovoice.corpus import Corpus


def words_told(corpus: Corpus) -> str:
    """Hash of what is said in a corpus, and in which session."""
    return _hash(sorted((u.id, u.session or "", u.transcript or "") for u in corpus))


def genders_told(corpus: Corpus) -> str:
    """Hash of the speakers' genders."""
    return _hash(sorted((speaker, gender or "") for speaker, gender in corpus.genders.items()))


def labels_told(corpus: Corpus) -> str:
    """Hash of everything that is labelled: who is what, and which session is which."""
    told = ((u.id, u.session or "", u.gender or "", list(u.labels)) for u in corpus)
    return _hash(sorted(told))


def _hash(told: object) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()
