"""What a verb of the command line is, as data: parser, help, completion and docs/cli.md are made from it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from substrate.cli.answer import Answer
from substrate.cli.exits import Exit
from substrate.cli.output import Output

__all__ = ["GLOBAL_OPTIONS", "Example", "Option", "Run", "Verb", "argument", "flag", "option"]

Run: TypeAlias = Callable[[Namespace, Output], Answer]


@dataclass(frozen=True, slots=True)
class Example:
    """A command that works as it stands, after those before it. A test runs them all."""

    command: str
    does: str
    exit: Exit = Exit.OK


@dataclass(frozen=True, slots=True)
class Option:
    """An argument of a verb: `--tag` and the like, or, without dashes, one that is known by its place."""

    flags: tuple[str, ...]
    help: str
    metavar: str | None = None
    """None: it takes no value."""
    nargs: str | None = None
    """Of one known by its place: `?` or `*`, else it must be there."""
    repeatable: bool = False
    default: object = None
    parse: Callable[[str], object] = str
    """From text to value; InputError if it is none."""
    choices: tuple[str, ...] = ()
    complete: str = ""
    """What the shell offers for its value: `name` (of an atom), `file`, `folder`, or nothing."""

    @property
    def by_place(self) -> bool:
        """Whether it is known by its place."""
        return not self.flags[0].startswith("-")

    @property
    def spelling(self) -> str:
        """As it is written on a command line: `-o, --output FILE`, `NAME ...`."""
        if self.by_place:
            name = self.metavar or self.flags[0].upper()
            return {"?": f"[{name}]", "*": f"[{name} ...]"}.get(self.nargs or "", name)
        return ", ".join(self.flags) + (f" {self.metavar}" if self.metavar else "")


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: a sentence, a paragraph, examples, its arguments, and the function that does it."""

    name: str
    group: str
    summary: str
    about: str
    examples: tuple[Example, ...]
    options: tuple[Option, ...]
    run: Run


def argument(  # noqa: PLR0913 - each is one property of the argument
    name: str,
    help: str,  # noqa: A002 - the word for it
    *,
    metavar: str | None = None,
    nargs: str | None = None,
    default: object = None,
    parse: Callable[[str], object] = str,
    choices: tuple[str, ...] = (),
    complete: str = "",
) -> Option:
    """An argument known by its place."""
    return Option((name,), help, metavar or name.upper(), nargs, False, default, parse, choices, complete)  # noqa: FBT003


def option(  # noqa: PLR0913
    *flags: str,
    help: str,  # noqa: A002
    metavar: str,
    repeatable: bool = False,
    parse: Callable[[str], object] = str,
    default: object = None,
    choices: tuple[str, ...] = (),
    complete: str = "",
) -> Option:
    """An option with a value."""
    return Option(flags, help, metavar, None, repeatable, default, parse, choices, complete)


def flag(*flags: str, help: str) -> Option:  # noqa: A002
    """An option without a value."""
    return Option(flags, help)


GLOBAL_OPTIONS = (
    option(
        "--store",
        metavar="PATH",
        help="the store's folder (default: $SUBSTRATE_STORE, else ./substrate-store)",
        complete="folder",
    ),
    flag("--json", help="print one JSON document; errors are JSON too, on standard error"),
    flag("--quiet", help="no reports and no hints: only what was asked for, errors, and the exit code"),
    flag("--debug", help="show the traceback of an unexpected error"),
)
"""These may stand before the verb or after it."""
