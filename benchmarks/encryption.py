"""What an encrypted domain costs: `python -m benchmarks.encryption --atoms 10000`.

Two stores with the same atoms in one domain: one is encrypted, the other is open. CPU time of this process, all threads
counted. Calls of the two stores take turns, so that a busy machine slows both alike; ratios are of the same run.

- unlock: Argon2id, every version decrypted, the tables in memory made
- search, list of 100, access, a checkpoint of one atom: medians, and the unlocked by the open store
- a right and a wrong passphrase of a domain without atoms, in turns
- encrypting the domain of the open store, per atom
- with `--vectors`, also the time to embed 300 atoms of either kind of store, by the default model. Then search is by
  meaning too, the embedding of the query apart: atoms and queries have random vectors of the model's width
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import process_time
from typing import Final

import numpy as np
from numpy.typing import NDArray

import substrate
from substrate.embed.embedder import Embedder
from substrate.errors import Denied
from substrate.memory import Memory

PASSPHRASE: Final = "correct horse battery staple"  # noqa: S105 - of a store that lives for a minute
WORDS: Final = 20_000
BATCH: Final = 2000
EMBEDDED: Final = 300


def text(chance: random.Random, words: int) -> str:
    """Some words; few of them are frequent, as in any language."""
    return " ".join(f"w{int(WORDS * chance.random() ** 3)}" for _ in range(words))


def fill(folder: Path, atoms: int, *, encrypted: bool, model: str | None) -> Memory:
    """A store with so many atoms in a domain, about 100 characters each."""
    chance = random.Random(7)
    memory = substrate.open(folder / "store", home=folder / "home", model=model, background=False)
    memory.checkpoint(["v1.domain.health = my body"])
    if encrypted:
        memory.encrypt("health", PASSPHRASE)
    for start in range(0, atoms, BATCH):
        names = [f"v1.fact.n{number}" for number in range(start, min(start + BATCH, atoms))]
        memory.checkpoint(
            [{"name": name, "value": text(chance, 18), "tags": ["body"]} for name in names],
            edges=[{"source": name, "type": "member_of", "target": "v1.domain.health"} for name in names],
        )
    return memory


def spent(call: Callable[[], object]) -> float:
    """CPU milliseconds of a call."""
    start = process_time()
    call()
    return (process_time() - start) * 1000


def compare(opened: Memory, unlocked: Memory, rounds: int) -> dict[str, tuple[float, float]]:
    """Medians of calls that take turns: of the open store, and of the unlocked one."""
    chance = random.Random(11)
    number = iter(range(10**6))
    calls: dict[str, Callable[[Memory, str, str], object]] = {
        "search": lambda memory, query, _: memory.search(query),
        "search in the domain": lambda memory, query, _: memory.search(query, domain="health"),
        "list of 100": lambda memory, _, name: memory.list("v1.fact.", after=name),
        "access": lambda memory, _, name: memory.access(name, predictions=0),
        "checkpoint of one": lambda memory, query, _: memory.checkpoint(
            [{"name": f"v1.fact.m{(at := next(number))}", "value": query}],
            edges=[{"source": f"v1.fact.m{at}", "type": "member_of", "target": "v1.domain.health"}],
        ),
    }
    medians = {}
    for what, call in calls.items():
        took: tuple[list[float], list[float]] = ([], [])
        for at in range(rounds + 2):
            query, name = text(chance, 3), f"v1.fact.n{chance.randrange(1000)}"
            for memory, times in zip((opened, unlocked), took, strict=True):
                milliseconds = spent(lambda memory=memory: call(memory, query, name))  # type: ignore[misc]  # noqa: B023
                if at > 1:  # the first two warm up
                    times.append(milliseconds)
        medians[what] = statistics.median(took[0]), statistics.median(took[1])
    return medians


def embed_few(folder: Path) -> tuple[float, float]:
    """CPU milliseconds an atom of embedding an open store, and an unlocked domain. The model is loaded before."""
    took = []
    for encrypted in (False, True):
        memory = fill(folder / f"few-{encrypted}", 1, encrypted=encrypted, model=None)
        memory.index()
        names = [f"v1.fact.e{number}" for number in range(EMBEDDED)]
        chance = random.Random(5)
        memory.checkpoint(
            [{"name": name, "value": text(chance, 18)} for name in names],
            edges=[{"source": name, "type": "member_of", "target": "v1.domain.health"} for name in names],
        )
        took.append(spent(memory.index) / EMBEDDED)
        memory.close()
    return took[0], took[1]


def stand_in(embedder: Embedder, texts: Sequence[str], _: object = None) -> list[NDArray[np.float32]]:
    """Random vectors of length one, in the place of `Embedder.embed_pieces`."""
    chance = np.random.default_rng(len(texts[0]))
    made = chance.standard_normal((len(texts), 1, embedder.dimensions), dtype=np.float32)
    return list(made / np.linalg.norm(made, axis=2, keepdims=True))


def tried(memory: Memory, rounds: int) -> tuple[float, float]:
    """Medians of unlocking a domain without atoms: with its passphrase, and with another. Domains are locked after."""
    memory.checkpoint(["v1.domain.empty = nothing yet"])
    memory.encrypt("empty", PASSPHRASE)
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for passphrase, times in zip((PASSPHRASE, PASSPHRASE[::-1]), took, strict=True):
            memory.lock()
            times.append(spent(partial(_try, memory, passphrase)))
    memory.lock()
    return statistics.median(took[0]), statistics.median(took[1])


def _try(memory: Memory, passphrase: str) -> None:
    with suppress(Denied):
        memory.unlock("empty", passphrase)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atoms", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--vectors", action="store_true", help="with vectors, and the time to make them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = None if given.vectors else "none"
        if given.vectors:
            first, second = embed_few(Path(folder))
            print(f"embed: open {first:.1f} ms of CPU an atom, unlocked {second:.1f}, {second / first:.2f} times")
            Embedder.embed_pieces = stand_in  # type: ignore[method-assign, assignment]
            Embedder.embed_query = lambda self, text: stand_in(self, [text])[0][0]  # type: ignore[method-assign]
        opened = fill(Path(folder) / "open", given.atoms, encrypted=False, model=model)
        unlocked = fill(Path(folder) / "encrypted", given.atoms, encrypted=True, model=model)
        unlocked.lock()
        times = []
        for _ in range(3):
            times.append(spent(lambda: unlocked.unlock("health", PASSPHRASE)))
            unlocked.lock()
        right, wrong = tried(unlocked, given.rounds)
        print(f"passphrase: right {right:.0f} ms of CPU, wrong {wrong:.0f}, {wrong / right:.3f} times")
        if given.vectors:
            unlocked.index()  # the text of that store: from now on it has a model
        unlocked.unlock("health", PASSPHRASE)
        print(f"{given.atoms:,} atoms; unlock {statistics.median(times):,.0f} ms of CPU (of {len(times)} tries)")
        if given.vectors:
            opened.index()
            unlocked.index()
        print(f"{'CPU ms, median':24}{'open':>10}{'unlocked':>10}{'ratio':>8}")
        for what, (first, second) in compare(opened, unlocked, given.rounds).items():
            print(f"{what:24}{first:10.2f}{second:10.2f}{second / first:8.2f}")
        took = spent(lambda: opened.encrypt("health", PASSPHRASE))
        print(f"encrypt a domain that has them: {took / given.atoms:.2f} ms of CPU an atom")
        opened.close()
        unlocked.close()


if __name__ == "__main__":
    main()
