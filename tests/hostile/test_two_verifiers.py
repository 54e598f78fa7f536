"""The package's verifier and the auditor's script say the same of every text: verified, untrusted or rejected."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

import substrate.proof.verify as package
from substrate.commands.files import read_text
from substrate.errors import InputError, ProofInvalid
from tests.cli.run import Commands
from tests.hostile import twins
from tests.hostile.lies import lies
from tests.hostile.odd_texts import Odd, odd_texts
from tests.hostile.tampering import KINDS, Pool, tamper
from tests.proof import script
from tests.proof.reference import Store, b64, honest_cases, note
from tests.scale import rounds

SEED = 17
SCRIPT = script.load()
twins.script_judge(SCRIPT)  # with the signatures of OpenSSL, which are faster
Says = Callable[[str, str | None, str | None], object]
REJECTED = "rejected"


@cache
def package_says(text: str, key: str | None, pin: str | None) -> object:
    """All that a verdict holds; any other error than a rejection is a failure."""
    try:
        said = package.Verifier(key, pin).verify(text)
    except ProofInvalid:
        return REJECTED
    except InputError:  # a key and a pin
        return REJECTED
    trust = {None: None, "the key you gave": "key", "the pin you gave": "pin"}[said.against]
    assert said.trusted == (trust is not None)
    entry = (
        None if said.entry is None else (said.seq, said.entry.kind.name.lower(), said.entry.subject, said.entry.time)
    )
    head = (said.head.origin, said.head.size, said.head.root, said.head.map_root)
    body = None if said.body is None else json.loads(said.body)
    return trust, said.claim, said.name, entry, repr(body), said.since and said.since.size, head


def script_says(text: str, key: str | None, pin: str | None, module: ModuleType = SCRIPT) -> object:
    """The same, of the script."""
    try:
        said = module.verify(text, key, pin)
    except module.Rejected:
        return REJECTED
    entry = said.entry and (said.entry.seq, said.entry.kind, said.entry.subject, said.entry.time)
    head = (said.head.origin, said.head.size, said.head.root, said.head.map_root)
    body = said.body if said.entry else None
    return said.trust, said.claim, said.name, entry, repr(body), said.since and said.since.size, head


@cache
def corpus() -> list[Odd]:
    """What both are shown; the honest and the tampered ones also with nothing in hand."""
    made, pool = odd_texts(SEED), Pool.of(SEED)
    made += [Odd(case.label, case.text, case.key, case.pin) for case in [*lies(SEED), *honest_cases(SEED)]]
    for number in range(rounds(150, 20_000)):
        bad = tamper(KINDS[number % len(KINDS)], number, pool)
        made += [Odd(bad.kind, bad.text, bad.key, bad.pin), Odd(f"{bad.kind}, nothing in hand", bad.text)]
    return made


def disagreements(one: Says, other: Says, seen: Counter[object] | None = None) -> Iterator[str]:
    """What the two do not say alike, or answer with a crash; `seen` counts what the first says."""
    for odd in corpus():
        said = []
        for says in (one, other):
            try:
                said.append(says(odd.text, odd.key, odd.pin))
            except Exception as error:  # noqa: BLE001 - a crash is no verdict
                said.append(f"{type(error).__name__} by {says}")
        if said[0] != said[1]:
            yield f"{odd.label}: {said[0]} and {said[1]}"
        if seen is not None:
            seen[said[0] if said[0] == REJECTED else said[0][0]] += 1


@pytest.mark.slow
@pytest.mark.soak
def test_both_verifiers_say_the_same_of_every_odd_text() -> None:
    seen = Counter[object]()
    assert list(islice(disagreements(package_says, script_says, seen), 5)) == []
    assert min(seen[REJECTED], seen["key"], seen["pin"], seen[None]) > 50, seen


# Broken twins: a script that differs in one point


def rewritten(old: str, new: str) -> Says:
    twin = twins.rewritten_module(old, new)
    return lambda text, key, pin: script_says(text, key, pin, twin)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(shape, raw) != (32, bytes(32))", "raw != bytes(32)"),  # a witness's signature of zeros
        ("need((shape, raw) != (32, bytes(32))", "need(True"),  # a root of zeros
        ("MAX_DEPTH + 1", "MAX_DEPTH"),
        ("MAX_DEPTH + 1", "MAX_DEPTH + 2"),
        ('    need(not layer, "nested too deep")\n', ""),
        ("(ValueError, RecursionError)", "ValueError"),
        ("need(y * (y * y - 1) * ", "need(y * "),  # a key of small order takes over
        ("key is None and title", "title"),  # a key and a pin
        ("[^\\s+]+ {BASE64}", "[^ +]+ {BASE64}"),
        (" and len(note) <= 2**16", ""),
        (", allow_nan=False", ""),
    ],
)
def test_a_script_that_judges_otherwise_in_one_point_is_found_out(old: str, new: str) -> None:
    assert next(disagreements(package_says, rewritten(old, new)), None) is not None


# Files: the same exit code by `substrate verify`


def folder_of_odd_files(folder: Path) -> list[tuple[str, list[str]]]:
    """Files of odd bytes, each with the trust that it is to be checked by."""
    store = Store("example.org/log", SEED)
    store.put("v1.long", "x" * 1000)
    pin = store.pin()
    good = json.dumps(store.bundle("current", "v1.long"), indent=1)
    head = store.bundle("current", "v1.long")["head"]
    zeros = note(store.origin, store.size, bytes(32), store.map_root, store.keys[0])
    bundles = {
        "good": good.encode(),
        "empty": b"",
        "bytes": b"\xff\xfe",
        "not UTF-8 in a string": good.replace("v1.long", "v1.l\udcffng", 1).encode(errors="surrogateescape"),
        "a byte order mark": b"\xef\xbb\xbf" + good.encode(),
        "CRLF": good.replace("\n", "\r\n").encode(),
        "UTF-16": good.encode("utf-16"),
        "NUL": good.encode() + b"\x00",
        "deep": b"[" * 100_000,
        "too large": good.encode() + b" " * (16 * 2**20),
        "zeros": json.dumps(store.bundle("absent", "v1.none") | {"head": zeros}).encode(),
        "witness": json.dumps(
            store.bundle("current", "v1.long") | {"head": f"{head}\u2014 w.org/w {b64(bytes(32))}\n"}
        ).encode(),
    }
    trusts = {
        "my.key": f"{store.keys[0].vkey}\r\n".encode(),
        "marked.key": b"\xef\xbb\xbf" + store.keys[0].vkey.encode(),
        "bytes.key": b"\xff+\xff+\xff",
        "me.pin": pin.encode(),
        "crlf.pin": pin.replace("\n", "\r\n").encode(),
        "marked.pin": b"\xef\xbb\xbf" + pin.encode(),
        "bytes.pin": b"\xff",
        "empty.pin": b"",
    }
    for name, data in {**bundles, **trusts}.items():
        (folder / name).write_bytes(data)
    given = [[], ["--key", store.keys[0].vkey], *([f"--{name[-3:]}", name] for name in trusts)]
    given += [["--key", "me.pin"], ["--key", "marked.pin"], ["--pin", "my.key"], ["--pin", "marked.key"]]
    return [(name, []) for name in bundles] + [
        (name, trust) for name in ("good", "bytes", "deep", "witness", "zeros", "a byte order mark") for trust in given
    ]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUBSTRATE_STORE", raising=False)
    return Commands(tmp_path, monkeypatch)


def exit_code(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The script's, run in this process."""
    monkeypatch.setattr(sys, "argv", ["verify_proof.py", *words])
    try:
        code = SCRIPT.main()
    except SystemExit as ended:
        code = ended.code
    assert isinstance(code, int)
    return code


