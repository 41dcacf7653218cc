"""Who follows whom by a network that heard joined slices (Maouche et al. 2022, §5.2).

The paper scores every pair by running a TDNN over the joined signal. Only frames near the cut
depend on both slices, and statistics over time are sums: each slice is run once as the first and
once as the second of a pair, and a pair costs 16 frames instead of all, with the same score.
:mod:`pseudovoice.training.successor_network` has the networks, this runs what they left as ONNX.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.cores import usable_cores
from pseudovoice.engines import in_threads
from pseudovoice.errors import InputError, UsageError
from pseudovoice.models.one_file import open_own
from pseudovoice.reassembly.joined import AROUND, MELS, Edges, across
from pseudovoice.signal.frames import Float32

Float64 = NDArray[np.float64]

CONTEXT = 15
"""Frames that one output of the network depends on."""
NEAR = CONTEXT - 1
"""Frames on one side of the cut that share an output with the other side."""
REACHES: Mapping[str, int | None] = {"cut": AROUND, "xvector": None}
"""Networks by name, and how many frames they hear on either side of the cut: None is all."""
CUES: Mapping[str, str] = {"cut": "network", "xvector": "x-vector network"}
"""What tables call them as attacks; the x-vectors are the paper's."""

METADATA = "pseudovoice"
SUMS = ("sum", "squares")
"""Inputs of the graph beside the features: statistics of frames that it need not see again."""
COUNT = "count"
"""And of how many frames these are."""

_AT_ONCE = 1024


def format_of(network: str) -> str:
    """What the file of a network says of itself."""
    reach = REACHES[network]
    return f"successor 2, {network}, {MELS} bands, {'all' if reach is None else reach} frames"


class SpeechSuccessor:
    """A trained network as a linkage function; safe to call from several threads."""

    def __init__(self, session: Any, network: str) -> None:
        self._session, self.network = session, network

    @property
    def cue(self) -> str:
        """What it is called among the attacks."""
        return CUES[self.network]

    def scores(self, slices: Sequence[Edges], *, workers: int | None = None) -> Float64:
        """Log-odds that a candidate follows a query, a matrix of queries by candidates."""
        pieces = [piece.within(REACHES[self.network], CONTEXT) for piece in slices]
        last = np.stack([piece.before[-NEAR:] for piece in pieces])
        first = np.stack([piece.after[:NEAR] for piece in pieces])
        beginning = np.stack([piece.beginning for piece in pieces])
        ended = self._statistics([piece.before for piece in pieces])
        began = self._statistics([piece.after for piece in pieces])
        scores = np.empty((len(pieces), len(pieces)))

        def query(w: int) -> None:
            for k in range(0, len(pieces), _AT_ONCE):
                part = slice(k, k + _AT_ONCE)
                middle = across(pieces[w].ending, beginning[part])
                before = np.broadcast_to(last[w], (len(middle), NEAR, MELS))
                near = np.concatenate([before, middle, first[part]], axis=1)
                sums = {name: ended[name][w] + began[name][part] for name in ended}
                scores[w, part] = self._session.run(["score"], {"features": near, **sums})[0]

        for _ in in_threads(query, range(len(pieces)), workers or usable_cores()):
            pass
        return scores

    def _statistics(self, sides: Sequence[Float32]) -> dict[str, Float32]:
        """Sums, sums of squares and numbers of outputs over the frames of each slice alone."""
        channels = self._session.get_inputs()[1].shape[1]
        found = {name: np.zeros((len(sides), channels), np.float32) for name in SUMS}
        lengths = np.array([len(side) for side in sides])
        for length in np.unique(lengths):
            alike = np.flatnonzero(lengths == length)
            for k in range(0, alike.size, _AT_ONCE):
                some = alike[k : k + _AT_ONCE]
                none = {name: np.zeros((some.size, channels), np.float32) for name in SUMS}
                none[COUNT] = np.zeros((some.size, 1), np.float32)
                features = np.stack([sides[n] for n in some])
                own = self._session.run([f"own_{n}" for n in SUMS], {"features": features, **none})
                for name, values in zip(SUMS, own, strict=True):
                    found[name][some] = values
        return {**found, COUNT: (lengths[:, None] - NEAR).astype(np.float32)}


def load_successor(path: Path) -> SpeechSuccessor:
    """Open what ``pseudovoice train --model successor`` left; another file is an InputError."""
    if not path.is_file():
        raise InputError(
            f"{path}: there is no such successor model; train one with "
            "`pseudovoice train SLICES --model successor`."
        )
    session = open_own(path)
    found = session.get_modelmeta().custom_metadata_map.get(METADATA)
    known = {format_of(network): network for network in REACHES}
    if found not in known:
        raise InputError(
            f"{path}: is no successor model of this version ({found or 'it has no such mark'}"
            f" instead of {' or '.join(known)}); train it again with "
            "`pseudovoice train --model successor`."
        )
    return SpeechSuccessor(session, known[found])


def load_successors(paths: Iterable[Path]) -> list[SpeechSuccessor]:
    """Open several, one of each kind at most: they are told apart by their kind."""
    found: dict[str, SpeechSuccessor] = {}
    for path in paths:
        one = load_successor(path)
        if one.network in found:
            raise UsageError(
                f"{path}: there is a network of this kind already ({one.cue}); name one of each."
            )
        found[one.network] = one
    return [found[network] for network in REACHES if network in found]
