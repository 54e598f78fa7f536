"""The verbs about where things come from and where they lead: record, why, watch."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from substrate.notebook.desk import Desk
from substrate.notebook.given import fraction, number
from substrate.notebook.verb import argument, verb
from substrate.notebook.verbs.reading import NAME

if TYPE_CHECKING:
    from substrate.notebook.recording import Recorded
    from substrate.notebook.trail import Trail

__all__ = ["record", "watch", "why"]


@verb(
    "record",
    "save",
    "%%memory record --tag money v1.metric.gross\n"
    "net = 100  # or whatever the cell does: what its last line comes to is kept\n"
    "net * 1.19",
    "%memory record v1.metric.answer 6 * 7",
    rest="said",
    stores=True,
    cell=True,
)
@argument(
    "said", nargs="*", metavar="NAME [EXPRESSION]", complete="name", help="under which name; and, on a line, what"
)
@argument("--tag", metavar="TAG", action="append", help="a tag; again for several")
@argument("--confidence", metavar="0..1", type=fraction, help="how sure")
@argument("--source", metavar="TEXT", help="where the data comes from")
def record(desk: Desk, given: Namespace, cell: str | None) -> Recorded:
    """Run a cell, and save what it comes to with where and of what it was made.

    Kept are texts and numbers as they are, dictionaries and lists as JSON. Of a data frame no rows are kept, but its
    columns, with the smallest and the largest value, or the most frequent one, of each; if the rows are the result, end
    the cell with `df.to_dict("records")`. The atom knows the notebook, the cell and the execution, with its code; a
    derived_from edge leads to each atom that the cell accessed: `%memory why NAME` shows them. What other threads
    access is not seen: access in the cell and compute in threads, or submit `contextvars.copy_context().run` with each
    task. Run again with the same result, it is confirmed.
    """
    from substrate.notebook.recording import record  # noqa: PLC0415 - few cells are recorded

    name, *further = given.said.split(maxsplit=1) or [""]
    expression = "".join(further)
    options = ("tag", "confidence", "source")
    if not name:
        raise UsageError("under which name? %%memory record NAME, above the code; or %memory record NAME EXPRESSION")
    if (cell is None) == (not expression):
        raise UsageError(
            "what is to be recorded stands in the cell below %%memory record NAME, or on the line: "
            "%memory record NAME EXPRESSION" + ("; options come before the name" if expression.startswith("--") else "")
        )
    memory = desk.memory(create=True)
    if desk.stores.read_only:
        raise UsageError(
            "the store is open for reading only, so nothing was run: %memory open PATH opens it for writing"
        )
    fields = {
        "tags" if word == "tag" else word: value for word in options if (value := getattr(given, word)) is not None
    }
    return record(desk.shell, memory, name, expression if cell is None else cell, fields)


@verb("why", "read", "%memory why v1.metric.gross")
@NAME
@argument("--depth", metavar="N", type=number, default=8, help="so many steps back (8)")
def why(desk: Desk, given: Namespace, _: str | None) -> Trail:
    """Show where an atom comes from: what it was made of, in which cell, by whom.

    By edges that say so (derived_from, depends_on, produced_by, supersedes), back to what comes from nothing else. It
    tells what has changed since, and is therefore to be reviewed.
    """
    from substrate.notebook.trail import trail_of  # noqa: PLC0415 - loads results

    return trail_of(desk.memory(), given.name, given.depth)


@verb("watch", "learn", "%memory watch on", "%memory watch off")
@argument("state", metavar="on|off", choices=("on", "off"), help="from the next cell on")
def watch(desk: Desk, given: Namespace, _: str | None) -> None:
    """Show under each result which atoms will probably be needed next.

    Under each cell that accesses atoms, be it by %memory or in Python. `MemoryMagics.limit` is the most that is shown.
    """
    desk.watch.turn(on=given.state == "on")
    desk.say(f"watching is {given.state}")
