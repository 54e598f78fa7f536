"""Atoms, edges and histories of the real store, in the words of the plain model, so that the two can be compared."""

from __future__ import annotations

from typing import Any

from substrate.errors import Forgotten, NotFound
from substrate.memory import Memory
from substrate.values.atoms import Atom
from substrate.values.edges import Edge, Window
from substrate.values.times import from_microseconds, to_microseconds
from tests.machine.plain_model import ABSENT, FORGOTTEN, Event, PlainModel, Said

TIMES = ("occurred_at", "valid_from", "valid_to")
CONTENT = ("value", "tags", "confidence", "source", *TIMES, "attrs")
EDGE_CONTENT = ("confidence", "attrs", "cited")


def to_input(said: Said, **more: object) -> dict[str, Any]:
    """The content as a mapping that a checkpoint takes."""
    given = {key: from_microseconds(value) if key in TIMES and value else value for key, value in said.items()}
    if said.get("windows"):
        given["windows"] = [Window(*(None if t is None else from_microseconds(t) for t in w)) for w in said["windows"]]
    return {**given, **more}


def said_of(atom: Atom) -> dict[str, object]:
    said = {key: getattr(atom, key) for key in CONTENT}
    return {
        key: to_microseconds(value) if key in TIMES else value
        for key, value in said.items()
        if value is not None and value != () and value != {}  # noqa: PLR1714 - a dict has no hash
    }


def said_of_edge(edge: Edge) -> dict[str, object]:
    said: dict[str, object] = {key: getattr(edge, key) for key in EDGE_CONTENT}
    windows = tuple((_us(w.start), _us(w.end)) for w in edge.windows)
    return in_order({k: v for k, v in (said | {"windows": windows}).items() if v is not None and v not in ((), {})})


def in_order(said: Said) -> dict[str, object]:
    """With its keys sorted, so that two of the same content also look the same."""
    return dict(sorted(said.items()))


def _us(time: Any) -> int | None:
    return None if time is None else to_microseconds(time)


def shown(atom: Atom) -> tuple[object, ...]:
    """An atom as it is compared, but for its id and what depends on the moment of reading."""
    return atom.name, atom.seq, to_microseconds(atom.recorded_at), atom.actor, said_of(atom)


def expected(model: PlainModel, event: Event) -> tuple[object, ...]:
    assert isinstance(event.about, int)
    return model.names[event.about], event.seq, event.time, event.actor, dict(event.said)


def shown_edge(edge: Edge) -> tuple[object, ...]:
    return (edge.source, edge.type, edge.target), edge.seq, to_microseconds(edge.recorded_at), said_of_edge(edge)


def expected_edge(model: PlainModel, event: Event) -> tuple[object, ...]:
    assert isinstance(event.about, tuple)
    return model.ends(event.about), event.seq, event.time, in_order(event.said)


def accessed(memory: Memory, name: str, **moment: object) -> Atom | str:
    """The atom, or in which way it is not there."""
    try:
        return memory.access(name, **moment).atom  # type: ignore[arg-type]
    except Forgotten:
        return FORGOTTEN
    except NotFound:
        return ABSENT


def edges_of(memory: Memory, name: str, **options: object) -> list[Edge]:
    """The edges; none if there is no such atom either."""
    try:
        return list(memory.edges(name, **options))  # type: ignore[arg-type]
    except NotFound:
        return []


def history_of(memory: Memory, name: str, **moment: object) -> list[tuple[object, ...]]:
    try:
        versions = memory.history(name, **moment)  # type: ignore[arg-type]
    except NotFound:
        return []
    return [
        (v.seq, to_microseconds(v.recorded_at), v.kind, v.forgotten_by, None if v.atom is None else said_of(v.atom))
        for v in versions
    ]


def expected_history(events: list[Event]) -> list[tuple[object, ...]]:
    return [
        (
            e.seq,
            e.time,
            "gap" if e.erased_by is not None else e.kind,
            e.erased_by,
            dict(e.said) if e.kind == "put" and e.erased_by is None else None,
        )
        for e in events
    ]


def all_pages(memory: Memory, limit: int, **options: object) -> list[Atom]:
    atoms: list[Atom] = []
    after = None
    while True:
        page = memory.list(limit=limit, after=after, **options)  # type: ignore[arg-type]
        assert len(page) <= limit
        atoms += page
        if page.next is None:
            return atoms
        assert len(page) == limit
        after = page.next
