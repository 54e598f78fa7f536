"""Checks that no bundle reaches, because another stands before them: here each is asked directly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from substrate.errors import ProofInvalid
from substrate.proof import verify
from substrate.proof.bundle import Bundle, MapProof
from substrate.proof.entry import Kind, decode_entry, encode_entry, entry_time
from substrate.proof.head import Pin, SignedHead
from substrate.proof.note import Signer, VerifierKey, generate_signer, open_note
from substrate.proof.record import State, decode_record, encode_record
from tests.proof import reference
from tests.proof.reference import Store, honest_cases

ENTRY = encode_entry(Kind.PUT, bytes(16), 0, bytes(32))
RECORD = encode_record(bytes(32), bytes(16), 7, State.LIVE)
SIGNER = Signer("example.org/log", bytes(32))
NOTE = Store("example.org/log", 1).head()


@pytest.mark.parametrize(
    ("reason", "call"),
    [
        ("entry_malformed", lambda: decode_entry(ENTRY + b"\0")),
        ("entry_malformed", lambda: decode_entry(ENTRY[:-1])),
        ("entry_malformed", lambda: decode_entry(encode_entry(Kind.PUT, bytes(16), 2**63, bytes(32)))),
        ("length", lambda: decode_record(RECORD[:-1])),
        ("path_length", lambda: verify.fold_map(bytes(32), MapProof(bytes(32), None, [bytes(32)] * 257))),
        ("length", lambda: verify.fold_map(bytes(32), MapProof(bytes(32), None, [bytes(31)]))),
        ("note", lambda: open_note(NOTE + "x" * 65_536)),
        ("note", lambda: open_note(NOTE.replace("example.org/log\n", "example.org\tlog\n", 1))),
        ("vkey", lambda: VerifierKey.parse("example.org/log")),
        ("signing_key", lambda: Signer.parse(SIGNER.secret().removeprefix("PRIVATE+KEY+"))),
        ("signing_key", lambda: Signer.parse(SIGNER.secret().replace("log+", "log+0", 1))),
        ("length", lambda: Signer.parse("")),
    ],
)
def test_what_is_malformed_is_named(reason: str, call: Callable[[], object]) -> None:
    with pytest.raises(ProofInvalid) as caught:
        call()
    assert caught.value.reason == reason


def test_entries_and_records_come_back_as_they_were() -> None:
    entry, record = decode_entry(ENTRY), decode_record(RECORD)
    assert (entry.kind, entry.subject, entry.time, entry.commitment) == (Kind.PUT, bytes(16), 0, bytes(32))
    assert (record.key, record.subject, record.seq, record.state) == (bytes(32), bytes(16), 7, State.LIVE)


def test_the_time_of_an_entry_can_be_read_alone() -> None:
    assert entry_time(encode_entry(Kind.PUT, bytes(16), 1_700_000_000_000_000, bytes(32))) == 1_700_000_000_000_000


def test_a_bundle_is_written_as_the_reference_writes_it() -> None:
    for case in honest_cases(1):
        bundle = Bundle.parse(case.text)
        assert json.loads(bundle.to_json()) == case.bundle
        assert str(bundle) == bundle.to_json()
        assert repr(bundle).startswith(f"Bundle({bundle.claim}")


def test_a_key_and_a_pin_show_themselves_as_the_text_that_is_handed_on() -> None:
    key, pin = SIGNER.key, Pin(SIGNER.key, SignedHead.parse(NOTE))
    assert (repr(key), key.to_dict()) == (f"VerifierKey({key})", {"key": str(key)})
    assert repr(pin) == f"Pin({pin.head})"


def test_notes_and_pins_are_written_as_they_were_read() -> None:
    store = Store("example.org/log", 1)
    store.rotate()
    head = store.head(*store.keys)
    assert str(open_note(head)) == head
    assert str(Pin.parse(store.pin())) == store.pin()
    assert "example.org/log at size 2" in str(Pin.parse(store.pin()).head)
    assert str(VerifierKey.parse(store.keys[0].vkey)) == store.keys[0].vkey


def test_a_signing_key_comes_back_from_its_file_and_signs_what_the_reference_accepts() -> None:
    signer = generate_signer("example.org/log")
    again = Signer.parse(signer.secret())
    assert again.key == signer.key
    text = NOTE.partition("\n\n")[0] + "\n"
    assert again.sign(text) == signer.sign(text)
    assert signer.key.accepts(signer.sign(text).signature, text.encode())
    assert signer.secret() not in repr(signer)


def test_a_verifier_forgets_old_heads_rather_than_grow() -> None:
    store = Store("example.org/log", 1)
    key, text = store.keys[0], json.dumps(store.bundle("recorded", 0))
    verifier = verify.Verifier(key.vkey)
    absent = store.bundle("absent", "v1.none")
    for size in range(1, verify._KNOWN_HEADS + 3):
        head = reference.note(store.origin, size, store.root, store.map_root, key)
        assert verifier.verify(json.dumps(absent | {"head": head})).trusted
    assert len(verifier._heads) <= verify._KNOWN_HEADS
    assert verifier.verify(text).trusted


def test_a_verdict_says_in_python_too_by_which_key_or_pin(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", background=False) as memory:
        memory.checkpoint(["v1.fact.a = 1"])
        proof = memory.prove("v1.fact.a")
        said = [memory.verify(proof), memory.verify(proof, key=memory.key()), memory.verify(proof, pin=memory.pin())]
    against = ["this store's own key", "the key you gave", "the pin you gave"]
    assert [verdict.against for verdict in said] == against
    assert [verdict.to_dict()["against"] for verdict in said] == against
    assert repr(said[0]).startswith("Verdict(verified by this store's own key: current v1.fact.a, entry 1, ")
    untrusted = substrate.Verifier().verify(proof.to_json())
    assert untrusted.against is None
    assert "against" not in untrusted.to_dict()
    assert repr(untrusted).startswith("Verdict(consistent, origin untrusted: current v1.fact.a")
