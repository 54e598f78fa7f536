"""The head: what one signature vouches for. A C2SP checkpoint with one extension line, `map <root>`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from substrate.errors import ProofInvalid
from substrate.proof.encoding import Json, b64, unb64_root
from substrate.proof.note import Note, VerifierKey, check_key_name, open_note
from substrate.result import Tabular

__all__ = ["MAX_SIZE", "Head", "Pin", "SignedHead"]

MAX_SIZE = 2**63 - 1
_MAP = "map "
_SIZE = re.compile("[1-9][0-9]{0,18}")
_PIN = "substrate pin v1"


@dataclass(frozen=True, slots=True)
class Head:
    """State of a log: who, how many entries, their root, and the root of the map after the last of them."""

    origin: str
    size: int
    root: bytes
    map_root: bytes

    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{b64(self.root)}\n{_MAP}{b64(self.map_root)}\n"

    def __str__(self) -> str:
        return f"{self.origin} at size {self.size:,}, root {self.root.hex()[:16]}"

    def to_dict(self) -> dict[str, Json]:
        """Its parts, the roots in hexadecimal."""
        return {"origin": self.origin, "size": self.size, "root": self.root.hex(), "map_root": self.map_root.hex()}

    @classmethod
    def parse(cls, text: str) -> Head:
        """The head in a note's text; ProofInvalid unless it is one that `text` makes."""
        lines = text.split("\n")
        if len(lines) != 5 or lines[4]:  # noqa: PLR2004 - four lines, each ended by a newline
            raise ProofInvalid("head", "a head has exactly four lines")
        origin, size, root, map_line = lines[:4]
        check_key_name(origin)
        if not _SIZE.fullmatch(size) or int(size) > MAX_SIZE:
            raise ProofInvalid("head", f"the size of a head is a decimal number from 1 to {MAX_SIZE}")
        if not map_line.startswith(_MAP):
            raise ProofInvalid("head", "the fourth line of a head is 'map <root>'")
        return cls(
            origin,
            int(size),
            unb64_root(root, "the head's root"),
            unb64_root(map_line.removeprefix(_MAP), "the head's map root"),
        )


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A head and the note it came in. Signed, but not necessarily by anyone you trust."""

    head: Head
    note: Note

    @classmethod
    def parse(cls, data: str) -> SignedHead:
        """The head in a signed note; ProofInvalid if malformed."""
        note = open_note(data)
        return cls(Head.parse(note.text), note)

    def signed_by(self, key: VerifierKey) -> bool:
        """Whether `key` signed it, under the origin's own name."""
        return key.name == self.head.origin and self.note.signed_by(key)

    def __str__(self) -> str:
        return str(self.note)


@dataclass(frozen=True, slots=True, repr=False)
class Pin(Tabular):
    """A head that someone remembers outside the store, with the key that was in force then."""

    key: VerifierKey
    signed: SignedHead

    @property
    def head(self) -> Head:
        """The remembered head."""
        return self.signed.head

    def __repr__(self) -> str:
        return f"Pin({self.head})"

    def to_dict(self) -> dict[str, Json]:
        """The head's parts, the key, and the text of the pin file."""
        return {**self.head.to_dict(), "key": str(self.key), "pin": str(self)}

    def __str__(self) -> str:
        return f"{_PIN}\n{self.key}\n\n{self.signed}"

    @classmethod
    def parse(cls, data: str) -> Pin:
        """The pin in a pin file's text; ProofInvalid if malformed or not signed by its own key."""
        lines = data.split("\n", 3)
        if len(lines) != 4 or lines[0] != _PIN or lines[2]:  # noqa: PLR2004 - three lines, then the note
            raise ProofInvalid("pin", f"a pin file starts with the line '{_PIN}', a verifier key and an empty line")
        pin = cls(VerifierKey.parse(lines[1]), SignedHead.parse(lines[3]))
        if not pin.signed.signed_by(pin.key):
            raise ProofInvalid("pin", "the pinned head is not signed by the pin's own key")
        return pin
