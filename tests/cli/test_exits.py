from __future__ import annotations

import io
import re
import resource
import signal
import subprocess
import sys
from contextlib import closing
from errno import ENOSPC
from pathlib import Path

import pytest

import substrate
from substrate import errors
from substrate.cli import exits, main
from substrate.cli.exits import EXITS, Exit, exit_of
from substrate.kv.open import open_store
from substrate.log.tables import LINKS, TABLES
from tests.cli.run import PROGRAM, Commands
from tests.scale import PATIENCE_S

ERRORS = [getattr(errors, name) for name in errors.__all__]


def missing_codes(kinds: list[type[errors.SubstrateError]]) -> list[str]:
    """Errors for which no class but the root itself has a code: they would pass for a bug."""
    return [kind.__name__ for kind in kinds if exit_of(kind) is Exit.BUG and kind is not errors.SubstrateError]


def test_every_error_has_an_exit_code() -> None:
    assert missing_codes(ERRORS) == []


def test_an_error_without_a_code_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(exits._BY_ERROR, errors.Busy)
    assert missing_codes(ERRORS) == ["Busy"]


def test_the_codes_of_verify_are_those_of_the_script() -> None:
    text = Path(__file__).parents[2].joinpath("examples/verify_proof.py").read_text(encoding="utf-8")
    assert "Exit codes: 0 verified, 1 rejected, 2 unreadable or wrong usage, 3 consistent, origin untrusted" in text
    assert (Exit.OK, Exit.REJECTED, Exit.USAGE, Exit.UNTRUSTED) == (0, 1, 2, 3)


def test_every_code_is_in_the_help(run: Commands) -> None:
    told = re.findall(r"^ +(\d+)  \S", run("--help").out, re.MULTILINE)
    assert told == [str(int(code)) for code in Exit] == [str(int(code)) for code in EXITS]


@pytest.mark.parametrize("kind", ERRORS, ids=errors.__all__)
def test_every_error_is_one_line_or_one_document(
    run: Commands, monkeypatch: pytest.MonkeyPatch, kind: type[errors.SubstrateError]
) -> None:
    made = {errors.TooLarge: ("value", 2, 1), errors.ProofInvalid: ("root_mismatch", "no")}.get(kind, ("no\x1b[31m",))

    def fail(*_: object, **__: object) -> None:
        raise kind(*made)

    monkeypatch.setattr(substrate, "open", fail)
    ran = run("checkpoint", "v1.a.b = c")
    assert (ran.code, ran.out) == (exit_of(kind), "")
    assert ran.err.startswith("substrate: ")
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err
    error = run("checkpoint", "v1.a.b = c", "--json").error
    assert (error["code"], error["retryable"]) == (kind.code, kind.retryable)


def test_a_bug_is_one_line_that_does_not_repeat_what_was_said(run: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the value was hunter2")

    monkeypatch.setattr(substrate, "open", fail)
    ran = run("checkpoint", "v1.a.b = c")
    assert (ran.code, ran.out) == (70, "")
    assert re.fullmatch(
        r"substrate: this is an error in Substrate, .*ZeroDivisionError at \S+:\d+; --debug .*\n", ran.err
    )
    assert "hunter2" not in ran.err
    assert run("checkpoint", "v1.a.b = c", "--json").error["code"] == "bug"
    ran = run("checkpoint", "v1.a.b = c", "--debug")
    assert (ran.code, "Traceback" in ran.err) == (70, True)


def test_a_row_that_cannot_be_read_is_told_with_what_finds_the_damage(run: Commands, tmp_path: Path) -> None:
    path = str(tmp_path / "damaged")
    run("--store", path, "checkpoint", "v1.a.b = c", "--edge", "v1.a.b likes v1.a.d")
    with closing(open_store(Path(path), TABLES)) as store, store.write() as transaction:
        for key, row in list(transaction.scan(LINKS)):
            transaction.put(LINKS, key, row[:3])
    ran = run("--store", path, "edges", "v1.a.b")
    assert (ran.code, ran.out) == (70, "")
    assert "run substrate fsck" in ran.err
    assert "table links" in run("--store", path, "fsck").out
    run("--store", path, "rebuild")
    assert run("--store", path, "edges", "v1.a.b").code == 0


@pytest.mark.usefixtures("run")
def test_ctrl_c_is_130_without_a_traceback() -> None:
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # Whoever runs the tests in the background may have them ignore it, and children inherit that.
    heed = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen([PROGRAM, "checkpoint", "-"], bufsize=0, **streams, **heed) as child:
        assert child.stdin is not None
        # More than a pipe holds: when all of it is written, the program has come to read it, and waits for the end.
        left = memoryview(b"v1.fact.x = " + b"y" * 1_000_000)
        while left:
            left = left[child.stdin.write(left) :]
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, out, err) == (130, b"", b"substrate: stopped\n")


