"""The successor network written out frame by frame, to check the fast way against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pseudovoice.reassembly.joined import MELS
from pseudovoice.training.archive import Arrays

CONTEXTS = ((5, 1), (3, 2), (3, 3), (1, 1), (1, 1))
SEGMENT = 128


def random_state(width: int, *, kind: str, seed: int = 0) -> Arrays:
    """Tensors of a network that was never trained: ``cut`` or ``xvector``."""
    rng = np.random.default_rng(seed)
    widths = [MELS, width, width, width, width, 3 * width]

    def norm(name: str, size: int) -> Arrays:
        return {
            f"{name}.weight": rng.uniform(0.5, 2, size),
            f"{name}.bias": rng.normal(0, 0.3, size),
            f"{name}.running_mean": rng.normal(0, 0.5, size),
            f"{name}.running_var": rng.uniform(0.5, 2, size),
        }

    def segment(k: int, inputs: int) -> Arrays:
        return {
            f"segments.{k}.linear.weight": rng.normal(0, 0.1, (SEGMENT, inputs)),
            f"segments.{k}.linear.bias": rng.normal(0, 0.1, SEGMENT),
            **norm(f"segments.{k}.norm", SEGMENT),
        }

    state: Arrays = {
        "level.running_mean": rng.normal(10, 2, MELS),
        "level.running_var": rng.uniform(3, 6, MELS),
        **segment(0, (4 if kind == "cut" else 2) * widths[-1]),
        **(segment(1, SEGMENT) if kind == "xvector" else {}),
        "score.weight": rng.normal(0, 0.3, (1, SEGMENT)),
        "score.bias": rng.normal(0, 0.1, 1),
    }
    for i, (kernel, _) in enumerate(CONTEXTS):
        shape = widths[i + 1], widths[i], kernel
        spread = (widths[i] * kernel) ** -0.5
        state[f"frames.{i}.conv.weight"] = rng.normal(0, spread, shape)
        state[f"frames.{i}.conv.bias"] = rng.normal(0, 0.1, shape[0])
        state |= norm(f"frames.{i}.norm", shape[0])
    return {name: array.astype(np.float32) for name, array in state.items()}


def slow_score(features: NDArray[np.float32], state: Arrays) -> float:
    """Log-odds of one pair, from the features of the joined slices [time, 40]."""
    x = features.astype(np.float64)
    x = (x - state["level.running_mean"]) / np.sqrt(state["level.running_var"] + 1e-5)
    for i, (kernel, dilation) in enumerate(CONTEXTS):
        weight = state[f"frames.{i}.conv.weight"].astype(np.float64)
        frames = []
        for t in range(len(x) - (kernel - 1) * dilation):
            taps = x[t : t + kernel * dilation : dilation][:kernel]
            frames.append(np.einsum("oik,ki->o", weight, taps))
        x = np.maximum(np.array(frames) + state[f"frames.{i}.conv.bias"], 0.0)
        x = _norm(x, state, f"frames.{i}.norm")
    pooled = [x.mean(axis=0), _deviation(x)]
    if state["segments.0.linear.weight"].shape[1] > 2 * x.shape[1]:
        # The outputs whose fifteen frames of context lie on both sides: 36 … 51 of 88.
        pooled += [x[36:52].mean(axis=0), _deviation(x[36:52])]
    hidden = np.concatenate(pooled)
    for k in range(2 if "segments.1.linear.bias" in state else 1):
        layer = f"segments.{k}"
        hidden = state[f"{layer}.linear.weight"].astype(np.float64) @ hidden
        hidden = np.maximum(hidden + state[f"{layer}.linear.bias"], 0.0)
        hidden = _norm(hidden, state, f"{layer}.norm")
    return float(state["score.weight"][0] @ hidden + state["score.bias"][0])


def _deviation(x: NDArray[np.float64]) -> NDArray[np.float64]:
    # A channel that is always 0 has the least deviation, not none.
    return np.sqrt(np.maximum(x.var(axis=0), 1e-5))


def _norm(x: NDArray[np.float64], state: Arrays, name: str) -> NDArray[np.float64]:
    spread = np.sqrt(state[f"{name}.running_var"].astype(np.float64) + 1e-5)
    scaled: NDArray[np.float64] = (x - state[f"{name}.running_mean"]) / spread
    return scaled * state[f"{name}.weight"] + state[f"{name}.bias"]
