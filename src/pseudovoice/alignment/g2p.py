"""Pronunciations of words that no dictionary has: the recurrent network of g2p_en in NumPy.

One GRU reads the letters, another writes phones until it ends the word; the weights are the
published ones, fetched by name and hash (:mod:`pseudovoice.models`). The GRU, with gates r and z
and candidate n (PyTorch's form):

    r, z = σ(W_i x + b_i + W_h h + b_h),   n = tanh(W_in x + b_in + r (W_hn h + b_hn)),
    h ← (1 − z) n + z h
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError
from pseudovoice.models import fetch

Float32 = NDArray[np.float32]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_UNKNOWN, _END_OF_WORD, _FIRST_LETTER = 1, 2, 3
_BEGIN, _END = 2, 3
_PHONE_LIST = """
<pad> <unk> <s> </s> AA0 AA1 AA2 AE0 AE1 AE2 AH0 AH1 AH2 AO0 AO1 AO2 AW0 AW1 AW2 AY0 AY1 AY2 B CH
D DH EH0 EH1 EH2 ER0 ER1 ER2 EY0 EY1 EY2 F G HH IH0 IH1 IH2 IY0 IY1 IY2 JH K L M N NG OW0 OW1 OW2
OY0 OY1 OY2 P R S SH T TH UH0 UH1 UH2 UW UW0 UW1 UW2 V W Y Z ZH
"""
_PHONES = _PHONE_LIST.split()
_TENSORS = {
    f"{side}_{part}" for side in ("enc", "dec") for part in ("emb", "w_ih", "w_hh", "b_ih", "b_hh")
} | {"fc_w", "fc_b"}


class GraphemeToPhoneme:
    """Letters to phones of the CMU set, with stress digits as the network writes them."""

    def __init__(self, tensors: dict[str, Float32]) -> None:
        if set(tensors) != _TENSORS:
            raise InputError("The weights of g2p-en are not those of its network; fetch them again")
        self._w = tensors

    def __call__(self, word: str) -> tuple[str, ...]:
        """Phones of a word; () if the network ends the word before it began.

        Characters other than a to z are one unknown letter to it.
        """
        w = self._w
        hidden = np.zeros(w["enc_w_hh"].shape[1], np.float32)
        for letter in (*word.lower(), None):
            hidden = self._step("enc", w["enc_emb"][_code(letter)], hidden)
        phones: list[str] = []
        before = _BEGIN
        # Twice the letters is more than English ever needs, and ends a network that circles.
        for _ in range(2 * len(word) + 5):
            hidden = self._step("dec", w["dec_emb"][before], hidden)
            before = int(np.argmax(w["fc_w"] @ hidden + w["fc_b"]))
            if before == _END:
                break
            if before > _END:
                phones.append(_PHONES[before])
        return tuple(phones)

    def _step(self, side: str, x: Float32, hidden: Float32) -> Float32:
        w = self._w
        of_input = w[f"{side}_w_ih"] @ x + w[f"{side}_b_ih"]
        of_hidden = w[f"{side}_w_hh"] @ hidden + w[f"{side}_b_hh"]
        size = hidden.size
        gates = 1 / (1 + np.exp(-(of_input[: 2 * size] + of_hidden[: 2 * size])))
        reset, update = gates[:size], gates[size:]
        candidate = np.tanh(of_input[2 * size :] + reset * of_hidden[2 * size :])
        return np.asarray((1 - update) * candidate + update * hidden, dtype=np.float32)


def _code(letter: str | None) -> int:
    if letter is None:
        return _END_OF_WORD
    place = _LETTERS.find(letter)
    return _UNKNOWN if place < 0 else _FIRST_LETTER + place


@cache
def load_g2p() -> GraphemeToPhoneme:
    """The network with its published weights, fetched on first use."""
    path = fetch("g2p-en").path
    # Pickles are refused: the file is a zip of plain arrays and must stay one.
    with np.load(path, allow_pickle=False) as stored:
        return GraphemeToPhoneme({name: stored[name].astype(np.float32) for name in stored.files})
