"""The auditor's script, run as an auditor would: alone, isolated, on files from strangers."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.hostile.lies_about_keys import vkey_of
from tests.proof import reference, script
from tests.scale import PATIENCE_S, rounds

VERIFIED, REJECTED, UNUSABLE, UNTRUSTED = 0, 1, 2, 3
verify_proof = script.load()


def run(
    *arguments: object, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The script in an interpreter that sees neither site-packages, nor the environment, nor the working folder."""
    command = [sys.executable, "-I", "-S", str(script.SCRIPT), *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=PATIENCE_S, check=False, env=env)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    if done.returncode == REJECTED:
        assert done.stdout.startswith(b"REJECTED: "), done
    return done


@pytest.fixture(scope="module")
def store() -> reference.Store:
    """Some names, one of each state, one rotation."""
    store = reference.Store("example.org/log", 7)
    for number in range(9):
        store.put(f"v1.fact.n{number}", f"value {number}")
    store.put("v1.hostile", "\x1b[2J\x07\u202eevil\u2066\r\x00 caf\u00e9")
    store.tombstone("v1.fact.n0")
    store.forget("v1.fact.n1")
    return store


@pytest.fixture
def bundle(store: reference.Store, tmp_path: Path) -> Path:
    return write(tmp_path, store.bundle("current", "v1.fact.n3"))


def write(folder: Path, bundle: reference.Json) -> Path:
    path = folder / "bundle.json"
    path.write_text(json.dumps(bundle), encoding="utf-8")
    return path


