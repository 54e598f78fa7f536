"""What one checkout costs beside another: `python -m benchmarks.checkouts CHECKOUT_A CHECKOUT_B`.

CPU time of the common verbs on the same store of 10,000 atoms, and the ratio B/A. Machines are busy and their speed
drifts, so only what is measured side by side is compared. Each checkout has a process that stays, driven over a pipe.
The calls of a verb are cut into slices of some ten milliseconds, and A and B do each slice in turns (A B, B A, ...).

- `B/A` is the median over all slices of what B took by what A took for the same slice, with its 95% interval.
- `least` compares, slice by slice, the least that each ever took: what is left when nobody disturbs.

Both run on one processor, which they never need at once. Processes are begun anew some times: where memory happens to
lie can cost some percent for as long as a process lives.

A makes the store, and both get copies of it. Reads and writes go to two different copies, so that what is read stays at
its size. Each process runs with the Python in its checkout's .venv, its checkout as PYTHONPATH, one thread of BLAS, and
by public names only. `--meaning` also searches with the real model (its first use exports the model and embeds all
atoms: minutes).
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

Calls: TypeAlias = "Sequence[Callable[[], object]]"
ATOMS = 10_000
SESSIONS = 300
DOMAINS = ("shop", "payments", "infra", "people", "research")
KINDS = ("fact", "note", "decision", "procedure", "event")
START = 1_700_000_000_000_000
OBJECTIVES = (
    "close the books for the month",
    "a customer wants the money back",
    "deploy a new version of the service",
    "the search is slow at night",
    "prepare the winter sale",
    "read a table and sort its rows",
)
_SOURCES = (
    "argparse shutil statistics tarfile zipfile logging threading subprocess socket email json csv heapq difflib random"
)


# -- the store ---------------------------------------------------------------------------------------------------------


def sentences() -> list[str]:
    """What Python says of itself, sentence by sentence."""
    found: dict[str, None] = {}
    for name in _SOURCES.split():
        module = import_module(name)
        for thing in (module, *vars(module).values()):
            said = inspect.getdoc(thing) if inspect.ismodule(thing) or callable(thing) else None
            for sentence in re.split(r"(?<=[.:])\s+", " ".join((said or "").split())):
                if 30 < len(sentence) < 200:
                    found.setdefault(sentence)
    return list(found)


def name_of(number: int) -> str:
    """The name of an atom."""
    return f"v1.{KINDS[number % len(KINDS)]}.n{number % 97:02}.item_{number}"


def atom_of(number: int, chance: random.Random, texts: Sequence[str]) -> dict[str, Any]:
    """An atom of two sentences, with some fields."""
    value = f"{chance.choice(texts)} {chance.choice(texts)} ({number})"
    said = {"name": name_of(number), "value": value, "tags": [f"t{number % 12}"], "source": f"file {number % 40}"}
    return said | ({"origin": "user"} if number % 5 == 0 else {})


def build(folder: Path, *, meaning: bool) -> None:
    """A store of 10,000 atoms with edges and habits, in `folder`."""
    import substrate  # noqa: PLC0415 - that of a checkout
    from substrate.clock import ManualClock  # noqa: PLC0415

    chance, texts, clock = random.Random(7), sentences(), ManualClock(START)
    with substrate.open(
        folder / "store", home=folder / "home", clock=clock, model=None if meaning else "none", background=False
    ) as memory:
        memory.checkpoint([f"v1.domain.{name} = All about {name}" for name in DOMAINS])
        memory.checkpoint([f"v1.goal.g{at} = {texts[at]}" for at in range(12)])
        memory.checkpoint([f"v1.constraint.c{at} = {texts[-at - 1]}" for at in range(12)])
        for first in range(0, ATOMS, 1000):
            memory.checkpoint([atom_of(number, chance, texts) for number in range(first, first + 1000)])
            clock.advance(86_400_000_000)
        edges = [
            {"source": name_of(n), "type": "member_of", "target": f"v1.domain.{DOMAINS[n % 5]}"}
            for n in range(0, ATOMS, 10)
        ]
        edges += [{"source": name_of(n), "type": "references", "target": name_of(n // 2)} for n in range(3, ATOMS, 7)]
        for first in range(0, len(edges), 1000):
            memory.checkpoint(edges=edges[first : first + 1000])
        memory.observe([
            {
                "items": [name_of((number % 30) * 40 + chance.randrange(24)) for _ in range(12)],
                "objective": OBJECTIVES[number % len(OBJECTIVES)],
                "domain": f"v1.domain.{DOMAINS[number % 5]}",
            }
            for number in range(SESSIONS)
        ])  # fmt: skip
        memory.train([name_of(n) for n in range(0, 200, 40)], passes=2, objective=OBJECTIVES[0])
        if meaning:
            memory.index()


# -- the process of a checkout -----------------------------------------------------------------------------------------


class Took(NamedTuple):
    """CPU seconds for one call: of the process, and of the thread that called."""

    process: float
    thread: float


class Measures:
    """What is measured: the calls of one slice. Each slice is the same work in both processes."""

    def __init__(self, folder: Path, *, meaning: bool) -> None:
        import substrate  # noqa: PLC0415 - that of a checkout
        from substrate.clock import ManualClock  # noqa: PLC0415

        def opened(path: Path, model: str | None) -> Any:  # noqa: ANN401 - of whichever checkout
            clock = ManualClock(START + 30 * 86_400_000_000)
            return substrate.open(path, home=folder / "home", clock=clock, model=model, background=False)

        self._read = opened(folder / "store", "none")
        shutil.copytree(folder / "home", folder / "grown" / "home")  # a mark of its own: it goes on, the other does not
        clock = ManualClock(START + 30 * 86_400_000_000)
        grown = folder / "grown"
        self._write = substrate.open(grown / "store", home=grown / "home", clock=clock, model="none", background=False)
        self._meant = opened(folder / "store", None) if meaning else None
        self._texts = sentences()
        self._names = [name_of((at * 37) % ATOMS) for at in range(1000)]
        self._queries = [" ".join(text.split()[:5]) for text in self._texts[:100]]
        self._next = ATOMS

    def _new(self, count: int) -> list[dict[str, Any]]:
        first, self._next = self._next, self._next + count
        chance = random.Random(first)
        return [atom_of(number, chance, self._texts) for number in range(first, first + count)]

    def access_plain(self, at: int) -> Calls:
        """500 of a session's accesses, and nothing foreseen."""
        return [partial(self._read.access, name, predictions=0) for name in self._names[at % 2 * 500 :][:500]]

    def access_shipped(self, at: int) -> Calls:
        """50 of a session's accesses, with predictions."""
        return [partial(self._read.access, name) for name in self._names[at % 20 * 50 :][:50]]

    def checkpoint_1(self, _: int) -> Calls:
        """20 of them."""
        return [partial(self._write.checkpoint, [atom]) for atom in self._new(20)]

    def checkpoint_1000(self, _: int) -> Calls:
        """One."""
        return [partial(self._write.checkpoint, self._new(1000))]

    def search_words(self, at: int) -> Calls:
        """20 queries."""
        return [partial(self._read.search, query) for query in self._queries[at % 5 * 20 :][:20]]

    def search_filtered(self, at: int) -> Calls:
        """10 queries, each in a domain, every second one by a tag."""
        return [
            partial(self._read.search, query, domain=f"v1.domain.{DOMAINS[n % 5]}", tags="t3" if n % 2 else ())
            for n, query in enumerate(self._queries[at % 10 * 10 :][:10])
        ]

    def search_meaning(self, at: int) -> Calls:
        """10 queries, embedded."""
        if self._meant is None:
            return []
        return [partial(self._meant.search, query, wait=300) for query in self._queries[at % 10 * 10 :][:10]]

    def bootstrap(self, _: int) -> Calls:
        """Six objectives."""
        return [partial(self._read.bootstrap, objective, begin=False) for objective in OBJECTIVES]

    def predict(self, at: int) -> Calls:
        """50 times, after three atoms."""
        starts = [(at * 50 + n) % 30 * 40 for n in range(50)]
        return [partial(self._read.predict, [name_of(start + more) for more in (1, 5, 9)]) for start in starts]

    def context(self, at: int) -> Calls:
        """50 atoms, two edges away."""
        return [partial(self._read.context, name_of(3 + 7 * (at % 20 * 50 + n)), depth=2) for n in range(50)]

    def list_100(self, at: int) -> Calls:
        """20 pages."""
        return [partial(self._read.list, f"v1.{KINDS[(at + n) % len(KINDS)]}.", limit=100) for n in range(20)]

    def take(self, name: str, at: int) -> Took:
        """One slice."""
        calls = getattr(self, name)(at)
        gc.collect()
        with self._read.session(observe=False):
            return _timed(calls)


