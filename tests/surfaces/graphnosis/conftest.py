from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import substrate
from substrate.server.launch import SCOPES
from tests.agents import Agent, in_memory

Connect = Callable[..., Agent]


@pytest.fixture
def connect(store: Path) -> Iterator[Connect]:
    """Connects an agent to this surface: with a user or a model, or without."""
    with ExitStack() as stack:

        def agent(**options: object) -> Agent:
            options = {"scopes": frozenset(SCOPES), **options}
            return stack.enter_context(in_memory(store, launch={"surfaces": ("graphnosis",)}, **options))  # type: ignore[arg-type]

        yield agent


@pytest.fixture
def engrams(store: Path) -> None:
    """A store with three engrams, one of them sensitive."""
    with substrate.open(store) as memory:
        memory.ingest("The deployment pipeline runs on GitHub Actions.", domain="work", title="deployment-notes.md")
        memory.ingest("Dune is about sand and spice.", domain="book-notes", title="Dune")
        memory.checkpoint([{"name": "v1.domain.book-notes", "value": "Books", "attrs": {"title": "Book Notes"}}])
        memory.ingest("The zanzibar diagnosis is secret.", domain="health", title="cinnamon.md")
        memory.set_tier("health", "sensitive")
        memory.set_tier("work", "personal")
