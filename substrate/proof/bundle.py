"""The bundle: one JSON file that carries a claim and all that is needed to check it. Reading one proves nothing yet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from substrate.errors import ProofInvalid
from substrate.proof.encoding import Json, b64, read_json, unb64, unb64_hashes, unb64_root
from substrate.proof.entry import ENTRY_BYTES, SALT_BYTES
from substrate.proof.hashes import EMPTY
from substrate.proof.record import RECORD_BYTES
from substrate.result import Tabular

__all__ = ["CLAIMS", "MAP_SALT_BYTES", "Bundle", "EntryProof", "MapProof", "Opening", "Rotation", "Since"]

FORMAT = "substrate-bundle/1"
MAP_SALT_BYTES = 32
MAX_DEPTH = 256
MAX_BUNDLE = 16 * 1024 * 1024
_MAX_PATH = 64

_BARE = frozenset({"format", "claim", "head"})
_ENTRY = _BARE | {"entry", "atom"}
_NAMED = _ENTRY | {"name", "map"}
CLAIMS: Mapping[str, frozenset[str]] = {
    "recorded": _ENTRY,
    "current": _NAMED,
    "tombstoned": _NAMED,
    "forgotten": _NAMED,
    "absent": _BARE | {"name", "map"},
    "extended": _BARE | {"since"},
}
"""Each claim, with the members its bundle must have; `since` and `rotations` may stand in any of them."""
_SHAPES = {
    claim: tuple(member in wanted for member in ("name", "entry", "atom", "map")) for claim, wanted in CLAIMS.items()
}
_MEMBERS = _NAMED | {"since", "rotations"}


@dataclass(frozen=True, slots=True)
class EntryProof:
    """An entry, and the path from its leaf to the log root."""

    seq: int
    data: bytes
    path: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Opening:
    """The content of a commitment."""

    salt: bytes
    body: bytes


@dataclass(frozen=True, slots=True)
class MapProof:
    """The place of a name in the map: the record found there (None if empty), and the siblings from there upward."""

    salt: bytes
    record: bytes | None
    path: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Since:
    """An earlier size and root, and the consistency path from there."""

    size: int
    root: bytes
    path: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Rotation:
    """A key entry under the head that the key before it signed."""

    head: str
    entry: EntryProof
    opening: Opening


@dataclass(frozen=True, slots=True, repr=False)
class Bundle(Tabular):
    """A claim with its evidence. `head` is the signed note as text. `str()` gives the text of the bundle file."""

    claim: str
    head: str
    name: str | None = None
    entry: EntryProof | None = None
    opening: Opening | None = None
    map: MapProof | None = None
    since: Since | None = None
    rotations: tuple[Rotation, ...] = ()

    def __post_init__(self) -> None:
        """ProofInvalid unless exactly the members of the claim are there: no claim can pass for want of evidence."""
        wanted = _SHAPES.get(self.claim)
        if wanted is None:
            raise ProofInvalid("claim", f"a bundle claims one of {', '.join(CLAIMS)}")
        there = (self.name is not None, self.entry is not None, self.opening is not None, self.map is not None)
        if there != wanted or (self.claim == "extended" and self.since is None):
            members = ", ".join(sorted(CLAIMS[self.claim]))
            raise ProofInvalid("members", f"a bundle that claims {self.claim!r} has exactly the members {members}")

    def __repr__(self) -> str:
        about = "" if self.name is None else f" {self.name}"
        entry = "" if self.entry is None else f", entry {self.entry.seq}"
        since = "" if self.since is None else f", since size {self.since.size}"
        origin, size = (*self.head.split("\n"), "")[:2]
        return f"Bundle({self.claim}{about}{entry}{since}, under the head of {origin} at size {size})"

    def __str__(self) -> str:
        return self.to_json()

    def to_json(self) -> str:
        """The text of the bundle file."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    def to_dict(self) -> dict[str, Json]:
        """The members of the bundle file."""
        members: dict[str, Json] = {"format": FORMAT, "claim": self.claim}
        if self.name is not None:
            members["name"] = self.name
        if self.opening is not None:
            members["atom"] = _opening_json(self.opening)
        if self.entry is not None:
            members["entry"] = _entry_json(self.entry)
        if self.map is not None:
            record = self.map.record
            members["map"] = {
                "salt": b64(self.map.salt),
                "leaf": None if record is None else b64(record),
                "path": ["" if sibling == EMPTY else b64(sibling) for sibling in self.map.path],
            }
        if self.since is not None:
            path: list[Json] = [b64(node) for node in self.since.path]
            members["since"] = {"size": self.since.size, "root": b64(self.since.root), "path": path}
        if self.rotations:
            members["rotations"] = [
                {"head": r.head, "entry": _entry_json(r.entry), "atom": _opening_json(r.opening)}
                for r in self.rotations
            ]
        members["head"] = self.head
        return members

    @classmethod
    def parse(cls, text: str) -> Bundle:
        """The bundle in a file's text. ProofInvalid if a member is missing, unknown, there twice or misshapen."""
        if not isinstance(text, str):
            raise ProofInvalid("shape", "a bundle is handed in as text")
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise ProofInvalid("shape", "the bundle contains a lone surrogate, which has no bytes to hash") from None
        if size > MAX_BUNDLE:
            raise ProofInvalid("length", f"a bundle has at most {MAX_BUNDLE:,} bytes")
        members = _object(read_json(text, "the bundle"), "the bundle")
        if members.get("format") != FORMAT:
            raise ProofInvalid("format", f"not a bundle of the format {FORMAT!r}")
        if members.keys() - _MEMBERS:
            raise ProofInvalid("member_unknown", "the bundle has members that no bundle has")
        rotations = members.get("rotations", [])
        return cls(
            claim=_text(members.get("claim"), "claim"),
            head=_text(members.get("head"), "head"),
            name=_text(members["name"], "name") if "name" in members else None,
            entry=_read_entry(members["entry"]) if "entry" in members else None,
            opening=_read_opening(members["atom"]) if "atom" in members else None,
            map=_read_map(members["map"]) if "map" in members else None,
            since=_read_since(members["since"]) if "since" in members else None,
            rotations=tuple(_read_rotation(item) for item in _list(rotations, "rotations")),
        )


