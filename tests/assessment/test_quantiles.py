"""Quantiles of replicates against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice.assessment.quantiles import quantiles


@pytest.mark.parametrize("size", [1, 2, 3, 20, 199, 400])
def test_they_are_those_of_numpy(size: int) -> None:
    rng = np.random.default_rng(size)
    shares = (0.0, 0.025, 0.05, 0.5, 0.95, 0.975, 1.0)
    for values in (rng.normal(size=size), rng.integers(0, 3, size).astype(float)):
        before = values.copy()
        assert quantiles(values, *shares) == np.quantile(values, shares).tolist()
        np.testing.assert_array_equal(values, before)
