"""A disclosed key: an auditor reads one version with the proof and the script, and nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from substrate.errors import InputError, NotFound
from substrate.memory import Memory
from tests.encryption.canaries import PASSPHRASE
from tests.proof import script
from tests.scale import PATIENCE_S

TEXT = "Penicillin gives me a rash\u202e\nand a fever, caf\u00e9 " + "x" * 100
NAME = "v1.fact.allergy"


@pytest.fixture
def health(memory: Memory) -> Memory:
    memory.checkpoint(["v1.domain.health = my body", "v1.fact.open = a text"])
    memory.encrypt("health", PASSPHRASE)
    member = {"source": NAME, "type": "member_of", "target": "v1.domain.health"}
    memory.checkpoint([{"name": NAME, "value": "an earlier text"}], edges=[member])
    return memory


def run(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The script, alone in a folder, without any package."""
    alone = shutil.copy(script.SCRIPT, folder)
    command = [sys.executable, "-I", "-S", alone, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=folder)


def test_the_key_of_one_version_shows_its_text_and_no_other(health: Memory, tmp_path: Path) -> None:
    earlier = health.disclose(NAME)
    old = health.prove(NAME).to_json()
    health.checkpoint([{"name": NAME, "value": TEXT, "tags": ["body"]}])
    key, bundle = health.disclose(NAME), health.prove(NAME).to_json()
    files = {"key": key, "earlier": earlier, "proof": bundle, "old": old, "vkey": str(health.key()), "junk": "zz"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = run(tmp_path, "proof", "--disclosed", "key", "--key", "vkey")
    assert done.returncode == 0, done
    assert done.stdout.startswith("VERIFIED\n")
    for line in (
        f'    name "{NAME}"',
        '    value "Penicillin gives me a rash\\u202e\\nand a fever',
        '    tags ["body"]',
    ):
        assert line in done.stdout
    assert "  text   encrypted: --disclosed shows it" in run(tmp_path, "proof").stdout
    assert run(tmp_path, "old", "--disclosed", "earlier").returncode == 3
    for proof, disclosed, why in (
        ("proof", "earlier", "the key is not that of this version"),
        ("old", "key", "the key is not that of this version"),
        ("proof", "junk", "not 64 hexadecimal digits"),
    ):
        done = run(tmp_path, proof, "--disclosed", disclosed, "--key", "vkey")
        assert (done.returncode, why in done.stdout) == (1, True), done
    plain = tmp_path / "plain"
    plain.write_text(health.prove("v1.fact.open").to_json(), encoding="utf-8")
    assert "is not encrypted" in run(tmp_path, "plain", "--disclosed", "key").stdout
    (tmp_path / "absent").write_text(health.prove("v1.fact.nobody").to_json(), encoding="utf-8")
    assert "holds no version" in run(tmp_path, "absent", "--disclosed", "key").stdout
    assert run(tmp_path, "proof", "--disclosed", "nowhere").returncode == 2


def test_the_scripts_cipher_is_that_of_rfc_8439() -> None:
    verify_proof = script.load()
    one = bytes(31) + b"\1"  # A.1, 1 to 3
    blocks = [verify_proof.chacha20(key, count).hex() for key, count in ((bytes(32), 0), (bytes(32), 1), (one, 1))]
    assert [block[:32] for block in blocks] == [
        "76b8e0ada0f13d90405d6ae55386bd28",
        "9f07e7be5551387a98ba977c732d080d",
        "3aeb5224ecf849929b9d828db1ced4dd",
    ]
    once = bytes.fromhex("02" + "00" * 31)  # A.3, 7 and 8: sums around 2^130 - 5
    around = "ff" * 16 + "f0" + "ff" * 15 + "11" + "00" * 15
    assert (
        verify_proof.poly1305(once[:1].replace(b"\2", b"\1") + bytes(31), bytes.fromhex(around)).hex()
        == "05" + "00" * 15
    )
    assert verify_proof.poly1305(once, bytes.fromhex("ff" * 16)).hex() == "03" + "00" * 15


def test_a_changed_or_moved_ciphertext_is_rejected(health: Memory) -> None:
    verify_proof = script.load()
    health.checkpoint([{"name": NAME, "value": TEXT}])
    key, bundle = health.disclose(NAME), json.loads(health.prove(NAME).to_json())
    value = json.loads(bundle["atom"]["body"])["value"]
    atom = b64decode(bundle["entry"]["bytes"])[2:18]
    assert verify_proof.open_disclosed(key, atom, value)["value"] == TEXT
    raw = b64decode(value.partition(":")[2])
    twisted = [raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in (0, 15, 80, 108, 150, len(raw) - 1)]
    for other, changed in ((atom[::-1], value), *((atom, f"ciphertext1:{b64encode(one).decode()}") for one in twisted)):
        with pytest.raises(verify_proof.Rejected):
            verify_proof.open_disclosed(key, other, changed)
    for nothing in (None, "text", "ciphertext1:%", "ciphertext1:AAAA"):
        with pytest.raises(verify_proof.Rejected):
            verify_proof.open_disclosed(key, atom, nothing)


def test_only_an_unlocked_atom_in_use_has_a_key_to_disclose(health: Memory) -> None:
    with pytest.raises(InputError, match="no key to disclose"):
        health.disclose("v1.fact.open")
    health.checkpoint(tombstones=[NAME])
    with pytest.raises(NotFound, match="out of use"):
        health.disclose(NAME)
    health.lock()
    with pytest.raises(NotFound):
        health.disclose(NAME)
