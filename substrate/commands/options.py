"""Options that several verbs share."""

from __future__ import annotations

from substrate.commands.command import Face, Option, argument, option
from substrate.commands.readers import moment, number, time_said

__all__ = [
    "AS_OF",
    "DOMAIN",
    "NAME",
    "NAMES",
    "OBJECTIVE",
    "OFFSET",
    "ORIGINS",
    "OUTPUT",
    "PASSPHRASE_FILE",
    "PREFIX",
    "TAG",
    "TYPE",
    "VALID_AT",
    "limit",
]

ORIGINS = ("user", "agent", "ingested")

NAME = argument("name", "the atom's name, or its id", complete="name")
NAMES = argument("names", "names or ids of atoms", metavar="NAME", nargs="*", default=(), complete="name")
PREFIX = argument("prefix", "only names that begin with this", nargs="?", default="", complete="name")
AS_OF = option(
    "--as-of",
    metavar="MOMENT",
    read=moment,
    help="as known then: an entry number, a time (ISO 8601, or 2 weeks ago), or @FILE with a pin or head",
)
VALID_AT = option(
    "--valid-at",
    metavar="TIME",
    read=time_said,
    help="as true in the world then: a time (ISO 8601, or 2 weeks ago)",
)
OFFSET = option("--offset", metavar="N", read=number, default=0, help="number of results to skip")
OBJECTIVE = option("--objective", metavar="TEXT", help="the purpose of the session, in a sentence")
OUTPUT = option("-o", "--output", metavar="FILE", help="write it to this file", complete="file")

PASSPHRASE_FILE = option(
    "--passphrase-file",
    metavar="FILE",
    help="read the passphrase from this file, and do not ask",
    complete="file",
    face=Face.NOTEBOOK,
)
"""On the command line every verb has it."""

TYPE = option(
    "--type",
    metavar="TYPE",
    repeatable=True,
    help="only atoms of this type: fact, procedure, ...; repeat to allow several",
)
DOMAIN = option(
    "--domain",
    metavar="DOMAIN",
    repeatable=True,
    help="only members of this domain: v1.domain.x, or x; repeat to allow several",
    complete="domain",
)
TAG = option("--tag", metavar="TAG", repeatable=True, help="only with this tag; repeat to require several")


def limit(default: int, what: str = "results", most: int | None = None) -> Option:
    """How many an answer holds."""
    up_to = "" if most is None else f", up to {most:,}"
    help_ = f"maximum number of {what}{up_to} (default: {default})"
    return option("--limit", metavar="N", read=number, default=default, help=help_)
