"""Many processes at one store for minutes: `python -m benchmarks.load [--processes 8] [--seconds 300]`.

Each saves, searches, reads, forgets, and counts one shared number up under `expect`. At the end all that was
acknowledged must be there, what was forgotten must be gone, the number must be the sum of all steps, and fsck must find
the store sound; otherwise the exit code is 1.

Memory, of each process, after a minute and at the end. Pages of the store's file are not its own, and left out: the
system takes them back when it needs them. The rest is told apart like this:

1. *Used* is what is allocated and not freed: blocks of Python's allocator, and of the C library's (LMDB, numpy).
   *Held* is more (Anonymous in /proc/self/smaps_rollup, after malloc_trim): allocators keep what was freed in between.
2. A process that is started after a minute and does one of each has the store of then, and no past; so has another at
   the end. The difference between these two is *the store's growth*.
3. What this benchmark must remember to check the store at the end is measured, and taken off.
4. *The rest* is what processes have come to use since the first minute for another reason. It must not go on growing.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import substrate
from substrate import fsck
from substrate.errors import Busy, Conflict, Forgotten
from substrate.memory import Memory

_COUNTER = "v1.fact.counter"
_SAMPLE_S = 10.0
_SETTLED_S = 60.0
"""Until then a process may grow: modules, connections, caches."""
_WORDS = [f"word{number}" for number in range(2000)]


class _Malloc(ctypes.Structure):
    """What mallinfo2 of glibc tells."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()  # noqa: SIM905
    )


