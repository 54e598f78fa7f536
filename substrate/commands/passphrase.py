"""The passphrase of an encrypted domain: from a file, or typed unseen. It is never an argument."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from getpass import GetPassWarning

from substrate.commands.files import read_text
from substrate.errors import InputError

__all__ = ["read_passphrase"]


def read_passphrase(file: str | None, ask: Callable[[str], str] | None, domain: str, *, new: bool = False) -> str:
    """The first line of the file, else what the person types; a `new` one is typed twice.

    `ask` shows a question and reads an answer; None: nobody can be asked. InputError.
    """
    if file is not None:
        return read_text(file, "the passphrase").partition("\n")[0].rstrip("\r")
    typed = _typed(ask, f"{'New passphrase' if new else 'Passphrase'} for {domain}: ")
    if new and typed != _typed(ask, "The same again: "):
        raise InputError("the two passphrases differ: nothing was changed. Try again")
    return typed


def _typed(ask: Callable[[str], str] | None, question: str) -> str:
    """What the person types. InputError where nobody can be asked, or only so that others see the answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", GetPassWarning)
        try:
            if ask is not None:
                return ask(question)
        except (GetPassWarning, NotImplementedError, EOFError):  # no terminal; a notebook that a program runs
            pass
    raise InputError("there is no terminal to ask for the passphrase: give --passphrase-file FILE")