MEASURES = {
    # its name: what is told of it, and how many slices a round has
    "access_plain": ("access, predictions=0", 2),
    "access_shipped": ("access, as shipped", 6),
    "checkpoint_1": ("checkpoint of 1", 3),
    "checkpoint_1000": ("checkpoint of 1,000", 2),
    "search_words": ("search by words", 4),
    "search_filtered": ("search by words, filtered", 4),
    "search_meaning": ("search by meaning too", 4),
    "bootstrap": ("bootstrap by objective", 3),
    "predict": ("predict after three", 3),
    "context": ("context, two edges away", 3),
    "list_100": ("list of 100", 3),
}


def _timed(calls: Calls) -> Took:
    process, thread = time.process_time(), time.thread_time()
    for call in calls:
        call()
    spent = time.process_time() - process, time.thread_time() - thread
    return Took(spent[0] / max(1, len(calls)), spent[1] / max(1, len(calls)))


def child(folder: Path, checkout: Path, *, meaning: bool) -> None:
    """Do what the lines on stdin say, answer each on stdout."""
    import substrate  # noqa: PLC0415

    if not Path(substrate.__file__).resolve().is_relative_to(checkout.resolve()):
        raise SystemExit(f"{substrate.__file__} is not of {checkout}")
    measures: Measures | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "build":
            build(folder, meaning=meaning)
            print("{}", flush=True)
            continue
        measures = measures or Measures(folder, meaning=meaning)
        print(json.dumps(measures.take(asked["do"], asked["at"])), flush=True)


