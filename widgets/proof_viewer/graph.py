"""A bundle as a graph: what it brings, and every hash that is worked out from that, up to the signature. Pure.

Some things stand in a bundle although they follow from others: the commitment in the entry, the record, the roots in
the head. Of such a node there are two values: as the bundle says it, and as it is worked out from below. Both are
carried upward. In a true bundle they are the same everywhere; a false byte changes one of them in every node above it.
So what is drawn in red is found by working out both bundles and comparing, not by following lines.

Of a bundle that the store itself gives and the verifier rejects there is no true twin. There, red is what contradicts
itself: a node whose two values are not one, a root that is not the one in the head, a signature that does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from substrate.proof.bundle import MAX_DEPTH, Bundle, EntryProof, MapProof, Opening
from substrate.proof.entry import decode_entry
from substrate.proof.hashes import EMPTY, commitment, leaf_hash, map_key, map_root, node_hash
from substrate.proof.head import Head, SignedHead
from substrate.proof.note import VerifierKey
from substrate.proof.record import State, encode_record

__all__ = ["Node", "contradicting", "differing", "draw"]

_STATES = {"current": State.LIVE, "tombstoned": State.TOMBSTONED, "forgotten": State.FORGOTTEN}
_COMMITMENT = 26
"""Where the commitment begins in an entry."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the bundle (then it has no `formula`), or what is worked out from others."""

    id: str
    values: tuple[bytes, ...]
    """As the bundle says it, then as it follows from `inputs`; each once."""
    inputs: tuple[str, ...] = ()
    formula: str = ""
    place: str = ""
    """Of a sibling: left or right of the node that it is hashed with; empty siblings are `EMPTY`."""

    @property
    def value(self) -> bytes:
        """What the bundle says it is, or what it is worked out to be."""
        return self.values[0]


def draw(bundle: Bundle, key: VerifierKey) -> dict[str, Node]:
    """All nodes by their ids, each after those that it is worked out from. `key` is who should have signed."""
    nodes = list(_log_side(bundle.entry, bundle.opening, bundle)) if bundle.entry and bundle.opening else []
    log = nodes[-1] if nodes else None
    if bundle.map is not None and bundle.name is not None:
        nodes += _map_side(bundle.map, bundle.name, bundle)
    names = nodes[-1] if bundle.map is not None else None
    nodes += _head(bundle.head, key, log, names)
    return {node.id: node for node in nodes}


def differing(honest: dict[str, Node], now: dict[str, Node]) -> list[str]:
    """The ids of the nodes that do not come out as in the honest bundle, the lowest first."""
    return [identity for identity, node in now.items() if honest[identity].values != node.values]


def contradicting(bundle: Bundle, nodes: dict[str, Node]) -> list[str]:
    """Of a rejected bundle without a true one beside it: the ids of what contradicts itself or the head, and `signed`.

    It begins where the contradiction shows. With a false sibling this is the root: any of the path could be the one.
    """
    head = SignedHead.parse(bundle.head).head
    found = {"signed"} | {identity for identity, node in nodes.items() if len(set(node.values)) > 1}
    for root in nodes["head"].inputs:
        if set(nodes[root].values) != {head.map_root if root == "map_root" else head.root}:
            found.add(root)
    if nodes["signed"].value == b"\x00":
        found.add("signature")
    return [identity for identity in nodes if identity in found]


