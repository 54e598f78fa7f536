"""Judge what contradicts, and what waits for a person: conflicts, resolve, pending."""

from __future__ import annotations

from dataclasses import replace

from substrate.commands.command import Command, Example, argument, flag, option
from substrate.commands.options import NAME, OFFSET, limit

__all__ = ["CONFLICTS", "PENDING", "RESOLVE"]

CONFLICTS = Command(
    "conflicts",
    "judge",
    "List pairs of current atoms that contradict each other.",
    "The newest conflicts come first. NAME limits the list to one atom. Saving an atom can start a conflict: "
    "another value, number or date for the same thing, or a denial, also under another name. A conflict ends "
    "when one atom changes or goes out of use, or with resolve.",
    (
        Example(
            'substrate checkpoint "v1.fact.payments.provider = Adyen" && substrate conflicts',
            "saves an atom that contradicts another one, and lists the open conflicts",
        ),
        Example(
            "substrate conflicts v1.fact.payment_provider --json", "conflicts of one atom, with both atoms, as JSON"
        ),
        Example("%memory conflicts"),
    ),
    (
        replace(NAME, nargs="?"),
        limit(100, most=1000),
        OFFSET,
        flag("--ingested", help="also conflicts with text from ingested documents"),
    ),
)

RESOLVE = Command(
    "resolve",
    "judge",
    "Settle a conflict: one of two atoms is right, or both are.",
    "With --keep, that atom supersedes the other. Without it, both are right: a consistent_with edge ends the "
    "conflict until one of them changes. The log keeps the author and the reason.",
    (
        Example(
            "substrate resolve v1.fact.payment_provider v1.fact.payments.provider --keep v1.fact.payment_provider "
            '--reason "Adyen was a trial"',
            "keeps one of the two",
        ),
        Example(
            'substrate checkpoint "v1.fact.us.currency = The currency is USD" && '
            'substrate resolve v1.fact.currency v1.fact.us.currency --reason "one for each country"',
            "saves an atom that contradicts another one, then keeps both",
        ),
        Example("%memory resolve v1.fact.currency v1.fact.us.currency --reason 'one for each country'"),
    ),
    (
        argument("first", "one atom's name, or its id", complete="name"),
        argument("second", "the other's", complete="name"),
        option("--keep", metavar="NAME", complete="name", help="the one of the two that is right (default: both are)"),
        option("--reason", metavar="TEXT", help="why"),
        option("--actor", metavar="TEXT", help="the author: a person or an agent"),
        flag("--allow-secrets", help="also save a reason that looks like a credential"),
    ),
    as_agent=False,
)

PENDING = Command(
    "pending",
    "judge",
    "List what waits for you, and accept or decline it.",
    "It is one list: corrections that an agent proposes, texts that it could not place, and statements that rules "
    "found in transcripts. A correction waits ten minutes, a text a day, a statement until you decide. To accept a "
    "correction saves a new version. To accept a text saves it as a document; --domain and --create say where. "
    "A declined text is erased; a declined statement goes out of use.",
    (
        Example(
            """echo '{"type": "user", "message": {"role": "user", "content": "Never deploy on Fridays."}}' > p.jsonl """
            "&& substrate transcript p.jsonl && substrate pending",
            "lists what waits for you",
        ),
        Example("substrate pending --accept v1.constraint.never_deploy_fridays", "accepts it"),
        Example("%memory pending"),
    ),
    (
        option("--accept", metavar="ID", complete="name", help="accept this proposal"),
        option("--decline", metavar="ID", complete="name", help="decline this proposal"),
        option("--domain", metavar="NAME", complete="domain", help="with --accept, of a text: the domain it goes into"),
        flag("--create", help="with --accept, of a text: create the domain if there is none"),
        option("--actor", metavar="TEXT", help="the author: a person or an agent"),
        limit(100, most=1000),
    ),
)