# -- who drives them ---------------------------------------------------------------------------------------------------


class Child:
    """A process of a checkout."""

    def __init__(self, checkout: Path, folder: Path, *, meaning: bool, life: int = 0) -> None:
        own = {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SUBSTRATE_") or "CACHE" in key}
        command = [checkout / ".venv/bin/python", __file__, "--child", folder, checkout, *(["--meaning"] * meaning)]
        self._process = subprocess.Popen(  # noqa: S603 - ours
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=kept | own,
            cwd=folder,
        )
        if hasattr(os, "sched_setaffinity"):  # both on one: they never run at once, and no two are equally disturbed
            cpus = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(self._process.pid, {cpus[life % len(cpus)]})

    def ask(self, do: str, at: int = 0) -> list[float]:
        """What it answers."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise AssertionError("both are pipes")
        _say(stdin, {"do": do, "at": at})
        line = stdout.readline()
        if not line:
            raise SystemExit(f"the process ended with {self._process.wait()}")
        answer: list[float] = json.loads(line)
        return answer

    def end(self) -> None:
        """Let it go."""
        self._process.communicate(timeout=60)


def _say(pipe: IO[str], what: object) -> None:
    pipe.write(json.dumps(what) + "\n")
    pipe.flush()


def copies(made: Path, folder: Path) -> Path:
    """A folder with the store, and one more to be written to."""
    folder.mkdir()
    for name in ("store", "home"):
        shutil.copytree(made / name, folder / name)
    shutil.copytree(made / "store", folder / "grown" / "store")
    return folder


class Pair(NamedTuple):
    """One slice: which, and what A and B took for it."""

    at: int
    a: list[float]
    b: list[float]


def measure(checkouts: Sequence[Path], args: argparse.Namespace, folder: Path) -> dict[str, list[Pair]]:
    """By measure: all slices."""
    made = folder / "made"
    made.mkdir()
    builder = Child(checkouts[0], made, meaning=args.meaning)
    builder.ask("build")
    builder.end()
    took: dict[str, list[Pair]] = {name: [] for name in MEASURES if args.meaning or name != "search_meaning"}
    for life in range(args.processes):
        folders = [copies(made, folder / f"{life}{side}") for side in "ab"]
        both = [
            Child(checkout, own, meaning=args.meaning, life=life)
            for checkout, own in zip(checkouts, folders, strict=True)
        ]
        for round_ in range(args.rounds + 1):
            for name, pairs in took.items():
                slices = MEASURES[name][1]
                for at in range(slices):
                    order = (0, 1) if (round_ + life + at) % 2 else (1, 0)
                    spent = {side: both[side].ask(name, at) for side in order}
                    if round_:  # the first round loads what the others find loaded
                        pairs.append(Pair(at, spent[0], spent[1]))
            print(f"process pair {life + 1} of {args.processes}, round {round_} of {args.rounds}", file=sys.stderr)
        for one in both:
            one.end()
        for own in folders:
            shutil.rmtree(own)
    return took


def table(took: dict[str, list[Pair]]) -> Iterator[str]:
    """A line for each measure."""
    yield f"{'':27}{'A':>11}{'B':>12}{'B/A':>9}   {'95% interval':16}{'quartiles':16}{'least':6}{'thread':>8}"
    for name, pairs in took.items():
        a, b = statistics.median(one.a[0] for one in pairs), statistics.median(one.b[0] for one in pairs)
        ratios = sorted(one.b[0] / one.a[0] for one in pairs)
        quarter, middle, most = statistics.quantiles(ratios, n=4)
        off = 0.98 * len(ratios) ** 0.5
        low, high = (ratios[min(len(ratios) - 1, max(0, round(len(ratios) / 2 + side)))] for side in (-off, off))
        least_a, least_b = _least([(one.at, one.a[0]) for one in pairs]), _least([(one.at, one.b[0]) for one in pairs])
        thread = statistics.median(one.b[1] / one.a[1] for one in pairs)
        yield (
            f"{MEASURES[name][0]:27}{a * 1e6:9,.0f} µs{b * 1e6:9,.0f} µs{middle:8.3f}   {low:.3f} - {high:.3f}   "
            f"{quarter:.3f} - {most:.3f}   {least_b / least_a:.3f}{thread:8.3f}"
        )


def _least(taken: Sequence[tuple[int, float]]) -> float:
    """The sum over all slices of the least that one took."""
    return sum(min(spent for at, spent in taken if at == slice_) for slice_ in {at for at, _ in taken})


def main() -> None:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkouts", nargs=2, type=Path, metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=6, help="of each pair of processes")
    parser.add_argument("--processes", type=int, default=6, help="pairs of processes, one after the other")
    parser.add_argument("--meaning", action="store_true", help="also search with the real model")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(*args.checkouts, meaning=args.meaning)
        return
    checkouts = [path.resolve() for path in args.checkouts]
    with tempfile.TemporaryDirectory() as folder:
        took = measure(checkouts, args, Path(folder))
    print(f"CPU time for one call, {args.rounds * args.processes} rounds; A {checkouts[0]}, B {checkouts[1]}")
    print(*table(took), sep="\n")


if __name__ == "__main__":
    main()
