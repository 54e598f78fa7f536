"""Relations that sentences and sessions suggest between entities, each vetted as any other relation.

A clause suggests a relation of a type if two entities and a verb of the type stand in it, in the order of words that
states it (`relations/grounding`). The types are common ones, and those of the domain's own edges. Two sessions
suggest that what both have accessed is related.

A suggestion is then vetted without its text: by all that the newest chunks say of the two, so that what one chunk
denies is not stated since another one says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import permutations
from typing import Final, NamedTuple, cast

from substrate.atoms.bodies import Body, body_of
from substrate.atoms.edge_kinds import edge_kinds
from substrate.entities.naming import aliases_of
from substrate.garden.graph import EntityGraph, Mention
from substrate.garden.orphans import GARDENER
from substrate.log.identity import id_text
from substrate.proof.entry import Kind
from substrate.relate.vet import CHUNKS, READ, End, Proposal, end_of, vet_between
from substrate.relations.clauses import clauses_of, has_name, sentences_of
from substrate.relations.grounding import is_stated_in
from substrate.relations.phrases import is_symmetric, phrases_of, stem, words_of
from substrate.relations.verdict import ACCEPTED
from substrate.search.index import SearchIndex
from substrate.text.canonical import canonical, is_canonical_key
from substrate.values.progress import Progress
from substrate.values.relations import Vetted
from substrate.views.edges import find_link
from substrate.views.words import Field, keyword_term

__all__ = ["Vetting", "vet_candidates"]

_TYPES: Final = (
    *("uses", "depends_on", "requires", "works_for", "located_in", "part_of", "member_of", "owns", "creates", "causes"),
    *("manages", "replaces", "stores", "contains", "lives_in", "implements", "calls", "maintains", "runs_on", "writes"),
    *("connects_to", "integrates_with", "supports", "provides", "blocks", "monitors", "reports_to", "reads_from"),
    *("writes_to", "extends", "owned_by", "married_to", "collaborates_with"),
)
_RELATED: Final = "related_to"
_FEW: Final = 6
"""Entities of a clause of which each pair is looked at: more are a list."""
_ONCE, _AGAIN = 0.8, 0.9
"""How sure an edge is that one chunk says, or several."""
_SUREST: Final = 0.9


class _Pair(NamedTuple):
    source: bytes
    type: str
    target: bytes


@dataclass(slots=True)
class _Heard:
    """How often something was suggested: by chunks, by sessions."""

    chunks: int = 0
    sessions: int = 0

    @property
    def confidence(self) -> float:
        if self.chunks:
            return _ONCE if self.chunks == 1 else _AGAIN
        return min(_SUREST, 1 - 0.5**self.sessions)


@dataclass(frozen=True, slots=True)
class Vetting:
    """A candidate, and what was decided."""

    source: bytes
    type: str
    target: bytes
    confidence: float
    sessions: int
    vetted: Vetted

    @property
    def triple(self) -> tuple[bytes, str, bytes]:
        """By which it is known: no two candidates of a run have the same."""
        return self.source, self.type, self.target

    @property
    def is_accepted(self) -> bool:
        """Whether it becomes an edge."""
        return self.vetted.verdict == ACCEPTED

    def edge(self) -> dict[str, object]:
        """As a checkpoint takes it."""
        said: dict[str, object] = {
            "source": id_text(self.source),
            "type": self.type,
            "target": id_text(self.target),
            "confidence": self.confidence,
            "attrs": {"verifier": self.vetted.verifier},
        }
        return said if self.vetted.cited is None else {**said, "cited": self.vetted.cited}


def vet_candidates(  # noqa: PLR0913, PLR0917
    graph: EntityGraph,
    index: SearchIndex,
    mentions: Sequence[Mention],
    together: Mapping[tuple[bytes, bytes], int],
    most: int,
    progress: Progress | None = None,
) -> tuple[list[Vetting], set[bytes]]:
    """What is suggested and not stated yet, vetted in the order in which it was met, until `most` are accepted.

    And the ends of those that were left for the next run.
    """
    heard: dict[_Pair, _Heard] = {}
    total = len(mentions)
    by_stem = _by_stem(graph)
    for number, mention in enumerate(mentions, 1):
        for pair in dict.fromkeys(_stated_in(graph, mention, by_stem)):
            heard.setdefault(pair, _Heard()).chunks += 1
        if progress is not None and (number % 100 == 0 or number == total):
            progress(number, total)
    joined = {frozenset((pair.source, pair.target)) for pair in heard}
    for (first, second), sessions in together.items():
        if frozenset((first, second)) not in joined and second not in graph.neighbours[first]:
            heard[_Pair(first, _RELATED, second)] = _Heard(sessions=sessions)
    vetted: list[Vetting] = []
    left: set[bytes] = set()
    accepted = 0
    chunks = _Listed(graph, index, mentions)
    for pair, said in heard.items():
        if accepted == most:
            left.update((pair.source, pair.target))
        elif _is_new(graph, pair):
            vetted.append(_vetted(graph, chunks, pair, said))
            accepted += vetted[-1].is_accepted
    return vetted, left


def _by_stem(graph: EntityGraph) -> dict[str, list[str]]:
    """Types of relations by the words that say them; the domain's own first."""
    own = dict.fromkeys(link.type for link in graph.links)
    found: dict[str, list[str]] = {}
    kinds = list(dict.fromkeys((*own, *_TYPES)))
    ranks: dict[str, dict[str, int]] = {}
    for kind in kinds:
        for rank, phrase in enumerate(phrases_of(kind)):
            ranks.setdefault(phrase.word, {}).setdefault(kind, rank)
        for word in words_of(kind):
            found.setdefault(word, []).append(kind)
    for word, said in found.items():  # `relies` says `depends_on` before it says `uses`
        rank_of = ranks.get(word, {})
        said.sort(key=lambda kind: rank_of.get(kind, len(_TYPES)))
    return found


