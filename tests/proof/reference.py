"""A second implementation of everything in docs/proofs.md, for tests: slow, recursive, straight from the definitions.

It shares no code with the package. Three parts: the log tree of RFC 6962, the sparse map, and a toy store that makes
honest bundles of every claim (and lets a test sign dishonest ones).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KINDS = {"put": 1, "tombstone": 2, "edge": 3, "unedge": 4, "train": 5, "forget": 6, "model": 7, "key": 8}
LIVE, TOMBSTONED, FORGOTTEN = 1, 2, 3
EMPTY = bytes(32)
Json = dict[str, Any]


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def b64(data: bytes) -> str:
    return b64encode(data).decode()


# ---- RFC 6962, section 2.1: D[n] is a list of inputs, or of leaf hashes already made from them


def leaf_hash(data: bytes) -> bytes:
    return sha(b"\x00" + data)


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha(b"\x01" + left + right)


def split(n: int) -> int:
    """The largest power of two smaller than n (n > 1)."""
    return 1 << (n - 1).bit_length() - 1


class Log:
    """MTH, PATH and PROOF over leaf hashes. Subtree hashes are remembered, nothing else is clever."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.leaves = leaves
        self._known: dict[tuple[int, int], bytes] = {}

    def mth(self, start: int, end: int) -> bytes:
        """MTH(D[start:end])."""
        if start == end:
            return sha(b"")
        if end - start == 1:
            return self.leaves[start]
        if (start, end) not in self._known:
            middle = start + split(end - start)
            self._known[start, end] = node_hash(self.mth(start, middle), self.mth(middle, end))
        return self._known[start, end]

    def root(self, size: int) -> bytes:
        return self.mth(0, size)

    def path(self, m: int, start: int, end: int) -> list[bytes]:
        """PATH(m, D[start:end]), section 2.1.1."""
        if end - start == 1:
            return []
        k = split(end - start)
        if m < k:
            return [*self.path(m, start, start + k), self.mth(start + k, end)]
        return [*self.path(m - k, start + k, end), self.mth(start, start + k)]

    def inclusion(self, index: int, size: int) -> list[bytes]:
        return self.path(index, 0, size)

    def subproof(self, m: int, start: int, end: int, *, whole: bool) -> list[bytes]:
        """SUBPROOF(m, D[start:end], b), section 2.1.2."""
        n = end - start
        if m == n:
            return [] if whole else [self.mth(start, end)]
        k = split(n)
        if m <= k:
            return [*self.subproof(m, start, start + k, whole=whole), self.mth(start + k, end)]
        return [*self.subproof(m - k, start + k, end, whole=False), self.mth(start, start + k)]

    def consistency(self, m: int, n: int) -> list[bytes]:
        """PROOF(m, D[n]), for 0 < m <= n."""
        return self.subproof(m, 0, n, whole=True)


def _hashes(*values: bytes) -> bool:
    return all(isinstance(value, bytes) and len(value) == 32 for value in values)