def test_a_reader_that_goes_away_is_no_error(run: Commands) -> None:
    many = "\n".join(f"v1.fact.n{n} = {'x' * 100}" for n in range(1500))  # more than a pipe holds
    run.ok("checkpoint", "-", stdin=many)
    script = f'"{PROGRAM}" list --all | head -1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert done.stdout.splitlines()[-1] == "141"
    assert done.stdout.startswith("v1.fact.n0\t")
    assert done.stderr == ""


@pytest.mark.parametrize("words", ["list", "--help", "list --help", "--version", "export", "completion bash", "head"])
def test_a_full_disk_under_the_output_is_told(store: Commands, words: str) -> None:
    with Path("/dev/full").open("w", encoding="ascii") as full:
        done = subprocess.run(
            [PROGRAM, *words.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE_S
        )
    assert (done.returncode, done.stderr) == (8, "substrate: there is no room for the output\n")
    assert store("list").code == 0


class Full(io.StringIO):
    """Standard output on a disk without room."""

    def flush(self) -> None:
        raise OSError(ENOSPC, "No space left on device")


WRITING = {
    "checkpoint": ["v1.fact.new = 1"],
    "observe": ["v1.fact.provider", "v1.fact.currency"],
    "train": ["v1.fact.provider", "v1.fact.currency"],
    "watch": ["off"],
    "resolve": ["v1.fact.payment_provider", "v1.fact.payments.provider"],
    "key": ["--rotate"],
    "forget": ["v1.goal.launch", "--yes"],
    "rebuild": [],
    "compact": [],
    "import": ["lines"],
    "backup": ["saved"],
    "restore": ["copy", "--store", "restored"],
}


@pytest.mark.parametrize("verb", WRITING)
def test_what_is_done_and_cannot_be_printed_is_not_told_as_undone(
    store: Commands, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    store.ok("checkpoint", "v1.fact.payment_provider = Stripe", "v1.fact.payments.provider = Adyen")
    Path("lines").write_text('{"kind":"put","name":"v1.fact.imported","value":"1"}\n', encoding="utf-8")
    if verb == "restore":
        store.ok("backup", "copy")
    told = io.StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Full())
        patch.setattr(sys, "stderr", told)
        code = main([verb, *WRITING[verb]])
    assert told.getvalue() == (
        "substrate: done, and what was to be written is written; but the answer could not be printed: "
        "No space left on device\n"
    )
    assert code == 14


def test_what_was_saved_under_a_full_output_is_there(store: Commands) -> None:
    with Path("/dev/full").open("w", encoding="ascii") as full:
        words = [PROGRAM, "checkpoint", "v1.fact.kept = yes"]
        done = subprocess.run(words, stdout=full, stderr=full, check=False, timeout=PATIENCE_S)
    assert done.returncode == 14
    assert store.ok("access", "v1.fact.kept").out == "yes\n"


def test_closed_streams_do_not_hinder(store: Commands) -> None:
    closed = f'"{PROGRAM}" checkpoint "v1.fact.closed = yes" >&- 2>&- <&-; echo $?'
    script = f'{closed}; "{PROGRAM}" access v1.no.thing 2>&-; echo $?'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert done.stdout == "0\n4\n"
    assert store("access", "v1.fact.closed").out == "yes\n"


def test_a_store_without_its_key_can_be_read_but_not_written(store: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", str(store.folder / "elsewhere"))
    assert store("access", "v1.fact.provider").out == "Adyen\n"
    assert store("checkpoint", "v1.fact.a = 1").code == 9


def test_a_folder_that_is_no_store_is_left_alone(run: Commands) -> None:
    Path("papers").mkdir()
    Path("papers/letter").write_text("Dear all", encoding="utf-8")
    assert run("list", "--store", "papers").code in (2, 4)
    assert run("list", "--store", "papers/letter").code == 2
    assert [path.name for path in Path("papers").iterdir()] == ["letter"]


@pytest.mark.usefixtures("store")
def test_a_proof_is_written_whole_or_not_at_all() -> None:

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    done = subprocess.run(
        [PROGRAM, "prove", "v1.fact.provider", "-o", "p.json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        preexec_fn=limit,
    )
    assert done.returncode == 2
    assert "the proof cannot be written to p.json: File too large" in done.stderr
    assert not Path("p.json").exists()
