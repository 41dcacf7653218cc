"""Utterances of a release that are known in clear, and what they tell of everybody's mapping."""

from __future__ import annotations

from threading import Lock

import numpy as np

from pseudovoice.corpus import AudioError, Corpus, Utterance, decode
from pseudovoice.errors import InputError
from pseudovoice.keys import Key
from pseudovoice.safeguards import Chain
from pseudovoice.safeguards.fitted import FittedVoices, Found, fitted
from pseudovoice.safeguards.safeguard import Samples

SHORTEST = 0.5
"""Seconds; what is shorter tells nothing, and counts as a pair that is known all the same."""


QUIETEST = 1e-8
"""Mean square of a side: below it nothing is said."""


def known_utterances(corpus: Corpus, pairs: int) -> frozenset[str]:
    """So many utterances of every speaker, the first by name.

    Of whom there is no more, one is left out, so that there is somebody to recognise.
    """
    return frozenset(
        utterance.id
        for told in corpus.speakers.values()
        for utterance in sorted(told, key=lambda u: u.id)[: max(0, min(pairs, len(told) - 2))]
    )


def fitted_to(
    original: Corpus,
    protected: Corpus,
    chain: Chain,
    *,
    known: frozenset[str],
    key: Key | None,
    tries: int,
) -> tuple[Corpus, Chain]:
    """The originals of whom something is known, and the chain that gives each their own mapping.

    It is looked for when somebody's first utterance is to be protected, so that a run that resumes
    does not look again for what it has used.
    """
    names = sorted({u.speaker for u in original if u.id in known})
    if len(names) < 2:
        raise InputError(
            "Pairs of clear and protected utterances are known of fewer than two speakers: whoever "
            "is to be recognised needs three utterances or more, of which some are known."
        )
    found: dict[str, Found] = {}
    alone = {name: Lock() for name in names}

    def find(speaker: str) -> Found:
        with alone[speaker]:
            if speaker not in found:
                told = [u for u in original.speakers[speaker] if u.id in known]
                pairs = [(u, protected.by_id[u.id]) for u in told if u.id in protected.by_id]
                found[speaker] = _find(chain, pairs, key, tries)
            return found[speaker]

    origin = {**chain.to_dict(), "known": sorted(known), "tries": tries}
    enrolled = original.subset(ids=[u.id for u in original if u.speaker in alone])
    return enrolled, Chain((FittedVoices(find, origin),))


def _find(
    chain: Chain, pairs: list[tuple[Utterance, Utterance]], key: Key | None, tries: int
) -> Found:
    """From the first channel of each pair, at the rate that most of them have."""
    heard: dict[int, list[tuple[Samples, Samples]]] = {}
    for pair in pairs:
        try:
            clear, protected = (decode(one) for one in pair)
        except AudioError:
            continue  # it is listed when its turn to be protected comes
        rate = clear.sample_rate
        # Lengths differ where a release was trimmed or padded at the end.
        length = min(len(clear.samples), len(protected.samples))
        sides = [one.samples[:length, 0].astype(np.float64) for one in (clear, protected)]
        audible = min(float(np.square(side).mean()) for side in sides) > QUIETEST
        if protected.sample_rate == rate and length >= SHORTEST * rate and audible:
            heard.setdefault(rate, []).append((sides[0], sides[1]))
    if not heard:
        raise InputError("nothing that is known of this speaker in clear and protected can be used")
    rate, told = max(heard.items(), key=lambda item: len(item[1]))
    return fitted(chain, told, rate, key, tries)
