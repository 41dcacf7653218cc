"""Disclosure and cost relative to the unprotected speech (noe2022 §7.1, Eq. 17–20).

The arrays may be single values or replicates; the printed Eq. 20 is garbled and stands here as
its text means it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pseudovoice.calibration.ladder import Floats


def deid_d_ece(oo: ArrayLike, op: ArrayLike) -> Floats:
    """1 − D_ECE(OP) / D_ECE(OO), Eq. 17: 1 is full de-identification, 0 none."""
    return 1.0 - _ratio(op, oo)


def deid_cllr_min(oo: ArrayLike, op: ArrayLike) -> Floats:
    """(Cllr_min(OP) − Cllr_min(OO)) / (1 − Cllr_min(OO)), Eq. 18."""
    a, b = np.asarray(oo, float), np.asarray(op, float)
    return _ratio(b - a, 1.0 - a)


def g_d_ece(oo: ArrayLike, pp: ArrayLike) -> Floats:
    """10·log10(D_ECE(PP) / D_ECE(OO)) in dB, Eq. 19: 0 keeps the distinctiveness of the voices."""
    return _decibel(_ratio(pp, oo))


def g_cllr_min(oo: ArrayLike, pp: ArrayLike) -> Floats:
    """10·log10((1 − Cllr_min(PP)) / (1 − Cllr_min(OO))) in dB, Eq. 20."""
    return _decibel(_ratio(1.0 - np.asarray(pp, float), 1.0 - np.asarray(oo, float)))


def _ratio(above: ArrayLike, below: ArrayLike) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.asarray(above, float) / np.asarray(below, float)
    return result


def _decibel(ratio: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 10.0 * np.log10(ratio)