def _stated_in(graph: EntityGraph, mention: Mention, by_stem: Mapping[str, Sequence[str]]) -> Iterator[_Pair]:
    """The relations that the clauses of a chunk state, one for each two entities in a clause."""
    inverse = edge_kinds(graph.snapshot.transaction).inverse
    for clause in sentences_of(str(mention.body.members.get("value"))[:READ]):  # what is vetted is read so far
        kinds = [kind for word in clause.split() for kind in by_stem.get(stem(word.strip(",.:()`*_\"'")), ())]
        if not kinds:
            continue
        named = [subject for subject in mention.entities if has_name(clause, graph.names[subject])]
        if len(named) > _FEW:
            continue
        done: set[frozenset[bytes]] = set()
        for source, target in permutations(named, 2):
            if frozenset((source, target)) in done:
                continue
            marked = list(clauses_of(clause, graph.names[source], graph.names[target]))
            for kind in dict.fromkeys(kinds) if marked else ():
                if is_stated_in(marked, kind, inverse(kind)):
                    done.add(frozenset((source, target)))
                    yield _Pair(source, kind, target)
                    break


def _is_new(graph: EntityGraph, pair: _Pair) -> bool:
    """Whether nobody has stated it, nor taken it back, by either of its names; but for what a gardener took back."""
    transaction = graph.snapshot.transaction
    ways = [(pair.source, pair.type, pair.target)]
    inverse = edge_kinds(transaction).inverse(pair.type)
    if inverse is not None:
        ways.append((pair.target, inverse, pair.source))
    if is_symmetric(pair.type):
        ways.append((pair.target, pair.type, pair.source))
    for way in ways:
        link = find_link(transaction, *way)
        if link is None:
            continue
        body = None if link.kind is Kind.EDGE else body_of(transaction, link.seq)
        if body is None or body.members.get("actor") != GARDENER:
            return False
    return True


def _vetted(graph: EntityGraph, chunks: _Listed, pair: _Pair, heard: _Heard) -> Vetting:
    confidence = heard.confidence
    proposal = Proposal(id_text(pair.source), pair.type, id_text(pair.target), confidence)
    ends = _end(graph, pair.source), _end(graph, pair.target)
    vetted = vet_between(graph.snapshot, proposal, proposal.checked(), ends, chunks)
    return Vetting(*pair, confidence, heard.sessions, vetted)


def _end(graph: EntityGraph, subject: bytes) -> End:
    row, body = graph.entities[subject]
    value, aliases = str(body.members.get("value")), aliases_of(body.members.get("attrs"))
    return end_of(str(row.name), subject, value, aliases, graph.domain)


@dataclass(frozen=True)
class _Listed:
    """The chunks of a run, which are read already: a run vets thousands, and looks none of them up again."""

    graph: EntityGraph
    index: SearchIndex
    mentions: Sequence[Mention]

    @cached_property
    def _said(self) -> dict[int, Body]:
        """What those in use say."""
        snapshot = self.graph.snapshot
        current = self.index.documents(snapshot.transaction).current(snapshot.upto, snapshot.valid_at)
        return {row.seq: body for row, body, _ in self.mentions if current[row.seq]}

    @cached_property
    def _by_term(self) -> dict[bytes, set[int]]:
        """Those that list a name, by the term that it has in the postings."""
        found: defaultdict[bytes, set[int]] = defaultdict(set)
        for seq, body in self._said.items():
            for text in cast("list[object]", body.members["entities"]):
                found[keyword_term(Field.ENTITY, str(text))].add(seq)
        return found

    def newest(self, ends: Sequence[End]) -> Iterator[tuple[str, str]]:
        """The newest in use that mention both, with their names."""
        first, second = (self._listing(end.names) for end in ends)
        for seq in nlargest(CHUNKS, first & second):
            members = self._said[seq].members
            yield str(members.get("name")), str(members.get("value"))

    def _listing(self, names: Sequence[str]) -> set[int]:
        terms = [keyword_term(Field.ENTITY, canonical(name)) for name in names if is_canonical_key(name)]
        return set().union(*(self._by_term.get(term, ()) for term in terms))