def _entry_json(entry: EntryProof) -> Json:
    return {"seq": entry.seq, "bytes": b64(entry.data), "path": [b64(node) for node in entry.path]}


def _opening_json(opening: Opening) -> Json:
    return {"salt": b64(opening.salt), "body": opening.body.decode()}


def _read_entry(value: Json) -> EntryProof:
    members = _exactly(_object(value, "entry"), {"seq", "bytes", "path"}, "entry")
    return EntryProof(
        _number(members["seq"], "entry.seq"),
        unb64(_text(members["bytes"], "entry.bytes"), "entry.bytes", ENTRY_BYTES),
        _path(members["path"], "entry.path", _MAX_PATH),
    )


def _read_opening(value: Json) -> Opening:
    members = _exactly(_object(value, "atom"), {"salt", "body"}, "atom")
    salt = unb64(_text(members["salt"], "atom.salt"), "atom.salt", SALT_BYTES)
    return Opening(salt, _text(members["body"], "atom.body").encode())


def _read_map(value: Json) -> MapProof:
    members = _exactly(_object(value, "map"), {"salt", "leaf", "path"}, "map")
    leaf = members["leaf"]
    salt = unb64(_text(members["salt"], "map.salt"), "map.salt", MAP_SALT_BYTES)
    if salt == EMPTY:
        raise ProofInvalid("length", "a map salt of zeros is none")
    return MapProof(
        salt,
        None if leaf is None else unb64(_text(leaf, "map.leaf"), "map.leaf", RECORD_BYTES),
        _path(members["path"], "map.path", MAX_DEPTH, empty_allowed=True),
    )


def _read_since(value: Json) -> Since:
    members = _exactly(_object(value, "since"), {"size", "root", "path"}, "since")
    return Since(
        _number(members["size"], "since.size"),
        unb64_root(_text(members["root"], "since.root"), "since.root"),
        _path(members["path"], "since.path", 2 * _MAX_PATH),
    )


def _read_rotation(value: Json) -> Rotation:
    members = _exactly(_object(value, "rotations"), {"head", "entry", "atom"}, "rotations")
    return Rotation(
        _text(members["head"], "rotations.head"), _read_entry(members["entry"]), _read_opening(members["atom"])
    )


def _path(value: Json, what: str, longest: int, *, empty_allowed: bool = False) -> list[bytes]:
    items = _list(value, what)
    if len(items) > longest:
        raise ProofInvalid("path_length", f"{what} has {len(items)} elements; no path has more than {longest}")
    if set(map(type, items)) - {str}:
        raise ProofInvalid("shape", f"{what} is a list of strings")
    texts = cast("list[str]", items)
    if empty_allowed and "" in texts:
        given = iter(unb64_hashes([text for text in texts if text], what))
        hashes = [next(given) if text else EMPTY for text in texts]
    else:
        hashes = unb64_hashes(texts, what)
    if hashes.count(EMPTY) != (texts.count("") if empty_allowed else 0):
        raise ProofInvalid("base64", f"{what}: an empty sibling is spelled as an empty string, in the map only")
    return hashes


def _exactly(members: dict[str, Json], wanted: set[str], what: str) -> dict[str, Json]:
    if members.keys() != wanted:
        raise ProofInvalid("member_missing", f"{what} has exactly the members {', '.join(sorted(wanted))}")
    return members


def _object(value: Json, what: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ProofInvalid("shape", f"{what} must be a JSON object")
    return value


def _list(value: Json, what: str) -> list[Json]:
    if not isinstance(value, list):
        raise ProofInvalid("shape", f"{what} must be a JSON list")
    return value


def _text(value: Json, what: str) -> str:
    if not isinstance(value, str):
        raise ProofInvalid("shape", f"{what} must be a string")
    return value


def _number(value: Json, what: str) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ProofInvalid("shape", f"{what} must be a whole number from 0 on")
    return value
