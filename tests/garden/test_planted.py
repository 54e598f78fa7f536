"""Relations planted in texts are found, and what texts deny, ask or only mention is not stated."""

from __future__ import annotations

import random

from substrate.memory import Memory
from tests.garden.test_tend import edges_of, tended

SEED = 20_261_117
FIRST = ["Amber", "Basil", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Heron", "Indigo", "Jasper", "Kestrel", "Lotus"]
SECOND = ["Engine", "Ledger", "Gateway", "Archive", "Beacon", "Cluster"]
STATING = (
    "{a} uses {b}.",
    "Since spring the team knows that {a} depends on {b}.",
    "{b} is used by {a}.",
    "The new {a} replaces {b} in production.",
    "{a}, which is old, still stores {b} for years.",
    "In our setup {a} relies on {b}.",
    "{a} has always required {b}.",
    "After the move, {a} runs on {b}.",
)
TYPES = ("uses", "depends_on", "uses", "replaces", "stores", "depends_on", "requires", "runs_on")
NOT_STATING = (
    "{a} does not use {b}.",
    "Does {a} depend on {b}?",
    "{a} and {b} were both reviewed.",
    "If we had money, {a} would replace {b}.",
    "{a} might use {b} one day.",
    "{a} no longer depends on {b}.",
)


def test_of_planted_relations_most_are_found_and_nearly_all_that_is_stated_was_planted(memory: Memory) -> None:
    draw = random.Random(SEED)
    names = [f"{first} {second}" for first in FIRST for second in SECOND]
    draw.shuffle(names)
    pairs = list(zip(names[0::2], names[1::2], strict=True))
    planted: set[tuple[str, str, str]] = set()
    for number, (first, second) in enumerate(pairs):
        form = number % (len(STATING) + len(NOT_STATING))
        if form < len(STATING):
            text = STATING[form].format(a=first, b=second)
            planted.add((first.lower(), TYPES[form], second.lower()))
        else:
            text = NOT_STATING[form - len(STATING)].format(a=first, b=second)
        memory.ingest(f"{text} Nothing else is known.", source=f"{number}.md", domain="docs")
        memory.ingest(f"We met {first} before, and {second} too.", source=f"seen-{number}.md", domain="docs")
    done = tended(memory)
    prefix = "v1.entity.docs."
    stated = {
        (source.removeprefix(prefix), kind, target.removeprefix(prefix)) for source, kind, target in edges_of(memory)
    }
    right = stated & planted
    assert done.accepted == len(stated)
    assert len(right) / len(planted) >= 0.6
    assert len(right) / len(stated) >= 0.9
