"""The verb gather: chunks that answer a question, by words and meaning, and by the entities that it names.

1. A search finds chunks. Entities that the question names, else those of the best chunks, are where walks begin.
2. Walks go along stated edges between entities of the domain: by the best path, or by a random walk that begins anew.
3. Chunks that mention what was reached are a list of their own. Lists are put together by reciprocal ranks, so that no
   list's numbers are compared with another's; what only a walk found comes behind what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from substrate.atoms.bodies import body_of, require_body
from substrate.atoms.domains import domain_name
from substrate.atoms.links import End, edge_of
from substrate.atoms.load import atom_of
from substrate.entities.lookup import Lookup
from substrate.entities.naming import ENTITY, entity_prefix, names_of
from substrate.errors import InputError, NotFound
from substrate.limits import LIMITS, check_limit
from substrate.messages import Arg
from substrate.proof.entry import Kind
from substrate.search.directory.find import entities_in, known_entity, mentioned_entity
from substrate.search.filters import Filters
from substrate.search.index import Query, SearchIndex
from substrate.search.search import check_search, search
from substrate.search.walks.steps import EdgeStep, Steps
from substrate.search.walks.walk import Walked, best_paths, pagerank
from substrate.search.words import keyword_mask, keyword_seqs
from substrate.snapshot import Snapshot
from substrate.values.atoms import Atom
from substrate.values.edges import Edge
from substrate.values.entities import EntityEntry
from substrate.values.hits import Hit
from substrate.values.relations import Gathered, GatheredChunk
from substrate.views.atoms import VersionRow
from substrate.views.edges import Link
from substrate.views.words import Field

__all__ = ["GATHER_WALKS", "Request", "gather"]

GATHER_WALKS: Final = ("best", "pagerank", "both")
_EDGES: Final = 500
"""Edges that a walk looks at."""
_REACHED: Final = 20
"""Entities of which chunks are looked for, the best."""
_SEEDS: Final = 5
_RELATIONS: Final = 20
_RRF: Final = 60
_WALKED: Final = 0.5
"""What the list of a walk weighs beside that of the search."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for, checked. See `Memory.gather`."""

    query: str
    home: str
    limit: int
    hops: int
    walk: str
    entities: tuple[str, ...] = ()

    @classmethod
    def of(  # noqa: PLR0913
        cls, query: str | None, *, domain: str | None, entities: Iterable[str], limit: int, hops: int, walk: str
    ) -> Request:
        """InputError, SchemaInvalid, TooLarge."""
        starts = (entities,) if isinstance(entities, str) else tuple(entities)
        if query is not None or not starts:
            check_search(query, limit, 0, None, 0)
        check_limit(limit, most=LIMITS["search_items"])
        most = LIMITS["walk_hops"]
        if isinstance(hops, bool) or not isinstance(hops, int) or not 0 <= hops <= most:
            raise InputError(Arg("hops"), f" is a whole number from 0 to {most}: how many edges to walk")
        if walk not in GATHER_WALKS:
            raise InputError(Arg("walk"), f" is one of {', '.join(GATHER_WALKS)}")
        return cls(query or "", domain_name(domain), limit, hops, walk, starts)


@dataclass(slots=True)
class _Walks:
    """Where walks led: what each entity is worth by each way of walking, and the edges that were gone along."""

    by: dict[str, dict[bytes, float]] = field(default_factory=dict)
    edges: dict[bytes, Link] = field(default_factory=dict)
    pushes: int = 0
    ended: bool = False


