"""Row 16: whatever is changed in a bundle, both verifiers reject it and say why; every honest bundle passes both."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import substrate.proof.verify as package
from substrate.errors import ProofInvalid
from substrate.proof.head import SignedHead
from substrate.proof.note import VerifierKey
from substrate.proof.record import encode_record
from tests.hostile import twins
from tests.hostile.lies import lies
from tests.hostile.tampering import KINDS, Pool, Tampered, tamper
from tests.hostile.twins import Check, Judge
from tests.proof import script
from tests.proof.reference import Case, Key, Store, honest_cases
from tests.scale import rounds

SEED = 16
PER_POOL = 1_000
SCRIPT = script.load()
by_package = twins.package_judge(package)
by_script = twins.script_judge(SCRIPT)  # from here on SCRIPT has the signatures of OpenSSL, which are faster


@cache
def pool(seed: int) -> Pool:
    return Pool.of(seed)


def tampered(count: int, seed: int) -> Iterator[Tampered]:
    """So many bundles, all kinds in turn, from a new store every now and then."""
    for number in range(count):
        if number % PER_POOL == 0:
            pool.cache_clear()
        yield tamper(KINDS[number % len(KINDS)], seed + number, pool(seed + number // PER_POOL))


# Honest bundles


@pytest.mark.parametrize("seed", range(3))
def test_every_honest_bundle_is_accepted_by_both_with_the_same_verdict(seed: int) -> None:
    for case in honest_cases(seed):
        same_verdict(case)


def same_verdict(case: Case) -> None:
    ours = package.Verifier(case.key, case.pin).verify(case.text)
    its = SCRIPT.verify(case.text, case.key, case.pin)
    assert ours.trusted, case.label
    assert its.trust == ("pin" if case.pin else "key"), case.label
    assert (ours.claim, ours.name) == (its.claim, its.name) == (case.bundle["claim"], case.bundle.get("name"))
    assert (ours.seq, ours.body) == ((its.entry.seq, case.bundle["atom"]["body"]) if its.entry else (None, None))
    for member in ("origin", "size", "root", "map_root"):
        assert getattr(ours.head, member) == getattr(its.head, member)


def test_without_a_key_or_a_pin_nothing_is_trusted_by_either() -> None:
    for case in honest_cases(SEED):
        assert not package.Verifier().verify(case.text).trusted
        assert SCRIPT.verify(case.text, None, None).trust is None


def test_one_verifier_may_judge_honest_and_tampered_bundles_in_turn() -> None:
    """What it remembers of heads it has seen must not help a later bundle."""
    source = pool(SEED)
    verifiers = {(case.key, case.pin): package.Verifier(case.key, case.pin) for case in source.cases}
    chance = random.Random(SEED)
    for number in range(600):
        case = chance.choice(source.cases)
        assert verifiers[case.key, case.pin].verify(case.text).trusted
        bad = tamper(KINDS[number % len(KINDS)], number, source)
        verifier = verifiers.get((bad.key, bad.pin))
        if verifier is not None:
            with pytest.raises(ProofInvalid):
                verifier.verify(bad.text)


def test_a_key_learnt_from_one_bundle_is_not_trusted_in_the_next() -> None:
    store = Store("example.org/log", SEED)
    store.rotate()
    store.put("v1.a", 1)
    verifier = package.Verifier(store.keys[0].vkey)
    assert verifier.verify(json.dumps(store.bundle("current", "v1.a", rotations=1))).trusted
    with pytest.raises(ProofInvalid, match="signature"):
        verifier.verify(json.dumps(store.bundle("current", "v1.a")))


@given(st.integers(0, 2**32), st.data())
@settings(max_examples=rounds(25, 1000))
def test_white_space_order_and_escapes_in_the_json_change_nothing(seed: int, data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(pool(SEED).cases))
    members = list(case.bundle.items())
    random.Random(seed).shuffle(members)
    indent = data.draw(st.sampled_from([None, 0, 1, 4]))
    text = json.dumps(dict(members), indent=indent, ensure_ascii=data.draw(st.booleans()))
    assert by_package(f" \n{text}\t", case.key, case.pin)
    assert by_script(f" \n{text}\t", case.key, case.pin)


def test_signatures_of_unknown_keys_are_ignored() -> None:
    store = Store("example.org/log", SEED)
    stranger = Key.from_seed("witness.org/w", "stranger")
    bundle = store.bundle("recorded", 0)
    text = bundle["head"].partition("\n\n")[0] + "\n"
    for head in (bundle["head"] + stranger.line(text), text + "\n" + stranger.line(text) + store.keys[0].line(text)):
        assert by_package(json.dumps(bundle | {"head": head}), store.keys[0].vkey, None)
        assert by_script(json.dumps(bundle | {"head": head}), store.keys[0].vkey, None)


# Tampered bundles


@pytest.mark.no_cover
@pytest.mark.soak
def test_every_tampered_bundle_is_rejected_by_both() -> None:
    count, seen = rounds(2_000, 200_000), Counter[str]()
    print(f"{count:,} bundles, {len(KINDS)} kinds, seeds {SEED} to {SEED + count - 1}")
    for bad in tampered(count, SEED):
        where = f"{bad.kind!r} in {bad.label!r}, seed {bad.seed}"
        assert not by_package(bad.text, bad.key, bad.pin), f"the package accepts {where}"
        assert not by_script(bad.text, bad.key, bad.pin), f"the script accepts {where}"
        seen[bad.kind] += 1
    assert len(seen) == len(KINDS) >= 14


def test_the_script_rejects_tampered_signatures_with_its_own_arithmetic_too() -> None:
    judge = twins.script_judge(script.load(), own_signatures=True)
    for kind in ("signature", "head size", "log root", "map root", "origin", "signer", "key id", "takeover"):
        for seed in range(6):
            bad = tamper(kind, seed, pool(SEED))
            assert not judge(bad.text, bad.key, bad.pin), f"{kind}, seed {seed}"


@pytest.mark.parametrize("seed", range(2))
def test_what_a_lying_holder_of_the_key_signs_is_rejected_by_both(seed: int) -> None:
    for case in lies(seed):
        assert not by_package(case.text, case.key, case.pin), case.label
        assert not by_script(case.text, case.key, case.pin), case.label


# Broken twins: the bundles above must find a verifier that skips any one check


@dataclass(frozen=True)
class Bad:
    label: str
    text: str
    key: str | None
    pin: str | None


@cache
def corpus() -> list[Bad]:
    """What the twins are shown: the lies, and 900 mutations, some twenty of each kind."""
    told = [Bad(case.label, case.text, case.key, case.pin) for case in lies(SEED)]
    bent = [
        Bad(f"{bad.kind}, {bad.label}, seed {bad.seed}", bad.text, bad.key, bad.pin)
        for bad in (tamper(KINDS[number % len(KINDS)], number, pool(SEED)) for number in range(900))
    ]
    return told + bent


def first_slip(judge: Judge) -> str | None:
    """The first bundle that is not cleanly rejected: accepted, or answered with a crash."""
    for bad in corpus():
        try:
            accepted = judge(bad.text, bad.key, bad.pin)
        except Exception as error:  # noqa: BLE001 - any crash is a find
            return f"{type(error).__name__} on {bad.label}"
        if accepted:
            return bad.label
    return None


@pytest.mark.no_cover
def test_the_whole_verifiers_make_no_slip() -> None:
    assert first_slip(by_package) is None
    assert first_slip(by_script) is None


# Checks that no bundle can put to the test, each with what else stands in the way, or where else it is tested.
PACKAGE_REDUNDANT = {
    "entry.decode_entry: raise ProofInvalid('entry_malformed', f'an entry has": "the bundle's reader knows the length",
    "entry.decode_entry: raise ProofInvalid('entry_malformed', \"the entry's time": "no store writes such a time",
    "record.decode_record: raise ProofInvalid('length'": "the bundle's reader knows the length",
    "note.VerifierKey.parse: raise ProofInvalid('vkey', 'a verifier key reads": "without it, the key id is wrong",
    "note.VerifierKey.parse: raise ProofInvalid('vkey', 'this verifier key is not": "without it, the key id is wrong",
    "bundle._read_map: raise ProofInvalid('length', 'a map salt of zeros": "no store draws zeros",
    "note.open_note: raise ProofInvalid('note', f'a note has at most": "a limit on work, not on meaning",
    "note.open_note: raise ProofInvalid('note', 'the note contains control": "the four lines are read strictly",
    "note.Signer.parse": "a signing key is never in a bundle",
    "bundle.Bundle.parse: raise ProofInvalid('shape', 'the bundle contains a lone": "no UTF-8 file is read to that",
    "bundle.Bundle.parse: raise ProofInvalid('shape', 'a bundle is handed in": "no bundle comes as anything else",
    "verify.Verifier.verify_bundle: raise ProofInvalid('not_asked'": "nothing is asked for here; test_open.py",
    "bundle.Bundle.parse: raise ProofInvalid('length'": "a limit on work, not on meaning",
    "bundle._path: raise ProofInvalid('path_length'": "a limit on work: the tree has its own length",
    "verify._check_hashes": "the bundle's reader knows the length; test_rfc6962.py",
    "verify.fold_map": "the bundle's reader knows the depth",
    "verify.Verifier._check_pin: raise ProofInvalid('older_than_pin'": "a larger log precedes no smaller one",
}
SCRIPT_REDUNDANT = {
    "script.ed25519": "test_verify_script.py: here OpenSSL stands in for it",
    "script.load": "test_verify_script.py: it reads files",
    "script.open_disclosed": "test_disclosed_keys.py: it opens what a proof has shown",
    "script.main: need(result.entry": "test_disclosed_keys.py",
}


def redundant(check: Check, known: dict[str, str]) -> bool:
    return any(str(check).startswith(start) for start in known)


@pytest.mark.no_cover
@pytest.mark.parametrize("check", twins.package_checks(), ids=str)
def test_the_package_without_one_check_is_found_out(check: Check) -> None:
    with twins.package_twin(check) as judge:
        slip = first_slip(judge)
    print(slip)
    assert (slip is None) == redundant(check, PACKAGE_REDUNDANT), check


@pytest.mark.no_cover
@pytest.mark.parametrize("check", twins.script_checks(), ids=str)
def test_the_script_without_one_check_is_found_out(check: Check) -> None:
    slip = first_slip(twins.script_twin(check))
    print(slip)
    assert (slip is None) == redundant(check, SCRIPT_REDUNDANT), check


def test_every_reason_to_call_a_check_redundant_is_about_one() -> None:
    checks = [str(check) for check in twins.package_checks() + twins.script_checks()]
    for start in [*PACKAGE_REDUNDANT, *SCRIPT_REDUNDANT]:
        assert any(check.startswith(start) for check in checks), start


def test_a_package_that_believes_every_signature_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VerifierKey, "accepts", lambda *_: True)
    assert first_slip(twins.package_judge(package))


def test_a_package_that_lets_a_key_sign_for_any_origin_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SignedHead, "signed_by", lambda self, key: self.note.signed_by(key))
    assert first_slip(twins.package_judge(package))


@pytest.mark.parametrize("member", [slice(0, 32), slice(32, 48), slice(48, 56), slice(56, 57)])
def test_a_package_that_skips_one_member_of_the_map_leaf_is_found_out(
    member: slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The map key, the atom's id, its seq, its state."""
    monkeypatch.setattr(package, "encode_record", lambda *parts: Lenient(encode_record(*parts), member))
    assert first_slip(twins.package_judge(package))