def _log_side(entry: EntryProof, opening: Opening, bundle: Bundle) -> Iterator[Node]:
    """From salt and body to the log root, which is the last node."""
    size = SignedHead.parse(bundle.head).head.size
    made = commitment(opening.salt, opening.body)
    yield Node("salt", (opening.salt,))
    yield Node("body", (opening.body,))
    yield Node("commitment", (made,), ("salt", "body"), "HMAC-SHA256(salt, body)")
    yield Node("stamp", (entry.data[:2] + entry.data[18:_COMMITMENT],))
    yield Node("id", (entry.data[2:18],))
    data = (entry.data, entry.data[:_COMMITMENT] + made)
    yield Node("entry", data, ("stamp", "id", "commitment"), "kind | id | time | commitment")
    leaf = Node("leaf", tuple(map(leaf_hash, data)), ("entry",), "SHA-256(00 | entry)")
    yield leaf
    inner = (entry.seq ^ (size - 1)).bit_length()
    # Below `inner` the bits of the seq say the side, above it every sibling stands to the left: RFC 6962.
    lefts = [level >= inner or bool(entry.seq >> level & 1) for level in range(len(entry.path))]
    yield from _climb("log", leaf, "path", entry.path, lefts)


def _map_side(proof: MapProof, name: str, bundle: Bundle) -> Iterator[Node]:
    """From the name to the map root, which is the last node."""
    key = map_key(proof.salt, name)
    yield Node("name", (name.encode(),))
    yield Node("map_salt", (proof.salt,))
    yield Node("map_key", (key,), ("map_salt", "name"), "HMAC-SHA256(map salt, name)")
    if bundle.entry is not None:
        subject = decode_entry(bundle.entry.data).subject
        made = encode_record(key, subject, bundle.entry.seq, _STATES[bundle.claim])
        values: tuple[bytes, ...] = (proof.record or b"", made)
        yield Node("record", values, ("map_key", "id"), "map key | id | seq | state")
    else:
        values = (proof.record or b"",)
        yield Node("record", values)
    leaves = tuple(leaf_hash(value) if value else EMPTY for value in values)
    leaf = Node("map_leaf", leaves, ("record",), "SHA-256(00 | record)" if any(values) else "32 zero bytes: empty")
    yield leaf
    depth = len(proof.path)
    bits = int.from_bytes(key, "big") >> (MAX_DEPTH - depth)
    top = leaf
    for top in _climb("map", leaf, "map_path", proof.path, [bool(bits >> level & 1) for level in range(depth)]):
        yield top
    roots = tuple(map_root(proof.salt, value) for value in top.values)
    yield Node("map_root", roots, ("map_salt", top.id), "SHA-256(02 | map salt | tree)")


def _climb(name: str, node: Node, siblings: str, path: Sequence[bytes], lefts: Sequence[bool]) -> Iterator[Node]:
    """The siblings on the way up, each followed by the node that it leads to."""
    for level, (sibling, left) in enumerate(zip(path, lefts, strict=True)):
        beside = Node(f"{siblings}.{level}", (sibling,), place="left" if left else "right")
        yield beside
        values = tuple(node_hash(sibling, value) if left else node_hash(value, sibling) for value in node.values)
        pair = (beside.id, node.id) if left else (node.id, beside.id)
        node = Node(f"{name}.{level}", values, pair, "SHA-256(01 | left | right)")
        yield node


def _head(text: str, key: VerifierKey, log: Node | None, names: Node | None) -> Iterator[Node]:
    signed = SignedHead.parse(text)
    head = signed.head
    heads = (head, *_worked_out(head, log, names))
    inputs = tuple(node.id for node in (log, names) if node is not None)
    yield Node("head", tuple(each.text().encode() for each in heads), inputs, "origin, size, log root, map root")
    own = [s.signature for s in signed.note.signatures if (s.name, s.key_id) == (key.name, key.key_id)]
    yield Node("signature", tuple(own) or (b"",))
    accepted = tuple(
        bytes([bool(own) and all(key.accepts(signature, each.text().encode()) for signature in own)]) for each in heads
    )
    yield Node("signed", accepted, ("head", "signature"), "Ed25519(key, head, signature)")


def _worked_out(head: Head, log: Node | None, names: Node | None) -> Iterator[Head]:
    """The heads that the evidence leads to."""
    for root in [head.root] if log is None else log.values:
        for map_root_ in [head.map_root] if names is None else names.values:
            yield replace(head, root=root, map_root=map_root_)
