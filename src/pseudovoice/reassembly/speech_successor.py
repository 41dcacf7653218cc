"""Who follows whom by a network that heard joined slices (Maouche et al. 2022, §5.2).

The paper scores every pair by running a TDNN over the joined signal. Only frames near the cut
depend on both slices, and statistics over time are sums: each slice is run once as the first and
once as the second of a pair, and a pair costs 16 frames instead of 88, with the same score.
:mod:`pseudovoice.training.successor_network` is the network, this runs what it left as ONNX.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.engines import in_threads
from pseudovoice.errors import InputError
from pseudovoice.models.one_file import open_own
from pseudovoice.reassembly.joined import AROUND, MELS, Edges, across
from pseudovoice.signal.frames import Float32

Float64 = NDArray[np.float64]

CONTEXT = 15
"""Frames that one output of the network depends on."""
NEAR = CONTEXT - 1
"""Frames on one side of the cut that share an output with the other side."""
FORMAT = f"successor 1, {MELS} bands, {AROUND} frames"

METADATA = "pseudovoice"
SUMS = ("sum", "squares")
"""Inputs of the graph beside the features: statistics of frames that it need not see again."""

_AT_ONCE = 1024


class SpeechSuccessor:
    """A trained network as a linkage function; safe to call from several threads."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def scores(self, slices: Sequence[Edges], *, workers: int | None = None) -> Float64:
        """Log-odds that a candidate follows a query, a matrix of queries by candidates."""
        before, after = (
            np.stack([getattr(s, side) for s in slices]) for side in ("before", "after")
        )
        beginning = np.stack([piece.beginning for piece in slices])
        ended, began = self._statistics(before), self._statistics(after)
        scores = np.empty((len(slices), len(slices)))

        def query(w: int) -> None:
            for first in range(0, len(slices), _AT_ONCE):
                part = slice(first, first + _AT_ONCE)
                middle = across(slices[w].ending, beginning[part])
                last = np.broadcast_to(before[w, -NEAR:], (len(middle), NEAR, MELS))
                near = np.concatenate([last, middle, after[part, :NEAR]], axis=1)
                sums = {name: ended[name][w] + began[name][part] for name in SUMS}
                scores[w, part] = self._session.run(["score"], {"features": near, **sums})[0]

        with threadpool_limits(1):
            for _ in in_threads(query, range(len(slices)), workers):
                pass
        return scores

    def _statistics(self, frames: Float32) -> dict[str, Float32]:
        """Sums and sums of squares over the frames of each slice alone."""
        parts = []
        outputs = [f"own_{name}" for name in SUMS]
        for first in range(0, len(frames), _AT_ONCE):
            some = frames[first : first + _AT_ONCE]
            none = np.zeros((len(some), self._session.get_inputs()[1].shape[1]), np.float32)
            feeds = {"features": some, **dict.fromkeys(SUMS, none)}
            parts.append(self._session.run(outputs, feeds))
        sums = (np.concatenate(part) for part in zip(*parts, strict=True))
        return dict(zip(SUMS, sums, strict=True))


def load_successor(path: Path) -> SpeechSuccessor:
    """Open what ``pseudovoice train --model successor`` left; another file is an InputError."""
    if not path.is_file():
        raise InputError(
            f"{path}: there is no such successor model; train one with "
            "`pseudovoice train SLICES --model successor`."
        )
    session = open_own(path)
    found = session.get_modelmeta().custom_metadata_map.get(METADATA)
    if found != FORMAT:
        raise InputError(
            f"{path}: is no successor model of this version ({found or 'it has no such mark'}"
            f" instead of {FORMAT}); train it again with `pseudovoice train --model successor`."
        )
    return SpeechSuccessor(session)
