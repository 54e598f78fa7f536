from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from substrate.server.launch import SCOPES
from tests.agents import Agent, in_memory


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that the server may read."""
    folder = tmp_path.resolve() / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "arch.md").write_bytes("# Architecture\r\n\r\nHydraMem uses LanceDB — fast.\n\n\n".encode())
    (folder / "sub" / "vectors.md").write_text("LanceDB stores vector embeddings. HydraMem runs on Linux.\n")
    (folder / "plain.txt").write_text("LanceDB in a plain file.")
    return folder


@pytest.fixture
def hydra(store: Path, root: Path) -> Iterator[Agent]:
    launch = {"surfaces": ("hydramem",), "roots": (root,)}
    with in_memory(store, scopes=frozenset(SCOPES), launch=launch) as agent:
        yield agent
