"""Formats are for ever: these bytes were written by the first version, and every later one must read and make them.

A golden file is never edited. A new format gets a new file; `python -m tests.test_golden` writes those that are
missing.
"""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

from substrate.codec import (
    Draft,
    decode_body,
    decode_restored_from,
    decode_vkey,
    draft_forget,
    draft_key,
    draft_other,
    draft_put,
    draft_restore,
    draft_tombstone,
    map_change,
)
from substrate.log.identity import atom_id
from substrate.proof.bundle import Bundle, EntryProof, MapProof, Opening
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind, decode_entry, encode_entry
from substrate.proof.hashes import EMPTY, commitment, leaf_hash, map_key, map_root
from substrate.proof.head import Head, Pin, SignedHead
from substrate.proof.note import Note, Signer
from substrate.proof.record import Record, State, decode_record, encode_record
from substrate.proof.verify import Verifier
from substrate.save.input import read_atom, read_edge

GOLDEN = Path(__file__).parent / "golden"
SIGNER = Signer("substrate-golden", bytes(range(32)))
SUBJECT = bytes(range(16))
SALT = bytes(range(16, 32))
MAP_SALT = bytes(range(32, 64))
TIME = 1_700_000_000_123_456
NAME = "v1.fact.zahlungsanbieter_ä"

DRAFTS: dict[str, Draft] = {
    "put": draft_put(
        NAME, 'Stripe "Ünïcode" \n', {"confidence": 0.9, "tags": ["b", "a"], "attrs": {"z": 1, "a": None}}
    ),
    "tombstone": draft_tombstone(NAME, {"actor": "tester"}),
    "edge": draft_other(Kind.EDGE, {"type": "member_of", "source": SUBJECT.hex(), "target": SUBJECT.hex()}),
    "unedge": draft_other(Kind.UNEDGE, {}),
    "train": draft_other(Kind.TRAIN, {"atoms": [SUBJECT.hex()], "passes": 3}),
    "forget": draft_forget(SUBJECT, [7, 3, 7], map_key(MAP_SALT, NAME)),
    "model": draft_other(Kind.MODEL, {"model": "all-MiniLM-L6-v2"}),
    "key": draft_key(SIGNER.key),
}


RESTORES: dict[str, Draft] = {
    "abandoned": draft_restore(SIGNER.key, "substrate-before", 258, b"r" * 32, (300, b"a" * 32)),
    "nothing known": draft_restore(SIGNER.key, "substrate-before", 258, b"r" * 32, None),
}


def atoms() -> dict[str, str]:
    """What the engine writes: bodies with every field, and the ids that follow from names."""
    key = map_key(MAP_SALT, NAME)
    said = {"actor": "ada", "origin": "user", "session": "s", "source": "kick-off"}
    atom = read_atom(
        {
            "name": NAME,
            "value": "Stripe",
            "tags": ["money"],
            "entities": ["Stripe Inc."],
            "confidence": 0.5,
            "occurred_at": "2026-01-02T03:04:05.000006Z",
            "valid_from": "2026-01-01",
            "valid_to": "2027-01-01T00:00:00+01:00",
            "parent": str(UUID(bytes=SUBJECT)),
            "position": 3,
            "attrs": {"b": [1, None], "a": {"c": True}},
        },
        said,
    )
    edge = read_edge(
        {
            "source": NAME,
            "type": "Depends On",
            "target": NAME,
            "confidence": 1,
            "windows": [{"start": "2026-01-01"}, {}],
            "attrs": {"x": 1},
        },
        said,
    )
    ends: dict[str, Json] = {"source": SUBJECT.hex(), "type": edge.type, "target": SUBJECT.hex()}
    return {
        "put": draft_put(atom.name, atom.value, atom.members).body.decode(),
        "edge": draft_other(Kind.EDGE, {**edge.members, **ends}).body.decode(),
        "forget with edges": draft_forget(SUBJECT, [3, 7], key, edges=[bytes(16), SUBJECT]).body.decode(),
        "id of a new name": atom_id(key, None).hex(),
        "id after a forget": atom_id(key, Record(key, SUBJECT, 258, State.FORGOTTEN)).hex(),
    }


def restores() -> dict[str, str]:
    return {name: draft.body.decode() for name, draft in RESTORES.items()}


