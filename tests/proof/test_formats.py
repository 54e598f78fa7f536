"""Notes, heads, pins, keys and records: each has one spelling, and whatever is not that is rejected with its reason."""

from __future__ import annotations

import json

import pytest

from substrate.errors import InputError, ProofInvalid
from substrate.proof import verify as verify_module
from substrate.proof.bundle import Bundle
from substrate.proof.encoding import b64, read_json
from substrate.proof.entry import decode_entry, encode_entry
from substrate.proof.head import Head, Pin, SignedHead
from substrate.proof.note import Note, Signature, Signer, VerifierKey, generate_signer, open_note
from substrate.proof.record import State, decode_record, encode_record
from substrate.proof.verify import Verifier

SIGNER = generate_signer("origin")


def signed(size: int = 1, signer: Signer = SIGNER) -> SignedHead:
    head = Head("origin", size, bytes([size % 255 + 1]) * 32, bytes([7]) * 32)
    return SignedHead(head, Note(head.text(), (signer.sign(head.text()),)))


def test_notes_heads_pins_and_keys_survive_their_text_form() -> None:
    head = signed()
    assert SignedHead.parse(str(head)) == head
    pin = Pin(SIGNER.key, head)
    assert Pin.parse(str(pin)) == pin
    assert VerifierKey.parse(str(SIGNER.key)) == SIGNER.key
    assert Signer.parse(SIGNER.secret()).key == SIGNER.key


def test_a_signer_does_not_show_its_key() -> None:
    assert repr(SIGNER) == f"Signer('origin', key id {SIGNER.key.key_id.hex()})"
    assert SIGNER.secret()[-20:] not in repr(SIGNER)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text\n",
        "text\n\n",
        "text\n\n— origin AAAA",
        "text\n\n- origin AAAA\n",
        "text\n\n— or+igin " + "A" * 92 + "\n",
        "te\x07xt\n\n— origin " + "A" * 92 + "\n",
        "x" * 70_000 + "\n\n— origin " + "A" * 92 + "\n",
    ],
)
def test_a_malformed_note_is_rejected(text: str) -> None:
    with pytest.raises(ProofInvalid):
        open_note(text)


@pytest.mark.parametrize(
    "text",
    [
        "origin\n1\n{root}\n",
        "origin\n1\n{root}\nmap {root}\nmore\n",
        "origin\n01\n{root}\nmap {root}\n",
        "origin\n-1\n{root}\nmap {root}\n",
        "origin\n\u0661\n{root}\nmap {root}\n",
        "origin\n99999999999999999999999\n{root}\nmap {root}\n",
        "origin\n9999999999999999999\n{root}\nmap {root}\n",
        "origin\n\n{root}\nmap {root}\n",
        "origin\n1\n{root}\n{root}\n",
        "ori gin\n1\n{root}\nmap {root}\n",
        "origin\n1\nAAAA\nmap {root}\n",
    ],
)
def test_a_malformed_head_is_rejected(text: str) -> None:
    with pytest.raises(ProofInvalid):
        Head.parse(text.replace("{root}", b64(bytes([7]) * 32)))


@pytest.mark.parametrize(
    "text",
    [
        "origin",
        "origin+00000000",
        "origin+00000000+" + b64(b"\x01" + bytes(32)),
        "origin+{id}+" + b64(b"\x02" + bytes(32)),
        "+00000000+" + b64(b"\x01" + bytes(32)),
        "origin+00000000+not base64",
    ],
)
def test_a_malformed_verifier_key_is_rejected(text: str) -> None:
    with pytest.raises(ProofInvalid):
        VerifierKey.parse(text)


def test_a_malformed_signing_key_is_rejected_without_being_shown() -> None:
    secret = SIGNER.secret()
    for text in (secret.removeprefix("PRIVATE+KEY+"), secret.replace("origin", "other"), "PRIVATE+KEY+x"):
        with pytest.raises(ProofInvalid) as caught:
            Signer.parse(text)
        assert secret[-20:] not in str(caught.value)


def test_a_pin_that_its_own_key_did_not_sign_is_rejected() -> None:
    with pytest.raises(ProofInvalid, match="not signed by the pin's own key"):
        Pin.parse(str(Pin(generate_signer("origin").key, signed())))
    with pytest.raises(ProofInvalid, match="starts with the line"):
        Pin.parse(str(signed()))


def test_a_signature_under_another_name_than_the_origin_does_not_count() -> None:
    other = generate_signer("other")
    head = signed(signer=other)
    assert head.note.signed_by(other.key)
    assert not head.signed_by(other.key)


def test_a_public_key_that_is_no_point_accepts_nothing() -> None:
    assert not VerifierKey("origin", b"\xff" * 32).accepts(bytes(64), b"text")


@pytest.mark.parametrize("length", [0, 56, 58])
def test_a_record_of_another_length_is_rejected(length: int) -> None:
    with pytest.raises(ProofInvalid, match="57 bytes"):
        decode_record(bytes(length))


