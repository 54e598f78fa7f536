"""Rows of half floats in memory."""

from __future__ import annotations

import numpy as np

from substrate.views.nearest.rows import wide


def test_every_half_float_becomes_the_float_that_it_is() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)].reshape(2, -1)

    assert wide(finite).tobytes() == finite.astype(np.float32).tobytes()
    np.testing.assert_array_equal(wide(halves), halves.astype(np.float32))


def test_rows_of_which_one_number_is_none_become_what_they_are() -> None:
    rows = np.array([[0.5, -1.0], [np.nan, 2.0], [np.inf, -np.inf]], np.float16)

    np.testing.assert_array_equal(wide(rows), [[0.5, -1.0], [np.nan, 2.0], [np.inf, -np.inf]])
    assert wide(rows[:0]).shape == (0, 2)
    assert wide(rows[:, :1]).dtype == np.float32
