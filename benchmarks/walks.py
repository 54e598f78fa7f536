"""What walks cost: a search with 0 to 2 hops, with PageRank, and a path, in stores where atoms are joined at random.

python -m benchmarks.walks [10000 100000 ...]
python -m benchmarks.walks --found

Every atom states three edges to atoms before it, each with a confidence; so the mean atom has six. All questions of one
size are asked in turns, in one run, by words alone: what is compared was taken at the same load. `--found` asks what
walks find, by words and meaning, in a made-up firm: of projects, who leads each, and where that person works. One half
of the questions goes over two edges, the other half none.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

import substrate
from benchmarks.store_folder import new_store
from substrate.memory import Memory

_BATCH = 3_000
_CALLS = 60
_WORDS = 5_000
_KINDS = ("depends_on", "references", "causes")
_MOST_MS = {"hops 1": 3.0, "hops 2": 3.0, "pagerank, hops 2": 5.0, "path": 5.0}
"""What each may take, a search in addition to one without hops."""
_BIRDS = "heron ibis kestrel linnet merlin oriole petrel quail raven skua tern vireo wren avocet curlew"
_TOOLS = "anvil beacon cipher ember flint garnet harbor island juniper lantern marble nectar onyx prism"
_FIRST = "Ada Ben Cora Dan Eve Finn Gina Hugo Iris Jon Kim Leo Mia Ned Ola Pia Quin Rosa Sam Tia"
_LAST = "Brown Costa Diaz Evans Fox Gray Hill Ito Jones"
_CITIES = (
    "Lisbon Oslo Porto Quito Riga Sofia Turin Utrecht Vienna Warsaw Zagreb Athens Bern Cork Dublin "
    "Essen Faro Ghent Hull Izmir Jaen Kyiv Lyon Malmo Nice Oulu Pisa Reims Siena Tartu"
)


def _fill(memory: Memory, size: int, chance: random.Random) -> None:
    words = [f"w{number}" for number in range(_WORDS)]
    for start in range(0, size, _BATCH):
        numbers = range(start, min(start + _BATCH, size))
        memory.checkpoint([f"v1.fact.a{number} = {' '.join(chance.choices(words, k=8))}" for number in numbers])
        memory.checkpoint(edges=[_edge(number, kind, chance) for number in numbers for kind in _KINDS if number])


def _edge(number: int, kind: str, chance: random.Random) -> dict[str, object]:
    target = f"v1.fact.a{chance.randrange(number)}"
    confidence = round(chance.uniform(0.5, 1), 2)
    return {"source": f"v1.fact.a{number}", "type": kind, "target": target, "confidence": confidence}


def _questions(memory: Memory, size: int, chance: random.Random) -> Mapping[str, Callable[[int], object]]:
    asked = [" ".join(f"w{chance.randrange(_WORDS)}" for _ in range(3)) for _ in range(_CALLS)]
    ends = [[f"v1.fact.a{chance.randrange(size)}" for _ in range(2)] for _ in range(_CALLS)]
    return {
        "hops 0": lambda number: memory.search(asked[number]),
        "hops 1": lambda number: memory.search(asked[number], hops=1),
        "hops 2": lambda number: memory.search(asked[number], hops=2),
        "hops 3": lambda number: memory.search(asked[number], hops=3),
        "pagerank, hops 2": lambda number: memory.search(asked[number], hops=2, walk="pagerank"),
        "path": lambda number: memory.path(*ends[number]),
    }


def _measure(questions: Mapping[str, Callable[[int], object]]) -> dict[str, list[float]]:
    """CPU milliseconds of each, sorted; the first calls are not counted."""
    for call in questions.values():
        for number in range(3):
            call(number)
    times: dict[str, list[float]] = {what: [] for what in questions}
    for number in range(_CALLS):
        for what, call in questions.items():
            began = time.process_time()
            call(number)
            times[what].append(1000 * (time.process_time() - began))
    return {what: sorted(taken) for what, taken in times.items()}


def _report(size: int, times: Mapping[str, list[float]]) -> None:
    base = median(times["hops 0"])
    for what, taken in times.items():
        middle = median(taken)
        added = middle if what == "path" else middle - base
        bound = _MOST_MS.get(what)
        verdict = "" if bound is None else f"  {added:+5.2f} of {bound:.0f} ms{'' if added <= bound else ': too much'}"
        print(
            f"{size:>9,} atoms  {what:<17} {middle:6.2f} CPU ms, p50; {taken[int(0.95 * len(taken))]:6.2f} p95; "
            f"{middle / base:5.2f} x hops 0{verdict}",
            flush=True,
        )


class _Firm:
    """200 projects, 120 people, 30 sites; a project is led by one of the people, who works at a site."""

    def __init__(self, chance: random.Random) -> None:
        projects = chance.sample([f"{bird} {tool}" for bird in _BIRDS.split() for tool in _TOOLS.split()], 200)
        self.people = chance.sample([f"{one} {other}" for one in _FIRST.split() for other in _LAST.split()], 120)
        self.leads = {project: chance.choice(self.people) for project in projects}
        cities = _CITIES.split()
        self.works_at = {person: chance.choice(cities) for person in self.people}
        self._chance = chance

    def save(self, memory: Memory) -> None:
        """As atoms and edges."""
        chance = self._chance
        colours, jobs = ("green", "red", "blue", "amber", "white"), ("lead engineer", "project leader", "analyst")
        atoms = [
            f"{_name('project', it)} = The project {it.title()} is led by {who}." for it, who in self.leads.items()
        ]
        atoms += [
            f"{_name('person', who)} = {who} is a {chance.choice(jobs)} who works from the office in {where}."
            for who, where in self.works_at.items()
        ]
        atoms += [
            f"{_name('site', where)} = The {where} office opens at {chance.randint(6, 10)}; badges are "
            f"{chance.choice(colours)}."
            for where in dict.fromkeys(self.works_at.values())
        ]
        edges = [(_name("project", it), "led_by", _name("person", who)) for it, who in self.leads.items()]
        edges += [(_name("person", who), "works_at", _name("site", at)) for who, at in self.works_at.items()]
        memory.checkpoint(atoms)
        memory.checkpoint(edges=[{"source": one, "type": kind, "target": other} for one, kind, other in edges])
        memory.index()

    def questions(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Each with the name of what answers it: over two edges, and by itself."""
        far = [
            (
                f"Which colour are the badges at the office of the leader of {it.title()}?",
                _name("site", self.works_at[who]),
            )
            for it, who in list(self.leads.items())[:100]
        ]
        return far, [(f"Where does {who} work?", _name("person", who)) for who in self.people[:100]]


