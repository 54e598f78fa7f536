"""Past objectives are compared with one by products that no other thread has to help with."""

from __future__ import annotations

import numpy as np
import pytest

from substrate.search.columns import objectives


@pytest.mark.parametrize("count", [0, 1, 9, 16, 17, 40])
def test_products_of_some_rows_at_once_are_those_of_each_row(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objectives, "_AT_ONCE", 384 * 16)
    drawn = np.random.default_rng(count)
    rows = drawn.standard_normal((count, 384)).astype(np.float32)
    vector = drawn.standard_normal(384).astype(np.float32)
    found = objectives._products(rows, vector)
    assert found.dtype == np.float32
    assert np.allclose(found, [float(np.dot(row.astype(float), vector)) for row in rows], atol=1e-4)
    assert (found == rows @ vector).all(), "so few are multiplied by one thread, and rows are cut where it cuts them"
