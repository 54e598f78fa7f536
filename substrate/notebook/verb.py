"""What a verb of `%memory` is: its declaration, the function that does it, and how its line is read.

    @verb(HISTORY)
    def history(workspace: Workspace, given: Namespace, cell: str | None) -> History:
        \"\"\"Give every version of an atom.\"\"\"
        return workspace.memory().history(given.name)

`substrate.commands` declares the verbs, `catalogue.py` lists those of the notebook.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import fill
from typing import TypeAlias

from IPython.core.magic_arguments import MagicArgumentParser

from substrate.commands.command import Command, Face
from substrate.commands.parser import add_options
from substrate.notebook.workspace import Workspace

__all__ = ["Run", "Verb", "verb"]

_WIDTH = 98
Run: TypeAlias = Callable[[Workspace, Namespace, str | None], object]
"""What a verb does: with what it works, what was given on the line, and the rest of the cell in the form `%%memory`."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of `%memory`."""

    command: Command
    run: Run
    parser: MagicArgumentParser
    rest: str = ""
    """The argument that is free text: all of the line that is no option, as it was typed. Empty: it has none."""
    stores: bool = False
    """Whether that text is stored: options come before it, and nothing in it is expanded."""
    cell: bool = False
    """Whether it has the form `%%memory`."""

    @property
    def name(self) -> str:
        """The word that is typed."""
        return self.command.name

    def help(self) -> str:
        """What `%memory VERB --help` shows."""
        examples = "\n".join(f"  {line}" for one in self.command.examples for line in (*one.command.split("\n"), ""))
        return f"{self.parser.format_help()}\nFor example::\n\n{examples}".rstrip()


def verb(declared: Command, *, rest: str = "", stores: bool = False, cell: bool = False) -> Callable[[Run], Verb]:
    """Make a verb of its declaration and a function."""
    command = declared.on(Face.NOTEBOOK)

    def make(run: Run) -> Verb:
        return Verb(command, run, _parser(command), rest, stores, cell)

    return make


def _parser(command: Command) -> MagicArgumentParser:
    about = f"{command.summary}\n\n{fill(command.about, _WIDTH)}".rstrip()
    parser = MagicArgumentParser(f"memory {command.name}", description=about)  # type: ignore[no-untyped-call]
    parser.allow_abbrev = False  # or a misspelt option would quietly be another one
    add_options(parser, command.options)
    return parser