def memory_held() -> dict[str, int]:
    """Bytes: `held` is what this process has for itself, pages of files apart; `used` the part that is not freed."""
    gc.collect()
    library = ctypes.CDLL("libc.so.6")
    library.malloc_trim(0)
    library.mallinfo2.restype = _Malloc
    malloc = library.mallinfo2()
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    (held,) = (int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous:"))
    return {"held": held, "used": malloc.uordblks + malloc.hblkhd + _small_objects()}


def _small_objects() -> int:
    """Bytes in blocks that Python's own allocator has given out. It tells them on the standard error output alone."""
    with tempfile.TemporaryFile() as told, os.fdopen(os.dup(2), "wb") as error:
        os.dup2(told.fileno(), 2)
        try:
            sys._debugmallocstats()  # noqa: SLF001
        finally:
            os.dup2(error.fileno(), 2)
        told.seek(0)
        (blocks,) = re.findall(rb"# bytes in allocated blocks\s*=\s*([\d,]+)", told.read())
    return int(blocks.replace(b",", b""))


@dataclass(slots=True)
class Worker:
    """One process."""

    memory: Memory
    number: int
    there: dict[str, int] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    steps: int = 0
    calls: int = 0
    busy: int = 0
    worst: float = 0.0

    def run(self, seconds: float, forgets: float) -> None:
        """Work for so long, and say now and then how much memory is held, at the end what must be in the store."""
        choose = random.Random(self.number)
        began = noted = time.monotonic()
        while (now := time.monotonic()) < began + seconds:
            if now >= noted:
                noted += _SAMPLE_S
                _say({"at": round(now - began, 1), **memory_held(), "notes": self.notes()})
            deed = Worker.forget if choose.random() < forgets else choose.choice(DEEDS)
            try:
                deed(self, choose)
            except Busy:
                self.busy += 1
            self.calls += 1
            self.worst = max(self.worst, time.monotonic() - now)
        _say({"at": seconds, **memory_held(), "notes": self.notes()})
        told = {"there": self.there, "gone": self.gone, "steps": self.steps}
        _say({**told, "calls": self.calls, "busy": self.busy, "worst": self.worst})

    def notes(self) -> int:
        """Bytes that this benchmark itself remembers."""
        parts = [self.there, self.gone, *self.there, *self.there.values(), *self.gone]
        return sum(map(sys.getsizeof, parts))

    def save(self, choose: random.Random) -> None:
        """One to five atoms: new ones, or new versions."""
        atoms = {
            f"v1.fact.w{self.number}_{choose.randrange(100_000)}": " ".join(choose.choices(_WORDS, k=20))
            for _ in range(choose.randint(1, 5))
        }
        atoms = {name: value for name, value in atoms.items() if name not in self.gone}
        if atoms:
            self.memory.checkpoint([{"name": name, "value": value} for name, value in atoms.items()])
            self.there |= {name: crc32(value.encode()) for name, value in atoms.items()}

    def search(self, choose: random.Random) -> None:
        """A question."""
        self.memory.search(" ".join(choose.choices(_WORDS, k=3)), limit=10)

    def access(self, choose: random.Random) -> None:
        """An own atom: it says what this process said last."""
        if self.there:
            name = choose.choice(list(self.there))
            assert crc32(self.memory.access(name).value.encode()) == self.there[name], name  # noqa: S101

    def count(self, _: random.Random) -> None:
        """One more, if nobody was faster."""
        atom = self.memory.access(_COUNTER)
        try:
            self.memory.checkpoint([f"{_COUNTER} = {int(atom.value) + 1}"], expect={_COUNTER: atom.atom.seq})
        except Conflict:
            return
        self.steps += 1

    def forget(self, choose: random.Random) -> None:
        """An own atom."""
        if self.there:
            name = choose.choice(list(self.there))
            self.memory.forget(name)
            del self.there[name]
            self.gone.append(name)


DEEDS = (Worker.save, Worker.save, Worker.search, Worker.access, Worker.count)


def _say(line: object) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _fresh(memory: Memory) -> None:
    """What a process holds that has just done one of each."""
    worker = Worker(memory, 0)
    worker.search(random.Random(0))
    while not worker.steps:  # others count too, and may be faster
        with suppress(Busy):
            worker.count(random.Random(0))
    _say({**memory_held(), "steps": worker.steps})


def _start(folder: Path, *options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.load", str(folder), *map(str, options)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours


def _lines(child: subprocess.Popen[str]) -> list[dict[str, Any]]:
    out, _ = child.communicate()
    assert child.returncode == 0, child.returncode  # noqa: S101
    return [json.loads(line) for line in out.splitlines()]


def _values(memory: Memory) -> Iterator[tuple[str, int]]:
    after: str | None = ""
    while after is not None:
        page = memory.list(limit=1000, after=after or None)
        yield from ((atom.name, crc32(atom.value.encode())) for atom in page)
        after = page.next


def faults(memory: Memory, told: list[dict[str, dict[str, int]]]) -> Iterator[str]:
    """What is not as the processes were told."""
    found = dict(_values(memory))
    for said in told:
        for name, value in said["there"].items():
            if found.get(name) != value:
                yield f"{name} is lost, or has another value"
        for name in said["gone"]:
            try:
                memory.access(name)
            except Forgotten:
                continue
            yield f"{name} was forgotten, and is there"
    steps = sum(int(str(said["steps"])) for said in told)
    if memory.access(_COUNTER).value != str(steps):
        yield f"the counter is {memory.access(_COUNTER).value}, and {steps} steps were acknowledged"


def run(folder: Path, processes: int, seconds: float, forgets: float) -> list[str]:
    """The load, and what was wrong after it. Prints what was measured."""
    store, home = folder / "store", folder / "home"
    with substrate.open(store, home=home, model="none") as memory:
        memory.checkpoint([f"{_COUNTER} = 0"])
    workers = [_start(folder, "--worker", n, "--seconds", seconds, "--forgets", forgets) for n in range(processes)]
    time.sleep(min(_SETTLED_S, seconds))
    (early,) = _lines(_start(folder, "--fresh"))
    told: list[dict[str, Any]] = []
    held: list[list[dict[str, Any]]] = []
    for worker in workers:
        *samples, last = _lines(worker)
        held.append(samples)
        told.append(last)
    (late,) = _lines(_start(folder, "--fresh"))
    told_and_fresh = [*told, *({"there": {}, "gone": [], "steps": fresh["steps"]} for fresh in (early, late))]
    with substrate.open(store, home=home, model="none") as memory:
        found = list(faults(memory, told_and_fresh))
        stats = memory.stats()
    report = fsck(store, home=home)
    found += [] if report.ok else [f"fsck: {report.damage}"]
    _print(f"{sum(said['calls'] for said in told):,} calls, {stats.entries:,} entries, {stats.bytes / 1e6:.0f} MB")
    _print(f"worst call {max(said['worst'] for said in told):.2f} s; Busy {sum(said['busy'] for said in told)}")
    _print(f"counted up {sum(said['steps'] for said in told)}, forgotten {sum(len(said['gone']) for said in told)}")
    _print_memory(held, early, late)
    _print(f"faults: {found or 'none'}")
    return found


def _print_memory(held: list[list[dict[str, Any]]], early: dict[str, Any], late: dict[str, Any]) -> None:
    """See the module."""
    growth = late["used"] - early["used"]
    _print(f"a fresh process uses {early['used'] / 1e6:.1f} MB after a minute, {late['used'] / 1e6:.1f} at the end")
    for number, samples in enumerate(held):
        first, last = next((one for one in samples if one["at"] >= _SETTLED_S), samples[0]), samples[-1]
        used, kept, notes = (last[part] - first[part] for part in ("used", "held", "notes"))
        _print(
            f"process {number}: uses {first['used'] / 1e6:.1f} MB after a minute, {last['used'] / 1e6:.1f} at the end: "
            f"the store's growth {growth / 1e6:+.1f}, notes {notes / 1e6:+.1f}, the rest "
            f"{(used - growth - notes) / 1e6:+.1f}; holds {first['held'] / 1e6:.1f}, {kept / 1e6:+.1f}"
        )


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Start the processes, or be one of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="a new folder (default: a temporary one)")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--forgets", type=float, default=0.02, help="the share of calls that forget")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--fresh", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.folder is None:
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
            return bool(run(Path(folder), given.processes, given.seconds, given.forgets))
    if given.worker is None and not given.fresh:
        return bool(run(given.folder, given.processes, given.seconds, given.forgets))
    with substrate.open(given.folder / "store", home=given.folder / "home", model="none") as memory:
        if given.fresh:
            _fresh(memory)
        else:
            Worker(memory, given.worker).run(given.seconds, given.forgets)
    return 0


if __name__ == "__main__":
    sys.exit(main())
