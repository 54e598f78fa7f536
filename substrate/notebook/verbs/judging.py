"""The verbs that judge: conflicts, resolve."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.notebook.desk import Desk
from substrate.notebook.given import number
from substrate.notebook.verb import argument, verb

if TYPE_CHECKING:
    from substrate.model import Conflicts, Saved

__all__ = ["conflicts", "resolve"]


@verb("conflicts", "judge", "%memory conflicts")
@argument("name", nargs="?", metavar="NAME", complete="name", help="only those of this atom")
@argument("--limit", metavar="N", type=number, default=100, help="at most so many, up to 1,000 (100)")
@argument("--offset", metavar="N", type=number, default=0, help="leave out so many of the first")
def conflicts(desk: Desk, given: Namespace, _: str | None) -> Conflicts:
    """List atoms that contradict each other."""
    return desk.memory().conflicts(given.name, limit=given.limit, offset=given.offset)


@verb("resolve", "judge", "%memory resolve v1.fact.currency v1.fact.us.currency --reason 'one for each country'")
@argument("first", metavar="FIRST", complete="name", help="one atom's name, or its id")
@argument("second", metavar="SECOND", complete="name", help="the other's")
@argument("--keep", metavar="NAME", complete="name", help="the one of the two that is right (default: both are)")
@argument("--reason", metavar="TEXT", help="why")
@argument("--actor", metavar="TEXT", help="who says it")
def resolve(desk: Desk, given: Namespace, _: str | None) -> Saved:
    """Settle a conflict: one of two atoms is right, or both are. The log keeps who said so, and why."""
    return desk.memory().resolve(given.first, given.second, keep=given.keep, reason=given.reason, actor=given.actor)
