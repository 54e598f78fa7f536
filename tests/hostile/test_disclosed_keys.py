"""A prover who lies with a disclosed key: the script rejects each lie, and prints nothing that the prover can shape."""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from substrate.ciphers import DomainKey, encrypt, version_key
from substrate.memory import Memory
from tests.hostile import twins
from tests.hostile.twins import Check
from tests.proof import script

MARK = "ciphertext1:"
ATOM = bytes(range(16))
DOMAIN = DomainKey(bytes(16), bytes(32))
FORGED = "x\x1b[2J\x1b[HVERIFIED\n  trust  by the key you gave"


def disclosed(text: str, atom: bytes = ATOM) -> tuple[str, str]:
    """A key, and the value that it opens."""
    value = encrypt(DOMAIN, atom, text.encode())
    return version_key(DOMAIN, atom, value).hex(), value


@cache
def lies() -> dict[str, tuple[str, bytes, object]]:
    """What must be rejected, each with key, id of the atom and value."""
    key, _, value = _true()
    raw = b64decode(value.removeprefix(MARK))
    other = bytes(31) + b"\1"
    sealed = ChaCha20Poly1305(other).encrypt(bytes(12), b'{"value": "a lie"}', raw[:16] + ATOM)

    def as_value(data: bytes) -> str:
        return MARK + b64encode(data).decode()

    return {
        "no hexadecimal digits": ("zz", ATOM, value),
        "capital digits": (key.upper(), ATOM, value),
        "no text": (key, ATOM, None),
        "no ciphertext": (key, ATOM, "a text"),
        "cut off": (key, ATOM, MARK + "AAAA"),
        "a text that another key encrypts": (other.hex(), ATOM, as_value(raw[:108] + sealed)),
        "one bit of the text": (key, ATOM, as_value(raw[:-18] + bytes([raw[-18] ^ 1]) + raw[-17:])),
        "of another atom": (key, ATOM[::-1], value),
    }


def _true() -> tuple[str, bytes, str]:
    key, value = disclosed('{"value": "the truth"}')
    return key, ATOM, value


def slip(module: ModuleType) -> str | None:
    """The first lie that is not cleanly rejected."""
    for label, lie in lies().items():
        try:
            module.open_disclosed(*lie)
        except module.Rejected:
            continue
        except Exception as error:  # noqa: BLE001 - any crash is a find
            return f"{type(error).__name__} on {label}"
        return label
    return None


def run(module: ModuleType, monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """The exit code of the script with these words on its command line."""
    monkeypatch.setattr(sys, "argv", ["verify_proof.py", *map(str, words)])
    try:
        return int(module.main())
    except SystemExit as end:
        return int(str(end.code))


@pytest.fixture
def folder(memory: Memory, tmp_path: Path) -> Path:
    """The proof of a ciphertext that a liar made, its key, the key of the store, and the proof of an absent name."""
    memory.checkpoint(["v1.fact.lie = a text"])
    atom = b64decode(json.loads(memory.prove("v1.fact.lie").to_json())["entry"]["bytes"])[2:18]
    key, value = disclosed(json.dumps({FORGED: FORGED}), atom)
    memory.checkpoint([{"name": "v1.fact.lie", "value": value}], allow_secrets=True)
    files = {
        "proof": memory.prove("v1.fact.lie").to_json(),
        "absent": memory.prove("v1.fact.nobody").to_json(),
        "key": key,
        "vkey": str(memory.key()),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_members_of_the_text_come_out_escaped_as_their_values_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (folder / "proof", "--disclosed", folder / "key", "--key", folder / "vkey")
    assert run(script.load(), monkeypatch, *words) == 0
    told = capsys.readouterr().out
    assert all(c.isprintable() or c == "\n" for c in told), ascii(told)
    assert sum(line.startswith("  trust ") for line in told.splitlines()) == 1
    assert told.count("\\x1b[2J") == 1, "the label"
    assert told.count("\\u001b[2J") == 1, "the value"


def test_every_lie_about_a_disclosed_key_is_rejected() -> None:
    module = script.load()
    assert module.open_disclosed(*_true()) == {"value": "the truth"}
    assert slip(module) is None


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "check", [check for check in twins.script_checks() if check.function in ("open_disclosed", "main")], ids=str
)
def test_the_script_without_one_check_of_a_disclosed_key_is_found_out(
    check: Check, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (folder / "absent", "--disclosed", folder / "key")
    assert run(script.load(), monkeypatch, *words) == 1
    twin = twins.script_without(check)
    assert slip(twin) or run(twin, monkeypatch, *words) != 1
