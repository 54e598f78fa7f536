"""A shell of its own for each test, in a folder of its own, with `%load_ext substrate` done."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from substrate.notebook import extension


class Notebook:
    """Runs cells, and tells what became of them."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell

    def run(self, cell: str) -> Any:
        """The result of a cell that works."""
        outcome = self.shell.run_cell(cell, store_history=True)
        outcome.raise_error()
        return outcome.result

    def error(self, cell: str) -> str:
        """What a cell that fails prints: all of it, standard error included."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            outcome = self.shell.run_cell(cell)
        assert not outcome.success, f"{cell} works"
        return printed.getvalue()

    def printed(self, cell: str) -> str:
        """What a cell that works prints."""
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.run(cell)
        return out.getvalue()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the notebook, empty; keys and settings lie beside it."""
    here = tmp_path / "work"
    here.mkdir()
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.delenv("SUBSTRATE_STORE", raising=False)
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def bare(folder: Path) -> Iterator[Notebook]:
    """A shell without the extension."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    try:
        yield Notebook(shell)
    finally:
        extension.unload(shell)
        if shell in extension._STORES:
            extension._STORES.pop(shell).close()
        shell.history_manager.end_session()
        InteractiveShell.clear_instance()
    assert folder.exists()


@pytest.fixture
def notebook(bare: Notebook) -> Notebook:
    """A shell with `%memory`."""
    bare.run("%load_ext substrate")
    return bare
