"""C2SP signed notes with Ed25519: a text, and one line per signature.

https://c2sp.org/signed-note. The text ends with a newline and holds no empty line; after one empty line come lines of
`— <name> <base64 of key id and signature>`. Signatures by keys one does not know are ignored, by design of the format
(they may be of another kind, such as a witness's); a false signature by a key one knows spoils the whole note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from substrate.errors import ProofInvalid
from substrate.proof.encoding import Json, b64, unb64
from substrate.result import Tabular

__all__ = ["Note", "Signature", "Signer", "VerifierKey", "check_key_name", "generate_signer", "open_note"]

_ALGORITHM = b"\x01"
_PRIVATE = "PRIVATE+KEY+"
_KEY_ID_BYTES = 4
_MAX_NOTE = 64 * 1024
_NAME = re.compile(r"[A-Za-z0-9._~:/-]{1,200}")
_SIGNATURE_LINE = re.compile("\N{EM DASH} ([^\\s+]+) ([A-Za-z0-9+/]+={0,2})")
# Keys under which anyone can sign anything, without the sign bit; two of them in a spelling that is not canonical.
_SMALL_ORDER = frozenset(
    {
        bytes(32),
        b"\x01" + bytes(31),
        bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
        bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
        *((2**255 - 19 + n).to_bytes(32, "little") for n in (-1, 0, 1)),
    }
)


def check_key_name(name: str) -> None:
    """ProofInvalid unless `name` may name a log and its keys."""
    if not _NAME.fullmatch(name):
        raise ProofInvalid("key_name", "a name of a log or key is 1 to 200 of the characters A-Z a-z 0-9 . _ ~ : / -")


def _key_id(name: str, public: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + _ALGORITHM + public).digest()[:4]


@dataclass(frozen=True, slots=True, repr=False)
class VerifierKey(Tabular):
    """A public key with the name it signs under. `str()` gives its one text form, the vkey."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """Four bytes that say which key made a signature; a hint, never proof."""
        return _key_id(self.name, self.public)

    def __repr__(self) -> str:
        return f"VerifierKey({self})"

    def to_dict(self) -> dict[str, Json]:
        """The key as text."""
        return {"key": str(self)}

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
        if key.public[:31] + bytes([key.public[31] & 0x7F]) in _SMALL_ORDER:
            raise ProofInvalid("vkey", "a public key of small order: anyone could sign for it")
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
        """Whether `key` signed it: there is a signature under its name and id, and every such one is valid."""
        wanted = (key.name, key.key_id)
        own = [s.signature for s in self.signatures if (s.name, s.key_id) == wanted]
        data = self.text.encode()
        return bool(own) and all(key.accepts(signature, data) for signature in own)

    def __str__(self) -> str:
        lines = [f"\N{EM DASH} {s.name} {b64(s.key_id + s.signature)}\n" for s in self.signatures]
        return self.text + "\n" + "".join(lines)


def open_note(data: str) -> Note:
    """The note in its text form; ProofInvalid if it is malformed or carries no signature."""
    if len(data) > _MAX_NOTE:
        raise ProofInvalid("note", f"a note has at most {_MAX_NOTE:,} characters")
    text, blank, tail = data.partition("\n\n")
    lines = tail.split("\n")
    if not blank or len(lines) < 2 or lines.pop() != "":  # noqa: PLR2004 - one line and the end of its newline
        raise ProofInvalid("note", "a note is a text, an empty line, and signature lines, each ended by a newline")
    if not text.replace("\n", "").isprintable():
        raise ProofInvalid("note", "the note contains control characters")
    return Note(text + "\n", tuple(_read_signature(line) for line in lines))


def _read_signature(line: str) -> Signature:
    match = _SIGNATURE_LINE.fullmatch(line)
    if match is None:
        raise ProofInvalid("note", "a signature line reads: em dash, name, base64, one space between each")
    data = unb64(match[2], "a signature line")
    return Signature(match[1], data[:_KEY_ID_BYTES], data[_KEY_ID_BYTES:])


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
