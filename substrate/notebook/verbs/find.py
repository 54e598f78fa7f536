"""The verbs that find: search, which, cues, explore."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.find import CUES, EXPLORE, SEARCH, WHICH
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.hits import Cues, Found, Matches

__all__ = ["cues", "explore", "search", "which"]


@verb(SEARCH, rest="query")
def search(workspace: Workspace, given: Namespace, _: str | None) -> Found:
    """The hits of a search."""
    limit = workspace.limit if given.limit is None else given.limit
    return calls.search(workspace.memory(), given, given.query, limit=limit, wait=workspace.wait)


@verb(WHICH, rest="text")
def which(workspace: Workspace, given: Namespace, _: str | None) -> Matches:
    """The atom that a text means, or those that it may mean."""
    return workspace.memory().which(given.text, given.kind)


@verb(CUES, rest="text")
def cues(_workspace: Workspace, given: Namespace, _: str | None) -> Cues:
    """What the wording of a message asks of memory."""
    from substrate.transcripts.cues import cues_of  # noqa: PLC0415 - its tables take a moment

    return cues_of(given.text)  # it needs no store


@verb(EXPLORE, rest="query")
def explore(workspace: Workspace, given: Namespace, _: str | None) -> object:
    """The Explorer."""
    memory = workspace.memory()
    # The Explorer goes by seqs; before the first entry there is as much as at it, which is the key.
    traits = {} if given.as_of is None else {"as_of": max(0, memory.diff(given.as_of, given.as_of, limit=1).stop)}
    return memory.explore(given.query, **traits)
