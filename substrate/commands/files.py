"""Texts from files, from standard input and to files. Nothing of what is read is ever echoed."""

from __future__ import annotations

import re
import sys
from typing import BinaryIO

from substrate.errors import Denied, InputError, ProofInvalid, TooLarge
from substrate.files import expanded, replace_file, resolved

__all__ = [
    "is_text",
    "no_key",
    "no_pin",
    "read_evidence",
    "read_key",
    "read_pin",
    "read_text",
    "read_text_exactly",
    "write_text",
]

_MAX_INPUT = 256 * 1024 * 1024
"""Of a file or of standard input; the engine has smaller limits of its own."""
_PIN = "substrate pin"
_KEY = re.compile(r"[A-Za-z0-9._~:/-]{1,200}\+")
_NO_TEXT = re.compile("[\\x00\\ud800-\\udfff]")


def is_text(word: str) -> bool:
    """Whether a word that the system handed over is text: bytes that are not UTF-8 come as lone surrogates."""
    return _NO_TEXT.search(word) is None


def read_text(path: str, what: str) -> str:
    """The text of a file, or of standard input if the path is `-`. InputError if it cannot be read or is not UTF-8."""
    return read_text_exactly(path, what).removeprefix("\ufeff")


def read_text_exactly(path: str, what: str) -> str:
    """The same, to the byte: a byte order mark stays in it."""
    data = _read(path, what, _MAX_INPUT)
    if len(data) > _MAX_INPUT:
        raise TooLarge(_place(path), len(data), _MAX_INPUT)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{what} {_place(path)} is not UTF-8 at byte {error.start}") from None


def read_evidence(path: str, what: str) -> str:
    """The text of a proof, pin or key, for who judges it: just as its bytes are, a byte order mark included.

    What is not UTF-8 becomes lone surrogates, which no verifier lets pass. ProofInvalid if it is larger than a bundle.
    """
    from substrate.proof.bundle import MAX_BUNDLE  # noqa: PLC0415 - who proves nothing does not need it

    data = _read(path, what, MAX_BUNDLE)
    if len(data) > MAX_BUNDLE:
        raise ProofInvalid("length", f"{what} {_place(path)} is larger than any bundle: {MAX_BUNDLE:,} bytes")
    return data.decode(errors="surrogateescape")


def read_key(given: str, *, instead: str = "--pin") -> str:
    """A verifier key: as such if it reads like one, else from the file of that name, by `read_evidence`.

    InputError if that holds no key; of a pin it names the option to use `instead`.
    """
    if given.count("+") > 1:
        return given
    text = no_pin(read_evidence(given, "the verifier key").strip(), given, instead)
    if not _KEY.match(text):
        raise InputError(f"{given} holds no verifier key: `substrate key` prints one")
    return text


def read_pin(path: str) -> str:
    """The text of a pin, by `read_evidence`. InputError if it is a key."""
    return no_key(read_evidence(path, "the pin"), path)


def no_pin(text: str, given: str, instead: str = "--pin") -> str:
    """The text that was `given` as a key. InputError if it begins as a pin does."""
    if text.startswith(_PIN):
        raise InputError(f"{given} is a pin: use {instead}")
    return text


def no_key(text: str, given: str) -> str:
    """The text that was `given` as a pin. InputError if it begins as a verifier key does."""
    if _KEY.match(text):
        raise InputError(f"{given} is a key: use --key")
    return text


def _read(path: str, what: str, most: int) -> bytes:
    """One byte more than `most`, if there are more."""
    try:
        if path == "-":
            return _standard_input(what).read(most + 1)
        with expanded(path).open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise InputError(f"{what} {_place(path)} cannot be read: {error.strerror or error}") from None


def _standard_input(what: str) -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{what} cannot be read: standard input is closed; give a file")
    return sys.stdin.buffer


def write_text(path: str, text: str, what: str) -> None:
    """Put a text into a file of the user's: whole, or what was there stays. What is no file is written to as it is."""
    target = resolved(path)
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
        else:
            replace_file(target, text.encode(), 0o666)  # less what the user's mask takes away
    except PermissionError as error:
        raise Denied(f"{what} cannot be written to {path}: {error.strerror}") from None
    except OSError as error:
        raise InputError(f"{what} cannot be written to {path}: {error.strerror}") from None


def _place(path: str) -> str:
    return "from standard input" if path == "-" else f"in {path}"
