"""What child processes of the tests do: `python -m tests.kv.child VERB PATH ...`. They say what they have done.

A line on standard output is written after the call returned, so what the parent has read is acknowledged. Those that
run on end when their standard input is closed.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from substrate.errors import MapFull, SubstrateError
from substrate.kv.api import Store, WriteTransaction
from substrate.kv.lmdb import compaction, environment, folder, journal
from substrate.kv.lmdb.environment import open_store
from substrate.kv.lmdb.process import Shared
from substrate.kv.lmdb.transactions import Writing

TABLES = ("log", "tokens", "data")


def say(line: object) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def is_asked_to_end() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def wait_for_end() -> None:
    sys.stdin.readline()


def seq_key(seq: int) -> bytes:
    return seq.to_bytes(8, "big")


def append(store: Store, token: str) -> int:
    """One more entry in the log, with the next number."""
    with store.write() as transaction:
        last = next(transaction.scan("log", reverse=True), None)
        seq = 0 if last is None else int.from_bytes(last[0], "big") + 1
        transaction.extend("log", [(seq_key(seq), token.encode())])
        transaction.put("tokens", token.encode(), seq_key(seq))
    return seq


def tokens(store: Store) -> list[str]:
    """All tokens in the order of the log; the other table and the numbers must agree with it."""
    with store.read() as transaction:
        log = list(transaction.scan("log"))
        assert [key for key, _ in log] == [seq_key(seq) for seq in range(len(log))], "gaps in the log"
        assert transaction.count("log") == len(log)
        assert sorted((token, seq) for seq, token in log) == list(transaction.scan("tokens")), "tables do not agree"
        return [token.decode() for _, token in log]


def rounds(limit: int) -> Iterator[int]:
    """So many rounds, or until the parent has had enough."""
    for number in range(limit):
        if is_asked_to_end():
            return
        yield number


def write(path: Path, name: str, count: str) -> None:
    store = open_store(path, TABLES)
    for number in rounds(int(count)):
        token = f"{name}-{number}"
        append(store, token)
        say(token)
    store.close()


def read(path: Path) -> None:
    """Read without pause; the log never gets shorter, and is whole each time."""
    store = open_store(path, TABLES, read_only=True)
    seen = 0
    say("reading")
    for _ in rounds(10**9):
        with store.read() as transaction:
            count = transaction.count("log")
            last = next(transaction.scan("log", reverse=True), None)
            assert count == (0 if last is None else int.from_bytes(last[0], "big") + 1)
            assert count == transaction.count("tokens")
        assert count >= seen, f"{count} entries after {seen}"
        seen = count
    say(seen)
    store.close()


def hold(path: Path, how: str) -> None:
    """Begin a transaction, and end it when asked to."""
    store = open_store(path, TABLES, read_only=how == "read")
    with store.read() if how == "read" else store.write():
        say("holding")
        wait_for_end()
    say("done")
    store.close()


def compact(path: Path) -> None:
    store = open_store(path, TABLES)
    say("open")
    for number in rounds(10**9):
        store.compact()
        say(number)
    store.close()


def get(path: Path) -> None:
    """Answer each line, a key, with its value."""
    store = open_store(path, TABLES, read_only=True)
    say("open")
    for line in sys.stdin:
        with store.read() as transaction:
            value = transaction.get("data", line.strip().encode())
        say((value or b"-").decode())
    store.close()


def create(path: Path, name: str) -> None:
    """Create the store together with others: all wait for the same go."""
    say("ready")
    sys.stdin.readline()
    store = open_store(path, TABLES)
    say(append(store, name))
    store.close()


def replace_and_die(path: Path, step: str, when: str) -> None:
    """Die, without any cleaning up, just before or just after one step of replacing the environment."""
    store = open_store(path, TABLES)
    right = getattr(folder, step)

    def last_step(*arguments: object) -> None:
        if when == "after":
            right(*arguments)
        os._exit(9)

    setattr(folder, step, last_step)
    store.compact()


def compact_and_die(path: Path, step: str) -> None:
    """Write while the store is compacted, and die, without any cleaning up, at a step of it."""
    store = open_store(path, TABLES)
    module, name = {**STEPS, **AFTER_THE_LAST_ROUND}[step]
    right = getattr(module, name)
    seen = 0

    def last_step(*arguments: object, **named: object) -> object:
        nonlocal seen
        seen += 1
        if seen == 2 or step == "begin" or step in AFTER_THE_LAST_ROUND:
            os._exit(9)
        done = right(*arguments, **named)
        if step != "write":
            say(append_while_compacting(store))
        return done

    setattr(module, name, last_step)
    environment._COPIED_ROWS = 100  # type: ignore[misc]
    compaction._FEW = -1  # type: ignore[misc]
    if step == "write" or step in AFTER_THE_LAST_ROUND:
        extend = environment._LmdbTarget.extend

        def write_and_extend(*arguments: object) -> None:
            extend(*arguments)  # type: ignore[arg-type]
            say(append_while_compacting(store))

        environment._LmdbTarget.extend = write_and_extend  # type: ignore[assignment,method-assign]
    store.compact()


def append_while_compacting(store: Store) -> str:
    """A token that is not there yet."""
    token = f"meanwhile-{os.urandom(4).hex()}"
    append(store, token)
    return token


STEPS = {
    "begin": (journal, "begin"),
    "copy": (environment._LmdbTarget, "extend"),
    "write": (journal, "write"),
    "round": (compaction._Compaction, "_sync"),
}
AFTER_THE_LAST_ROUND = {  # what is done, and the step before which it dies
    "sync": (folder, "seal"),
    "seal": (Shared, "flip"),
    "rename": (folder, "flip"),
    "current": (folder, "discard"),
}


def copy_and_die(path: Path, target: str, step: str) -> None:
    """Die, without any cleaning up, when the copy is filled, when it is about to be moved, or right after that."""
    store = open_store(path, TABLES)
    right = folder.found if step == "found" else folder._move_up

    def last_step(*arguments: object) -> None:
        if step == "after":
            Path.rmdir = lambda _: os._exit(9)  # type: ignore[assignment,method-assign]
        if step != "_move_up":
            right(*arguments)  # type: ignore[arg-type]
        os._exit(9)

    setattr(folder, right.__name__, last_step)
    store.copy(Path(target), lambda _, __: None)


def hold_small(path: Path, how: str) -> None:
    """Hold the store open with a map of 1 MiB. Answer `read`, and `write TOKEN BYTES`, with what is there then."""
    store = open_store(path, TABLES, map_size=1 << 20, read_only=how == "read-only")
    say(len(tokens(store)))
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "write":
            token, size = words
            with store.write() as transaction:
                put_large(transaction, token, int(size))
            append(store, token)
        say(f"{' '.join(tokens(store))} {large_rows(store)}")
    store.close()


def put_large(transaction: WriteTransaction, token: str, size: int) -> None:
    """A row of this size, in a store that grows if it must."""
    while True:
        try:
            transaction.put("data", token.encode(), token[:1].encode() * size)
        except MapFull:
            if not transaction.grow():
                raise
        else:
            return


def large_rows(store: Store) -> int:
    """How many bytes the rows of `put_large` have; each must be whole."""
    with store.read() as transaction:
        rows = list(transaction.scan("data"))
    assert all(row == token[:1] * len(row) for token, row in rows), "a row is torn"
    return sum(len(row) for _, row in rows)


def write_large(path: Path, name: str, count: str) -> None:
    """Write many rows that each need more room than was there at first."""
    store = open_store(path, TABLES, map_size=1 << 20)
    for number in range(int(count)):
        with store.write() as transaction:
            put_large(transaction, f"{name}{number}", 300_000)
        append(store, f"{name}{number}")
        say(f"{name}{number}")
    store.close()


def add_table(path: Path, name: str) -> None:
    store = open_store(path, [*TABLES, name])
    with store.write() as transaction:
        transaction.put(name, b"k", b"v")
    say("added")
    store.close()


def read_as_nobody(path: Path) -> None:
    for parent in path.parents:
        if parent.stat().st_uid == os.getuid() and len(parent.parts) > 2:
            parent.chmod(0o755)
    try:
        os.setuid(65534)
    except PermissionError:
        say("cannot change user")
        return
    try:
        open_store(path, TABLES, read_only=True)
    except SubstrateError as error:
        say(error.code)


def ignore_current(path: Path) -> None:
    """Do not look at CURRENT before writing."""
    store = open_store(path, TABLES)
    folder.Pointer.is_current = lambda _: True  # type: ignore[method-assign]
    say("open")
    sys.stdin.readline()
    append(store, "blind")


def try_to_write(path: Path, wait_s: str) -> None:
    store = open_store(path, TABLES, wait_s=float(wait_s))
    try:
        append(store, "late")
    except SubstrateError as error:
        say(error.code)
    else:
        say("written")
    store.close()


def take_and_free(store: Store) -> None:
    """Take pages at the end of the file, and free them again in the same transaction: LMDB never writes them."""
    with store.write() as transaction:
        for number in range(100):
            transaction.put("data", b"taken%d" % number, b"t" * (5000 + number))
        for number in range(1, 100):
            transaction.delete("data", b"taken%d" % number)


def take_and_free_and_die(path: Path) -> None:
    """Be killed right after the first commit that leaves the file shorter than LMDB counts it."""
    store = open_store(path, TABLES)
    right = Writing._commit

    def last_step(self: Writing, commit: Callable[[], None]) -> None:
        right(self, commit)
        opened = store._handle.shared()._environment
        if next(path.glob("env.*/data.mdb")).stat().st_size < opened._used():  # type: ignore[union-attr]
            os.kill(os.getpid(), signal.SIGKILL)

    Writing._commit = last_step  # type: ignore[method-assign]
    for _ in range(5):
        take_and_free(store)


VERBS = {
    "add-table": add_table,
    "compact": compact,
    "compact-and-die": compact_and_die,
    "copy-and-die": copy_and_die,
    "create": create,
    "get": get,
    "hold": hold,
    "hold-small": hold_small,
    "ignore-current": ignore_current,
    "read": read,
    "read-as-nobody": read_as_nobody,
    "replace-and-die": replace_and_die,
    "take-and-free-and-die": take_and_free_and_die,
    "try-to-write": try_to_write,
    "write": write,
    "write-large": write_large,
}

if __name__ == "__main__":
    VERBS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])  # type: ignore[operator]
