"""The verb relate: relations between entities, checked and stated. One checkpoint.

1. Each relation is vetted against the graph as it is; those of one call do not speak for each other.
2. What is stated keeps the evidence in `attrs.verifier`, and cites the chunk that says so.
3. Entities that are not there yet are made, if they are declared or are ends of what is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from substrate.atoms.bodies import Body, body_of
from substrate.atoms.domains import DOMAIN, domain_name
from substrate.atoms.links import windows_of
from substrate.atoms.moments import read_time
from substrate.entities.naming import entity_name
from substrate.errors import HeadMoved, InputError, SchemaInvalid
from substrate.limits import check_size
from substrate.log.heads import require_head
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.proof.entry import Kind
from substrate.relate.vet import Proposal, vet
from substrate.relations.verdict import ACCEPTED, ITSELF, RANKS
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.search.directory.find import known_entity
from substrate.search.index import SearchIndex
from substrate.snapshot import Snapshot
from substrate.text.canonical import canonical, spelling
from substrate.values.edges import Window
from substrate.values.relations import Related, Vetted
from substrate.values.times import from_microseconds
from substrate.veil import bare
from substrate.views.atoms import find_name
from substrate.views.edges import find_link

__all__ = ["RelatePlan", "RelateRequest", "plan_relations", "relate"]

_WINDOW: Final = ("valid_from", "valid_to")
_FIELDS: Final = frozenset(("source", "type", "target", "confidence", "text", "cited", "judged", *_WINDOW))
_TRIES: Final = 50
"""So often it is planned again if others write meanwhile."""
_UNTYPED: Final = "name"
"""What an entity is of which nobody says a type."""


@dataclass(frozen=True, slots=True)
class RelateRequest:
    """What is to be stated, checked as far as it can be without a store."""

    proposals: tuple[tuple[Proposal, Mapping[str, object]], ...]
    """Each with the window in which it holds."""
    entities: tuple[tuple[str, str | None], ...]
    home: str
    least: int
    extra: Mapping[str, object] = field(default_factory=dict)
    """Attrs of all edges."""
    besides: str = ""
    """What the names of the chunks begin with that are about to be replaced: they are no evidence."""

    @classmethod
    def of(
        cls,
        relations: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        entities: Iterable[str | Mapping[str, Any]] = (),
        domain: str | None = None,
        least: str = ACCEPTED,
        attrs: Mapping[str, object] | None = None,
    ) -> RelateRequest:
        """InputError, SchemaInvalid, TooLarge."""
        if least not in RANKS:
            raise InputError(Arg("least"), f" is one of {', '.join(reversed(RANKS))}")
        given = [relations] if isinstance(relations, Mapping) else list(relations)
        declared = list(entities)
        check_size("this call", len(given) + len(declared), "checkpoint_items", "items")
        return cls(
            tuple(_proposal(item) for item in given),
            tuple(_declared(item) for item in declared),
            domain_name(domain),
            RANKS.index(least),
            attrs or {},
        )


def _proposal(item: object) -> tuple[Proposal, Mapping[str, object]]:
    if not isinstance(item, Mapping) or not {"source", "type", "target"} <= item.keys() <= _FIELDS:
        raise SchemaInvalid(
            f"a relation is a mapping with source, type and target; it may have {', '.join(sorted(_FIELDS))}"
        )
    window = {key: item[key] for key in _WINDOW if item.get(key) is not None}
    proposal = Proposal(**{key: said for key, said in item.items() if key not in _WINDOW})
    proposal.checked()
    return proposal, window


def _declared(item: object) -> tuple[str, str | None]:
    name, kind = (item, None) if isinstance(item, str) else (None, None)
    if isinstance(item, Mapping):
        name, kind = item.get("name"), item.get("type")
    if not isinstance(name, str) or not (kind is None or isinstance(kind, str)):
        raise SchemaInvalid("an entity is a name, or a mapping with a name and perhaps a type")
    canonical(name)
    check_size("the name of an entity", len(name), "entity_characters", "characters")
    return spelling(name), kind


@dataclass(frozen=True, slots=True)
class RelatePlan:
    """What stating relations comes to: the check of each, and what is to be saved."""

    items: tuple[Vetted, ...]
    atoms: Mapping[str, Mapping[str, object]]
    """By name: entities that are not there yet, and the domain."""
    edges: tuple[Mapping[str, object], ...]
    home: str

    @property
    def has_windows(self) -> bool:
        """Whether a relation holds for some time only."""
        return any("windows" in edge for edge in self.edges)

    def related(self, recorded: int) -> Related:
        """The report, of so many entries that were recorded."""
        made = tuple(str(atom["value"]) for name, atom in self.atoms.items() if name != self.home)
        return Related(self.items, made, recorded)


def plan_relations(snapshot: Snapshot, index: SearchIndex, request: RelateRequest) -> RelatePlan:
    """What stating these relations comes to, given what is there."""
    vetted = [vet(snapshot, index, proposal, request.home, request.besides) for proposal, _ in request.proposals]
    items = tuple(replace(one, stated=_is_to_state(one, request.least)) for one in vetted)
    atoms = _entities(snapshot, index, request, [one for one in items if one.stated])
    edges: dict[tuple[object, ...], dict[str, object]] = {}
    for one, (given, window) in zip(items, request.proposals, strict=True):
        if one.stated and not _is_there(snapshot, one, given, window):
            edge = _edge(one, given, request)
            key = edge["source"], one.type, edge["target"]
            if window:
                edge["windows"] = _with_window(snapshot, one, window, edges.get(key))
            edges[key] = edge
    if (atoms or edges) and find_name(snapshot.transaction, request.home) is None:
        atoms[request.home] = {"name": request.home, "value": request.home.removeprefix(DOMAIN)}
    return RelatePlan(items, atoms, tuple(edges.values()), request.home)


def relate(  # noqa: PLR0913 - where to read, where to write, what
    log: Log,
    index: SearchIndex,
    read: Callable[[], AbstractContextManager[Snapshot]],
    request: RelateRequest,
    said: Mapping[str, object],
    *,
    allow_secrets: bool = False,
) -> Related:
    """See `Memory.relate`."""
    for tried in range(_TRIES):
        with read() as snapshot:
            planned = plan_relations(snapshot, index, request)
            # Windows that stay were read here: what others state meanwhile must not be written over.
            head = require_head(bare(snapshot.transaction)) if planned.has_windows else None
        if not planned.atoms and not planned.edges:
            break
        batch = Batch(atoms=tuple(planned.atoms.values()), edges=planned.edges)
        try:
            saved = checkpoint(log, batch, expect=head, said=said, allow_secrets=allow_secrets)
        except HeadMoved:
            if tried + 1 == _TRIES:
                raise
            continue
        return planned.related(len(saved.seqs))
    return planned.related(0)


def _is_to_state(one: Vetted, least: int) -> bool:
    """What relates an entity to itself is never stated: an edge from an atom to itself leads nowhere."""
    return RANKS.index(one.verdict) >= least and one.level != ITSELF


def _entities(
    snapshot: Snapshot, index: SearchIndex, request: RelateRequest, stated: Sequence[Vetted]
) -> dict[str, dict[str, object]]:
    """The atoms of entities that are not there yet, by name: those that were declared, and ends of what is stated."""
    wanted = dict(reversed(request.entities))
    ends = [(one.source, one.source_atom) for one in stated] + [(one.target, one.target_atom) for one in stated]
    names = [*(name for name, _ in request.entities), *(name for name, atom in ends if atom is None)]
    atoms: dict[str, dict[str, object]] = {}
    for name in names:
        atom = entity_name(request.home, name)
        if atom in atoms or known_entity(snapshot, index, name, request.home) is not None:
            continue
        check_size("the name of an entity", len(atom.encode()), "name_bytes")
        atoms[atom] = {"name": atom, "value": name, "attrs": {"type": wanted.get(name) or _UNTYPED}}
    return atoms


def _is_there(snapshot: Snapshot, one: Vetted, given: Proposal, window: Mapping[str, object]) -> bool:
    """Whether the edge is stated already, and this says no more: another look at the same is no other statement."""
    body = _stated(snapshot, one)
    if body is None or given.confidence not in (None, body.members.get("confidence")):
        return False
    return not window or _read_window(window) in windows_of(body)


def _stated(snapshot: Snapshot, one: Vetted) -> Body | None:
    """What the edge says that is stated already, if there is one."""
    if one.source_atom is None or one.target_atom is None:
        return None
    source, target = (find_name(snapshot.transaction, atom) for atom in (one.source_atom, one.target_atom))
    if source is None or target is None:
        return None
    link = find_link(snapshot.transaction, source.subject, one.type, target.subject)
    return None if link is None or link.kind is not Kind.EDGE else body_of(snapshot.transaction, link.seq)


def _with_window(
    snapshot: Snapshot, one: Vetted, window: Mapping[str, object], earlier: Mapping[str, object] | None
) -> list[Window]:
    """The windows of the edge with this one: others stay if they do not overlap with it. `earlier`: of the same call.

    Who led it in 2021 may lead it again in 2023. A window that overlaps is corrected by this one.
    """
    new, body = _read_window(window), _stated(snapshot, one)
    known = windows_of(body) if body is not None else ()
    if earlier is not None:
        known = earlier.get("windows", ())  # type: ignore[assignment]
    kept = [
        each
        for each in known
        if (each.end is not None and new.start is not None and each.end <= new.start)
        or (each.start is not None and new.end is not None and new.end <= each.start)
    ]
    return [*kept, new]


def _read_window(window: Mapping[str, object]) -> Window:
    start, end = (None if key not in window else from_microseconds(read_time(window[key], key)) for key in _WINDOW)
    return Window(start, end)


def _edge(one: Vetted, given: Proposal, request: RelateRequest) -> dict[str, object]:
    ends = [
        atom or entity_name(request.home, name)
        for atom, name in ((one.source_atom, one.source), (one.target_atom, one.target))
    ]
    edge: dict[str, object] = {"source": ends[0], "type": given.type, "target": ends[1]}
    if given.confidence is not None:
        edge["confidence"] = given.confidence
    if one.cited is not None:
        edge["cited"] = one.cited
    return {**edge, "attrs": {**request.extra, "verifier": one.verifier}}
