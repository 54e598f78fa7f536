"""Results as tables: CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import substrate


def test_results_are_csv_that_a_spreadsheet_reads_and_does_not_reckon_with(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", model="none", background=False) as memory:
        memory.checkpoint([{"name": "v1.fact.a", "value": '=cmd|"/c calc"!A0', "tags": ["x", "y"]}])
        memory.checkpoint(["v1.fact.b = two\nlines, and a comma"])
        listed = memory.list("v1.fact.").to_csv()
        found, single = memory.search("comma").to_csv(), memory.stats().to_csv()
        file = tmp_path / "atoms.csv"
        assert memory.list("v1.fact.").to_csv(file) is None
    assert listed is not None
    assert file.read_text(encoding="utf-8").splitlines() == listed.splitlines()
    rows = list(csv.DictReader(io.StringIO(listed, newline="")))
    assert [row["value"] for row in rows] == ['\'=cmd|"/c calc"!A0', "two\nlines, and a comma"]
    assert rows[0]["tags"] == '["x","y"]'
    assert found is not None
    assert found.startswith("score,name,")
    assert single is not None
    assert len(list(csv.reader(io.StringIO(single, newline="")))) == 2
