"""Changing one byte of what a bundle file says, as a forger or a bad disk would. Pure."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from substrate.proof.bundle import Bundle
from substrate.proof.encoding import b64
from substrate.proof.hashes import EMPTY
from substrate.proof.note import VerifierKey

__all__ = ["Changed", "change", "parts"]

_SAYS = ('"value":"', '"name":"', '"key":"')
"""What of a body is worth changing: the value; of a body that has none, the name or what stands for it."""
_ROOT_LINE = 2


@dataclass(frozen=True, slots=True)
class Changed:
    """A bundle of which one bit of one byte is another than in the honest one."""

    bundle: Bundle
    at: int
    """Which byte of the part, from 0."""
    before: int
    after: int


def parts(bundle: Bundle) -> list[str]:
    """The ids of the nodes that can be changed, in the order of a proof: from what is said up to the signature."""
    found: list[str] = []
    if bundle.entry is not None:
        found += ["body", "salt", "id", "stamp", "entry", *(f"path.{i}" for i in range(len(bundle.entry.path)))]
    if bundle.map is not None:
        # Of a name that is absent these say where to look: with others it is no false proof, but one of another name.
        found += ["name", "map_salt"] if bundle.entry is not None else []
        found += ["record"] if bundle.map.record is not None else []
        found += [f"map_path.{i}" for i in range(len(bundle.map.path))]
    return [*found, "head", "signature"]


def change(bundle: Bundle, part: str, key: VerifierKey) -> Changed:
    """The bundle with a byte of this part changed; it is one that `parts` names. `key` is whose signature is meant."""
    kind, _, level = part.partition(".")
    members: dict[str, Any] = json.loads(bundle.to_json())
    place, flip = _PLACES[kind] if kind in _PLACES else (("head",), partial(_flip_signature, key=key))
    *way, last = (*place, int(level)) if level else place
    holder: Any = members
    for step in way:
        holder = holder[step]
    holder[last], at, before = flip(holder[last])
    return Changed(Bundle.parse(json.dumps(members)), at, before, before ^ 1)


def _flip(data: bytes, at: int) -> tuple[bytes, int, int]:
    """The bytes with the lowest bit of one of them flipped, which that is, and what it was."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], at, data[at]


def _flip_bytes(text: str, at: int = -1) -> tuple[str, int, int]:
    data, at, before = _flip(b64decode(text) or EMPTY, at)  # an empty sibling is spelled as an empty string
    return "" if data == EMPTY else b64(data), at, before


def _flip_text(text: str, start: int) -> tuple[str, int, int]:
    """The first byte from `start` on is changed that leaves a text which can be read."""
    data = text.encode()
    for at in [*range(start, len(data)), *range(start)]:
        flipped, _, before = _flip(data, at)
        try:
            return flipped.decode(), at, before
        except UnicodeDecodeError:
            continue
    raise ValueError("no byte of this text can be changed")


def _flip_body(text: str) -> tuple[str, int, int]:
    mark = next((mark for mark in _SAYS if mark in text), "{")
    return _flip_text(text, len(text[: text.index(mark) + len(mark)].encode()))


def _flip_name(text: str) -> tuple[str, int, int]:
    """Its last letter or digit, if that is a plain one: the name stays one that could be."""
    plain = [at for at, byte in enumerate(text.encode()) if chr(byte).isalnum() and chr(byte).isascii()]
    return _flip_text(text, plain[-1])


def _flip_root(note: str) -> tuple[str, int, int]:
    """A byte of the log root in the head."""
    lines = note.split("\n")
    lines[_ROOT_LINE], at, before = _flip_bytes(lines[_ROOT_LINE])
    return "\n".join(lines), at, before


def _flip_signature(note: str, key: VerifierKey) -> tuple[str, int, int]:
    """A byte of the signature of `key`; others may have signed as well."""
    text, _, tail = note.partition("\n\n")
    lines = tail.split("\n")
    own = next(i for i, line in enumerate(lines) if b64decode(line.split(" ")[-1])[:4] == key.key_id)
    start, code = lines[own].rsplit(" ", 1)
    flipped, at, before = _flip_bytes(code)
    lines[own] = f"{start} {flipped}"
    return text + "\n\n" + "\n".join(lines), at - len(key.key_id), before


_PLACES: dict[str, tuple[tuple[str | int, ...], Callable[[str], tuple[str, int, int]]]] = {
    "body": (("atom", "body"), _flip_body),
    "salt": (("atom", "salt"), _flip_bytes),
    "id": (("entry", "bytes"), partial(_flip_bytes, at=17)),
    "stamp": (("entry", "bytes"), partial(_flip_bytes, at=25)),
    "entry": (("entry", "bytes"), partial(_flip_bytes, at=57)),
    "path": (("entry", "path"), _flip_bytes),
    "name": (("name",), _flip_name),
    "map_salt": (("map", "salt"), _flip_bytes),
    "record": (("map", "leaf"), partial(_flip_bytes, at=55)),
    "map_path": (("map", "path"), _flip_bytes),
    "head": (("head",), _flip_root),
}
"""Where in the file a part stands, and what becomes of it: by `at`, the last byte of the id, the time, the seq."""