class Lenient:
    """Equal to all bytes that differ in one part only."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: bytes, part: slice) -> None:
        self.data = data
        self.part = part

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, bytes):
            return False
        changed = bytearray(other)
        changed[self.part] = self.data[self.part]
        return bytes(changed) == self.data


def test_a_script_that_believes_every_signature_is_found_out() -> None:
    lenient = script.load()
    judge = twins.script_judge(lenient)
    lenient.ed25519 = lambda *_: True
    assert first_slip(judge)


LEAF = "leaf == asked + entry.subject + entry.seq.to_bytes(8) + bytes([state])"
EXPECTED = "(asked + entry.subject + entry.seq.to_bytes(8) + bytes([state]))"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if name == origin and ", "if "),
        ("leaf[:32] != asked and ", ""),
        (' and f"{int.from_bytes(leaf[:32]):0256b}".startswith(bits)', ""),
        (' and leaf[56:] in b"\\1\\2\\3"', ""),
        ("entry.kind == kind and right", "right"),
        ("entry.kind == kind and right", "entry.kind == kind"),
        (LEAF, f"leaf[32:] == {EXPECTED}[32:]"),
        (LEAF, f"(leaf[:32], leaf[48:]) == ({EXPECTED}[:32], {EXPECTED}[48:])"),
        (LEAF, f"(leaf[:48], leaf[56:]) == ({EXPECTED}[:48], {EXPECTED}[56:])"),
        (LEAF, f"leaf[:56] == {EXPECTED}[:56]"),
        ("entry.bytes[0] == 1 and ", ""),
        ("raw[0] == 1 and key_id", "key_id"),
        (" and key_id == digest.hex()", ""),
        (" == (since.root, head.root)", "[1] == head.root"),
        (" == (since.root, head.root)", "[0] == since.root"),
        ("0 < since.size <= head.size", "0 < since.size"),
        ("0 <= entry.seq < head.size", "entry.seq < head.size"),
        ("0 <= entry.seq < head.size", "0 <= entry.seq"),
        ('rotation.entry.kind == "key" and ', ""),
        ("turn.size == rotation.entry.seq + 1 > size", "True"),
        (", head.map_root) != (pin.origin, pin.size, pin.root, pin.map_root)", ") != (pin.origin, pin.size, pin.root)"),
        ("since.root == pin.root and since.size", "since.size"),
        ("since.root == pin.root and since.size == pin.size <", "pin.size <"),
        ("known or not keys", "True"),
        ("need((shape, raw) != (32, bytes(32))", "need(True"),
        ("y * (y * y - 1) * (D", "(D"),
        ("len(raw) == shape or not shape", "True"),
        ("read(value, dict, what).keys() == shape.keys()", "read(value, dict, what).keys() >= shape.keys()"),
        (
            "type(value) is (shape if isinstance(shape, type) else str)",
            "isinstance(value, shape if isinstance(shape, type) else str)",
        ),
    ],
)
def test_a_script_that_is_lenient_in_one_point_is_found_out(old: str, new: str) -> None:
    assert first_slip(twins.rewritten_script(old, new)), old