def gather(snapshot: Snapshot, index: SearchIndex, asked: Query | None, request: Request) -> Gathered:
    """See `Memory.gather`. `asked`: the question, prepared; None: only entities are given."""
    found: tuple[Hit, ...] = ()
    meaning = ""
    if asked is not None:
        try:
            filters = Filters.of(type="chunk", domain=request.home)
            more = max(2 * request.limit, 10)
            answer = search(
                snapshot, index, asked, filters, hops=0, walk="best", min_score=None, limit=min(more, 100), offset=0
            )
        except NotFound:  # a domain that nobody wrote to has nothing
            return Gathered(())
        found, meaning = answer.items, answer.meaning
    seeds, mentioned, missing = _seeds(snapshot, index, request, [hit.atom for hit in found])
    steps = Steps(snapshot)
    walks = _walk(steps, request, seeds)
    chunks: dict[int, Atom] = {hit.atom.seq: hit.atom for hit in found}
    ranked = [(1.0, list(chunks))]
    reached: dict[bytes, None] = dict.fromkeys(seeds)
    spelt = [(entry.name,) for entry in mentioned]
    for worth in walks.by.values() or ([{}] if spelt else []):
        best = sorted(worth, key=lambda subject: -worth[subject])[:_REACHED]
        reached |= dict.fromkeys(best)
        names = [*(_names(snapshot, steps, subject) for subject in [*seeds, *best]), *spelt]
        ranked.append((_WALKED if found else 1.0, _mentioning(snapshot, index, request, names)))
    fused = _fused(ranked)
    asked_for = [one for one in fused if one[0] in chunks][: request.limit]
    further = [one for one in fused if one[0] not in chunks][: request.limit]
    known = _known(snapshot, index, steps, reached, entity_prefix(request.home))
    return Gathered(
        items=tuple(_chunk(snapshot, index, seq, chunks, score) for seq, score in (*asked_for, *further)),
        entities=(*known.values(), *mentioned),
        edges=_edges(snapshot, walks, known),
        seeds=len(seeds),
        pushes=walks.pushes,
        converged=not walks.ended,
        missing=tuple(missing),
        meaning=meaning,
    )


def _seeds(
    snapshot: Snapshot, index: SearchIndex, request: Request, best: Sequence[Atom]
) -> tuple[dict[bytes, float], list[EntityEntry], list[str]]:
    """Where walks begin, each with what it is worth; the given entities without an atom; and those that are not there.

    No walk begins at a name without an atom: no edge joins it.
    """
    seeds: dict[bytes, float] = {}
    mentioned: dict[str, EntityEntry] = {}
    missing = []
    for text in request.entities:
        entry = known_entity(snapshot, index, text, request.home)
        entry = entry or mentioned_entity(snapshot, index, text, request.home)
        if entry is None:
            missing.append(text)
        elif entry.id is None:
            mentioned[entry.atom] = entry
        else:
            seeds[bytes.fromhex(entry.id.replace("-", ""))] = 1.0
    if request.query:
        for entry in entities_in(snapshot, index, request.query, request.home):
            seeds[bytes.fromhex(str(entry.id).replace("-", ""))] = 1.0
    if not seeds and best:
        names = list(dict.fromkeys(name for atom in best[:3] for name in atom.entities))[:_SEEDS]
        rows = Lookup(snapshot.transaction, request.home, snapshot.upto).named(names) if names else []
        seeds = {row.subject: 0.5 for row in rows if row is not None and row.kind is Kind.PUT}
    return seeds, list(mentioned.values()), missing


def _walk(steps: Steps, request: Request, seeds: Mapping[bytes, float]) -> _Walks:
    walks = _Walks()
    if not request.hops or not seeds:
        return walks
    looked = 0

    def out_of(subject: bytes) -> list[EdgeStep]:
        nonlocal looked
        walks.pushes += 1
        found = [step for step in steps.weighed(subject) if steps.in_use(step.to) and _is_entity(steps, step.to)]
        looked += len(found)
        if subject in seeds:  # no walk leads from one start to another: what joins them is told all the same
            walks.edges.update({step.edge.edge: step.edge for step in found if step.to in seeds})
        return found

    if request.walk in ("best", "both"):
        reached = dict(best_paths(seeds, out_of, request.hops, most=_EDGES))
        walks.by["best"] = _worth(walks, reached, seeds)
    if request.walk in ("pagerank", "both"):
        walks.pushes = looked = 0
        walks.by["pagerank"] = _worth(walks, pagerank(seeds, out_of, most=_EDGES), seeds)
        walks.ended = looked >= _EDGES
    return walks


