"""The passphrase of an encrypted domain: from a file, or typed unseen. It is never an argument."""

from __future__ import annotations

from collections.abc import Callable

from substrate.commands.files import read_text
from substrate.errors import InputError

__all__ = ["read_passphrase"]


def read_passphrase(file: str | None, ask: Callable[[str], str] | None, domain: str, *, new: bool = False) -> str:
    """The first line of the file, else what the person types; a `new` one is typed twice.

    `ask` shows a question and reads an answer; None: nobody can be asked. InputError.
    """
    if file is not None:
        return read_text(file, "the passphrase").partition("\n")[0].rstrip("\r")
    if ask is None:
        raise InputError("there is no terminal to ask for the passphrase: give --passphrase-file FILE")
    typed = ask(f"{'New passphrase' if new else 'Passphrase'} for {domain}: ")
    if new and typed != ask("The same again: "):
        raise InputError("the two passphrases differ: nothing was changed. Try again")
    return typed
