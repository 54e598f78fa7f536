"""A store with one atom that must go without a trace, tied to the others in every way there is."""

from __future__ import annotations

import random
import string
from dataclasses import dataclass
from typing import Any

from substrate.memory import Memory
from substrate.proof.bundle import Bundle
from tests.text.bags import document_terms

__all__ = ["OTHERS", "Planted", "plant"]

OTHERS = [f"v1.fact.other_{i}" for i in range(5)]


@dataclass(frozen=True)
class Planted:
    """The canary, the atom's name, and proofs of the other atoms, made while it was there."""

    canary: str
    name: str
    proofs: dict[str, Bundle]
    recorded: dict[str, Bundle]
    seqs: dict[str, int]

    @property
    def sought(self) -> list[str]:
        """The canary, and what an index of words makes of it: without its accent, cut to its stem."""
        terms = document_terms(self.name, f"{self.canary} again", [self.canary], [self.canary]).counts
        return [self.canary, *(term for term in terms if term[:8] in self.canary and len(term) >= len("whatever"))]


def made_up(seed: int) -> str:
    rng = random.Random(seed)
    return "".join(rng.choices(string.ascii_lowercase, k=20)) + rng.choice(["", "ä", "語", "\U0001f511"])


def edge(source: str, kind: str, target: str, **more: object) -> dict[str, Any]:
    return {"source": source, "type": kind, "target": target, **more}


def plant(memory: Memory, seed: int) -> Planted:
    """The order of things differs from seed to seed; everything happens."""
    rng = random.Random(seed)
    canary = made_up(seed)
    name = f"v1.fact.{canary}"
    memory.checkpoint([f"{other} = {i}" for i, other in enumerate(OTHERS)])
    waits = edge(OTHERS[0], "references", name, attrs={"why": canary}, cited=f"page of {canary}")
    if rng.random() < 0.7:
        memory.checkpoint(edges=[waits])  # to a name that is not there yet
    for value in range(rng.randrange(1, 4)):
        fields = {"tags": [canary], "entities": [canary], "source": canary, "attrs": {canary: [canary]}}
        memory.checkpoint([{"name": name, "value": f"{canary} {value}", **fields}], actor=canary, session=canary)
    steps = [
        lambda: memory.checkpoint([memory.access(name).atom]),  # said again
        lambda: memory.checkpoint(edges=[waits]),
        lambda: memory.checkpoint(edges=[edge(name, "Belongs-To", OTHERS[1], cited=canary)]),
        lambda: memory.checkpoint(edges=[edge(name, "likes", name), edge(OTHERS[2], "supersedes", name)]),
        lambda: memory.checkpoint(edges=[edge(name, canary.strip("ä語\U0001f511"), OTHERS[3])]),
        lambda: memory.checkpoint(edges=[edge(name, "references", f"v1.fact.{canary}_not_there")]),
        lambda: memory.checkpoint([{"name": OTHERS[4], "value": f"of {seed}", "parent": name}]),
    ]
    rng.shuffle(steps)
    for step in steps:
        step()
    memory.checkpoint(unedges=[edge(OTHERS[2], "supersedes", name)])
    with memory.session("what the others are for", name="of others"):
        for accessed in (OTHERS[0], name, OTHERS[1]):
            memory.access(accessed)
    memory.observe([name, OTHERS[2], name], objective="what it is about")
    memory.train([name, OTHERS[0]], 2)
    memory.train([name], objective="what it is about")
    if rng.random() < 0.5:
        memory.checkpoint(tombstones=[name], actor=canary)
        if rng.random() < 0.5:
            memory.checkpoint([f"{name} = {canary} again"])
    seqs = {other: memory.access(other).atom.seq for other in OTHERS}
    proofs = {other: memory.prove(other) for other in OTHERS}
    return Planted(canary, name, proofs, {other: memory.prove_entry(seqs[other]) for other in OTHERS}, seqs)
