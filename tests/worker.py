"""A process that holds the store open and does what it is told: `python -m tests.worker PATH HOME`.

Commands are JSON lists: a verb and its arguments; the answer is one line of JSON. `at_once` says that it is ready,
and begins when it gets another line: so several processes can be let loose together.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from substrate.errors import Busy, Conflict, NotFound, SubstrateError
from substrate.memory import Memory, open_memory

__all__ = ["race", "read_and_write"]


def put(memory: Memory, name: str, value: str) -> int:
    return memory.checkpoint([f"{name} = {value}"]).seqs.start


def tombstone(memory: Memory, name: str) -> int:
    return memory.checkpoint(tombstones=[name]).seqs.start


def link(memory: Memory, source: str, target: str) -> int:
    return memory.checkpoint(edges=[{"source": source, "type": "likes", "target": target}]).seqs.start


def forget(memory: Memory, name: str) -> int:
    return memory.forget(name).seqs[0]


def get(memory: Memory, name: str) -> str:
    try:
        return memory.access(name).value
    except NotFound as error:
        return error.code


def see(memory: Memory, name: str) -> list[Any]:
    """What all the reading verbs say of a name."""
    try:
        history = [version.kind for version in memory.history(name)]
    except NotFound:
        history = []
    try:
        edges = sorted(edge.target for edge in memory.edges(name, direction="out"))
    except NotFound:
        edges = []
    listed = [atom.value for atom in memory.list(name) if atom.name == name]
    return [get(memory, name), listed, history, edges, memory.prove(name).claim]


def race(memory: Memory, name: str, seq: int | None, value: str) -> bool:
    """Whether this writer won: it saves only if the name is still at `seq`."""
    try:
        memory.checkpoint([f"{name} = {value}"], expect={name: seq})
    except Conflict:
        return False
    return True


def read_and_write(memory: Memory, label: str, count: int) -> int:
    """Write names of its own, read each at once, and look on as the whole grows; the size seen last."""
    size = 0
    for number in range(count):
        name = f"v1.fact.{label}_{number:03}"
        edges = [{"source": name, "type": "after", "target": f"v1.fact.{label}_{number - 1:03}"}] if number else []
        while True:
            try:
                saved = memory.checkpoint([f"{name} = {number}"], edges=edges)
                break
            except Busy:
                continue
        assert memory.access(name).value == str(number)
        assert len(memory.list(f"v1.fact.{label}_", limit=1000)) == number + 1
        assert len(memory.edges(name, direction="out")) == len(edges)
        head = memory.head().head.size
        assert head >= max(size, saved.seqs.stop)
        size = head
        seqs = [stored.seq for stored in memory._store.log.entries(max(0, size - 5))]
        assert all(two == one + 1 for one, two in pairwise(seqs))
    return size


def at_once(memory: Memory, label: str, threads: int, count: int) -> int:
    """Several threads of this process read and write at once."""
    print("ready", flush=True)
    sys.stdin.readline()
    failures: list[str] = []

    def work(number: int) -> None:
        try:
            read_and_write(memory, f"{label}{number}", count)
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failures.append(repr(error))

    started = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert not failures, failures
    return memory.head().head.size


def race_at_once(memory: Memory, name: str, rounds: int) -> list[int]:
    """In which of the rounds this process won; each begins with a line that holds the version to expect."""
    won = []
    for number in range(rounds):
        print("ready", flush=True)
        expected = json.loads(sys.stdin.readline())
        if race(memory, name, expected, f"{number} by {id(memory)}"):
            won.append(number)
        print("done", flush=True)
    return won


def access(memory: Memory, *names: str) -> int:
    """One after another, in the session that nobody closes."""
    for name in names:
        memory.access(name)
    return len(names)


def session(memory: Memory, *names: str) -> int:
    """In a session of its own, that is over on return."""
    with memory.session("of another process"):
        return access(memory, *names)


def observe(memory: Memory, *names: str) -> int:
    return memory.observe(names).accesses


def train(memory: Memory, *names: str) -> int:
    return memory.train(names, 3).seq


def predict(memory: Memory, *names: str) -> list[Any]:
    return [[one.name, one.probability] for one in memory.predict(names)]


def watch(memory: Memory, how: str) -> bool:
    memory.watch(on=how == "on")
    return memory.watching


def watching(memory: Memory) -> bool:
    return memory.watching


def hold(memory: Memory) -> str:
    """Hold the write lock until another line comes."""
    with memory._store.log._store.write():
        print("held", flush=True)
        sys.stdin.readline()
    return "released"


VERBS: dict[str, Callable[..., Any]] = {
    verb.__name__: verb
    for verb in (
        *(put, tombstone, link, forget, get, see, at_once, race_at_once),
        *(access, session, observe, train, predict, watch, watching, hold),
    )
}


def main() -> None:
    with open_memory(sys.argv[1], home=sys.argv[2]) as memory:
        print("open", flush=True)
        for line in iter(sys.stdin.readline, ""):
            verb, *arguments = json.loads(line)
            try:
                answer = VERBS[verb](memory, *arguments)
            except SubstrateError as error:
                answer = error.code
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
