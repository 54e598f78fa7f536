"""What lies.py and lies_about_keys.py share: a store of twenty names, and a way into its map."""

from __future__ import annotations

from tests.proof.reference import Case, Json, Store, map_key

ORIGIN = "example.org/log"
ATOM = b"an atom's id....".ljust(16, b".")[:16]


def new_store(seed: int) -> Store:
    store = Store(ORIGIN, seed)
    for number in range(20):
        store.put(f"v1.n{number}", number)
    return store


def case_of(label: str, store: Store, bundle: Json) -> Case:
    return Case(label, bundle, key=store.keys[0].vkey)


def leaf_of(store: Store, name: str) -> bytes:
    return store.records[map_key(store.map_salt, name)]


def set_leaf(store: Store, name: str, leaf: bytes) -> None:
    store.records[map_key(store.map_salt, name)] = leaf
