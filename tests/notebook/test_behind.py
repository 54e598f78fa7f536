"""`%memory` on a store of which another copy is ahead: it opens by itself, reads, and says so at each verb."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import substrate


@pytest.fixture
def copied(folder: Path) -> Path:
    """The default store of the folder, of which a copy beside it has gone on."""
    store = folder / "substrate-store"
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.fact.a = 1"])
    shutil.copytree(store, folder / "copy")
    with substrate.open(folder / "copy") as memory:
        memory.checkpoint(["v1.fact.a = 2"])
    return store


def test_a_store_that_is_behind_is_read_with_a_note_at_each_verb(copied: Path, notebook: Any) -> None:
    for line in ("list", "access v1.fact.a", "search a", "status", "open", "bootstrap"):
        said = notebook.printed(f"%memory {line}")
        assert said.count(f"note: {copied} is behind") == 1, line
        assert f"substrate restore {copied} --store {copied}-restored" in said
    assert notebook.run("%memory access v1.fact.a").value == "1"


def test_what_writes_or_proves_what_is_current_is_refused_and_a_cell_is_not_run_in_vain(
    copied: Path, notebook: Any
) -> None:
    for cell in ("%memory checkpoint v1.fact.b = 1", "%memory prove v1.fact.a", "%memory train v1.fact.a"):
        assert f"{copied} is behind" in notebook.error(cell)
    assert "nothing was run" in notebook.error("%%memory record v1.fact.ran\nran = 1\nran")
    assert "ran" not in notebook.shell.user_ns


def test_the_store_and_its_status_show_it(copied: Path, notebook: Any) -> None:
    status = notebook.run("%memory status")
    assert f"read only; {copied} is behind" in repr(status)
    html = notebook.shell.display_formatter.format(notebook.run("%memory open"))[0]["text/html"]
    assert "is behind" in html
    assert f"<bdi>{copied}</bdi>" in html
