"""Names that are found by a part of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import substrate
from substrate.errors import InputError


def test_any_part_of_a_name_finds_it_and_where_a_word_begins_with_it_comes_first(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False, model="none") as memory:
        names = [
            "v1.note.pandas.read_excel",
            "v1.note.spread_excess",
            "v1.note.pandas.read_csv",
            "v1.note.gone_read_ex",
        ]
        memory.checkpoint([f"{name} = x" for name in names])
        memory.checkpoint(tombstones=["v1.note.gone_read_ex"])
        assert memory.names_with("read_ex") == ("v1.note.pandas.read_excel", "v1.note.spread_excess")
        assert memory.names_with("READ_", limit=2) == ("v1.note.pandas.read_csv", "v1.note.pandas.read_excel")
        assert memory.names_with("excel") == ("v1.note.pandas.read_excel",)
        assert memory.names_with("  ") == memory.names_with("nowhere") == ()
        with pytest.raises(InputError):
            memory.names_with("read", limit=0)