CLAIMS = {
    "recorded": 5,
    "current": "v1.fact.n3",
    "tombstoned": "v1.fact.n0",
    "forgotten": "v1.fact.n1",
    "absent": "v1.none",
    "extended": None,
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_honest_bundle_of_each_claim_is_verified_and_explained(
    claim: str, store: reference.Store, tmp_path: Path
) -> None:
    path = write(tmp_path, store.bundle(claim, CLAIMS[claim], since=4))
    done = run(path, "--key", store.keys[0].vkey)
    told = done.stdout.decode()
    assert done.returncode == VERIFIED, told
    assert told.startswith("VERIFIED\n")
    assert f"claim  {claim}" in told
    assert f"example.org/log, {store.size} entries, log root {store.root.hex()}" in told
    assert "the first 4 entries" in told
    assert "by the key you gave" in told


def test_what_is_printed_includes_name_value_seq_and_time_in_utc(store: reference.Store, bundle: Path) -> None:
    told = run(bundle, "--key", store.keys[0].vkey).stdout.decode()
    assert "name   v1.fact.n3" in told
    assert 'value  "value 3"' in told
    time = int.from_bytes(store.entries[4][18:26], "big")
    when = datetime.fromtimestamp(time // 10**6, tz=UTC).replace(microsecond=time % 10**6)
    assert f"entry  seq 4, put, {when:%Y-%m-%d %H:%M:%S.%f}+00:00 by the store's clock" in told


@pytest.mark.parametrize("length", [298, 299, 5000])
def test_a_value_that_is_cut_says_so_and_how_long_it_is(length: int, tmp_path: Path) -> None:
    """The mark comes first: no value begins like it, so that none can feign or hide it."""
    store = reference.Store("example.org/log", 13)
    value = ("x" * length)[:-30] + "(first 300 of 9 characters) ".rjust(30)
    store.put("v1.long", value)
    told = run(write(tmp_path, store.bundle("current", "v1.long")), "--key", store.keys[0].vkey).stdout.decode()
    line = next(line for line in told.splitlines() if line.startswith("  value"))
    if length == 298:  # and two quotes
        assert line == f'  value  "{value}"'
    else:
        assert line == f'  value  (first 300 of {length + 2:,} characters) "{value[:299]}'


def test_the_key_may_lie_in_a_file(store: reference.Store, bundle: Path, tmp_path: Path) -> None:
    key = tmp_path / "log.vkey"
    key.write_text(store.keys[0].vkey + "\n")
    assert run(bundle, "--key", key).returncode == VERIFIED


def test_the_bundle_may_come_on_standard_input(store: reference.Store, bundle: Path) -> None:
    assert run("-", "--key", store.keys[0].vkey, stdin=bundle.read_bytes()).returncode == VERIFIED


def test_a_pin_of_an_earlier_head_is_honoured(tmp_path: Path) -> None:
    store = reference.Store("example.org/log", 8)
    pin = tmp_path / "pin"
    pin.write_text(store.pin(), encoding="utf-8")
    store.put("v1.a", 1)
    told = run(write(tmp_path, store.bundle("current", "v1.a")), "--pin", pin)
    assert told.returncode == REJECTED
    assert (
        b"cannot be checked against this pin: ask the owner for a proof made with --since" in told.stdout + told.stderr
    )
    told = run(write(tmp_path, store.bundle("current", "v1.a", since=1)), "--pin", pin)
    assert told.returncode == VERIFIED
    assert b"by the pin you gave" in told.stdout


def test_a_head_behind_the_pin_is_rejected(tmp_path: Path) -> None:
    store = reference.Store("example.org/log", 8)
    path = write(tmp_path, store.bundle("recorded", 0))
    store.put("v1.a", 1)
    (tmp_path / "pin").write_text(store.pin(), encoding="utf-8")
    assert run(path, "--pin", tmp_path / "pin").returncode == REJECTED


def test_a_head_of_the_pinned_size_with_another_map_is_rejected(tmp_path: Path) -> None:
    store = reference.Store("example.org/log", 8)
    (tmp_path / "pin").write_text(store.pin(), encoding="utf-8")
    store.records[bytes(32)] = reference.record(bytes(32), bytes(16), 0, reference.LIVE)
    assert run(write(tmp_path, store.bundle("recorded", 0)), "--pin", tmp_path / "pin").returncode == REJECTED


def test_without_key_or_pin_the_origin_stays_untrusted(store: reference.Store, bundle: Path) -> None:
    done = run(bundle)
    assert done.returncode == UNTRUSTED
    assert done.stdout.startswith(b"CONSISTENT, ORIGIN UNTRUSTED\n")
    forged = reference.Store("example.org/log", 9)
    forged.put("v1.fact.n3", "another truth")
    assert run(write(bundle.parent, forged.bundle("current", "v1.fact.n3"))).returncode == UNTRUSTED
    assert run(bundle, "--key", store.keys[0].vkey).returncode == REJECTED


def test_a_key_that_did_not_sign_is_rejected(bundle: Path) -> None:
    other = reference.Key.from_seed("example.org/log", "someone else")
    assert run(bundle, "--key", other.vkey).returncode == REJECTED


def test_who_holds_the_first_key_can_follow_a_rotation(tmp_path: Path) -> None:
    store = reference.Store("example.org/log", 10)
    store.rotate()
    store.put("v1.a", 1)
    first = store.keys[0].vkey
    assert run(write(tmp_path, store.bundle("current", "v1.a")), "--key", first).returncode == REJECTED
    assert run(write(tmp_path, store.bundle("current", "v1.a", rotations=1)), "--key", first).returncode == VERIFIED


@pytest.mark.parametrize("member", ["entry", "atom", "map", "name", "head", "claim", "format"])
def test_a_bundle_without_one_of_its_members_is_rejected(member: str, store: reference.Store, tmp_path: Path) -> None:
    made = store.bundle("current", "v1.fact.n3")
    del made[member]
    assert run(write(tmp_path, made), "--key", store.keys[0].vkey).returncode == REJECTED


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "not UTF-8": b'{"format": "\xff\xfe"}',
    "NUL": b"\x00" * 100,
    "deep arrays": b"[" * 200_000,
    "deep objects": b'{"a":' * 200_000,
    "deep inside a body": json.dumps(
        {"format": "substrate-bundle/1", "claim": "recorded", "atom": "[" * 99_999}
    ).encode(),
    "a number of a million digits": b'{"format": ' + b"9" * 1_000_000 + b"}",
    "an exponent": b'{"format": 1e999}',
    "NaN": b'{"format": NaN}',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "lone surrogate": rb'{"format": "\ud800"}',
    "an array": b"[]",
    "null": b"null",
    "two documents": b"{} {}",
    "20 MB of one string": b'{"format": "' + b"a" * 20_000_000 + b'"}',
    "20 MB of arrays": b"[" + b"[]," * 6_666_666 + b"[]]",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_rejected_without_a_traceback(what: str, store: reference.Store, tmp_path: Path) -> None:
    path = tmp_path / "bundle"
    path.write_bytes(HOSTILE[what])
    assert run(path, "--key", store.keys[0].vkey).returncode == REJECTED
    assert run(path).returncode == REJECTED


@pytest.mark.parametrize("pin", [b"", b"\xff", b"substrate pin v1\n", b"substrate pin v2\nx\n\ny\n", b"{}" * 9_000_000])
def test_a_hostile_pin_is_rejected_without_a_traceback(pin: bytes, bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "pin").write_bytes(pin)
    assert run(bundle, "--pin", tmp_path / "pin").returncode == REJECTED


@pytest.mark.parametrize("key", ["a+b+c", "++", "example.org/log+00000000+AQ==", "\udcff+\udcff+\udcff"])
def test_what_is_no_verifier_key_is_rejected(key: str, bundle: Path) -> None:
    assert run(bundle, "--key", key).returncode == REJECTED


def test_a_pin_not_signed_by_its_own_key_is_rejected(store: reference.Store, bundle: Path, tmp_path: Path) -> None:
    other = reference.Key.from_seed("example.org/log", "someone else")
    (tmp_path / "pin").write_text(reference.pin_text(store.keys[0], store.head(other)), encoding="utf-8")
    assert run(bundle, "--pin", tmp_path / "pin").returncode == REJECTED


def test_a_file_that_was_cut_off_or_has_a_mark_at_its_start_is_told_as_damaged(bundle: Path, tmp_path: Path) -> None:
    whole = bundle.read_bytes()
    for part in (whole[:-9], b"", b"\xef\xbb\xbf" + whole):
        (tmp_path / "part").write_bytes(part)
        told = run(tmp_path / "part")
        assert (told.returncode, b"damaged or not complete, ask for it again" in told.stdout) == (REJECTED, True)


def test_wrong_usage_and_unreadable_files_have_an_exit_code_of_their_own(bundle: Path, tmp_path: Path) -> None:
    assert run().returncode == UNUSABLE
    assert run(bundle, "--key", "a+b+c", "--pin", bundle).returncode == UNUSABLE
    assert run(bundle, "--unknown").returncode == UNUSABLE
    assert run(bundle, bundle).returncode == UNUSABLE
    assert run(tmp_path / "missing").returncode == UNUSABLE
    assert run(tmp_path).returncode == UNUSABLE
    assert run(bundle, "--key", tmp_path / "missing").returncode == UNUSABLE
    assert run(bundle, "--pin", tmp_path / "missing").returncode == UNUSABLE
    assert run(bundle, "--key", "").returncode == UNUSABLE
    assert run(bundle, "--pin", "").returncode == UNUSABLE
    for option in ("--disclosed", "--key", "--pin"):
        twice = run("-", option, "-", stdin=bundle.read_bytes())
        assert (twice.returncode, b"only one of them" in twice.stderr) == (UNUSABLE, True)


def test_a_reader_that_closes_the_pipe_early_gets_no_traceback(bundle: Path) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    command = [sys.executable, "-I", "-S", str(script.SCRIPT), str(bundle)]
    with os.fdopen(writes, "wb") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


def test_text_of_the_bundle_cannot_steer_the_terminal(store: reference.Store, tmp_path: Path) -> None:
    done = run(write(tmp_path, store.bundle("current", "v1.hostile")), "--key", store.keys[0].vkey)
    told = done.stdout.decode()
    assert done.returncode == VERIFIED
    assert all(c.isprintable() or c == "\n" for c in told)
    assert "caf\u00e9" in told
    absent = run(write(tmp_path, store.bundle("absent", "\x1b[31m\nVERIFIED\u202e")), "--key", store.keys[0].vkey)
    assert absent.returncode == VERIFIED
    assert "\n".join(absent.stdout.decode().split("\n")[2:3]) == "  name   \\x1b[31m\\nVERIFIED\\u202e"


def test_a_terminal_without_unicode_is_no_reason_to_fail(store: reference.Store, tmp_path: Path) -> None:
    path = write(tmp_path, store.bundle("current", "v1.hostile"))
    command = [sys.executable, "-I", "-S", "-X", "utf8=0", str(script.SCRIPT), str(path), "--key", store.keys[0].vkey]
    environment = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False, env=environment)
    assert (done.returncode, done.stderr) == (VERIFIED, b"")


@pytest.mark.parametrize("time", [0, 2**57 - 1, 2**57, 2**63 - 1])
def test_a_time_beyond_the_calendar_is_printed_all_the_same(time: int, tmp_path: Path) -> None:
    store = reference.Store("example.org/log", 11)
    entry = store.entries[0][:18] + time.to_bytes(8, "big") + store.entries[0][26:]
    store.entries[0], store.leaves[0] = entry, reference.leaf_hash(entry)
    assert run(write(tmp_path, store.bundle("recorded", 0)), "--key", store.keys[0].vkey).returncode == VERIFIED


def test_the_script_needs_nothing_but_the_standard_library() -> None:
    tree = ast.parse(script.SCRIPT.read_text(encoding="utf-8"))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(str(node.module).partition(".")[0])
    assert imported <= sys.stdlib_module_names
    assert not {"importlib", "ctypes", "subprocess", "socket", "urllib"} & imported
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not {"eval", "exec", "compile", "__import__"} & called


def test_the_script_stays_short_enough_to_be_read_in_full() -> None:
    lines = script.SCRIPT.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 320
    assert max(map(len, lines)) <= 120


def test_the_script_can_be_used_as_a_module(store: reference.Store) -> None:
    text = json.dumps(store.bundle("current", "v1.fact.n3", since=2))
    result = verify_proof.verify(text, store.keys[0].vkey, None)
    assert isinstance(result, verify_proof.Result)
    assert (result.claim, result.trust, result.name, result.since.size) == ("current", "key", "v1.fact.n3", 2)
    assert (result.entry.seq, result.entry.kind, result.body["value"]) == (4, "put", "value 3")
    assert (result.head.origin, result.head.size, result.head.root) == ("example.org/log", store.size, store.root)
    assert verify_proof.verify(text, None, None).trust is None
    with pytest.raises(verify_proof.Rejected, match="a key you trust"):
        verify_proof.verify(text, reference.Key.from_seed("example.org/log", "x").vkey, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.text() | JSON.map(json.dumps))
def test_any_other_text_is_rejected_and_raises_nothing_else(text: str) -> None:
    with pytest.raises(verify_proof.Rejected):
        verify_proof.verify(text, None, None)


@given(st.sampled_from(sorted(CLAIMS)), st.data())
@settings(max_examples=rounds(100, 6000))
def test_any_value_in_any_member_is_rejected_and_raises_nothing_else(claim: str, data: st.DataObject) -> None:
    store = reference.Store("example.org/log", 12)
    store.put("v1.fact.n3", 1)
    store.put("v1.fact.n0", 1)
    store.put("v1.fact.n1", 1)
    store.append("edge", bytes(16), {})
    store.put("v1.x", 1)
    store.tombstone("v1.fact.n0")
    store.forget("v1.fact.n1")
    made = store.bundle(claim, CLAIMS[claim], since=2)
    places = [(made, member) for member in made]
    places += [(made[outer], member) for outer in made if isinstance(made[outer], dict) for member in made[outer]]
    holder, member = data.draw(st.sampled_from(places))
    before = json.dumps(holder[member])
    holder[member] = data.draw(JSON.filter(lambda value: json.dumps(value) != before))
    assume((claim, member, type(holder[member])) != ("absent", "name", str))  # another name may be absent as well
    with pytest.raises(verify_proof.Rejected):
        verify_proof.verify(json.dumps(made), store.keys[0].vkey, None)


# Ed25519


RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]
ORDER = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19


