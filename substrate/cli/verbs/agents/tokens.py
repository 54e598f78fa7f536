"""The verb token: who may call a server for several tenants, and for how long."""

from __future__ import annotations

from argparse import Namespace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from substrate.cli.answer import Answer, Facts, Raw, Table
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.commands.command import Command, Example, Face, argument, option
from substrate.commands.readers import number
from substrate.errors import InputError
from substrate.extras import require
from substrate.result import iso
from substrate.server.launch import SCOPES, read_scopes
from substrate.text.quote import as_command

__all__ = ["QUOTA", "TOKEN", "quota", "token"]

_RATE: Final = 60
_READ_WRITE: Final = frozenset({"read", "write"})
_MOST_DAYS: Final = 36_500


def _days(text: str) -> int:
    """For how many days a token is good."""
    days = number(text)
    if not 1 <= days <= _MOST_DAYS:
        raise InputError(f"a token is good for 1 to {_MOST_DAYS:,} days")
    return days


def token(given: Namespace, output: Output) -> Answer:
    """Add, list or revoke tokens."""
    require("mcp", "a server for tenants", "mcp")
    from substrate.server.http.tenant_tokens import TokenBook  # noqa: PLC0415 - loads the SDK

    if given.tenants is None:
        raise InputError("say in which folder the tenants are: --tenants DIR")
    book = TokenBook(Path(given.tenants).absolute())
    if given.action == "list":
        if given.what is not None:
            raise InputError("list takes no name: it lists the tokens of all tenants")
        columns = ("=id", "tenant", "scopes", "rate", "expires", "=label")
        kept = book.tokens()
        rows = [(one.id, one.tenant, ",".join(one.scopes), one.rate, _when(one.expires), one.label) for one in kept]
        return Answer({"tokens": [one.to_dict() for one in kept]}, (Table(columns, rows),))
    if given.what is None:
        raise InputError("say whose: token add TENANT; or which: token revoke ID, which token list shows")
    if given.action == "revoke":
        gone = book.revoke(given.what)
        return Answer(gone.to_dict(), (Facts([("revoked", gone.id), ("tenant", gone.tenant)]),), is_report=True)
    expires = None if given.days is None else datetime.now(UTC) + timedelta(days=given.days)
    made, kept_of_it = book.add(given.what, given.scopes, rate=given.rate, expires=expires, label=given.label or "")
    output.announce("this is the token, shown this once and kept nowhere. Give it to the tenant")
    document = kept_of_it.to_dict() | {"token": made}
    revoke = as_command("substrate", "token", "revoke", kept_of_it.id, "--tenants", given.tenants)
    return Answer(document, (Raw(made),), (f"to take it back: {revoke}",))


def quota(given: Namespace, _: Output) -> Answer:
    """Show or set how many atoms the store may have."""
    if given.most is None:
        with reading(given) as memory:
            most = memory.quota
    else:
        most = None if given.most == "none" else number(given.most)
        with writing(given) as memory:
            memory.set_quota(most)
    return Answer({"quota": most}, (Facts([("quota", "none" if most is None else f"{most:,} atoms")]),))


QUOTA = Command(
    "quota",
    "serve",
    "Show or set how many atoms a store may have.",
    "The store keeps it, and it holds for all writers. A checkpoint above the quota is refused, and nothing of "
    "it is saved. Over HTTP the answer is 402. Without a number it shows the quota; `none` removes it.",
    (
        Example("substrate quota 100000", "allows 100,000 atoms"),
        Example("substrate quota", "shows it"),
        Example("substrate quota none", "no limit"),
    ),
    (argument("most", "how many atoms, or none", nargs="?", metavar="N"),),
    only=Face.CLI,
)


def _when(expires: datetime | None) -> str:
    return "never" if expires is None else iso(expires)


TOKEN = Command(
    "token",
    "serve",
    "Add, list or revoke the tokens of a server for several tenants.",
    "A tenant is a folder with a store of its own below --tenants. `token add TENANT` prints a new token once; only "
    "its SHA-256 is kept. A token names one tenant, its scopes, how many calls a minute it may make, and when it "
    "expires. "
    "`token list` shows all but the tokens themselves. `token revoke ID` makes one void from the next call on. "
    "`substrate mcp --http --tenants DIR` serves them.",
    (
        Example("substrate token add acme --tenants tenants --days 90", "prints the token"),
        Example("substrate token add acme --tenants tenants --scopes read --label dashboard", "one that only reads"),
        Example("substrate token list --tenants tenants", "one line for each token"),
    ),
    (
        argument("action", "add, list or revoke", choices=("add", "list", "revoke")),
        argument("what", "the tenant of a new token, or the id of one to revoke", nargs="?", metavar="TENANT|ID"),
        option("--tenants", metavar="DIR", complete="folder", help="the folder that has a store for each tenant"),
        option(
            "--scopes",
            metavar="LIST",
            read=read_scopes,
            default=_READ_WRITE,
            help=f"the permissions of the token, some of {','.join(SCOPES)} (default read,write)",
        ),
        option("--rate", metavar="N", read=number, default=_RATE, help=f"calls a minute (default {_RATE})"),
        option("--days", metavar="N", read=_days, help="number of days until it expires (default: never)"),
        option("--label", metavar="TEXT", help="its purpose, in your words"),
    ),
    only=Face.CLI,
    as_agent=False,
)
