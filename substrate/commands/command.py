"""What a verb is, as data: parsers, help, completion and docs/cli.md are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

__all__ = ["Command", "Example", "Face", "Option", "argument", "flag", "option"]


class Face(Enum):
    """Where a verb is typed."""

    CLI = "substrate"
    NOTEBOOK = "%memory"


@dataclass(frozen=True, slots=True)
class Example:
    """What one can type as it stands, after the examples before it. A test runs them all."""

    command: str
    does: str = ""
    """What happens; the command line shows it."""
    exit: int = 0
    """The exit code on the command line."""

    @property
    def face(self) -> Face:
        """Where it is typed."""
        return Face.NOTEBOOK if "%memory" in self.command else Face.CLI


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
    read: Callable[[str], object] = str
    """From text to value; InputError if the text has none."""
    choices: tuple[str, ...] = ()
    complete: str = ""
    """What Tab offers for its value: `name` (of an atom), `domain`, `file`, `folder`; in a cell `item`; or nothing."""
    dest: str | None = None
    """The attribute that holds the value; None: as argparse names it."""
    face: Face | None = None
    """The one face that has it; None: both."""

    @property
    def by_place(self) -> bool:
        """Whether it is known by its place."""
        return not self.flags[0].startswith("-")

    @property
    def takes_value(self) -> bool:
        """Whether a value belongs to it."""
        return self.metavar is not None

    @property
    def spelling(self) -> str:
        """As it is written: `-o, --output FILE`, `NAME ...`."""
        if self.by_place:
            name = self.metavar or self.flags[0].upper()
            return {"?": f"[{name}]", "*": f"[{name} ...]"}.get(self.nargs or "", name)
        return ", ".join(self.flags) + (f" {self.metavar}" if self.metavar else "")


@dataclass(frozen=True, slots=True)
class Command:
    """One verb: a sentence, a paragraph, examples, and its arguments."""

    name: str
    group: str
    summary: str
    about: str
    examples: tuple[Example, ...]
    options: tuple[Option, ...] = ()
    only: Face | None = None
    """The one face that has the verb; None: both."""
    about_cli: str = ""
    """What is to be said on the command line only, after `about`."""
    about_notebook: str = ""
    """The same in a notebook."""
    as_agent: bool = True
    """Whether it takes --as-agent: it reads atoms, and can do so without a write."""

    def on(self, face: Face) -> Command:
        """The verb as one face has it."""
        more = self.about_cli if face is Face.CLI else self.about_notebook
        return replace(
            self,
            about=" ".join(part for part in (self.about, more) if part),
            examples=tuple(example for example in self.examples if example.face is face),
            options=tuple(item for item in self.options if item.face in (None, face)),
        )

    def option(self, flag: str) -> Option | None:
        """The option that is spelled so."""
        return next((item for item in self.options if not item.by_place and flag in item.flags), None)

    @property
    def flags(self) -> list[str]:
        """How its options are spelled."""
        return [flag for item in self.options if not item.by_place for flag in item.flags]


def argument(  # noqa: PLR0913 - each is one property of the argument
    name: str,
    help: str,  # noqa: A002 - the word for it
    *,
    metavar: str | None = None,
    nargs: str | None = None,
    default: object = None,
    read: Callable[[str], object] = str,
    choices: tuple[str, ...] = (),
    complete: str = "",
    face: Face | None = None,
) -> Option:
    """An argument known by its place."""
    return Option(
        (name,),
        help,
        metavar or name.upper(),
        nargs=nargs,
        default=default,
        read=read,
        choices=choices,
        complete=complete,
        face=face,
    )


def option(  # noqa: PLR0913
    *flags: str,
    help: str,  # noqa: A002
    metavar: str,
    repeatable: bool = False,
    read: Callable[[str], object] = str,
    default: object = None,
    choices: tuple[str, ...] = (),
    complete: str = "",
    face: Face | None = None,
) -> Option:
    """An option with a value."""
    return Option(
        flags,
        help,
        metavar,
        repeatable=repeatable,
        default=default,
        read=read,
        choices=choices,
        complete=complete,
        face=face,
    )


def flag(*flags: str, help: str, dest: str | None = None, face: Face | None = None) -> Option:  # noqa: A002
    """An option without a value."""
    return Option(flags, help, dest=dest, face=face)