def _name(kind: str, text: str) -> str:
    return f"v1.{kind}.{text.replace(' ', '_').lower()}"


def _find(folder: Path) -> None:
    firm = _Firm(random.Random(3))
    with substrate.open(folder / "store", home=folder / "home", background=False) as memory:
        firm.save(memory)
        far, near = firm.questions()
        for hops, walk in ((0, "best"), (1, "best"), (2, "best"), (2, "pagerank")):
            found = {
                ask: [hit.name for hit in memory.search(ask, hops=hops, walk=walk, wait=120)] for ask, _ in far + near
            }
            among = sum(name in found[ask] for ask, name in far)
            first = sum(name == found[ask][0] for ask, name in near)
            print(f"hops {hops}, {walk:<8}  over two edges: {among} of {len(far)} among the first ten", end="; ")
            print(f"direct: {first} of {len(near)} first", flush=True)


def main() -> None:
    """Measure at each size, and print a line for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.walks", description=__doc__.splitlines()[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000], help="atoms in the store")
    parser.add_argument("--found", action="store_true", help="what walks find, instead of what they cost")
    arguments = parser.parse_args()
    if arguments.found:
        with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
            _find(Path(scratch))
        return
    for size in arguments.sizes:
        chance = random.Random(size)
        with new_store() as (memory, _):
            _fill(memory, size, chance)
            _report(size, _measure(_questions(memory, size, chance)))


if __name__ == "__main__":
    main()
