"""Rows 10 and 11: many processes and threads on one log. Everyone's writes are there once, in one order, for all."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.codec import decode_body, draft_put
from substrate.errors import ProofInvalid
from substrate.log.copies.check import check_store
from substrate.log.log import Log, open_log
from substrate.proof.verify import Verifier
from tests.scale import PATIENCE_S, rounds

WRITER = """
import sys
from substrate.codec import draft_put
from substrate.log.log import open_log
store, home, label, commits = sys.argv[1:]
with open_log(store, home=home) as log:
    print("ready", flush=True)
    sys.stdin.readline()
    for i in range(int(commits)):
        log.append([draft_put(f"v1.fact.{label}_{i}_{j}", label) for j in range(i % 3 + 1)])
        print(i, flush=True)
"""

READER = """
import json, sys, threading
from substrate import Verifier
from substrate.log.log import open_log
store, home = sys.argv[1:]
stop = threading.Event()
with open_log(store, home=home, read_only=True) as log:
    print("ready", flush=True)
    sys.stdin.readline()
    threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
    verifier, size, proofs = Verifier(key=str(log.key())), 0, 0
    while not stop.is_set() or proofs < 10:
        bundle = log.prove_entry(max(0, size - 1))
        verdict = verifier.verify_bundle(bundle)
        assert verdict.trusted and verdict.head.size >= size, "a size went back"
        size, proofs = verdict.head.size, proofs + 1
print(json.dumps([size, proofs]), flush=True)
"""


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


@pytest.mark.soak
def test_writers_and_readers_in_many_processes_agree_on_one_log(tmp_path: Path) -> None:
    store, home = tmp_path / "store", tmp_path / "home"
    commits = rounds(100, 2000)
    with open_log(store, home=home) as log:
        writers = [start(WRITER, str(store), str(home), f"w{i}", str(commits)) for i in range(4)]
        readers = [start(READER, str(store), str(home)) for _ in range(2)]
        for child in [*readers, *writers]:
            child.stdin.write("go\n")  # type: ignore[union-attr]
            child.stdin.flush()  # type: ignore[union-attr]
        for writer in writers:
            out, _ = writer.communicate(timeout=600)
            assert writer.returncode == 0
            assert [int(line) for line in out.split()] == list(range(commits))
        for reader in readers:
            out, _ = reader.communicate(timeout=PATIENCE_S)
            assert reader.returncode == 0
            size, proofs = json.loads(out)
            assert proofs >= 10
            assert size <= log.head().head.size
        expected = {f"v1.fact.w{i}_{c}_{j}" for i in range(4) for c in range(commits) for j in range(c % 3 + 1)}
        found = names_in(log)
        assert sorted(found) == sorted(expected)
        assert log.head().head.size == len(expected) + 1
    assert check_store(store, home=home).damage is None


def names_in(log: Log) -> list[object]:
    names, seq = [], 1
    while page := log.entries(seq):
        assert [stored.seq for stored in page] == list(range(seq, seq + len(page)))
        names += [decode_body(stored.opening.body)["name"] for stored in page if stored.opening]
        seq += len(page)
    return names


def test_threads_share_a_log_and_every_write_is_there_once(log: Log) -> None:
    barrier = threading.Barrier(16)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            barrier.wait(PATIENCE_S)
            verifier = Verifier(key=str(log.key()))
            for i in range(5):
                name = f"v1.fact.t{number}_{i}"
                log.append([draft_put(name, str(i))])
                assert verifier.verify_bundle(log.prove(name)).claim == "current"
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert failures == []
    assert sorted(map(str, names_in(log))) == sorted(f"v1.fact.t{n}_{i}" for n in range(16) for i in range(5))


def test_two_opens_in_one_process_see_each_others_writes_at_once(reopen: Callable[..., Log]) -> None:
    one, two = reopen(), reopen()
    one.append([draft_put("v1.fact.a", "1")])
    assert two.prove("v1.fact.a").claim == "current"
    one.close()
    two.append([draft_put("v1.fact.a", "2")])
    assert two.head().head.size == 3


def test_another_process_sees_a_write_at_its_next_call(log: Log, tmp_path: Path, home: Path) -> None:
    code = """
import sys
from substrate.log.log import open_log
with open_log(sys.argv[1], home=sys.argv[2], read_only=True) as log:
    print("ready", flush=True)
    for line in sys.stdin:
        print(log.prove(line.strip()).claim, flush=True)
"""
    child = start(code, str(tmp_path / "store"), str(home))
    assert child.stdin is not None
    assert child.stdout is not None
    for i in range(20):
        name = f"v1.fact.n{i}"
        for expected in ("absent", "current"):
            print(name, file=child.stdin, flush=True)
            assert child.stdout.readline().strip() == expected
            log.append([draft_put(name, "1")])
    child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 0


FORKING = """
import os, sys
from substrate.codec import draft_put
from substrate.log.log import open_log

def append(label):
    for i in range(10):
        log.append([draft_put(f"v1.fact.{label}_{i}", label)])

print("ready", flush=True)
with open_log(sys.argv[1], home=sys.argv[2]) as log:
    pid = os.fork()
    append("parent" if pid else "child")
    if not pid:
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""

FORKING_WITHIN = """
import os, sys
from substrate.codec import draft_put
from substrate.log.log import open_log

print("ready", flush=True)
with open_log(sys.argv[1], home=sys.argv[2]) as log:
    with log._store.write() as transaction:
        transaction.put("meta", b"parent", b"1")
        pid = os.fork()
        if not pid:
            try:
                transaction.put("meta", b"child", b"1")
            except Exception:
                os._exit(7)  # any clean error will do, a crash or a write will not
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        transaction.delete("meta", b"parent")
    log.append([draft_put("v1.fact.a", "1")])
"""


@pytest.mark.parametrize(("code", "count"), [(FORKING, 20), (FORKING_WITHIN, 1)], ids=["between", "in the middle"])
def test_a_forked_child_and_its_parent_go_on_and_a_transaction_is_the_parents(
    code: str, count: int, tmp_path: Path, home: Path
) -> None:
    """In a process of its own: threads that other tests have left in this one would not be there in a child."""
    child = start(code, str(tmp_path / "store"), str(home))
    child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 0
    with open_log(tmp_path / "store", home=home) as log:
        assert len(names_in(log)) == count


def test_a_reader_that_mixes_two_snapshots_would_be_caught(log: Log) -> None:
    """The broken twin of reading: a proof under one head, handed out with another."""
    log.append([draft_put("v1.fact.a", "1")])
    old = log.prove("v1.fact.a")
    log.append([draft_put("v1.fact.b", "1")])
    mixed = type(old)(old.claim, str(log.head()), old.name, old.entry, old.opening, old.map)
    with pytest.raises(ProofInvalid):
        Verifier(key=str(log.key())).verify_bundle(mixed)
