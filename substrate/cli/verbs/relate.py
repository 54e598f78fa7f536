"""The verbs about what is joined to what. Of these, relate alone writes."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Table, titled
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.commands import calls
from substrate.text.quote import as_word

if TYPE_CHECKING:
    from substrate.values.relations import Association, Reached, Vetted

__all__ = ["associate", "compare", "context", "groups", "path", "relate", "stale", "vet"]

_NONE_ALIKE = "no two atoms are that much alike"


def context(given: Namespace, output: Output) -> Answer:
    """Print what surrounds atoms."""
    with reading(given) as memory:
        found = calls.context(memory, given)
    titles = found.titles if output.on_terminal else {}
    edges = [("edge", titled(edge.source, titles), edge.type, titled(edge.target, titles)) for edge in found]
    arcs = [("arc", arc.source, f"{arc.share:.0%}", arc.target) for arc in found.arcs]
    atoms = [(atom.distance, atom.name, atom.value, _state(atom)) for atom in found.atoms]
    blocks = [Table(("=distance", "name", "~value", "state"), atoms)] if atoms else []
    blocks += [Table(("=kind", "source", "type", "target"), [*edges, *arcs])] if edges or arcs else []
    hints = [f"{gone.name} is missing: {gone.reason}" for gone in found.missing]
    hints += [f"{name} has more edges: substrate edges {as_word(name)}" for name in found.cut]
    if found.more:
        hints.append(f"there are more: --offset {given.offset + len(found)}")
    if not edges:
        hints.append("it has no current edges" if not given.offset else "there are no more")
    return Answer(found.to_dict(), tuple(blocks), tuple(hints))


def _state(atom: Reached) -> str | None:
    said = [atom.absent] if atom.absent else []
    said += [f"superseded by {', '.join(atom.superseded_by)}"] if atom.superseded_by else []
    said += [f"to be reviewed: {reason}" for reason in atom.stale]
    return "; ".join(said) or None


def path(given: Namespace, _: Output) -> Answer:
    """Print a shortest path between two atoms."""
    with reading(given) as memory:
        found = calls.path(memory, given)
    steps = zip(found.atoms, found.directions, found.edges, found.atoms[1:], strict=False)
    rows = [
        (here, "->" if direction == "out" else "<-", edge.type, there, edge.confidence)
        for here, direction, edge, there in steps
    ]
    table = Table(("name", "=way", "type", "leads to", "=confidence"), rows)
    hints = [*found.remarks, *(["both are the same atom"] if found.length == 0 else [])]
    hints += [f"{name} has more edges: substrate edges {as_word(name)}" for name in found.cut]
    return Answer(found.to_dict(), (table,) if rows else (), tuple(hints))


def associate(given: Namespace, _: Output) -> Answer:
    """Print related atoms of other domains."""
    with reading(given) as memory:
        found = memory.associate(
            given.names, domain=given.domain, all_domains=given.other_domain or None, limit=given.limit
        )
    rows = [(f"{item.score:.2f}", item.source.name, item.target.name, _said(item), item.reason) for item in found]
    hints = [f"{gone.name} is missing: {gone.reason}" for gone in found.missing]
    hints += [found.meaning] if found.meaning else []
    if found:
        edge = found[0].edge
        hints.append(f"to accept the first: substrate checkpoint --edge {as_word(_edge_as_typed(edge))}")
    else:
        hints.append("no unexpected connection was found")
    table = Table(("=score", "name", "related", "~value", "reason"), rows)
    return Answer(found.to_dict(), (table,) if rows else (), tuple(hints))


def _edge_as_typed(edge: Mapping[str, object]) -> str:
    """As `--edge` takes it. Names with spaces may be read in several ways, so these go as JSON."""
    words = [str(edge[part]) for part in ("source", "type", "target")]
    return " ".join(words) if all(as_word(word) == word for word in words) else json.dumps(edge)


def _said(item: Association) -> str:
    return " ".join(item.target.value.split())


def groups(given: Namespace, output: Output) -> Answer:
    """Print what says nearly the same."""
    with reading(given) as memory, output.progress("comparing") as progress:
        found = calls.groups(memory, given, progress)
    hints = [found.meaning] if found.meaning else []
    left = found.total - len(found.items) - len(found.pairs)
    hints += [f"there are {left:,} more: --limit"] if left > 0 else []
    if given.pairs:
        pairs = [(f"{one.similarity:.2f}", one.first.name, one.second.name) for one in found.pairs]
        table = Table(("=similarity", "name", "other"), pairs)
        return Answer(found.to_dict(), (table,) if pairs else (), (*hints, *(() if pairs else (_NONE_ALIKE,))))
    rows = [
        (group.id, f"{group.cohesion:.2f}", group.advice, member.name, " ".join(member.value.split()))
        for group in found
        for member in group.members
    ]
    hints.append(f"to merge the first: substrate merge {found[0].id}" if rows else _NONE_ALIKE)
    table = Table(("group", "=cohesion", "=advice", "name", "~value"), rows)
    return Answer(found.to_dict(), (table,) if rows else (), tuple(hints))


def vet(given: Namespace, _: Output) -> Answer:
    """Print whether a relation holds."""
    with reading(given) as memory:
        found = calls.vet(memory, given)
    return Answer(found.to_dict(), (_verdict([found]),))


def relate(given: Namespace, _: Output) -> Answer:
    """State a relation that passes the check."""
    with writing(given) as memory:
        related = calls.relate(memory, given)
    hint = () if related.stated else ("nothing was stated; to state it anyway: --least rejected",)
    return Answer(related.to_dict(), (_verdict(related.items),), hint)


def _verdict(found: Iterable[Vetted]) -> Table:
    rows = [(one.verdict, one.level, f"{one.score:.2f}", one.reason) for one in found]
    return Table(("verdict", "level", "=score", "~reason"), rows)


def compare(given: Namespace, _: Output) -> Answer:
    """Print whether two passages contradict each other."""
    from substrate.relate.compare import compare as compare_passages  # noqa: PLC0415 - its lists of words take a moment

    found = compare_passages(given.first, given.second)  # it needs no store
    rows = [(pair.verdict, pair.first, pair.second, pair.reason) for pair in found]
    table = Table(("verdict", "~first", "~second", "reason"), rows)
    return Answer(found.to_dict(), (table,) if rows else (), () if rows else (found.explanation,))


def stale(given: Namespace, _: Output) -> Answer:
    """Print atoms to be reviewed."""
    with reading(given) as memory:
        found = memory.stale(prefix=given.prefix, limit=given.limit, after=given.after)
    rows = [(item.name, item.atom.value, "; ".join(because.reason for because in item.because)) for item in found]
    hints = []
    if found.next:
        hints.append(f"there are more: --after {as_word(found.next)}")
    hints.append("to clear one, save it again, with the same or a new value" if rows else "nothing is to be reviewed")
    return Answer(found.to_dict(), (Table(("name", "~value", "because"), rows),) if rows else (), tuple(hints))