def test_both_programs_end_with_the_same_exit_code_for_every_odd_file(
    run: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Counter[int]()
    for file, trust in folder_of_odd_files(tmp_path):
        code = exit_code(monkeypatch, file, *trust)
        ran = run("verify", file, *trust)
        assert ran.code == code, (file, trust, ran.out, ran.err)
        seen[code] += 1
    assert set(seen) == {0, 1, 2, 3}


@pytest.mark.parametrize(("option", "file", "kind"), [("--key", "me.pin", "pin"), ("--pin", "my.key", "key")])
def test_a_pin_given_as_a_key_and_the_reverse_is_wrong_usage_and_no_rejection(  # noqa: PLR0913, PLR0917
    run: Commands,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    file: str,
    kind: str,
) -> None:
    folder_of_odd_files(tmp_path)
    said = f"{file} is a {kind}: use --{kind}"
    ran = run("verify", "good", option, file)
    assert (ran.code, ran.out, said in ran.err) == (2, "", True)
    assert exit_code(monkeypatch, "good", option, file) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("words", [["good", "--key", "bytes.pin"], ["-", "--key", "-"], ["-", "--pin", "-"]])
def test_a_file_without_a_key_and_an_input_named_twice_are_wrong_usage_and_no_rejection(
    run: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    folder_of_odd_files(tmp_path)
    assert (run("verify", *words).code, exit_code(monkeypatch, *words)) == (2, 2)


def test_a_program_that_reads_over_a_byte_order_mark_is_found_out(
    run: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("substrate.cli.verbs.prove.read_evidence", read_text)
    cases = folder_of_odd_files(tmp_path)
    assert any(run("verify", file, *trust).code != exit_code(monkeypatch, file, *trust) for file, trust in cases)
