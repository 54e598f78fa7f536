"""Judge what contradicts: conflicts, resolve."""

from __future__ import annotations

from dataclasses import replace

from substrate.commands.command import Command, Example, argument, flag, option
from substrate.commands.options import NAME, OFFSET, limit

__all__ = ["CONFLICTS", "RESOLVE"]

CONFLICTS = Command(
    "conflicts",
    "judge",
    "List pairs of current atoms that contradict each other.",
    "Those that came up last come first; with NAME only those of one atom. A conflict is found when one of the two is "
    "saved: another thing, number or date for the same, or a denial, also under another name. It ends when one of them "
    "gets another value or goes out of use, or when it is resolved.",
    (
        Example(
            'substrate checkpoint "v1.fact.payments.provider = Adyen" && substrate conflicts',
            "saves an atom that contradicts another one, and lists all that are open",
        ),
        Example("substrate conflicts v1.fact.payment_provider --json", "those of one atom, with both atoms, as JSON"),
        Example("%memory conflicts"),
    ),
    (
        replace(NAME, nargs="?"),
        limit(100, most=1000),
        OFFSET,
        flag("--ingested", help="also those with text that was taken in from elsewhere"),
    ),
)

RESOLVE = Command(
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
        Example("%memory resolve v1.fact.currency v1.fact.us.currency --reason 'one for each country'"),
    ),
    (
        argument("first", "one atom's name, or its id", complete="name"),
        argument("second", "the other's", complete="name"),
        option("--keep", metavar="NAME", complete="name", help="the one of the two that is right (default: both are)"),
        option("--reason", metavar="TEXT", help="why"),
        option("--actor", metavar="TEXT", help="who says it"),
        flag("--allow-secrets", help="save a reason that looks like a credential, too"),
    ),
)
