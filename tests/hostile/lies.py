"""Bundles that the holder of the key signed, and that contradict themselves: every signature and every path is right.

A mutation of an honest bundle always breaks a hash or a signature first, so that the comparisons behind those would
never be put to the test by it. These are for them.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable

from tests.hostile.liar import ATOM, ORIGIN, case_of, leaf_of, new_store, set_leaf
from tests.hostile.lies_about_keys import about_heads, about_history, about_rotations
from tests.proof import reference
from tests.proof.reference import FORGOTTEN, LIVE, TOMBSTONED, Case, Json, Store, b64, map_key, record


def lies(seed: int) -> list[Case]:
    """One bundle per lie. All must be rejected."""
    return [
        *_about_states(seed),
        *_about_entries(seed),
        *_about_bodies(seed),
        *_about_absence(seed),
        *_about_spelling(seed),
        *about_heads(seed),
        *about_history(seed),
        *about_rotations(seed),
    ]


def _about_spelling(seed: int) -> list[Case]:
    """Names that look like another name, because they are not in the one form that stores use."""
    store = new_store(seed)
    store.put("v1.\u00e4", 1)
    store.put("v1.o\u0308", 2)
    return [
        case_of("absent in another spelling", store, store.bundle("absent", "v1.a\u0308")),
        case_of("current in another spelling", store, store.bundle("current", "v1.o\u0308")),
    ]


def _about_states(seed: int) -> list[Case]:
    """The leaf of the name says something else than entry and claim do."""
    made: list[Case] = []
    writes: dict[str, Callable[[Store], int]] = {
        "current": lambda store: store.put("v1.n3", "new"),
        "tombstoned": lambda store: store.tombstone("v1.n3"),
        "forgotten": lambda store: store.forget("v1.n3"),
    }
    right = {"current": LIVE, "tombstoned": TOMBSTONED, "forgotten": FORGOTTEN}
    changes: dict[str, Callable[[bytes], bytes]] = {
        "another key": lambda leaf: bytes(32) + leaf[32:],
        "another id": lambda leaf: leaf[:32] + bytes(16) + leaf[48:],
        "an earlier seq": lambda leaf: leaf[:48] + (0).to_bytes(8, "big") + leaf[56:],
        "a later seq": lambda leaf: leaf[:48] + (10**6).to_bytes(8, "big") + leaf[56:],
    }
    for claim, write in writes.items():
        for state in range(5):
            if state != right[claim]:
                changes[f"state {state}"] = lambda leaf, state=state: leaf[:56] + bytes([state])  # type: ignore[misc]
        for label, change in changes.items():
            store = new_store(seed)
            write(store)
            honest = leaf_of(store, "v1.n3")
            bundle = store.bundle(claim, "v1.n3")
            set_leaf(store, "v1.n3", change(honest))
            if leaf_of(store, "v1.n3") == honest:
                continue
            lie = bundle | {"head": store.head(), "map": store.mapped("v1.n3")}
            made.append(case_of(f"{claim}: the leaf has {label}", store, lie))
        changes = {label: change for label, change in changes.items() if not label.startswith("state")}
        # another claim about an honest leaf and entry
        store = new_store(seed)
        write(store)
        made += [
            case_of(f"{other}, which is {claim}", store, store.bundle(claim, "v1.n3") | {"claim": other})
            for other in writes
            if other != claim
        ]
        bundle = store.bundle(claim, "v1.n3")
        del bundle["entry"], bundle["atom"]
        made.append(case_of(f"absent, which is {claim}", store, bundle | {"claim": "absent"}))
        # the place of the name is empty
        del store.records[map_key(store.map_salt, "v1.n3")]
        seq = store.size - 1
        bundle = store.bundle("recorded", seq) | {"claim": claim, "name": "v1.n3", "map": store.mapped("v1.n3")}
        made.append(case_of(f"{claim}: there is no leaf", store, bundle))
    return made


def _about_entries(seed: int) -> list[Case]:
    """The map points to an entry that is not what the claim needs."""
    store = new_store(seed)
    old = store.put("v1.n5", "first")
    store.put("v1.n5", "second")
    made = [case_of("an older version", store, store.bundle("current", "v1.n5") | store.proven(old))]
    for kind in reference.KINDS:
        for claim, (right, state) in {
            "current": ("put", LIVE),
            "tombstoned": ("tombstone", TOMBSTONED),
            "forgotten": ("forget", FORGOTTEN),
        }.items():
            if kind == right:
                continue
            store = new_store(seed)
            key = map_key(store.map_salt, "v1.a")
            seq = store.append(kind, ATOM, {"name": "v1.a", "key": key.hex(), "value": 1})
            set_leaf(store, "v1.a", record(key, ATOM, seq, state))
            made.append(case_of(f"{claim} by an entry of kind {kind}", store, store.bundle(claim, "v1.a")))
    for byte, value in [(0, 0), (0, 2), (0, 255), (1, 0), (1, 9), (1, 255)]:
        store = new_store(seed)
        entry = bytearray(store.entries[7])
        entry[byte] = value
        store.entries[7], store.leaves[7] = bytes(entry), reference.leaf_hash(bytes(entry))
        made.append(case_of(f"byte {byte} of the entry is {value}", store, store.bundle("recorded", 7)))
    made += _about_places(seed)
    for claim in ("current", "recorded"):
        store = new_store(seed)
        entry = store.entries[7] + b"\0"
        store.entries[7], store.leaves[7] = entry, reference.leaf_hash(entry)
        made.append(
            case_of(f"{claim} by a longer entry", store, store.bundle(claim, "v1.n6" if claim == "current" else 7))
        )
    return made


def _about_places(seed: int) -> list[Case]:
    """The size in the head is not that of the tree under its root; or the entry lies outside."""
    store = Store(ORIGIN, seed)
    key, alone = store.keys[0], store.bundle("recorded", 0)
    made = [
        case_of("seq 1 in a log of one", store, alone | {"entry": alone["entry"] | {"seq": 1}}),
        case_of("seq -1 in a log of one", store, alone | {"entry": alone["entry"] | {"seq": -1}}),
    ]
    for number in range(3):
        store.put(f"v1.n{number}", number)
    first, last = store.bundle("recorded", 0), store.bundle("recorded", 3)
    made.append(case_of("seq -1 for seq 0", store, first | {"entry": first["entry"] | {"seq": -1}}))
    second = store.bundle("recorded", 1)
    for number in (True, 1.0, "1"):
        made.append(case_of(f"seq {number!r}", store, second | {"entry": second["entry"] | {"seq": number}}))
        since = store.since(1) | {"size": number}
        made.append(case_of(f"since {number!r}", store, store.bundle("extended", since=1) | {"since": since}))

    def head(size: int, root: bytes) -> str:
        return reference.note(ORIGIN, size, root, store.map_root, key)

    made += [
        case_of("the last of four entries in a log of three", store, last | {"head": head(3, store.root)}),
        case_of("the last of four entries in a log of none", store, last | {"head": head(0, store.root)}),
        case_of("a path longer than the tree is deep", store, first | {"head": head(2, store.root)}),
        case_of("a path in a log of one", store, first | {"head": head(1, store.root)}),
        case_of("no path in a log of four", store, alone | {"head": head(4, store.leaves[0])}),
    ]
    old = b64(store.leaves[0])
    extended = store.bundle("extended", since=1)
    made += [
        case_of("since a larger size", store, extended | {"since": {"size": 8, "root": b64(store.root), "path": []}}),
        case_of("since itself, but not", store, extended | {"since": {"size": 4, "root": old, "path": []}}),
        case_of(
            "since one, without a path",
            store,
            extended | {"head": head(2, store.leaves[0]), "since": {"size": 1, "root": old, "path": []}},
        ),
        case_of(
            "since one, with a path for another size",
            store,
            extended | {"head": head(2, store.root), "since": store.since(1)},
        ),
        case_of(
            "since nothing, and still nothing",
            store,
            extended | {"head": head(0, store.root), "since": {"size": 0, "root": b64(store.root), "path": []}},
        ),
    ]
    absent = store.bundle("absent", "v1.none")
    made += [
        case_of(f"absent from a log of {size}", store, absent | {"head": head(size, store.root)})
        for size in (2**63, 2**64)
    ]
    return made


def _about_bodies(seed: int) -> list[Case]:
    """The entry is of another name, or says two things, or the commitment takes a salt of another length."""
    made = []
    texts = {
        "another name": '{"name":"v1.b"}',
        "no name": '{"value":1}',
        "two names": '{"name":"v1.b","name":"v1.a"}',
        "two names, the right one first": '{"name":"v1.a","name":"v1.b"}',
        "a name in a list": '{"name":["v1.a"]}',
        "NaN": '{"name":"v1.a","value":NaN}',
        "no object": '["name","v1.a"]',
        "no JSON": "v1.a",
        "two values": '{"name":"v1.a"} {}',
        "nothing": "",
        "depth": '{"name":"v1.a","value":' + "[" * 100_000,
        "just too much depth": f'{{"name":"v1.a","value":{"[" * 100}1{"]" * 100}}}',
    }
    for label, text in texts.items():
        store = new_store(seed)
        key = map_key(store.map_salt, "v1.a")
        made.append(case_of(f"a body with {label}", store, _with_body(store, text, key, LIVE, "put") or {}))
    for claim, text in [
        ("forgotten", '{"erased":[],"key":"00"}'),
        ("forgotten", '{"erased":[],"name":"v1.a"}'),
        ("tombstoned", '{"name":"v1.b"}'),
    ]:
        store = new_store(seed)
        key = map_key(store.map_salt, "v1.a")
        state, kind = (FORGOTTEN, "forget") if claim == "forgotten" else (TOMBSTONED, "tombstone")
        made.append(case_of(f"{claim}: {text}", store, _with_body(store, text, key, state, kind) | {"claim": claim}))
    for length in (0, 15, 17, 32, 64, 100):
        store = new_store(seed)
        seq = store.put("v1.a", 1)
        kept = store.atoms[seq]
        assert kept is not None
        salt = bytes(range(1, length + 1))
        commitment = hmac.digest(salt, kept[1].encode(), "sha256")
        entry = store.entries[seq][:26] + commitment
        store.entries[seq], store.leaves[seq], store.atoms[seq] = entry, reference.leaf_hash(entry), (salt, kept[1])
        made.append(case_of(f"a salt of {length} bytes", store, store.bundle("current", "v1.a")))
    return made


def _with_body(store: Store, text: str, key: bytes, state: int, kind: str) -> Json:
    """A `current` bundle of v1.a whose entry commits to this text."""
    salt = bytes(range(16))
    seq = store.append(kind, ATOM, {})
    entry = store.entries[seq][:26] + hmac.digest(salt, text.encode(), "sha256")
    store.entries[seq], store.leaves[seq], store.atoms[seq] = entry, reference.leaf_hash(entry), (salt, text)
    set_leaf(store, "v1.a", record(key, ATOM, seq, state))
    return store.bundle("current", "v1.a")


def _about_absence(seed: int) -> list[Case]:
    made = []
    store = new_store(seed)
    asked = map_key(store.map_salt, "v1.none")
    near = bytes([asked[0] ^ 0x80]) + asked[1:]
    # A leaf that lies where the name would, though its own key says that it lies on the other side.
    store.records = {asked: record(near, ATOM, 1, LIVE), **store.records}
    made.append(case_of("absent, by a misplaced leaf", store, store.bundle("absent", "v1.none")))
    for state in (0, 4, 255):
        store = new_store(seed)
        store.records[asked] = record(asked[:31] + bytes([asked[31] ^ 1]), ATOM, 1, state)
        made.append(case_of(f"absent, by a leaf of state {state}", store, store.bundle("absent", "v1.none")))
    # The name itself, at the bottom of the map: 256 levels, and one more.
    for more in (0, 1, 2):
        store = new_store(seed)
        leaf = record(asked, ATOM, 1, LIVE)
        path = [reference.sha(bytes([level % 256])) for level in range(256 + more)]
        node = reference.leaf_hash(leaf)
        for depth, side in zip(reversed(range(256 + more)), path, strict=True):
            right = depth < 256 and reference.bit(asked, depth)
            node = reference.node_hash(side, node) if right else reference.node_hash(node, side)
        root = reference.sha(b"\x02" + store.map_salt + node)
        bundle = store.bundle("absent", "v1.none") | {
            "head": reference.note(ORIGIN, store.size, store.root, root, store.keys[0]),
            "map": {"salt": b64(store.map_salt), "leaf": b64(leaf), "path": [b64(side) for side in path]},
        }
        made.append(case_of(f"absent, {256 + more} deep", store, bundle))
        bundle = bundle | {"map": bundle["map"] | {"leaf": None}}
        if more:
            node = reference.EMPTY
            for side in path:
                node = reference.node_hash(node, side)
            root = reference.sha(b"\x02" + store.map_salt + node)
            head = reference.note(ORIGIN, store.size, store.root, root, store.keys[0])
            made.append(case_of(f"absent, {256 + more} deep, empty", store, bundle | {"head": head}))
    for length in (0, 31, 33):  # the salt of the map is bound by the root, whatever its length
        store = new_store(seed)
        store.map_salt = bytes(range(length))
        store.records = {}
        made.append(case_of(f"a map salt of {length} bytes", store, store.bundle("absent", "v1.none")))
    store = new_store(seed)
    store.records = {asked: record(asked[:31], ATOM, 1, LIVE)}
    made.append(case_of("a shorter map leaf", store, store.bundle("absent", "v1.none")))
    return made
