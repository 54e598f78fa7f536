"""The verbs that judge: conflicts, which lists what contradicts each other, and resolve, which settles it."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Table
from substrate.cli.inputs import parse_number
from substrate.cli.output import Output
from substrate.cli.save import saved_answer
from substrate.cli.stores import reading, writing
from substrate.cli.verb import Example, Verb, argument, option

if TYPE_CHECKING:
    from substrate.model import Conflict

__all__ = ["CONFLICTS", "RESOLVE"]


def _conflicts(given: Namespace, _: Output) -> Answer:
    with reading(given) as memory:
        found = memory.conflicts(given.name, limit=given.limit, offset=given.offset)
    hints = [] if found.items else ["there are no open conflicts"]
    if found.items:
        hints.append("to settle one: substrate resolve FIRST SECOND, with --keep NAME if only one of them is right")
    if found.more:
        hints.append(f"there is more: --offset {given.offset + len(found.items)}")
    columns = ("=first", "=second", "kind", "reason")
    return Answer(found.to_dict(), (Table(columns, [_row(item) for item in found]),), tuple(hints))


def _row(conflict: Conflict) -> tuple[str, str, str, str]:
    return conflict.first.name, conflict.second.name, conflict.kind, conflict.reason


def _resolve(given: Namespace, _: Output) -> Answer:
    with writing(given) as memory:
        saved = memory.resolve(given.first, given.second, keep=given.keep, reason=given.reason, actor=given.actor)
    if given.keep is None:
        told = f"{given.first} and {given.second} are both right"
    else:
        other = given.second if given.keep == given.first else given.first
        told = f"{given.keep} supersedes {other}"
    return saved_answer(saved, [("resolved", told)])


CONFLICTS = Verb(
    "conflicts",
    "judge",
    "List atoms that contradict each other.",
    "Those that came up last come first; with NAME only those of one atom. A conflict is found when one of the two is "
    "saved: another thing, number or date for the same, or a denial, also under another name. It ends when one of them "
    "gets another value or goes out of use, or when it is resolved.",
    (
        Example(
            'substrate checkpoint "v1.fact.payments.provider = Adyen" && substrate conflicts',
            "saves an atom that contradicts another one, and lists all that are open",
        ),
        Example("substrate conflicts v1.fact.payment_provider --json", "those of one atom, with both atoms, as JSON"),
    ),
    (
        argument("name", "the atom's name, or its id", nargs="?", complete="name"),
        option("--limit", metavar="N", parse=parse_number, default=100, help="at most so many, up to 1,000"),
        option("--offset", metavar="N", parse=parse_number, default=0, help="leave out so many of the first"),
    ),
    _conflicts,
)

RESOLVE = Verb(
    "resolve",
    "judge",
    "Settle a conflict: one of two atoms is right, or both are.",
    "With --keep, that one supersedes the other. Without, both are right: an edge of the type consistent_with says so, "
    "and the two are no conflict as long as both say what they say now. The log keeps who resolved it, and why.",
    (
        Example(
            "substrate resolve v1.fact.payment_provider v1.fact.payments.provider --keep v1.fact.payment_provider "
            '--reason "Adyen was a trial"',
            "one of the two is right",
        ),
        Example(
            'substrate checkpoint "v1.fact.us.currency = The currency is USD" && '
            'substrate resolve v1.fact.currency v1.fact.us.currency --reason "one for each country"',
            "saves an atom that contradicts another one, and says that both are right",
        ),
    ),
    (
        argument("first", "one atom's name, or its id", complete="name"),
        argument("second", "the other's", complete="name"),
        option("--keep", metavar="NAME", complete="name", help="the one of the two that is right"),
        option("--reason", metavar="TEXT", help="why"),
        option("--actor", metavar="TEXT", help="who says it"),
    ),
    _resolve,
)
