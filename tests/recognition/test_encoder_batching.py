"""Grouping and cutting: nothing lost, nothing doubled, bounds kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.encoders.batching import equal_length_groups, pieces


@given(st.lists(st.integers(1, 12), max_size=40), st.integers(0, 30))
def test_groups_are_a_partition_into_equal_lengths(lengths: list[int], most: int) -> None:
    groups = equal_length_groups(lengths, most)
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    for group in groups:
        assert len({lengths[i] for i in group}) == 1
        assert len(group) == 1 or len(group) * lengths[group[0]] <= most


@given(st.integers(1, 5000), st.integers(1, 700))
def test_pieces_are_the_whole_in_even_parts(samples: int, longest: int) -> None:
    waveform = np.arange(samples, dtype=np.float32)
    parts = pieces(waveform, longest)
    np.testing.assert_array_equal(np.concatenate(parts), waveform)
    sizes = [part.size for part in parts]
    assert max(sizes) <= longest
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == -(-samples // longest)
