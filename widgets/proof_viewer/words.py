"""A drawn proof in words: what each node is called and says, and what the verifier found. Pure."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from substrate.errors import ProofInvalid
from substrate.proof.bundle import Bundle
from substrate.proof.entry import Kind, decode_entry
from substrate.proof.hashes import EMPTY, HASH_BYTES
from substrate.proof.head import SignedHead
from substrate.proof.record import decode_record
from substrate.proof.verify import Verdict
from substrate.result import iso, plain
from substrate.values.times import from_microseconds

from .change import parts
from .graph import Node, contradicting, differing

__all__ = ["title", "told", "words"]

_SHOWN = 4000
"""Characters of a body that go into the page."""
_TITLES = {
    "salt": "salt",
    "body": "body",
    "commitment": "commitment",
    "stamp": "kind, time",
    "id": "atom id",
    "entry": "entry",
    "leaf": "leaf",
    "name": "name",
    "map_salt": "map salt",
    "map_key": "map key",
    "record": "record",
    "map_leaf": "leaf",
    "map_root": "map root",
    "head": "head",
    "signature": "signature",
    "signed": "signed",
}


def title(identity: str, nodes: dict[str, Node]) -> str:
    """What a node is called."""
    kind, _, level = identity.partition(".")
    if not level:
        return _TITLES[identity]
    if kind in {"path", "map_path"}:
        return f"sibling {int(level) + 1}"
    if f"{kind}.{int(level) + 1}" in nodes:
        return f"node {int(level) + 1}"
    return "log root" if kind == "log" else "tree root"


def told(
    bundle: Bundle, honest: dict[str, Node] | None, now: dict[str, Node], changed: str, *, accepted: bool
) -> list[dict[str, object]]:
    """The nodes as the page shows them; `accepted` is what the verifier says of the bundle.

    `honest` is the true proof that a byte was changed of, or None: then the store gave the bundle as it is. A node that
    is `red` has in `was` what it should be: as in the true proof, or as it is worked out.
    """
    if honest is None:
        red = set() if accepted else set(contradicting(bundle, now))
        honest = {identity: Node(identity, node.values[::-1]) for identity, node in now.items()}
    else:
        red = set(differing(honest, now))
    can_change = set(parts(bundle)) if accepted or changed else set()
    head = SignedHead.parse(bundle.head).head
    return [
        {
            "id": node.id,
            "title": title(node.id, now),
            "bytes": _differing(honest[node.id], node).hex(),
            "was": _said(honest[node.id]) if node.id in red else "",
            "text": _text(bundle, node),
            "formula": node.formula,
            "inputs": list(node.inputs),
            "place": node.place,
            "empty": node.value == EMPTY,
            "red": node.id in red,
            "good": accepted and node.id == "signed",
            "part": node.id in can_change,
            "changed": node.id == changed,
            "head": plain(asdict(head)) if node.id == "head" else None,
        }
        for node in now.values()
    ]


def _differing(honest: Node, node: Node) -> bytes:
    """Of the values of a node the one that is not as it should be; of one that is, its value."""
    pairs = zip(node.values, honest.values, strict=True)
    value = next((value for value, was in pairs if value != was), node.value)
    return value if len(value) <= 2 * HASH_BYTES else b""


def _said(node: Node) -> str:
    """A value in a line: text as text, what is short as hex."""
    if node.id in {"body", "name"}:
        return _cut(node.value)
    return node.value.hex() if len(node.value) <= 2 * HASH_BYTES else ""


def _cut(data: bytes) -> str:
    text = data.decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(data):,} bytes in all)"


def _text(bundle: Bundle, node: Node) -> str:
    """What it says, of what is not a hash."""
    match node.id:
        case "body" | "name" | "head":
            return _cut(node.value)
        case "stamp" | "id" if bundle.entry is not None:
            entry = decode_entry(bundle.entry.data)
            if node.id == "id":
                return str(UUID(bytes=entry.subject))
            return f"{entry.kind.name.lower()}, {iso(from_microseconds(entry.time))}"
        case "record":
            return _record(node.value)
        case "signed":
            return "" if b"\x00" in node.values else "valid"
    return ""


def _record(data: bytes) -> str:
    if not data:
        return "nothing here"
    try:
        record = decode_record(data)
    except ProofInvalid as error:
        return str(error)
    return f"seq {record.seq}, {record.state.name.lower()}"


def words(verdict: Verdict, name: str, as_of: int | None) -> str:
    """What a verdict says, in a sentence or two. `name` is the atom that was asked about."""
    size, seq = f"{verdict.head.size:,}", verdict.seq
    match verdict.claim:
        case "current":
            return f"{name} is current: entry {seq} of {size} says it, and the map of names knows nothing later."
        case "tombstoned":
            return f"{name} is out of use: entry {seq} of {size} took it out, and the map of names says so still."
        case "forgotten":
            return f"{name} was forgotten: entry {seq} of {size} erased it for good, and the map of names says so."
        case "absent":
            return f"{name} was never in this store of {size} entries: the map of names has nothing in its place."
    kind = verdict.entry.kind if verdict.entry is not None else Kind.PUT
    what = {
        Kind.PUT: f"the value of {name} after entry {as_of}",
        Kind.TOMBSTONE: f"the tombstone that {name} was under after entry {as_of}",
        Kind.FORGET: f"the forgetting of the value of {name} after entry {as_of}",
    }[kind]
    return f"Entry {seq} of {size} is recorded, just so: it is {what}. That it is current is not claimed."
