"""The options that every verb has: which store, how to answer, and where to."""

from __future__ import annotations

from dataclasses import replace

from substrate.commands.command import Command, Option, flag, option
from substrate.commands.options import OUTPUT

__all__ = ["GLOBAL_OPTIONS", "answer_file"]

GLOBAL_OPTIONS = (
    option(
        "--store",
        metavar="PATH",
        help="the store's folder (default: $SUBSTRATE_STORE, else the nearest store upwards)",
        complete="folder",
    ),
    option(
        "--unlock",
        metavar="DOMAIN",
        help="unlock this encrypted domain for this command; asks for the passphrase",
        complete="domain",
    ),
    option(
        "--passphrase-file",
        metavar="FILE",
        help="read the passphrase from this file, and do not ask; - is standard input",
        complete="file",
    ),
    flag("--as-agent", help="read as an agent does: sensitive domains are hidden"),
    flag("--json", help="print one JSON document; errors are JSON too, on standard error"),
    flag("--quiet", help="no reports and no hints: only the answer, errors, and the exit code"),
    flag("--debug", help="show the traceback of an unexpected error"),
)
"""These may stand before the verb or after it."""

_WITHOUT_ANSWER = ("mcp", "edit")
"""Verbs that talk with a client or a person as long as they run."""


def answer_file(verb: Command) -> tuple[Option, ...]:
    """The option to write the answer to a file, for each verb that has none of its own for what it makes."""
    if verb.option("-o") is not None or verb.name in _WITHOUT_ANSWER:
        return ()
    return (replace(OUTPUT, help="write the answer to this file", dest="to_file"),)
