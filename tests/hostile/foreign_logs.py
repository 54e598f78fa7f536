"""Logs of a peer with a valid key: some bodies, times and traces are bent in ways that nobody writes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

from substrate import codec
from substrate.clock import LAST_TIME, ManualClock
from substrate.codec import Draft, draft_forget, draft_other, draft_put, draft_tombstone
from substrate.errors import SubstrateError
from substrate.log.copies import clone as clones
from substrate.log.copies.contents import Truth
from substrate.log.log import Log, open_log
from substrate.memory import Memory, open_memory
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, Kind
from substrate.views.catalogue import CHECKS, VIEWS
from substrate.views.learned.sessions import Heard, session_row
from substrate.views.traces import trace_confirmed

Verb = Callable[[Memory], object]
SOUND = "v1.fact.sound"
_BENT = [None, True, 0, -1, 1, 2**53, 2**62, 2**63, 2**70, -(2**62), LAST_TIME + 1, 0.5, 1e308, "", "x", "2026-01-01"]
_BENT += ["a\nb", "\u0000", "\ud800", "v1.fact.a\nb", "v1.fact.b\u2028", "e\u0301", "ab" * 15, "AB" * 16, "0x" * 16]
_BENT += [[], [1], [None], ["x", 2], [[]], [[1]], [[1, 2, 3]], [["x", None]], [[2**62, None]], ["\ud800"], "y" * 500]
_BENT += [{}, {"x": 1}, {"x": {"y": []}}, {"notebook": 7}, float("nan"), float("inf")]
_FIELDS = {
    Kind.PUT: "name value tags entities confidence source origin actor session occurred_at valid_from valid_to parent "
    "position attrs unknown",
    Kind.TOMBSTONE: "name occurred_at actor origin session source attrs",
    Kind.EDGE: "source type target label confidence attrs cited origin actor session windows",
    Kind.UNEDGE: "source type target actor session",
    Kind.TRAIN: "atoms weight domain objective session actor after",
    Kind.FORGET: "erased key edges",
    Kind.MODEL: "model digest dimensions space",
    Kind.KEY: "vkey restored_from abandoned",
}


def bend(draft: Draft, chance: random.Random) -> Draft:
    """The same draft with one to three members of its body bent, or with bytes that are no body at all."""
    members = json.loads(draft.body)
    for field in chance.sample(_FIELDS[draft.kind].split(), chance.choice([1, 1, 1, 2, 3])):
        if chance.randrange(8) == 0:
            members.pop(field, None)
        else:
            members[field] = _deep() if chance.randrange(40) == 0 else chance.choice(_BENT)
    body = json.dumps(members, sort_keys=True, separators=(",", ":")).encode()
    if chance.randrange(30) == 0:
        body = chance.choice([b"", b"[]", b"{", b"{} ", b"null", b'{"a":1e999}'])
    name = members.get("name") if draft.name is not None else None
    spelled = isinstance(name, str) and "\ud800" not in name
    return draft._replace(body=body, name=name if spelled else draft.name)


def _deep() -> object:
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    return deep


def damaged_store(folder: Path, name: str = "v1.fact.bent") -> None:
    """A store that the version before would have taken in: one sound atom, one with tags that are no list."""
    bent = draft_put("v1.fact.bent", "payments", {"tags": 1})
    body = bent.body.replace(b'"v1.fact.bent"', b'"%s"' % name.encode("unicode_escape"))
    with open_log(folder / "store", home=folder / "home", views=VIEWS) as log:
        log.append([draft_put(SOUND, "payments"), bent._replace(body=body, name=name)])


CANARY = "canary"
_ENDS = {"source": "aa" * 16, "type": "needs", "target": "bb" * 16}
NOT_ATOMS: dict[str, tuple[Kind, dict[str, Json]]] = {
    "an edge of no type": (Kind.EDGE, {**_ENDS, "type": "Of No Type", "label": CANARY, "actor": "eve"}),
    "an edge without an end": (Kind.EDGE, {"source": "aa" * 16, "type": "needs", "label": CANARY, "actor": "eve"}),
    "an edge of odd attrs": (Kind.EDGE, {**_ENDS, "attrs": 5, "label": CANARY, "actor": "eve"}),
    "an unedge of no type": (Kind.UNEDGE, {**_ENDS, "type": f"{CANARY} of no type", "actor": "eve"}),
    "a training of odd weight": (Kind.TRAIN, {"atoms": ["aa" * 16], "weight": 77, "objective": CANARY, "actor": "eve"}),
    "a model of no name": (Kind.MODEL, {"model": 5, "digest": CANARY}),
}
"""Entries that are no atoms, and do not fit the schema."""


def store_with(folder: Path, *drafts: Draft) -> UUID:
    """A store of one sound atom and these entries; the id of the last."""
    with open_log(folder / "store", home=folder / "home", views=VIEWS) as log:
        log.append([draft_put(SOUND, "payments")])
        return UUID(bytes=log.append(drafts).subjects[-1])


def store_with_long_name(folder: Path) -> None:
    """A store that was taken in from a peer: one sound atom, and one whose name no table can list."""
    name = "v1.fact." + "long" * 150
    bent = draft_put("v1.fact.bent", "payments")
    lines: list[str] = []
    with open_log(folder / "peer", home=folder / "home", views=()) as log:
        body = bent.body.replace(b"v1.fact.bent", name.encode())
        log.append([draft_put(SOUND, "payments"), bent._replace(body=body, name=name)])
        with log._store.read() as transaction:
            clones.export_full(transaction, lambda line: lines.append(clones.line_text(line)))
    with checking_nothing():
        take_in([line + "\n" for line in lines], folder, checks=False)


def damaged_entry(what: str) -> Draft:
    """One of `NOT_ATOMS`."""
    return draft_other(*NOT_ATOMS[what])


def write_log(folder: Path, chance: random.Random) -> list[str]:
    """The lines of a full export of a log with some of everything, and some of it bent."""
    clock = ManualClock(chance.choice([1_700_000_000_000_000] * 9 + [LAST_TIME + 10, 2**62]))
    with open_log(folder / "peer", home=folder / "home", views=(), clock=ManualClock()) as log:
        log._appender = replace(log._appender, clock=clock)  # ours refuses such a time; a peer's program may not
        _fill(log, chance)
        with log._store.write() as transaction:
            for table, key, row in _traces(log, chance):
                transaction.put(table, key, row)
        lines: list[str] = []
        with log._store.read() as transaction:
            clones.export_full(transaction, lambda line: lines.append(clones.line_text(line)))
    return [line + "\n" for line in lines]


def _fill(log: Log, chance: random.Random) -> None:
    puts = [draft_put(SOUND, "all is well with payments")]
    puts += [draft_put(f"v1.fact.n{i}", f"payments go by way {i}", {"tags": ["pay"]}) for i in range(5)]
    puts += [draft_put(f"v1.{kind}.rule", "payments are checked") for kind in ("goal", "constraint", "domain")]
    done = log.append([puts[0], *_some_bent(puts[1:], chance)])
    ids = list(done.subjects)
    joined = [
        draft_other(Kind.EDGE, {"source": a.hex(), "type": kind, "target": b.hex()})
        for a, b, kind in zip(
            ids[1:], ids[:-1], ["references", "supersedes", "member_of", "depends_on"] * 2, strict=True
        )
    ]
    joined[0] = joined[0]._replace(body=joined[0].body[:-1] + b',"windows":[[1,null],[null,5]]}')
    stated = log.append(_some_bent(joined, chance))
    space = {"model": "m", "digest": "d", "dimensions": 4, "space": "ab" * 8}
    taught = {"atoms": [one.hex() for one in ids[:4]], "weight": 2, "objective": "payments"}
    rest = [draft_other(Kind.TRAIN, taught), draft_other(Kind.MODEL, space), draft_tombstone("v1.fact.n1")]
    rest += [draft_put("v1.fact.n2", "another way", {"parent": ids[0].hex(), "position": 3})]
    rest += [draft_other(Kind.UNEDGE, json.loads(joined[-1].body), subject=stated.subjects[-1])]
    record = log.record("v1.fact.n4")
    if record is not None:
        rest.append(draft_forget(record.subject, [record.seq], record.key, edges=[stated.subjects[3]]))
    for draft in _some_bent(rest, chance):
        with suppress(SubstrateError, UnicodeError):  # what the log itself does not take
            log.append([draft])


def _some_bent(drafts: list[Draft], chance: random.Random) -> list[Draft]:
    return [bend(draft, chance) if chance.randrange(12) == 0 else draft for draft in drafts]


def _traces(log: Log, chance: random.Random) -> Iterator[tuple[str, bytes, bytes]]:
    """Rows of traces as they are laid out, of odd times."""
    entry = log.entry(1)
    time = chance.choice([1_700_000_000_000_000, LAST_TIME + 1, 2**62, -(2**62)])
    table, key, row = trace_confirmed(entry.entry.subject, 1, time, None)
    yield table, key, row or b""
    size = log.head().head.size
    heard = Heard((entry.entry.subject, bytes(ID_BYTES)), time, objective="payments", session="s")
    yield "sessions", size.to_bytes(8, "big") + bytes(4), session_row(heard)


@contextmanager
def checking_nothing() -> Iterator[None]:
    """The version before: no body is compared with the schema, at import or at reading."""
    with patch.object(codec, "misfit", lambda _, __: None), patch.object(Truth, "check_schema", lambda _: None):
        yield


def take_in(lines: list[str], folder: Path, *, checks: bool = True) -> None:
    """What `import --full` does."""
    looks = CHECKS if checks else ()
    clones.clone(lines, folder / "store", home=folder / "home", views=VIEWS, checks=looks)


def open_read_only(folder: Path) -> Memory:
    return open_memory(folder / "store", home=folder / "home", model="none", read_only=True)


def bent_line(chance: random.Random) -> str:
    """A line of a plain export with some of its fields bent."""
    kind = chance.choice([Kind.PUT, Kind.TOMBSTONE, Kind.EDGE, Kind.UNEDGE])
    line: dict[str, object] = {"kind": kind.name.lower(), "recorded_at": "2026-01-01T00:00:00Z"}
    line |= {"name": "v1.fact.x", "value": "payments"} if kind in (Kind.PUT, Kind.TOMBSTONE) else {}
    line |= (
        {} if kind in (Kind.PUT, Kind.TOMBSTONE) else {"source": "v1.fact.x", "type": "needs", "target": "v1.fact.y"}
    )
    for field in chance.sample([*_FIELDS[kind].split(), "kind", "recorded_at"], chance.choice([0, 1, 1, 2])):
        line[field] = _deep() if chance.randrange(20) == 0 else chance.choice(_BENT)
    return json.dumps(line) + "\n"