def entries() -> dict[str, dict[str, str]]:
    return {
        name: {
            "body": draft.body.decode(),
            "entry": encode_entry(draft.kind, SUBJECT, TIME, commitment(SALT, draft.body)).hex(),
        }
        for name, draft in DRAFTS.items()
    }


def head(entry: bytes, record: bytes) -> SignedHead:
    value = Head(SIGNER.key.name, 1, leaf_hash(entry), map_root(MAP_SALT, leaf_hash(record)))
    return SignedHead(value, Note(value.text(), (SIGNER.sign(value.text()),)))


def bundle() -> str:
    body = DRAFTS["put"].body
    entry = encode_entry(Kind.PUT, SUBJECT, TIME, commitment(SALT, body))
    record = encode_record(map_key(MAP_SALT, NAME), SUBJECT, 0, State.LIVE)
    return Bundle(
        "current",
        str(head(entry, record)),
        name=NAME,
        entry=EntryProof(0, entry, []),
        opening=Opening(SALT, body),
        map=MapProof(MAP_SALT, record, []),
    ).to_json()


def pin() -> str:
    return str(Pin(SIGNER.key, SignedHead.parse(Bundle.parse(bundle()).head)))


def read(name: str) -> str:
    return (GOLDEN / name).read_text(encoding="utf-8")


def test_entries_and_bodies_of_every_kind_are_the_golden_bytes() -> None:
    assert entries() == json.loads(read("entries-1.json"))


def test_golden_entries_decode_to_what_they_were_made_of() -> None:
    for name, golden in json.loads(read("entries-1.json")).items():
        entry = decode_entry(bytes.fromhex(golden["entry"]))
        assert (entry.kind, entry.subject, entry.time) == (Kind[name.upper()], SUBJECT, TIME)
        assert entry.commitment == commitment(SALT, golden["body"].encode())
        members = decode_body(golden["body"].encode())
        change = map_change(entry.kind, members)
        assert (change is not None) == (name in {"put", "tombstone", "forget"})


def test_bodies_of_restore_entries_are_the_golden_bytes_and_say_where_they_come_from() -> None:
    assert restores() == json.loads(read("restores-1.json"))
    for body in json.loads(read("restores-1.json")).values():
        assert decode_restored_from(body.encode()) == ("substrate-before", 258, b"r" * 32)
        assert decode_vkey(body.encode()) == str(SIGNER.key)


def test_what_the_engine_writes_of_atoms_and_edges_is_the_golden_bytes() -> None:
    assert atoms() == json.loads(read("atoms-1.json"))


def test_every_kind_has_a_golden_entry() -> None:
    assert {kind.name.lower() for kind in Kind} == set(json.loads(read("entries-1.json")))


def test_the_golden_bundle_is_made_and_verified_byte_for_byte() -> None:
    assert bundle() == read("bundle-1.json")
    verdict = Verifier(key=str(SIGNER.key)).verify(read("bundle-1.json"))
    assert (verdict.claim, verdict.trusted, verdict.name, verdict.seq) == ("current", True, NAME, 0)


def test_the_golden_pin_and_keys_are_made_and_read_byte_for_byte() -> None:
    assert pin() == read("pin-1.txt")
    assert Verifier(pin=read("pin-1.txt")).verify(read("bundle-1.json")).trusted
    assert SIGNER.secret() == read("signing-key-1.txt").strip()
    assert Signer.parse(SIGNER.secret()).key == SIGNER.key


def test_a_record_of_the_map_is_57_bytes_in_golden_order() -> None:
    record = encode_record(b"k" * 32, SUBJECT, 258, State.FORGOTTEN)
    assert record == b"k" * 32 + SUBJECT + bytes(6) + b"\x01\x02" + b"\x03"
    assert decode_record(record).state is State.FORGOTTEN
    assert bytes(32) == EMPTY


def write_missing() -> None:
    made = {
        "entries-1.json": json.dumps(entries(), indent=1, ensure_ascii=False) + "\n",
        "atoms-1.json": json.dumps(atoms(), indent=1, ensure_ascii=False) + "\n",
        "restores-1.json": json.dumps(restores(), indent=1, ensure_ascii=False) + "\n",
        "bundle-1.json": bundle(),
        "pin-1.txt": pin(),
        "signing-key-1.txt": SIGNER.secret() + "\n",
    }
    for name, text in made.items():
        if not (GOLDEN / name).exists():
            (GOLDEN / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_missing()
