"""C2SP signed notes with Ed25519: a text, and one line per signature.

https://c2sp.org/signed-note. The text ends with a newline and holds no empty line; after one empty line come lines of
`— <name> <base64 of key id and signature>`. Signatures by keys one does not know are ignored, by design of the format.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from substrate.errors import ProofInvalid
from substrate.proof.encoding import b64, unb64

__all__ = ["Note", "Signature", "Signer", "VerifierKey", "check_key_name", "generate_signer", "open_note"]

_ALGORITHM = b"\x01"
_PRIVATE = "PRIVATE+KEY+"
_MAX_NOTE = 64 * 1024
_MAX_NAME = 200


def check_key_name(name: str) -> None:
    """ProofInvalid unless `name` may name a key: printable, not empty, no space, no plus, at most 200 characters."""
    if not 0 < len(name) <= _MAX_NAME or not name.isprintable() or any(c.isspace() or c == "+" for c in name):
        raise ProofInvalid("key_name", "a key name is 1 to 200 printable characters without spaces or '+'")


def _key_id(name: str, public: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + _ALGORITHM + public).digest()[:4]


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name it signs under. `str()` gives its one text form, the vkey."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """Four bytes that say which key made a signature; a hint, never proof."""
        return _key_id(self.name, self.public)

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{b64(_ALGORITHM + self.public)}"

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """The key in a vkey text; ProofInvalid if the text is malformed or its key id does not fit."""
        name, plus, rest = text.partition("+")
        key_id, plus2, encoded = rest.partition("+")
        if not (plus and plus2):
            raise ProofInvalid("vkey", "a verifier key reads <name>+<8 hex digits>+<base64>")
        check_key_name(name)
        data = unb64(encoded, "the verifier key", 33)
        key = cls(name, data[1:])
        if data[:1] != _ALGORITHM:
            raise ProofInvalid("vkey", "this verifier key is not an Ed25519 key")
        if key.key_id.hex() != key_id:
            raise ProofInvalid("vkey", "the key id does not belong to this name and key")
        return key

    def accepts(self, signature: bytes, text: bytes) -> bool:
        """Whether `signature` is this key's over `text`."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note. Parsing says nothing about who signed it: ask `signed_by`."""

    text: str
    signatures: tuple[Signature, ...]

    def signed_by(self, key: VerifierKey) -> bool:
        """Whether one of the signatures is a valid one of `key`."""
        wanted = (key.name, key.key_id)
        data = self.text.encode()
        return any((s.name, s.key_id) == wanted and key.accepts(s.signature, data) for s in self.signatures)

    def __str__(self) -> str:
        lines = [f"\N{EM DASH} {s.name} {b64(s.key_id + s.signature)}\n" for s in self.signatures]
        return self.text + "\n" + "".join(lines)


def open_note(data: str) -> Note:
    """The note in its text form; ProofInvalid if it is malformed or carries no signature."""
    if len(data) > _MAX_NOTE:
        raise ProofInvalid("note", "the note is longer than 64 KiB")
    text, blank, tail = data.partition("\n\n")
    lines = tail.split("\n")
    if not blank or len(lines) < 2 or lines.pop() != "":  # noqa: PLR2004 - one line and the end of its newline
        raise ProofInvalid("note", "a note is a text, an empty line, and signature lines, each ended by a newline")
    if any(not (c == "\n" or c.isprintable()) for c in text):
        raise ProofInvalid("note", "the note contains control characters")
    return Note(text + "\n", tuple(_read_signature(line) for line in lines))


def _read_signature(line: str) -> Signature:
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    if dash != "\N{EM DASH}":
        raise ProofInvalid("note", "a signature line starts with an em dash and a space")
    check_key_name(name)
    data = unb64(encoded, "a signature line", 68)
    return Signature(name, data[:4], data[4:])


class Signer:
    """A private key with the name it signs under. Its text form is secret."""

    __slots__ = ("_private", "_seed", "key")

    def __init__(self, name: str, seed: bytes) -> None:
        check_key_name(name)
        self._seed = seed
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.key = VerifierKey(name, self._private.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"Signer({self.key.name!r}, key id {self.key.key_id.hex()})"

    def sign(self, text: str) -> Signature:
        """A signature line over a note's text."""
        return Signature(self.key.name, self.key.key_id, self._private.sign(text.encode()))

    def secret(self) -> str:
        """The text of the key file."""
        return f"{_PRIVATE}{self.key.name}+{self.key.key_id.hex()}+{b64(_ALGORITHM + self._seed)}"

    @classmethod
    def parse(cls, text: str) -> Signer:
        """The signer in a key file's text; ProofInvalid if it is malformed. The message never holds the key."""
        name, _, rest = text.removeprefix(_PRIVATE).partition("+")
        key_id, _, encoded = rest.partition("+")
        data = unb64(encoded, "the signing key", 33)
        signer = cls(name, data[1:])
        if not text.startswith(_PRIVATE) or data[:1] != _ALGORITHM or signer.key.key_id.hex() != key_id:
            raise ProofInvalid("signing_key", "not an Ed25519 signing key of this package")
        return signer


def generate_signer(name: str) -> Signer:
    """A new random key."""
    return Signer(name, Ed25519PrivateKey.generate().private_bytes_raw())
