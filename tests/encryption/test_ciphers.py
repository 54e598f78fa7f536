"""ciphers.py: what is encrypted opens where it belongs, and nowhere else."""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from substrate import ciphers
from substrate.ciphers import (
    DomainKey,
    ciphertext_name,
    decrypt,
    encrypt,
    is_ciphertext,
    new_domain_key,
    open_version,
    unwrap,
    version_key,
    wrap,
)
from substrate.errors import Denied, StoreDamaged

DOMAIN, OTHER = new_domain_key(), new_domain_key()
ATOM, NEIGHBOUR = b"a" * 16, b"b" * 16
BODY = b'{"name":"v1.fact.x","value":"y"}'


@pytest.fixture(scope="module")
def row() -> bytes:
    return wrap(DOMAIN, "pass phrase")


def test_a_passphrase_opens_the_key_that_it_wraps(row: bytes) -> None:
    assert unwrap(row, "pass phrase") == DOMAIN
    assert DOMAIN.key.hex() not in row.decode() + repr(DOMAIN)


def test_a_passphrase_costs_what_rfc_9106_recommends() -> None:
    """Asked of the module as it is: in the other tests it is cheap (tests/conftest.py)."""
    spec = spec_from_file_location("ciphers_as_they_are", ciphers.__file__)
    assert spec is not None
    assert spec.loader is not None
    real = sys.modules[spec.name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(real)
        row = real.wrap(DOMAIN, "pass phrase")
    finally:
        del sys.modules[spec.name]
    kept = json.loads(row)
    assert (kept["memory"], kept["iterations"], kept["lanes"]) == (64 * 1024, 3, 4)
    assert unwrap(row, "pass phrase") == DOMAIN


def test_another_passphrase_is_refused(row: bytes) -> None:
    with pytest.raises(Denied, match="passphrase is wrong"):
        unwrap(row, "pass phrase ")


def test_a_key_under_the_id_of_another_domain_is_refused(row: bytes) -> None:
    moved = json.dumps({**json.loads(row), "id": OTHER.id.hex()}).encode()
    with pytest.raises(Denied):
        unwrap(moved, "pass phrase")


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"memory": 1 << 30},
        {"memory": 8},
        {"iterations": 0},
        {"lanes": -1},
        {"salt": "00"},
        {"id": "zz"},
        {"wrapped": "00"},
        {"wrapped": None},
    ],
)
def test_a_row_that_asks_for_too_much_or_makes_no_sense_is_damaged(row: bytes, change: dict[str, object]) -> None:
    with pytest.raises(StoreDamaged, match="restore a backup"):
        unwrap(json.dumps({**json.loads(row), **change}).encode(), "pass phrase")
    with pytest.raises(StoreDamaged):
        unwrap(b"[]" if change == {"format": 2} else b"\xff", "pass phrase")


def test_a_version_opens_for_its_domain_and_its_atom_alone() -> None:
    value = encrypt(DOMAIN, ATOM, BODY)
    assert decrypt(DOMAIN, ATOM, value) == BODY
    for domain, atom in ((OTHER, ATOM), (DOMAIN, NEIGHBOUR), (DomainKey(OTHER.id, DOMAIN.key), NEIGHBOUR)):
        with pytest.raises(StoreDamaged, match="does not open"):
            decrypt(domain, atom, value)


def test_every_byte_of_a_value_counts() -> None:
    value = encrypt(DOMAIN, ATOM, BODY)
    head, data = value.split(":")
    raw = b64decode(data)
    for at in range(len(raw)):
        changed = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
        with pytest.raises(StoreDamaged):
            decrypt(DOMAIN, ATOM, f"{head}:{b64encode(changed).decode()}")
    for short in ("", "ciphertext1:", f"{head}:%%%", f"{head}:{data[:40]}"):
        with pytest.raises(StoreDamaged, match="not the value of an atom that is encrypted"):
            decrypt(DOMAIN, ATOM, short)


def test_the_key_of_one_version_opens_that_version_alone() -> None:
    first, second = encrypt(DOMAIN, ATOM, BODY), encrypt(DOMAIN, ATOM, BODY)
    key = version_key(DOMAIN, ATOM, first)
    assert open_version(key, ATOM, first) == BODY
    for disclosed, atom, value in ((key, ATOM, second), (key, NEIGHBOUR, first), (key[:-1], ATOM, first)):
        with pytest.raises(StoreDamaged, match="does not open"):
            open_version(disclosed, atom, value)


def test_names_say_nothing_and_never_meet() -> None:
    names = {ciphertext_name(DOMAIN.id) for _ in range(100)}
    assert len(names) == 100
    assert all(is_ciphertext(name, encrypt(DOMAIN, ATOM, BODY)) for name in names)
    assert not is_ciphertext("v1.ciphertext.x", "a text about ciphertext")
    assert not is_ciphertext("v1.fact.x", "ciphertext1:AAAA")