def _is_entity(steps: Steps, subject: bytes) -> bool:
    latest = steps.latest(subject)
    return latest is not None and str(latest.name).startswith(ENTITY)


def _worth(
    walks: _Walks, reached: Mapping[bytes, Walked[bytes, Link]], seeds: Mapping[bytes, float]
) -> dict[bytes, float]:
    for walked in reached.values():
        walks.edges.update({link.edge: link for link in walked.edges})
    return {subject: walked.value for subject, walked in reached.items() if subject not in seeds}


def _mentioning(snapshot: Snapshot, index: SearchIndex, request: Request, spelt: Iterable[Sequence[str]]) -> list[int]:
    """The chunks of the domain that mention entities of these names: of each the newest first, taken by turns."""
    transaction = snapshot.transaction
    documents = index.documents(transaction)
    part = entity_prefix(request.home).removeprefix(ENTITY)[:-1]
    mask = documents.current(snapshot.upto, snapshot.valid_at)
    mask = mask & keyword_mask(transaction, documents, Field.UNDER, f"v1.chunk.{part}")
    lists: list[list[int]] = []
    for names in spelt:
        seqs = [keyword_seqs(transaction, documents, Field.ENTITY, name) for name in names]
        every = np.unique(np.concatenate(seqs)) if seqs else np.zeros(0, np.int64)
        lists.append(every[mask[every]][::-1][: request.limit].tolist())
    found: dict[int, None] = {}
    for turn in range(request.limit):
        found |= dict.fromkeys(one[turn] for one in lists if turn < len(one))
    return list(found)


def _names(snapshot: Snapshot, steps: Steps, subject: bytes) -> Sequence[str]:
    body = _body(snapshot, steps.latest(subject))
    if body is None:
        return ()
    return names_of(str(body.get("name")), str(body.get("value")), body.get("attrs"))  # type: ignore[arg-type]


def _body(snapshot: Snapshot, row: VersionRow | None) -> Mapping[str, object] | None:
    body = None if row is None or row.kind is not Kind.PUT else body_of(snapshot.transaction, row.seq)
    return None if body is None or body.damage is not None else body.members


def _fused(ranked: Sequence[tuple[float, Sequence[int]]]) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for weight, seqs in ranked:
        for place, seq in enumerate(seqs):
            scores[seq] = scores.get(seq, 0.0) + weight / (_RRF + 1 + place)
    return sorted(scores.items(), key=lambda one: -one[1])


def _known(
    snapshot: Snapshot, index: SearchIndex, steps: Steps, subjects: Iterable[bytes], prefix: str
) -> dict[bytes, EntityEntry]:
    """The entities of the domain among these."""
    rows = [row for subject in subjects if (row := steps.latest(subject)) is not None and row.kind is Kind.PUT]
    rows = [row for row in rows if str(row.name).startswith(prefix)]
    entries = {one.entry.atom: one.entry for one in index.entities.of(snapshot.transaction, rows)}
    return {row.subject: entries[str(row.name)] for row in rows if str(row.name) in entries}


def _edges(snapshot: Snapshot, walks: _Walks, known: Mapping[bytes, object]) -> tuple[Edge, ...]:
    ends: dict[bytes, End] = {}
    links = [link for link in walks.edges.values() if link.source in known and link.target in known]
    edges = (edge_of(snapshot, link, ends) for link in links[:_RELATIONS])
    return tuple(edge for edge in edges if edge is not None)


def _chunk(snapshot: Snapshot, index: SearchIndex, seq: int, found: Mapping[int, Atom], score: float) -> GatheredChunk:
    if seq in found:
        return GatheredChunk(found[seq], score, "search")
    row = VersionRow(index.documents(snapshot.transaction).subject(seq), seq, Kind.PUT, None)
    return GatheredChunk(atom_of(snapshot, row, require_body(snapshot.transaction, seq)), score, "walk")
