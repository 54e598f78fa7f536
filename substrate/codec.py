"""Bodies: the erasable content of entries, as canonical JSON. Golden files hold every byte of it.

A *draft* is an entry not yet appended: its kind, its body, and what it does to the map. Drafts are made only here, so
that body and map cannot disagree. Old bodies must stay readable for ever: members are added, never renamed or retyped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from substrate.errors import SchemaInvalid, StoreDamaged, TooLarge
from substrate.limits import LIMITS, check_size
from substrate.names import check_name
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, MAX_TIME, Kind
from substrate.proof.hashes import HASH_BYTES
from substrate.proof.note import VerifierKey
from substrate.proof.record import State
from substrate.schema import is_name, is_plain, misfit

__all__ = [
    "Draft",
    "Forgets",
    "check_value",
    "decode_body",
    "decode_restored_from",
    "decode_vkey",
    "draft_forget",
    "draft_key",
    "draft_other",
    "draft_put",
    "draft_restore",
    "draft_tombstone",
    "encode_body",
    "map_change",
    "read_body",
    "read_forget",
]

_STATES = {Kind.PUT: State.LIVE, Kind.TOMBSTONE: State.TOMBSTONED, Kind.FORGET: State.FORGOTTEN}
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
"""Made once: `json.dumps` makes one for every body."""
_ESCAPE = b"\\"
_SURROGATE = b"\\ud"
"""What stands in a body that may hold a lone surrogate: this module writes no such escapes."""
_OTHER = frozenset({Kind.EDGE, Kind.UNEDGE, Kind.TRAIN, Kind.MODEL})


_DECODER = json.JSONDecoder()


class Draft(NamedTuple):
    """An entry to be. `subject` None: the log takes the id that the name has, or a new one.

    A tuple: one is made for every entry, and frozen dataclasses take four times as long.
    """

    kind: Kind
    body: bytes
    subject: bytes | None = None
    name: str | None = None
    map_key: bytes | None = None
    erase: tuple[int, ...] = ()
    again: bool = False
    """Of a tombstone: it may take the place of another one."""

    @property
    def state(self) -> State | None:
        """What the name becomes by it, if it is about a name."""
        return _STATES.get(self.kind) if self.name is not None or self.map_key is not None else None


def draft_put(
    name: str, value: str, fields: Mapping[str, Json] | None = None, *, subject: bytes | None = None
) -> Draft:
    """A new version of the atom `name`. `fields` are its further members; those that are None are left out."""
    name = check_name(name)
    check_value(value)
    body = encode_body({**_members(fields), "name": name, "value": value})
    return Draft(Kind.PUT, body, _check_id(subject), name)


def check_value(value: str) -> None:
    """Return if it can be the value of an atom. SchemaInvalid or TooLarge."""
    _check_text("value", value, LIMITS["value_bytes"])


def draft_tombstone(name: str, fields: Mapping[str, Json] | None = None, *, again: bool = False) -> Draft:
    """Takes `name` out of use; history keeps it. With `again` it may be so already: that tombstone is erased then."""
    name = check_name(name)
    return Draft(Kind.TOMBSTONE, encode_body({**_members(fields), "name": name}), None, name, again=again)


def draft_forget(
    subject: bytes, erase: Iterable[int], map_key: bytes | None = None, *, edges: Iterable[bytes] = ()
) -> Draft:
    """Erases the bodies of the entries `erase`. With `map_key`, the name at that place of the map is forgotten too.

    `edges` are the ids of edges of which nothing stays. The body says which seqs, map key and edges, nothing that was
    erased.
    """
    seqs = tuple(sorted(set(erase)))
    if not all(type(seq) is int and 0 <= seq <= MAX_TIME for seq in seqs):
        raise SchemaInvalid("erase must hold seqs: whole numbers from 0 on")
    members: dict[str, Json] = {"erased": list(seqs)}
    if map_key is not None:
        if len(map_key) != HASH_BYTES:
            raise SchemaInvalid(f"a map key has {HASH_BYTES} bytes")
        members["key"] = map_key.hex()
    if listed := sorted(edge.hex() for edge in edges):
        members["edges"] = list(listed)
    if _check_id(subject) is None:
        raise SchemaInvalid("a forget names the id of its atom")
    return Draft(Kind.FORGET, encode_body(members), subject, None, map_key, seqs)


def draft_key(key: VerifierKey) -> Draft:
    """From the next head on, `key` signs."""
    return Draft(Kind.KEY, encode_body({"vkey": str(key)}))


def draft_restore(key: VerifierKey, origin: str, size: int, root: bytes, abandoned: tuple[int, bytes] | None) -> Draft:
    """The log that `origin` had at this size and root goes on under the origin of `key`, which alone signs then.

    `abandoned` is the size and root that the old log is known to have had, and that was given up.
    """
    given_up: Json = None if abandoned is None else {"size": abandoned[0], "root": abandoned[1].hex()}
    restored_from: Json = {"origin": origin, "size": size, "root": root.hex()}
    return Draft(Kind.KEY, encode_body({"vkey": str(key), "restored_from": restored_from, "abandoned": given_up}))


def draft_other(kind: Kind, members: Mapping[str, Json], *, subject: bytes | None = None) -> Draft:
    """An edge, unedge, train or model entry. Such bodies name atoms by id only."""
    if kind not in _OTHER:
        raise SchemaInvalid("only edge, unedge, train and model entries are made this way")
    return Draft(Kind(kind), encode_body(_members(members)), _check_id(subject))


def decode_body(body: bytes) -> dict[str, Json]:
    """The members of a body, whatever they are: see `read_body`. StoreDamaged if it is no JSON object."""
    try:
        text = body.decode()
        # Not `decode`, which spends half of its time on looking for white space around: there is none.
        members, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        raise StoreDamaged("a body is not well-formed JSON") from None
    if end != len(text):
        raise StoreDamaged("a body is not well-formed JSON")
    if not isinstance(members, dict):
        raise StoreDamaged("a body is not a JSON object")
    return members


def read_body(kind: Kind, body: bytes, decoded: dict[str, Json] | None = None) -> tuple[dict[str, Json], str | None]:
    """The members of a body, and None; or what does not fit the schema, and of its members the name alone, if sound.

    What is read of an entry goes through here, so that all else can trust types and ranges: a log may come from
    anywhere, and one body that makes no sense must not keep the others from being read. `decoded`: what `decode_body`
    made of it, where that is known.
    """
    try:
        members = decode_body(body) if decoded is None else decoded
        if _ESCAPE in body and _SURROGATE in body:  # the one byte is found much faster, and few bodies have it
            _ENCODER.encode(members).encode()
    except (StoreDamaged, ValueError, RecursionError):
        return {}, "it is not JSON in valid Unicode"
    wrong = misfit(kind, members)
    if wrong is None:
        return members, None
    name = members.get("name")
    return ({"name": name} if is_name(name) else {}), wrong


class Forgets(NamedTuple):
    """What a forget entry erases: entries, the name at a place of the map, whole edges."""

    erased: tuple[int, ...] = ()
    key: bytes | None = None
    edges: tuple[bytes, ...] = ()


def read_forget(body: bytes | None) -> Forgets:
    """What the body of a forget entry says; nothing if it does not fit the schema."""
    members, wrong = ({}, "") if body is None else read_body(Kind.FORGET, body)
    erased, key, edges = members.get("erased"), members.get("key"), members.get("edges")
    if wrong is not None or not isinstance(erased, list):
        return Forgets()
    return Forgets(
        tuple(seq for seq in erased if isinstance(seq, int)),
        bytes.fromhex(key) if isinstance(key, str) else None,
        tuple(bytes.fromhex(str(edge)) for edge in edges) if isinstance(edges, list) else (),
    )


def decode_vkey(body: bytes) -> str:
    """The verifier key that a key entry names, as text."""
    vkey = decode_body(body).get("vkey")
    if not isinstance(vkey, str):
        raise StoreDamaged("the body of a key entry names no vkey")
    return vkey


def decode_restored_from(body: bytes) -> tuple[str, int, bytes] | None:
    """Origin, size and root of the log that a key entry goes on from under a new origin; None if it is no restore."""
    said = decode_body(body).get("restored_from")
    if said is None:
        return None
    match said:
        case {"origin": str(origin), "size": int(size), "root": str(root), **more} if not more:
            try:
                return origin, size, bytes.fromhex(root)
            except ValueError:
                pass
    raise StoreDamaged("the body of a key entry does not say what it was restored from")


def map_change(kind: Kind, members: Mapping[str, Json]) -> tuple[str | bytes, State] | None:
    """What an entry with this body does to the map: (name or map key, new state), or None if nothing."""
    state = _STATES.get(kind)
    if state is None:
        return None
    said = members.get("key" if kind is Kind.FORGET else "name")
    if said is None and kind is Kind.FORGET:
        return None
    if not isinstance(said, str):
        raise StoreDamaged(f"the body of a {kind.name.lower()} entry names nothing")
    if kind is not Kind.FORGET:
        return said, state
    try:
        return bytes.fromhex(said), state
    except ValueError:
        raise StoreDamaged("the body of a forget entry holds no map key") from None


def _members(fields: Mapping[str, Json] | None) -> dict[str, Json]:
    """The members that `fields` add to a body, those that are None left out."""
    if fields is None:
        return {}
    if not (isinstance(fields, dict) or isinstance(fields, Mapping)) or not is_plain(fields):  # noqa: SIM101
        raise SchemaInvalid(f"fields must be JSON with string keys, at most {LIMITS['body_depth']} levels deep")
    if "name" in fields or "value" in fields:
        clash = fields.keys() & {"name", "value"}
        raise SchemaInvalid(f"fields must not hold {', '.join(sorted(clash))}: it is given on its own")
    return {key: value for key, value in fields.items() if value is not None}


def encode_body(members: Mapping[str, Json]) -> bytes:
    """The canonical bytes of a body. SchemaInvalid or TooLarge."""
    try:
        body = _ENCODER.encode(members).encode()
    except ValueError:  # NaN, infinity, a lone surrogate
        raise SchemaInvalid("fields must be JSON with finite numbers and valid Unicode") from None
    check_size("body", len(body), "body_bytes")
    return body


def _check_text(field: str, text: str, limit: int) -> None:
    if not isinstance(text, str):
        raise SchemaInvalid(
            f"{field} must be a string, not {type(text).__name__}: use str(), or put other JSON into fields"
        )
    if len(text) > limit:
        raise TooLarge(field, len(text), limit)  # as many bytes at least; to count them would copy it
    if text.isascii():
        return
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise SchemaInvalid(f"{field} contains a lone surrogate, which has no UTF-8") from None
    if size > limit:
        raise TooLarge(field, size, limit)


def _check_id(subject: bytes | None) -> bytes | None:
    if subject is not None and (not isinstance(subject, bytes) or len(subject) != ID_BYTES):
        raise SchemaInvalid("an id is 16 bytes, as uuid.UUID.bytes gives them")
    return subject
