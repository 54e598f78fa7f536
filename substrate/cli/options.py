"""The options that every verb has: which store, how to answer."""

from __future__ import annotations

from substrate.commands.command import flag, option

__all__ = ["GLOBAL_OPTIONS"]

GLOBAL_OPTIONS = (
    option(
        "--store",
        metavar="PATH",
        help="the store's folder (default: $SUBSTRATE_STORE, else the nearest upwards)",
        complete="folder",
    ),
    flag("--json", help="print one JSON document; errors are JSON too, on standard error"),
    flag("--quiet", help="no reports and no hints: only what was asked for, errors, and the exit code"),
    flag("--debug", help="show the traceback of an unexpected error"),
)
"""These may stand before the verb or after it."""