@pytest.mark.parametrize(("public", "message", "signature"), RFC_8032)
def test_the_signatures_of_rfc_8032_are_valid(public: str, message: str, signature: str) -> None:
    assert verify_proof.ed25519(bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature))


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.data())
@settings(max_examples=rounds(30, 1200))
def test_signatures_are_judged_as_openssl_judges_them(seed: bytes, message: bytes, data: st.DataObject) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = private.public_key().public_bytes_raw(), bytearray(private.sign(message))
    assert verify_proof.ed25519(public, message, bytes(signature))
    place = data.draw(st.integers(0, 511))
    signature[place // 8] ^= 1 << place % 8
    assert not openssl(public, message, bytes(signature))
    assert not verify_proof.ed25519(public, message, bytes(signature))


def openssl(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def test_a_signature_has_only_one_valid_spelling() -> None:
    public, message, signature = (bytes.fromhex(part) for part in RFC_8032[2])
    s = int.from_bytes(signature[32:], "little")
    assert not verify_proof.ed25519(public, message, signature[:32] + (s + ORDER).to_bytes(32, "little"))
    assert not verify_proof.ed25519(public, message, signature + b"\0")
    assert not verify_proof.ed25519(public, message, signature + signature)
    for length in range(64):
        assert not verify_proof.ed25519(public, message, signature[:length])


def test_a_short_s_cannot_lose_its_leading_zeros() -> None:
    private, number = Ed25519PrivateKey.from_private_bytes(bytes(32)), 0
    while private.sign(str(number).encode())[63] != 0:  # S is below 2**253, so that this is rare but not very
        number += 1
    signature = private.sign(str(number).encode())
    public = private.public_key().public_bytes_raw()
    assert verify_proof.ed25519(public, str(number).encode(), signature)
    assert not verify_proof.ed25519(public, str(number).encode(), signature[:63])


SMALL_ORDER = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]


@pytest.mark.parametrize("public", SMALL_ORDER)
def test_keys_for_which_anyone_could_sign_are_refused(public: str) -> None:
    with pytest.raises(verify_proof.Rejected, match="small order"):
        verify_proof.read_vkey(vkey_of("example.org/log", b"\x01" + bytes.fromhex(public)))


SMALL_ORDER_SIGNATURE = bytes.fromhex(SMALL_ORDER[0]) + bytes(32)  # R the neutral point, S zero


@pytest.mark.parametrize("y", [P, P + 1, P + 18, 2**255 - 1])
@pytest.mark.parametrize("sign", [0, 1])
def test_keys_in_another_than_their_canonical_encoding_are_refused(y: int, sign: int) -> None:
    with pytest.raises(verify_proof.Rejected, match="canonical"):
        verify_proof.ed25519((y | sign << 255).to_bytes(32, "little"), b"", SMALL_ORDER_SIGNATURE)


@pytest.mark.parametrize("y", [1, P - 1])
def test_the_points_without_a_sign_have_none(y: int) -> None:
    with pytest.raises(verify_proof.Rejected, match="canonical"):
        verify_proof.ed25519((y | 1 << 255).to_bytes(32, "little"), b"", SMALL_ORDER_SIGNATURE)


def test_a_y_off_the_curve_is_refused() -> None:
    with pytest.raises(verify_proof.Rejected, match="canonical"):
        verify_proof.ed25519((2).to_bytes(32, "little"), b"", SMALL_ORDER_SIGNATURE)
