"""What other programs call a verb, and what people type for it: the verb by its meaning.

Never `forget` alone: nobody who mistyped is led to what erases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["meant_by"]

_SAVE: Final = "to save a sentence: {} remember TEXT; to choose the name: {} checkpoint NAME = VALUE"
_READ: Final = "to read an atom: {} access NAME"
_FIND: Final = "to find atoms: {} search WORDS"
_DROP: Final = "to take an atom out of use: {} checkpoint --tombstone NAME; to erase it: {} forget NAME"
_LINK: Final = "to link two atoms: {} checkpoint --edge 'SOURCE TYPE TARGET'"
_WORDS: Final[Mapping[str, str]] = {
    _SAVE: "add save set put store record note keep say write new create insert memorize memorise commit",
    _READ: "get read show cat view print fetch value",
    _FIND: "find grep query lookup recall ask locate",
    _DROP: "rm remove delete del drop erase tombstone",
    _LINK: "link connect edge join",
    "to give an atom another name: {} rename OLD NEW": "mv move name alias",
    "to take the last checkpoint back: {} undo": "revert rollback back redo reset",
    "to see an atom's versions: {} history NAME": "log versions blame",
    "to list atoms: {} list": "ls dir all names atoms",
    "to see what will be needed: {} predict NAME": "next suggest",
    "to see what a session should know: {} bootstrap": "prime begin brief opening",
    "to learn that atoms are needed together: {} train NAME NAME": "learn teach",
    "to see what changed: {} diff MOMENT": "changes changed",
    "to settle a conflict: {} resolve FIRST SECOND": "settle fix",
    "to prove what is recorded: {} prove NAME": "sign proof certify",
}
_IN_A_SHELL: Final[Mapping[str, str]] = {
    "to change a value: {} edit NAME": "change modify update correct amend vi vim nano editor",
    "for help: {} --help, or {} VERB --help": "help man usage",
    "for how much there is: {} stats; to check it: {} fsck": "status info size count",
    "to check the store: {} fsck": "check doctor test validate repair",
    "to write the store to a file: {} export FILE": "dump",
    "to read a file: {} import FILE": "load",
    "to copy the store: {} backup FOLDER": "copy clone cp",
    "to serve agents: {} mcp": "serve server start run",
    "to give space back: {} compact": "gc vacuum clean",
    "a store is made by the first save: {} remember TEXT": "init make",
}
"""Verbs of the command line alone."""
_IN_A_CELL: Final[Mapping[str, str]] = {
    "to change a value: {} checkpoint NAME = VALUE; from a time on: {} replace OLD NEW VALUE": (
        "change modify update correct amend"
    ),
}
"""What a cell has other verbs for."""


def meant_by(word: str, program: str, *, in_a_shell: bool) -> str | None:
    """What to type for a word that is no verb, as `substrate` or `%memory`; None if its meaning is not known."""
    for table in (_WORDS, _IN_A_SHELL if in_a_shell else _IN_A_CELL):
        for told, words in table.items():
            if word.lower() in words.split():
                return told.replace("{}", program)
    return None