def test_a_state_or_kind_of_tomorrow_is_rejected_with_a_hint() -> None:
    record = encode_record(bytes(32), bytes(16), 1, State.LIVE)
    with pytest.raises(ProofInvalid, match="newer verifier"):
        decode_record(record[:-1] + b"\x09")
    entry = encode_entry(1, bytes(16), 1, bytes(32))
    for at, value in ((0, 2), (1, 9)):
        with pytest.raises(ProofInvalid, match="newer verifier"):
            decode_entry(entry[:at] + bytes([value]) + entry[at + 1 :])
    with pytest.raises(ProofInvalid, match="time is out of range"):
        decode_entry(entry[:18] + b"\xff" * 8 + entry[26:])


def test_a_bundle_cannot_be_made_without_the_members_of_its_claim() -> None:
    for claim in ("recorded", "current", "absent", "extended", "nonsense"):
        with pytest.raises(ProofInvalid):
            Bundle(claim, str(signed()))


def test_a_false_signature_beside_a_true_one_spoils_the_note() -> None:
    head = signed()
    false = SIGNER.sign("something else")
    note = Note(head.note.text, (*head.note.signatures, false))
    assert not note.signed_by(SIGNER.key)


def test_signatures_of_strangers_are_ignored_whatever_their_kind() -> None:
    head = signed()
    witness = Signature("witness.example/w1", b"\x01\x02\x03\x04", bytes(72))
    both = SignedHead(head.head, Note(head.note.text, (witness, *head.note.signatures)))
    assert SignedHead.parse(str(both)).signed_by(SIGNER.key)


@pytest.mark.parametrize("y", [0, 1, 2**255 - 19, 2**255 - 18, 2**255 - 20])
def test_keys_under_which_anyone_can_sign_are_refused(y: int) -> None:
    for sign in (0, 1):
        public = (y | sign << 255).to_bytes(32, "little")
        with pytest.raises(ProofInvalid, match="small order"):
            VerifierKey.parse(str(VerifierKey("origin", public)))


def test_a_key_and_a_pin_at_once_are_refused() -> None:
    with pytest.raises(InputError, match="not both"):
        Verifier(key=str(SIGNER.key), pin=str(Pin(SIGNER.key, signed())))


def test_a_bundle_larger_than_any_is_refused_before_it_is_read() -> None:
    for text in (" " * (16 * 1024 * 1024 + 1), "\u20ac" * (6 * 1024 * 1024)):
        with pytest.raises(ProofInvalid, match="at most 16,777,216 bytes"):
            Bundle.parse(text)
    with pytest.raises(ProofInvalid, match="lone surrogate"):
        Bundle.parse('"\ud800"')
    with pytest.raises(ProofInvalid, match="as text"):
        Bundle.parse(b"{}")  # type: ignore[arg-type]
    with pytest.raises(ProofInvalid, match="a verifier key reads"):
        Verifier(key=1)  # type: ignore[arg-type]


def test_numbers_beyond_the_finite_and_salts_of_zeros_are_refused() -> None:
    for text in ('{"x": 1e999}', '{"x": -1e999}', '{"x": NaN}'):
        with pytest.raises(ProofInvalid, match="not a finite number"):
            Bundle.parse(text)
    absent = {"claim": "absent", "name": "v1.fact.a", "head": str(signed()), "format": "substrate-bundle/1"}
    with pytest.raises(ProofInvalid, match="salt of zeros"):
        Bundle.parse(json.dumps(absent | {"map": {"salt": b64(bytes(32)), "leaf": None, "path": []}}))


def test_a_root_of_zeros_is_refused_wherever_one_stands() -> None:
    with pytest.raises(ProofInvalid, match="32 zeros"):
        Head.parse(f"origin\n1\n{b64(bytes(32))}\nmap {b64(bytes([7]) * 32)}\n")
    with pytest.raises(ProofInvalid, match="32 zeros"):
        Head.parse(f"origin\n1\n{b64(bytes([7]) * 32)}\nmap {b64(bytes(32))}\n")
    extended = {"claim": "extended", "head": str(signed()), "format": "substrate-bundle/1"}
    with pytest.raises(ProofInvalid, match="32 zeros"):
        Bundle.parse(json.dumps(extended | {"since": {"size": 1, "root": b64(bytes(32)), "path": []}}))


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_is_read_to_a_hundred_lists_and_objects_deep_and_no_further(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    assert read_json(opening * 100 + "1" + closing * 100, "it")
    for depth in (101, 900, 100_000):
        with pytest.raises(ProofInvalid, match=r"it is (nested more than 100|not well-formed)"):
            read_json(opening * depth + "1" + closing * depth, "it")
    wide = "[" + ",".join(["[[]]"] * 1000) + "]"
    assert len(str(read_json(wide, "it"))) > len(wide)


def test_the_memory_for_checked_heads_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_module, "_KNOWN_HEADS", 3)
    verifier = Verifier(key=str(SIGNER.key))
    for size in range(1, 9):
        verifier._signed_head(str(signed(size)), SIGNER.key)
        assert len(verifier._heads) <= 3
