"""Looks at damaged stores, and may die of it: a Worker of `children.py`.

A question names `store` and `home`, and in `do` what is wanted: one of DEEDS. `prove` is told the `names`.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from substrate.codec import draft_put
from substrate.errors import StoreDamaged, SubstrateError
from substrate.kv.open import open_store
from substrate.log.copies.check import check_store
from substrate.log.log import open_log
from substrate.log.tables import ENTRIES, HEADS, NODES, TABLES, seq_key
from substrate.proof.head import SignedHead
from substrate.views.catalogue import VIEWS
from tests.crash.children import serve


def check(question: dict[str, Any]) -> dict[str, Any]:
    """The real thing."""
    return {"damage": check_store(question["store"], home=Path(question["home"]), views=VIEWS).damage}


def glance(question: dict[str, Any]) -> dict[str, Any]:
    """A broken twin: looks at entries, leaves and the latest root, not at inner nodes, bodies, map and old heads."""
    store = open_store(question["store"], list(TABLES), read_only=True, create=False)
    try:
        with store.read() as transaction:
            peaks: list[bytes] = []
            for seq, (at, data) in enumerate(transaction.scan(ENTRIES)):
                node = sha256(b"\x00" + data).digest()
                if at != seq_key(seq) or (transaction.get(NODES, at) or b"")[:32] != node:
                    raise StoreDamaged(f"entry {seq}")
                while seq & 1:
                    node = sha256(b"\x01" + peaks.pop() + node).digest()
                    seq >>= 1  # noqa: PLW2901 - the bits of the seq say which subtrees it completes
                peaks.append(node)
            root = peaks[-1]
            for peak in reversed(peaks[:-1]):
                root = sha256(b"\x01" + peak + root).digest()
            note = next(note for _, note in transaction.scan(HEADS, reverse=True))
            if SignedHead.parse(note.decode()).head.root != root:
                raise StoreDamaged("root")
    finally:
        store.close()
    return {"damage": None}


def dump(question: dict[str, Any]) -> dict[str, Any]:
    """A digest of all rows of each table, as a scan shows them and as they are found by their keys."""
    store = open_store(question["store"], list(TABLES), read_only=True, create=False)
    try:
        with store.read() as transaction:
            rows = {table: list(transaction.scan(table)) for table in TABLES}
            found = {table: transaction.get_many(table, [key for key, _ in rows[table]]) for table in TABLES}
            return {table: sha256(repr((rows[table], found[table])).encode()).hexdigest() for table in TABLES}
    finally:
        store.close()


def prove(question: dict[str, Any]) -> dict[str, Any]:
    """The bundle of each name; None where it is refused with a typed error, as all are if the log cannot be opened."""
    bundles: dict[str, str | None] = dict.fromkeys(question["names"])
    try:
        with open_log(question["store"], home=question["home"], views=VIEWS, read_only=True) as log:
            for name in bundles:
                try:
                    bundles[name] = log.prove(name).to_json()
                except SubstrateError:
                    continue
    except SubstrateError:
        pass
    return bundles


def append(question: dict[str, Any]) -> dict[str, Any]:
    """Put so many new names into the store that almost every tile of the map is touched."""
    with open_log(question["store"], home=question["home"], views=VIEWS) as log:
        log.append([draft_put(f"v1.fact.new{i}", "new") for i in range(400)])
    return {"damage": None}


DEEDS = {"append": append, "check": check, "dump": dump, "glance": glance, "prove": prove}


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """What was asked for; `untyped` if an exception escapes that is none of ours."""
    try:
        return DEEDS[question["do"]](question)
    except SubstrateError as error:
        return {"damage": str(error)}
    except Exception as error:  # noqa: BLE001 - the test wants to see it
        return {"damage": repr(error), "untyped": repr(error)}


if __name__ == "__main__":
    serve(answer)
