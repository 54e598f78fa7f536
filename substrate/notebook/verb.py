"""What a verb of `%memory` is, and what it works with.

A verb is a function with its arguments as decorators, in the manner of IPython's `magic_arguments`:

    @verb("history", "read", "%memory history v1.fact.payment_provider")
    @argument("name", complete="name", help="the atom's name, or its id")
    def history(desk: Desk, given: Namespace, cell: str | None) -> History:
        \"\"\"Show every version of an atom, oldest first.\"\"\"
        return desk.memory().history(given.name)

`catalogue.py` lists them all.
"""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from IPython.core import magic_arguments
from IPython.core.magic_arguments import MagicArgumentParser

from substrate.notebook.desk import Desk
from substrate.notebook.wording import nearest

__all__ = ["Run", "Verb", "argument", "verb"]

Run: TypeAlias = Callable[[Desk, Namespace, str | None], object]
"""What a verb does: with what it works, what was given on the line, and the rest of the cell in the form `%%memory`."""


class argument(magic_arguments.argument):  # noqa: N801 - written as a decorator, and named as IPython names it
    """An argument of a verb, as argparse takes it.

    `complete` is what Tab offers for it: name, domain, file, folder; or item, names where an item has them.
    """

    def __init__(self, *flags: str, complete: str = "", **properties: Any) -> None:  # noqa: ANN401 - argparse's own
        self.choices: tuple[str, ...] = tuple(properties.pop("choices", ()))
        if self.choices:  # not argparse's own, which does not say which word is near
            properties["type"] = _one_of(self.choices)
        super().__init__(*flags, **properties)  # type: ignore[no-untyped-call]
        self.flags = flags
        self.complete = complete
        self.is_option = flags[0].startswith("-")
        self.takes_value = not self.is_option or properties.get("action") not in ("store_true", "store_false")

    def __call__(self, run: Run) -> Run:
        """The function, which has this argument too."""
        decorated: Run = super().__call__(run)  # type: ignore[no-untyped-call]
        return decorated


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    def choose(text: str) -> str:
        if text not in choices:
            raise ArgumentTypeError(f"there is no {text}{nearest(text, choices)}")
        return text

    return choose


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the table."""

    name: str
    group: str
    examples: tuple[str, ...]
    run: Run
    parser: MagicArgumentParser
    arguments: tuple[argument, ...]
    summary: str
    """What it does, in a sentence."""
    rest: str = ""
    """The argument that is free text: all of the line that is no option, as it was typed. Empty: it has none."""
    stores: bool = False
    """Whether that text is stored: options come before it, and nothing in it is expanded."""
    cell: bool = False
    """Whether it has the form `%%memory`."""

    def option(self, flag: str) -> argument | None:
        """The option that is spelled so."""
        return next((one for one in self.arguments if one.is_option and flag in one.flags), None)

    @property
    def options(self) -> list[str]:
        """How its options are spelled."""
        return [flag for one in self.arguments if one.is_option for flag in one.flags]

    def help(self) -> str:
        """What `%memory VERB --help` shows."""
        examples = "\n".join(f"  {line}" for example in self.examples for line in (*example.split("\n"), ""))
        return f"{self.parser.format_help()}\nFor example::\n\n{examples}".rstrip()


def verb(
    name: str, group: str, *examples: str, rest: str = "", stores: bool = False, cell: bool = False
) -> Callable[[Run], Verb]:
    """Make a verb of a function that is decorated with its arguments."""

    def make(run: Run) -> Verb:
        summary = (run.__doc__ or "").strip().split("\n", 1)[0]
        described = magic_arguments.magic_arguments(f"memory {name}")(run)  # type: ignore[no-untyped-call]
        parser: MagicArgumentParser = described.parser
        parser.allow_abbrev = False  # or a misspelt option would quietly be another one
        given = [one for one in reversed(described.decorators) if isinstance(one, argument)]
        return Verb(name, group, examples, run, parser, tuple(given), summary, rest, stores, cell)

    return make
