"""Makes a small store, for the versions after this one to open: `python -m tests.before.make_small NAME ARCHIVE`.

Each version that changes what is stored, or what may be, keeps such a store of the version before it, in `stores/`.
The first, `free_names`, is of the last version that took any printable character in a new name; `no_cards` of the last
that kept neither cards of atoms, nor edges as columns, nor counts. Its answers go with it. `claims` is of the last with
the first version of the view of claims. `whole_blocks` is of the last that kept the postings of the newest entries with
those of their block; its answers go with it. `bare_links` is of the last whose links did not say how sure an edge is,
nor whether it has windows; with answers. `changes` is of the last that read no claim out of what tells a change.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import substrate
from substrate.clock import ManualClock
from tests.before.make import START, pack

ODD_NAMES = (
    'v1.fact.payment{open("PWNED","w").write("x")}',
    "v1.fact.$HOME",
    "v1.fact.`id`",
    'v1.fact.say"it"',
    "v1.fact.back\\slash",
    "v1.fact.zero\u200bwidth",
    "v1.fact.tag\U000e0041\U000e0042",
)
"""Names that no new atom may have any more, and that those which have them keep."""


def make(folder: Path) -> None:
    """A store with two versions of each odd name, edges, a domain, a training and a session; a pin and a proof."""
    clock = ManualClock(START)
    with substrate.open(
        folder / "store", home=folder / "home", origin="substrate-small", clock=clock, background=False, model="none"
    ) as memory:
        memory.checkpoint(["v1.domain.odd = Names of all kinds", "v1.fact.plain = A plain name"])
        for version in ("first", "second"):
            clock.advance(1_000_000)
            memory.checkpoint(
                [{"name": name, "value": f"The {version} value of name {at}"} for at, name in enumerate(ODD_NAMES)],
                edges=[{"source": name, "type": "member_of", "target": "v1.domain.odd"} for name in ODD_NAMES],
            )
        memory.train([ODD_NAMES[0], "v1.fact.plain", ODD_NAMES[1]])
        with memory.session("read odd names", domain="odd") as session:
            for name in ODD_NAMES:
                session.access(name)
        (folder / "pin.txt").write_text(str(memory.pin()), encoding="utf-8")
        (folder / "proof.json").write_text(memory.prove(ODD_NAMES[0]).to_json(), encoding="utf-8")
        memory.checkpoint(["v1.fact.plain = A plain name, said again"])
        memory.compact()


FACTS = tuple(f"v1.fact.f{number}" for number in range(8))
KEPT_ATOMS = (*FACTS, "v1.chunk.manual.c1", "v1.chunk.manual.c2", "v1.document.manual.d", "v1.state.s")
MOMENTS: Mapping[str, Mapping[str, Any]] = {
    "now": {},
    "before": {"as_of": 14},
    "then": {"valid_at": datetime(2025, 1, 1, tzinfo=UTC)},
}


def make_without_cards(folder: Path) -> None:
    """Edges of all kinds, some taken back, erased or with windows; parts of wholes; what is forgotten or out of use."""
    clock = ManualClock(START)

    def edge(source: str, kind: str, target: str, **more: object) -> dict[str, Any]:
        return {"source": source, "type": kind, "target": target, **more}

    with substrate.open(
        folder / "store", home=folder / "home", origin="substrate-small", clock=clock, background=False, model="none"
    ) as memory:
        memory.checkpoint(["v1.domain.shop = All of the shop", "v1.hub.till = The till"])
        memory.checkpoint([f"{name} = Fact number {at} of the shop" for at, name in enumerate(FACTS)])
        memory.checkpoint(
            [
                {"name": "v1.document.manual.d", "value": "The manual of the till"},
                {
                    "name": "v1.chunk.manual.c1",
                    "value": "Open the shop",
                    "parent": "v1.document.manual.d",
                    "position": 0,
                },
                {"name": "v1.chunk.manual.c2", "value": "Close the shop", "parent": "v1.document.manual.d"},
                "v1.state.s = open",
                "v1.fact.gone = It will be forgotten",
            ]
        )
        clock.advance(1_000_000)
        memory.checkpoint(
            edges=[
                edge(FACTS[1], "supersedes", FACTS[0]),
                edge(FACTS[3], "supersedes", FACTS[2]),
                edge(FACTS[4], "member_of", "v1.domain.shop"),
                edge(FACTS[5], "member_of", "v1.hub.till"),
                edge("v1.hub.till", "member_of", "v1.domain.shop"),
                edge(FACTS[6], "member_of", "v1.domain.shop", valid_from="2024-01-01", valid_to="2025-06-01"),
                edge(FACTS[4], "depends_on", FACTS[7]),
                edge(FACTS[5], "references", FACTS[4]),
                edge(FACTS[5], "references", "v1.fact.not_yet"),
                edge("v1.fact.gone", "supersedes", FACTS[5]),
                edge("v1.state.s", "likes", "v1.state.s"),
            ],
            actor="ann",
        )
        memory.checkpoint(unedges=[edge(FACTS[3], "supersedes", FACTS[2])])
        memory.checkpoint([f"{FACTS[7]} = It has changed", f"{FACTS[4]} = Fact number 4 of the shop"])
        memory.checkpoint(tombstones=["v1.state.s"])
        memory.checkpoint(["v1.state.s = closed"], edges=[edge(FACTS[3], "likes", FACTS[2])], actor="bob")
        memory.forget("v1.fact.gone")
        memory.forget(actor="bob")
        memory.checkpoint(["v1.fact.last = The last fact"])
        memory.compact()
    with (
        substrate.open(
            folder / "store", home=folder / "nobody", read_only=True, clock=clock, background=False, model="none"
        ) as reader,
        reader.session(observe=False),
    ):
        (folder / "answers.json").write_text(json.dumps(small_answers(reader)), encoding="utf-8")


def small_answers(memory: Any) -> dict[str, Any]:
    """What a store says of itself, at some moments, as JSON has it."""
    said: dict[str, Any] = {}
    for moment, asked in MOMENTS.items():
        listed = memory.list(superseded=True, tombstoned=True, count=True, **asked)
        said[f"list {moment}"] = [listed.to_dict(), memory.list(count=True, **asked).to_dict()]
        for word in ("shop", "fact", "manual"):
            for domain in (None, "shop", "v1.hub.till"):
                found = memory.search(word, domain=domain, **asked)
                said[f"search {word} in {domain} {moment}"] = [[hit.name, round(hit.score, 6)] for hit in found]
        for name in KEPT_ATOMS:
            try:
                said[f"access {name} {moment}"] = memory.access(name, predictions=0, **asked).to_dict()
                said[f"edges {name} {moment}"] = memory.edges(name, **asked).to_dict()
            except substrate.errors.SubstrateError as error:
                said[f"access {name} {moment}"] = error.code
    stats = memory.stats().to_dict()
    said["stats"] = {word: stats[word] for word in ("atoms", "tombstoned", "forgotten", "edges", "dangling", "types")}
    said["bootstrap"] = [item.name for item in memory.bootstrap("open the shop", domain="shop", begin=False)]
    answers: dict[str, Any] = json.loads(json.dumps(said))
    return answers


CLAIMS = {
    "v1.note.datetime.datetime": "datetime(year, month, day)\n\nThe arguments are integers.",
    "v1.note.datetime.date": "Concrete date type.",
    "v1.fact.payment_provider": "Stripe",
    "v1.decision.payments": "The payment provider is Adyen",
    "v1.fact.n1": "Priya is a citizen of Kenya",
    "v1.fact.n2": "Priya is a citizen of Norway",
}
"""Two that were taken to contradict each other and do not, two that do, and two of which that was not seen."""


def make_claims(folder: Path) -> None:
    """A store with these, one checkpoint each."""
    with substrate.open(
        folder / "store",
        home=folder / "home",
        origin="substrate-small",
        clock=ManualClock(START),
        background=False,
        model="none",
    ) as memory:
        for name, value in CLAIMS.items():
            memory.checkpoint([{"name": name, "value": value}])
        assert len(memory.conflicts()) == 2
        (folder / "pin.txt").write_text(str(memory.pin()), encoding="utf-8")
        (folder / "proof.json").write_text(memory.prove("v1.fact.n1").to_json(), encoding="utf-8")
        memory.compact()


CHANGES = {
    "v1.fact.n1": "The API timeout is 30 seconds",
    "v1.fact.n2": "We raised the API timeout to 60 seconds",
    "v1.fact.n3": "Our office is in Rome",
    "v1.fact.n4": "Our office is in Oslo",
    "v1.fact.n5": "Ada owns the billing service",
    "v1.fact.n6": "Bob also owns the billing service",
}
"""Two of which the second was not read as what holds since, two that contradict each other, and two that do not."""


def make_changes(folder: Path) -> None:
    """A store with these, one checkpoint each."""
    clock = ManualClock(START)
    with substrate.open(
        folder / "store", home=folder / "home", origin="substrate-small", clock=clock, background=False, model="none"
    ) as memory:
        for name, value in CHANGES.items():
            clock.advance(1_000_000)
            memory.checkpoint([{"name": name, "value": value}])
        assert len(memory.conflicts()) == 2
        assert not any(hit.newer for hit in memory.search("what is the API timeout"))
        memory.compact()


LISTED_WORDS = ("red", "blue ticket", "Amber Engine", "nobody", "ticket 104", "late", "ambr")


def make_whole_blocks(folder: Path) -> None:
    """A store of notes that were taken in one by one, with names, tags and sources; some replaced, some forgotten."""
    clock = ManualClock(START)
    with substrate.open(
        folder / "store", home=folder / "home", origin="substrate-small", clock=clock, background=False, model="none"
    ) as memory:
        for number in range(60):
            clock.advance(1_000_000)
            colour, name = ("red", "blue", "green")[number % 3], ("Amber Engine", "Basil Ledger")[number % 2]
            text = f"The {name} uses the Cedar Gateway since ticket {100 + number}. It is {colour}."
            memory.ingest(text, source=f"note-{number}.md", domain="handbook")
            memory.checkpoint([{"name": f"v1.fact.f{number % 40}", "value": text, "tags": [colour, "late"]}])
        memory.forget("v1.fact.f3")
        memory.forget(source="note-59.md")
        memory.checkpoint(tombstones=["v1.fact.f4"])
        memory.compact()
    how = {"home": folder / "nobody", "clock": clock, "background": False, "model": "none"}
    with substrate.open(folder / "store", read_only=True, **how) as reader, reader.session(observe=False):
        (folder / "answers.json").write_text(json.dumps(word_answers(reader)), encoding="utf-8")


def word_answers(memory: Any) -> dict[str, Any]:
    """What a store says of its words and keywords, as JSON has it."""
    said: dict[str, Any] = {}
    for words in LISTED_WORDS:
        for asked in ({}, {"tags": ["red"]}, {"domain": "handbook"}, {"source": "note-7.md"}, {"as_of": 120}):
            found = memory.search(words, **asked)
            said[f"search {words} {asked}"] = [[hit.name, round(hit.score, 6)] for hit in found]
    said["entities"] = [entry.to_dict() for entry in memory.entities()]
    said["stats"] = memory.stats().to_dict()["types"]
    answers: dict[str, Any] = json.loads(json.dumps(said))
    return answers


WALKED = tuple(f"v1.fact.w{number}" for number in range(10))
WINDOWS = {
    "then": [{"start": "2024-01-01", "end": "2025-06-01"}],
    "now": [{"start": "2025-06-01"}],
    "twice": [{"end": "2024-01-01"}, {"start": "2024-06-01"}],
}


def make_with_bare_links(folder: Path) -> None:
    """Edges with and without windows and confidence: stated once, stated otherwise, taken back, forgotten."""
    clock = ManualClock(START)

    def edge(one: int, other: int, **more: object) -> dict[str, Any]:
        return {"source": WALKED[one], "type": "causes", "target": WALKED[other], **more}

    with substrate.open(
        folder / "store", home=folder / "home", origin="substrate-small", clock=clock, background=False, model="none"
    ) as memory:
        memory.checkpoint([f"{name} = The step with number {at}" for at, name in enumerate(WALKED)])
        memory.checkpoint(
            edges=[
                edge(0, 1, confidence=0.3),
                edge(1, 2, windows=WINDOWS["then"]),
                edge(0, 3, confidence=1),
                edge(3, 4, windows=WINDOWS["now"], confidence=0.125),
                edge(4, 2),
                edge(5, 6, windows=WINDOWS["twice"]),
                edge(6, 7, confidence=0.9),
                edge(7, 8),
                edge(2, 5, confidence=0),
                edge(8, 9, windows=WINDOWS["then"]),
            ]
        )
        clock.advance(1_000_000)
        memory.checkpoint(edges=[edge(8, 9, confidence=0.7), edge(0, 1, windows=WINDOWS["now"])])
        memory.checkpoint(unedges=[edge(7, 8)])
        memory.checkpoint(edges=[edge(9, 0, confidence=0.6)], actor="bob")
        memory.forget(actor="bob")
        memory.compact()
    with (
        substrate.open(
            folder / "store", home=folder / "nobody", read_only=True, clock=clock, background=False, model="none"
        ) as reader,
        reader.session(observe=False),
    ):
        (folder / "answers.json").write_text(json.dumps(walked_answers(reader)), encoding="utf-8")


def walked_answers(memory: Any) -> dict[str, Any]:
    """Paths between all, and what walks find from each, at some moments, as JSON has it."""
    said: dict[str, Any] = {}
    for moment, asked in MOMENTS.items():
        for at, one in enumerate(WALKED):
            for other in WALKED[at + 1 :]:
                said[f"path {one} {other} {moment}"] = memory.path(one, other, **asked).to_dict()
            for walk in ("best", "pagerank"):
                found = memory.search(f"number {at}", hops=2, walk=walk, limit=20, **asked)
                said[f"{walk} from {one} {moment}"] = [[hit.name, round(hit.score, 6), list(hit.via)] for hit in found]
    answers: dict[str, Any] = json.loads(json.dumps(said))
    return answers


MAKERS = {
    "free_names": make,
    "no_cards": make_without_cards,
    "claims": make_claims,
    "changes": make_changes,
    "whole_blocks": make_whole_blocks,
    "bare_links": make_with_bare_links,
}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_in:
        MAKERS[sys.argv[1]](Path(made_in))
        pack(Path(made_in), Path(sys.argv[2]))
