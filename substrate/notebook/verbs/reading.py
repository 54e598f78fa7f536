"""The verbs that read: access, list, edges, history, diff."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.notebook.desk import Desk
from substrate.notebook.given import moment, number
from substrate.notebook.verb import argument, verb

if TYPE_CHECKING:
    from substrate.growth import Diff
    from substrate.model import Access, Edges, History, Listing

__all__ = ["AS_OF", "NAME", "VALID_AT", "access", "diff", "edges", "history", "list_atoms"]

NAME = argument("name", metavar="NAME", complete="name", help="the atom's name, or its id")
AS_OF = argument(
    "--as-of", metavar="MOMENT", type=moment, help="as we knew it then: a seq, a time in ISO 8601, or @FILE with a pin"
)
VALID_AT = argument("--valid-at", metavar="TIME", help="as it was in the world then: a time in ISO 8601")


@verb("access", "read", "%memory access v1.fact.payment_provider --proof")
@NAME
@AS_OF
@VALID_AT
@argument("--predictions", metavar="N", type=number, default=5, help="at most so many that may be needed next (5)")
@argument("--proof", action="store_true", help="also prove it: the result's .proof")
def access(desk: Desk, given: Namespace, _: str | None) -> Access:
    """Read one atom: as it is now, or as it was.

    It belongs to the session of this kernel, which is learnt from. The result has `.value`, `.atom`, `.proof` and
    `.predictions`.
    """
    return desk.memory().access(
        given.name,
        as_of=given.as_of,
        valid_at=given.valid_at,
        proof=given.proof,
        predictions=given.predictions,
    )


@verb("list", "read", "%memory list v1.fact.")
@argument("prefix", nargs="?", default="", metavar="PREFIX", complete="name", help="only names that begin so")
@argument("--limit", metavar="N", type=number, default=100, help="at most so many, up to 1,000 (100)")
@argument("--offset", metavar="N", type=number, default=0, help="leave out the first so many")
@argument("--after", metavar="NAME", complete="name", help="go on after this name")
@argument("--tombstoned", action="store_true", help="also those that were taken out of use")
@argument("--superseded", action="store_true", help="also those that another one supersedes")
@AS_OF
@VALID_AT
def list_atoms(desk: Desk, given: Namespace, _: str | None) -> Listing:
    """List atoms by name."""
    return desk.memory().list(
        given.prefix,
        limit=given.limit,
        offset=given.offset,
        after=given.after,
        tombstoned=given.tombstoned,
        superseded=given.superseded,
        as_of=given.as_of,
        valid_at=given.valid_at,
        count=True,
    )


@verb("edges", "read", "%memory edges v1.fact.currency --in --type depends_on")
@NAME
@argument("--in", dest="into", action="store_true", help="only those that lead to it")
@argument("--out", action="store_true", help="only those that lead from it")
@argument("--type", metavar="TYPE", help="only those of this type")
@argument("--limit", metavar="N", type=number, default=1000, help="at most so many (1,000)")
@argument("--offset", metavar="N", type=number, default=0, help="leave out the first so many")
@AS_OF
@VALID_AT
def edges(desk: Desk, given: Namespace, _: str | None) -> Edges:
    """Show the edges of an atom, from it and to it."""
    direction = "both" if given.into == given.out else "in" if given.into else "out"
    return desk.memory().edges(
        given.name,
        direction=direction,
        type=given.type,
        as_of=given.as_of,
        valid_at=given.valid_at,
        limit=given.limit,
        offset=given.offset,
    )


@verb("history", "read", "%memory history v1.fact.payment_provider")
@NAME
@argument("--limit", metavar="N", type=number, default=1000, help="the newest so many (1,000)")
@AS_OF
@VALID_AT
def history(desk: Desk, given: Namespace, _: str | None) -> History:
    """Show every version of an atom, oldest first, with tombstones and gaps."""
    return desk.memory().history(given.name, as_of=given.as_of, valid_at=given.valid_at, limit=given.limit)


@verb("diff", "read", "%memory diff 2026-03-01", "%memory diff 1 4 --prefix v1.fact.")
@argument("start", metavar="START", type=moment, help="after this: a seq, a time in ISO 8601, or @FILE with a pin")
@argument("stop", nargs="?", metavar="STOP", type=moment, help="until this (default: now)")
@argument("--prefix", metavar="PREFIX", default="", complete="name", help="only names that begin so")
@VALID_AT
def diff(desk: Desk, given: Namespace, _: str | None) -> Diff:
    """Show what became of atoms and edges between two moments."""
    return desk.memory().diff(given.start, given.stop, prefix=given.prefix, valid_at=given.valid_at)