def inclusion_holds(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """Whether some tree of `size` leaves with this root has the leaf at `index`, by undoing PATH."""
    if not 0 <= index < size or not _hashes(leaf, root, *path):
        return False

    def undo(m: int, n: int, rest: list[bytes]) -> bytes | None:
        if n == 1:
            return None if rest else leaf
        if not rest:
            return None
        k = split(n)
        below = undo(m, k, rest[:-1]) if m < k else undo(m - k, n - k, rest[:-1])
        if below is None:
            return None
        return node_hash(below, rest[-1]) if m < k else node_hash(rest[-1], below)

    return undo(index, size, list(path)) == root


def consistency_holds(size1: int, size2: int, path: list[bytes], root1: bytes, root2: bytes) -> bool:
    """Whether the tree of root1 is a prefix of that of root2, by undoing SUBPROOF. From size 0 to more: False, since
    that would say nothing.
    """
    if not 0 <= size1 <= size2 or not _hashes(root1, root2, *path):
        return False
    if size1 == 0:
        return size2 == 0 and not path and root1 == root2

    def undo(m: int, n: int, rest: list[bytes], *, whole: bool) -> tuple[bytes, bytes] | None:
        if m == n:
            if whole:
                return None if rest else (root1, root1)
            return (rest[0], rest[0]) if len(rest) == 1 else None
        if not rest:
            return None
        k = split(n)
        if m <= k:
            below = undo(m, k, rest[:-1], whole=whole)
            return None if below is None else (below[0], node_hash(below[1], rest[-1]))
        below = undo(m - k, n - k, rest[:-1], whole=False)
        return None if below is None else (node_hash(rest[-1], below[0]), node_hash(rest[-1], below[1]))

    return undo(size1, size2, list(path), whole=True) == (root1, root2)


# ---- The map: records by key, split bit by bit


def bit(key: bytes, depth: int) -> int:
    return key[depth // 8] >> (7 - depth % 8) & 1


def _halves(records: dict[bytes, bytes], depth: int) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    left = {key: record for key, record in records.items() if not bit(key, depth)}
    return left, {key: record for key, record in records.items() if key not in left}


def map_tree(records: dict[bytes, bytes], depth: int = 0) -> bytes:
    """The hash of the subtree. `records` says where each record lies; that a record lies elsewhere than the key in it
    says is up to the caller (an honest one would not).
    """
    if not records:
        return EMPTY
    if len(records) == 1:
        return leaf_hash(next(iter(records.values())))
    left, right = _halves(records, depth)
    return node_hash(map_tree(left, depth + 1), map_tree(right, depth + 1))


def map_root(salt: bytes, records: dict[bytes, bytes]) -> bytes:
    return sha(b"\x02" + salt + map_tree(records))


def map_path(records: dict[bytes, bytes], key: bytes, depth: int = 0) -> tuple[bytes | None, list[bytes]]:
    """What lies in the place of the key (a record or nothing), and the siblings, deepest first."""
    if len(records) <= 1:
        return next(iter(records.values()), None), []
    left, right = _halves(records, depth)
    mine, other = (right, left) if bit(key, depth) else (left, right)
    found, path = map_path(mine, key, depth + 1)
    return found, [*path, map_tree(other, depth + 1)]


def map_key(salt: bytes, name: str) -> bytes:
    return hmac.digest(salt, name.encode(), "sha256")


def record(key: bytes, atom: bytes, seq: int, state: int) -> bytes:
    return key + atom + seq.to_bytes(8, "big") + bytes([state])


# ---- Keys and heads


@dataclass(frozen=True)
class Key:
    """A signing key with the name it signs under."""

    name: str
    private: Ed25519PrivateKey

    @classmethod
    def from_seed(cls, name: str, seed: str) -> Key:
        return cls(name, Ed25519PrivateKey.from_private_bytes(sha(seed.encode())))

    @property
    def public(self) -> bytes:
        return b"\x01" + self.private.public_key().public_bytes_raw()

    @property
    def key_id(self) -> bytes:
        return sha(self.name.encode() + b"\n" + self.public)[:4]

    @property
    def vkey(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{b64(self.public)}"

    def line(self, text: str) -> str:
        return f"\u2014 {self.name} {b64(self.key_id + self.private.sign(text.encode()))}\n"


def note(origin: str, size: int, root: bytes, map_root_: bytes, *keys: Key) -> str:
    """A head signed by these keys."""
    text = f"{origin}\n{size}\n{b64(root)}\nmap {b64(map_root_)}\n"
    return text + "\n" + "".join(key.line(text) for key in keys)


def pin_text(key: Key, head: str) -> str:
    return f"substrate pin v1\n{key.vkey}\n\n{head}"


# ---- A toy store: enough of one to make every honest bundle


def canonical(value: Json) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass
class Store:
    """An honest log with its map, all in memory, the same for the same seed."""

    origin: str
    seed: int
    leaves: list[bytes] = field(default_factory=list)
    entries: list[bytes] = field(default_factory=list)
    atoms: list[tuple[bytes, str] | None] = field(default_factory=list)  # salt and body; None once erased
    records: dict[bytes, bytes] = field(default_factory=dict)
    rotations: list[Json] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(f"{self.origin} {self.seed}")
        self.map_salt = self.random.randbytes(32)
        self.time = 1_700_000_000_000_000
        first = self._new_key()
        self.append("key", self.random.randbytes(16), {"vkey": first.vkey})

    def _new_key(self) -> Key:
        self.keys.append(Key.from_seed(self.origin, f"{self.seed} {len(self.keys)}"))
        return self.keys[-1]

    # writing

    def append(self, kind: str, subject: bytes, body: Json) -> int:
        text, salt = canonical(body), self.random.randbytes(16)
        self.time += self.random.randrange(1, 10**9)
        commitment = hmac.digest(salt, text.encode(), "sha256")
        entry = bytes([1, KINDS[kind]]) + subject + self.time.to_bytes(8, "big") + commitment
        self.entries.append(entry)
        self.leaves.append(leaf_hash(entry))
        self.atoms.append((salt, text))
        return len(self.entries) - 1

    def _set(self, name: str, atom: bytes, seq: int, state: int) -> None:
        key = map_key(self.map_salt, name)
        self.records[key] = record(key, atom, seq, state)

    def _atom(self, name: str) -> bytes | None:
        found = self.records.get(map_key(self.map_salt, name))
        return None if found is None or found[-1] == FORGOTTEN else found[32:48]

    def put(self, name: str, value: object, **more: object) -> int:
        atom = self._atom(name) or self.random.randbytes(16)
        seq = self.append("put", atom, {"name": name, "value": value, **more})
        self._set(name, atom, seq, LIVE)
        return seq

    def tombstone(self, name: str) -> int:
        atom = self._atom(name)
        assert atom is not None
        seq = self.append("tombstone", atom, {"name": name})
        self._set(name, atom, seq, TOMBSTONED)
        return seq

    def forget(self, name: str) -> int:
        atom = self._atom(name)
        assert atom is not None
        erased = [seq for seq, entry in enumerate(self.entries) if entry[2:18] == atom]
        for seq in erased:
            self.atoms[seq] = None
        key = map_key(self.map_salt, name).hex()
        seq = self.append("forget", atom, {"erased": erased, "key": key})
        self._set(name, atom, seq, FORGOTTEN)
        return seq

    def rotate(self) -> None:
        """A new key; the head of this moment is signed by the old one and the new one."""
        old, new = self.keys[-1], self._new_key()
        seq = self.append("key", self.random.randbytes(16), {"vkey": new.vkey})
        self.rotations.append({"head": self.head(old, new), **self.proven(seq)})

    # reading

    @property
    def size(self) -> int:
        return len(self.entries)

    @property
    def root(self) -> bytes:
        return Log(self.leaves).root(self.size)

    @property
    def map_root(self) -> bytes:
        return map_root(self.map_salt, self.records)

    def head(self, *keys: Key) -> str:
        return note(self.origin, self.size, self.root, self.map_root, *(keys or self.keys[-1:]))

    def pin(self) -> str:
        return pin_text(self.keys[-1], self.head())

    def proven(self, seq: int) -> Json:
        """The members `entry` and `atom`."""
        kept = self.atoms[seq]
        assert kept is not None, "its body was erased"
        path = Log(self.leaves).inclusion(seq, self.size)
        return {
            "entry": {"seq": seq, "bytes": b64(self.entries[seq]), "path": [b64(node) for node in path]},
            "atom": {"salt": b64(kept[0]), "body": kept[1]},
        }

    def mapped(self, name: str) -> Json:
        """The member `map`."""
        leaf, path = map_path(self.records, map_key(self.map_salt, name))
        return {
            "salt": b64(self.map_salt),
            "leaf": None if leaf is None else b64(leaf),
            "path": ["" if node == EMPTY else b64(node) for node in path],
        }

    def since(self, size: int) -> Json:
        """The member `since`."""
        log = Log(self.leaves)
        path = log.consistency(size, self.size)
        return {"size": size, "root": b64(log.root(size)), "path": [b64(node) for node in path]}

    def bundle(
        self, claim: str, what: str | int | None = None, *, since: int | None = None, rotations: int = 0
    ) -> Json:
        """A bundle at the present head. `what` is a name, or a seq for `recorded`; `rotations` the first one to tell,
        counted from 1 (0: none).
        """
        bundle: Json = {"format": "substrate-bundle/1", "claim": claim, "head": self.head()}
        if claim == "recorded":
            assert isinstance(what, int)
            bundle |= self.proven(what)
        elif claim != "extended":
            assert isinstance(what, str)
            bundle |= {"name": what, "map": self.mapped(what)}
            if claim != "absent":
                leaf = self.records[map_key(self.map_salt, what)]
                bundle |= self.proven(int.from_bytes(leaf[48:56], "big"))
        if since is not None:
            bundle["since"] = self.since(since)
        if rotations:
            bundle["rotations"] = self.rotations[rotations - 1 :]
        return bundle


@dataclass(frozen=True)
class Case:
    """A bundle, and what the one who verifies it has in hand."""

    label: str
    bundle: Json
    key: str | None = None
    pin: str | None = None

    @property
    def text(self) -> str:
        return json.dumps(self.bundle)


def tiny_cases(seed: int, origin: str) -> list[Case]:
    """Where paths are empty: a log of one entry, a map of none and of one."""
    store = Store(origin, seed)
    key, made = store.keys[0].vkey, []
    made.append(("recorded, alone", store.bundle("recorded", 0)))
    made.append(("absent from an empty map", store.bundle("absent", "v1.none")))
    made.append(("extended, alone", store.bundle("extended", since=1)))
    pinned = store.pin()
    store.put("v1.only", "")
    made.append(("current, alone", store.bundle("current", "v1.only", since=1)))
    made.append(("absent beside one", store.bundle("absent", "v1.none", since=1)))
    cases = [Case(f"{label}, key", bundle, key=key) for label, bundle in made]
    return cases + [Case(f"{label}, pin", bundle, pin=pinned) for label, bundle in made]


def honest_cases(seed: int, origin: str = "example.org/log") -> list[Case]:
    """Bundles of all claims, with and without `since` and `rotations`, for holders of a key, a pin, or an old key."""
    cases = tiny_cases(seed, origin)
    store = Store(origin, seed)
    chance = random.Random(seed)
    names = [f"v1.fact.n{number}" for number in range(chance.randrange(12, 40))]
    for name in names:
        store.put(name, f"value of {name}", tags=["a", "\u00e9\u202e"], confidence=0.5)
    store.append("edge", store.random.randbytes(16), {"from": "a", "to": "b", "type": "part_of"})
    tombstoned, forgotten, revised = names[0], names[1], names[2]
    store.put("v1.unicode.\u00e9\u4e2d\U0001f600", {"deep": [1, 2.5, None, True, "\n\x1b[31m"]})
    early, early_pin = store.size, store.pin()
    store.put(revised, "second version")
    store.tombstone(tombstoned)
    store.forget(forgotten)
    current = chance.choice(names[3:])
    for turn in range(3):  # with the first key, then after one rotation, then after two
        if turn:
            store.rotate()
            store.put(f"v1.after.{turn}", turn)
        first = turn and 1
        absent = [f"v1.none.{turn}.{number}" for number in range(6)]
        made = [
            ("recorded", store.bundle("recorded", chance.randrange(store.size - 5, store.size))),
            ("recorded, edge", store.bundle("recorded", len(names) + 1)),
            ("current", store.bundle("current", current)),
            ("current, revised", store.bundle("current", revised)),
            ("current, unicode", store.bundle("current", "v1.unicode.\u00e9\u4e2d\U0001f600")),
            ("tombstoned", store.bundle("tombstoned", tombstoned)),
            ("forgotten", store.bundle("forgotten", forgotten)),
            *((f"absent {number}", store.bundle("absent", name)) for number, name in enumerate(absent)),
            ("extended", store.bundle("extended", since=chance.randrange(1, store.size))),
            ("extended to itself", store.bundle("extended", since=store.size)),
            ("recorded since", store.bundle("recorded", 0, since=early)),
            ("current since", store.bundle("current", current, since=chance.randrange(1, store.size))),
        ]
        cases += [Case(f"{label}, key {turn}", bundle, key=store.keys[-1].vkey) for label, bundle in made]
        cases += [Case(f"{label}, pinned now, {turn}", bundle, pin=store.pin()) for label, bundle in made]
        told = [
            ("recorded", store.bundle("recorded", store.size - 1, since=early, rotations=first)),
            ("current", store.bundle("current", current, since=early, rotations=first)),
            ("tombstoned", store.bundle("tombstoned", tombstoned, since=early, rotations=first)),
            ("forgotten", store.bundle("forgotten", forgotten, since=early, rotations=first)),
            ("absent", store.bundle("absent", absent[0], since=early, rotations=first)),
            ("extended", store.bundle("extended", since=early, rotations=first)),
        ]
        cases += [Case(f"{label}, first key, {turn} rotations", b, key=store.keys[0].vkey) for label, b in told]
        cases += [Case(f"{label}, early pin, {turn} rotations", b, pin=early_pin) for label, b in told]
    return cases
