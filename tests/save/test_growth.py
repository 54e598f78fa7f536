"""A checkpoint that the store has to grow for is told, and kept, as any other."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from substrate.kv.open import open_store
from substrate.log import log as log_module
from substrate.log.copies.check import check_store
from substrate.memory import open_memory
from substrate.views.catalogue import VIEWS


def test_a_checkpoint_tells_the_same_whether_or_not_the_store_had_to_grow_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = [f"v1.fact.a{number}" for number in range(300)]
    told = []
    for name, options in (("large", {}), ("small", {"map_size": 1 << 20})):
        monkeypatch.setattr(log_module, "open_store", partial(open_store, **options))
        with open_memory(tmp_path / name, home=tmp_path / "home", model="none") as memory:
            memory.checkpoint(["v1.fact.a0 = v1.fact.a0"])
            saved = memory.checkpoint(
                [f"{name} = {name * 300}" for name in names],
                edges=[
                    {"source": "v1.fact.a1", "type": "supersedes", "target": "v1.fact.a2"},
                    {"source": "v1.fact.a3", "type": "depends_on", "target": "v1.fact.nowhere"},
                ],
            )
            again = memory.checkpoint([f"{names[7]} = {names[7] * 300}"])
            told.append((saved.seqs, saved.recorded, saved.dangling, saved.refused, again.confirmed))
        assert check_store(tmp_path / name, home=tmp_path / "home", views=VIEWS).damage is None
    assert told[0] == told[1]
