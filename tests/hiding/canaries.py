"""A store with canaries in every field of hidden atoms, and every verb that could tell of one."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from typing import Any

from substrate.errors import SubstrateError
from substrate.memory import Memory
from substrate.result import Tabular

__all__ = ["ABSENT", "ASKED", "CANARIES", "ECHO", "HIDDEN", "KESTREL", "OPEN", "QUIET", "VERBS", "fill", "told"]

NIGHTJAR, HERON, KESTREL = "nightjar", "heron", "kestrel"
"""In every name and in every text that is sensitive; in what is personal."""
CANARIES = (NIGHTJAR, HERON)
HIDDEN = "v1.fact.zebra_nightjar"
OPEN, OTHER = "v1.fact.open", "v1.fact.zebra_price"
ASKED, ABSENT = "v1.fact.asked_nightjar", "v1.fact.asked_nightjax"
"""Asked for by its name, which an answer may repeat; and the same for what is not there."""


def fill(memory: Memory) -> None:
    """Canaries everywhere: versions, fields, edges, texts, entities, proposals, and what was learnt."""
    text = "zebra ledger of the heron costs"
    memory.checkpoint(
        [
            "v1.domain.vault_nightjar = the heron vault",
            {"name": HIDDEN, "value": f"{text} 10 EUR", "tags": ["heron"], "entities": ["Heron Marsh"]},
            f"{OPEN} = the zebra ledger is open",
            f"{OTHER} = The zebra ledger costs 11 EUR",
            "v1.domain.home = our home",
            "v1.fact.home = the zebra ledger of the kestrel",
        ],
        edges=[
            {"source": OPEN, "type": "depends_on", "target": HIDDEN},
            {"source": OPEN, "type": "contradicts", "target": HIDDEN},
            {"source": HIDDEN, "type": "references", "target": "v1.fact.dangling_nightjar"},
            {"source": HIDDEN, "type": "references", "target": OTHER},
            {"source": "v1.fact.home", "type": "member_of", "target": "v1.domain.home"},
        ],
    )
    said = {"source": "heron.txt", "attrs": {"k": "heron"}, "tags": ["heron"], "entities": ["Heron Marsh"]}
    memory.checkpoint(
        [
            {"name": HIDDEN, "value": f"{text} 12 EUR", **said},
            {"name": ASKED, "value": f"{text} 13 EUR", **said},
            {"name": "v1.fact.gone_nightjar", "value": "it was the heron", **said},
            {"name": "v1.fact.old_nightjar", "value": "the older heron", **said},
            {"name": "v1.hub.nightjar", "value": "a hub of the heron"},
            {"name": "v1.fact.far_nightjar", "value": f"{text} 12 EUR and more", **said},
            {"name": "v1.goal.nightjar", "value": "ship the heron in the zebra ledger"},
            {"name": "v1.turn.nightjar", "value": "zebra ledger, said the heron", "parent": HIDDEN, "position": 1},
            "v1.note.alike = zebra ledger quarterly figures reviewed and signed",
            "v1.note.alike_too = zebra ledger quarterly figures reviewed and signed",
            "v1.note.alike_nightjar = zebra ledger quarterly figures reviewed and signed",
        ],
        edges=[
            {"source": name, "type": "member_of", "target": "v1.domain.vault_nightjar"}
            for name in (
                *(HIDDEN, ASKED, "v1.fact.gone_nightjar", "v1.fact.old_nightjar", "v1.hub.nightjar"),
                *("v1.goal.nightjar", "v1.note.alike_nightjar"),
            )
        ]
        + [
            {"source": "v1.fact.far_nightjar", "type": "member_of", "target": "v1.hub.nightjar"},
            {"source": HIDDEN, "type": "supersedes", "target": "v1.fact.old_nightjar"},
        ],
    )
    memory.checkpoint(tombstones=["v1.fact.gone_nightjar"])
    memory.ingest(
        "# Heron\n\nHeron Marsh keeps zebra ledgers. Heron Marsh uses Nightjar DB. Nightjar DB supports Heron Marsh.",
        domain="vault_nightjar",
        title="The heron page",
        source="heron.md",
    )
    ends = {"source": "Heron Marsh", "target": "Nightjar DB"}
    memory.relate(
        [{**ends, "type": kind, "text": f"Heron Marsh {kind} Nightjar DB."} for kind in ("uses", "monitors")],
        domain="vault_nightjar",
    )
    memory.train([OPEN, HIDDEN, "v1.fact.far_nightjar"], passes=3)
    memory.train([HIDDEN, OTHER, OPEN], passes=3, objective="the heron and the zebra ledger", domain="vault_nightjar")
    memory.observe([OPEN, HIDDEN])
    memory.touch([HIDDEN, OPEN], boost=True)
    memory.propose("zebra ledger: the heron costs 14 EUR", name=HIDDEN)
    memory.set_tier("home", "personal")
    memory.set_tier("vault_nightjar", "sensitive")
    # The last checkpoint is one that an agent might undo, if it saw it: of no domain.
    memory.checkpoint([{"name": "v1.fact.far_nightjar", "value": f"{text} 12 EUR and more", **said, "tags": ["late"]}])


Call = Callable[[Memory], object]


def export(memory: Memory) -> str:
    """A plain export, as text."""
    lines = io.StringIO()
    memory.export(lines)
    return lines.getvalue()


IDS: list[str] = []
"""The id of a hidden atom."""
VERBS: dict[str, list[Call]] = {
    "access": [
        lambda m: m.access(IDS[0]),
        lambda m: m.access(OPEN),
        lambda m: m.access("v1.fact.zebra_nightja"),
        lambda m: m.access(IDS[0], as_of=3),
    ],
    "around": [lambda m: m.around(OPEN)],
    "associate": [lambda m: m.associate(OPEN), lambda m: m.associate(IDS[0])],
    "bootstrap": [lambda m: m.bootstrap("the zebra ledger", max_tokens=2000, ingested=True)],
    "conflicts": [lambda m: m.conflicts(ingested=True), lambda m: m.conflicts(OPEN)],
    "context": [lambda m: m.context(OPEN, depth=3), lambda m: m.context([OPEN, IDS[0]])],
    "correction": [lambda m: m.correction(IDS[0], "from 12 to 15")],
    "diff": [lambda m: m.diff(0), lambda m: m.diff(3)],
    "document": [lambda m: m.document("heron.md", domain="vault_nightjar")],
    "due": [lambda m: m.fading(order="recent", status="all"), lambda m: m.due()],
    "edge_map": [lambda m: m.edge_map()],
    "edges": [lambda m: m.edges(OPEN), lambda m: m.edges(OTHER), lambda m: m.edges(IDS[0])],
    "entities": [lambda m: m.entities(), lambda m: m.entities(by="mentions"), lambda m: m.entities(as_of=12)],
    "entity": [lambda m: m.entity("Marsh", "vault_nightjar"), lambda m: m.entity("eron Marsh", "vault_nightjar")],
    "entity_map": [lambda m: m.entity_map("vault_nightjar")],
    "export": [export],
    "fading": [lambda m: m.fading(), lambda m: m.fading(IDS[0])],
    "fading_curve": [lambda m: m.fading_curve(IDS[0])],
    "gather": [lambda m: m.gather("zebra ledger", domain="vault_nightjar")],
    "groups": [lambda m: m.groups(threshold=0.5), lambda m: m.groups(threshold=0.5, pairs=True)],
    "history": [lambda m: m.history(IDS[0]), lambda m: m.history(OPEN)],
    "list": [
        lambda m: m.list(),
        lambda m: m.list(tombstoned=True, superseded=True, count=True),
        lambda m: m.list(as_of=12),
        lambda m: m.list(domain="vault_nightjar"),
        lambda m: m.list(tags="heron"),
    ],
    "merge": [lambda m: m.merge([IDS[0], OPEN], dry_run=True)],
    "names_with": [lambda m: m.names_with("zebra"), lambda m: m.names_with("alike")],
    "path": [lambda m: m.path(OPEN, OTHER), lambda m: m.path(OPEN, IDS[0])],
    "predict": [lambda m: m.predict([OPEN]), lambda m: m.predict([], objective="zebra ledger")],
    "proposals": [lambda m: m.proposals()],
    "prove": [lambda m: m.prove(HIDDEN).to_json().replace(HIDDEN, "")],
    "prove_entry": [lambda m: [m.prove_entry(seq).to_json() for seq in (2, 13)]],
    "prune": [lambda m: m.prune("vault_nightjar", threshold=0)],
    "recent": [
        lambda m: m.recent(limit=100, count=True),
        lambda m: m.recent(tags="heron"),
        lambda m: m.recent(entities="Heron Marsh"),
        lambda m: m.recent(as_of=14, limit=100),
    ],
    "search": [
        lambda m: m.search("zebra ledger", limit=50),
        lambda m: m.search("hero of the nightja", limit=50, hops=3),
        lambda m: m.search("zebra", as_of=14, limit=50),
        lambda m: m.search("open", hops=3, walk="pagerank"),
        lambda m: m.search("what was the zebra ledger before", limit=50),
        lambda m: m.search("zebra", domain="vault_nightjar"),
    ],
    "stale": [lambda m: m.stale()],
    "stats": [lambda m: m.stats()],
    "tend": [lambda m: m.tend("vault_nightjar", dry_run=True)],
    "domains": [lambda m: m.domains()],
    "tiers": [lambda m: m.tiers()],
    "touch": [lambda m: m.touch(IDS[0])],
    "transition_matrix": [lambda m: list(m.transition_matrix().names)],
    "undo": [lambda m: m.undo(dry_run=True)],
    "vet": [lambda m: m.vet("Heron Marsh", "uses", "Nightjar DB", domain="vault_nightjar").sentence],
    "weigh": [lambda m: m.weigh([IDS[0]])],
    "which": [
        lambda m: m.which("zebra"),
        lambda m: m.which("vault", "domain"),
        lambda m: m.which(IDS[0][:13]),
        lambda m: m.which("The her page"),
    ],
}
"""Each verb that tells of atoms, with calls that would tell of a hidden one. None of them has a canary's whole name."""
ECHO = dict.fromkeys(
    ("document", "entity", "entity_map", "gather", "list", "prune", "search", "tend", "vet"), ("vault_nightjar",)
) | {"prove": (HIDDEN,)}
"""Names that calls of a verb ask for, and that an answer may repeat."""
QUIET = {
    *("accept", "decline", "confirm", "resolve", "propose"),  # by an id or name that is as absent; see test_writing
    *("checkpoint", "remember", "replace", "rename", "relate", "import_lines", "import_file", "import_frame"),
    *("ingest", "follow", "transcript", "train", "observe", "sweep", "promote", "set_tier"),
    *("head", "heads", "pin", "key", "check_pin", "prove_extended", "verify", "growth"),  # sizes, times, hashes
    *("accesses", "behind", "client", "close", "policy", "quota", "set_quota", "session", "watch", "watched"),
    *(
        "watching",
        "observed",
        "warm",
        "first_vectors_due",
        "compact",
        "index",
        "model",
        "use_model",
        "use_fading",
        "tending",
    ),
    *("cues", "compare", "extract", "count_tokens"),  # of a text that is given
    *("rebuild", "backup", "rotate_key", "encrypt", "unlock", "lock", "disclose"),  # refused, or of a passphrase
    *("explore", "graph", "preview", "show_fading", "show_proof", "timeline", "transitions"),  # see test_widgets
    *("to_dict", "to_df", "to_csv", "rows", "group", "forget"),
}
"""Verbs that tell of no atom but those that a caller names, or that have a test of their own."""


def told(call: Call, memory: Memory, echo: Iterable[str] = ()) -> str:
    """All that a caller gets, in small letters: the answer as text and as JSON, or the error."""
    try:
        answer = call(memory)
        parts: list[Any] = [answer] if not isinstance(answer, tuple | list) else list(answer)
        text = repr(answer) + "".join(
            json.dumps(one.to_dict(), default=str) if isinstance(one, Tabular) else str(one) for one in parts
        )
    except SubstrateError as error:
        text = f"{error.code}: {error} {vars(error)}"
    text = text.lower()
    for said in echo:
        text = text.replace(said, "")
    return text
