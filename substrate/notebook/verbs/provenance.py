"""The verbs about where atoms come from: record, why."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from substrate.commands.verbs.provenance import RECORD, WHY
from substrate.errors import RolledBack
from substrate.names import check_name
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.notebook.provenance.record import Recorded
    from substrate.notebook.provenance.sources import Trail

__all__ = ["record", "why"]


@verb(RECORD, rest="said", stores=True, cell=True)
def record(workspace: Workspace, given: Namespace, cell: str | None) -> Recorded:
    """Run a cell, and save its result."""
    from substrate.notebook.provenance.record import record  # noqa: PLC0415 - few cells are recorded

    name, *further = given.said.split(maxsplit=1) or [""]
    expression = "".join(further)
    options = ("tag", "confidence", "source")
    if not name:
        raise UsageError("under which name? %%memory record NAME, above the code; or %memory record NAME EXPRESSION")
    if (cell is None) == (not expression):
        raise UsageError(
            "put the code to record in the cell below %%memory record NAME, or on the line: %memory record NAME "
            "EXPRESSION" + ("; options come before the name" if expression.startswith("--") else "")
        )
    check_name(name)  # before a store is made for it
    memory = workspace.memory(create=True)
    if workspace.stores.read_only:
        raise UsageError(
            "the store is open for reading only, so nothing was run: %memory open PATH opens it for writing"
        )
    if (behind := memory.behind) is not None:
        raise RolledBack(f"nothing was run. {behind}")
    fields = {
        "tags" if word == "tag" else word: value for word in options if (value := getattr(given, word)) is not None
    }
    code = expression if cell is None else cell
    return record(workspace.shell, memory, name, code, fields, allow_secrets=given.allow_secrets)


@verb(WHY)
def why(workspace: Workspace, given: Namespace, _: str | None) -> Trail:
    """The atoms that an atom comes from."""
    from substrate.notebook.provenance.sources import trail_of  # noqa: PLC0415 - loads results

    return trail_of(workspace.memory(), given.name, given.depth)
