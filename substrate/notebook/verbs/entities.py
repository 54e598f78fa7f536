"""The verbs about what memory is about: entities, extract."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.entities import ENTITIES, EXTRACT
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.entities import EntityPage, ExtractedEntities

__all__ = ["entities", "extract"]


@verb(ENTITIES)
def entities(workspace: Workspace, given: Namespace, _: str | None) -> EntityPage:
    """The directory of what memory is about."""
    return calls.entities(workspace.memory(), given)


@verb(EXTRACT)
def extract(_workspace: Workspace, given: Namespace, _: str | None) -> ExtractedEntities:
    """The names in a text."""
    from substrate.entities.extract import extract_entities  # noqa: PLC0415 - its lists of words take a moment

    return extract_entities(" ".join(given.text))  # it needs no store
