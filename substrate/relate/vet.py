"""The verb vet: whether a relation between two entities holds, by the graph as it is and by what texts say.

The text that is given is looked at first; if it leaves the relation open, the newest chunks of the domain that mention
both are. Nothing is written. No model is asked here; a caller may hand over what one said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, NamedTuple, Protocol, cast

import numpy as np

from substrate import claims
from substrate.atoms.bodies import body_of
from substrate.atoms.edge_kinds import edge_kinds
from substrate.entities.naming import ENTITY, entity_prefix
from substrate.errors import InputError, SchemaInvalid
from substrate.limits import check_size
from substrate.messages import Arg
from substrate.names import read_edge_type
from substrate.relations.clauses import has_name, sentences_of
from substrate.relations.grounding import APART, DENIED, DOUBTED, REVERSED, STATED, TOGETHER, Found, ground
from substrate.relations.quotation import is_said
from substrate.relations.score import Topology
from substrate.relations.verdict import CONTRADICTED, ITSELF, NOTHING, Evidence, decide, said_of_given
from substrate.search.directory.find import known_entity
from substrate.search.index import SearchIndex
from substrate.search.walks.steps import Steps
from substrate.search.words import keyword_mask, keyword_seqs
from substrate.snapshot import Snapshot
from substrate.text.canonical import canonical, is_canonical_key, spelling
from substrate.values.relations import Vetted
from substrate.views.words import Field

__all__ = ["CHUNKS", "READ", "Chunks", "End", "Proposal", "end_of", "topology_of", "vet", "vet_between"]

CHUNKS: Final = 5
"""Chunks that mention both and are read."""
READ: Final = 20_000
"""Characters of a text that are read."""
_JUDGE_CHARACTERS: Final = 100
_LEFT_OPEN: Final = (DOUBTED, TOGETHER, APART)
_DECIDED: Final = (STATED, DENIED, REVERSED, CONTRADICTED)
_CLAIM: Final = "v1.note.1"
"""A name that says nothing: the sentence says what it is about."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A relation as a caller gives it: ends by name, alias or id; its type as it is spelled; what speaks for it."""

    source: str
    type: str
    target: str
    confidence: float | None = None
    text: str | None = None
    cited: str | None = None
    """The name of the chunk that the text is of."""
    judged: Mapping[str, object] | None = None
    """What a model says: its name (`by`), how sure it is (`score`, 0 to 1), and the `quote` that shows it."""
    beside: tuple[str, ...] = ()
    """Texts that mention both and are saved together with it: they are read as stored chunks are, and before them."""

    def checked(self) -> str:
        """The type in its one form. InputError, SchemaInvalid, TooLarge."""
        for end in (self.source, self.target):
            if not isinstance(end, str) or not end.strip():
                raise SchemaInvalid("an end of a relation must be the name or the id of an entity")
            check_size("the name of an entity", len(end), "text_characters", "characters")
        said = self.confidence
        if said is not None and (isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= 1):
            raise InputError(Arg("confidence"), " is a number from 0 to 1")
        if self.text is not None and not isinstance(self.text, str):
            raise SchemaInvalid(Arg("text"), " must be a text")
        if self.judged is not None and not _is_judgement(self.judged):
            raise SchemaInvalid(Arg("judged"), " must have by (a name), score (0 to 1) and quote (a text)")
        return read_edge_type(self.type)


def _is_judgement(said: object) -> bool:
    if not isinstance(said, Mapping) or said.keys() != {"by", "score", "quote"}:
        return False
    by, score, quote = said["by"], said["score"], said["quote"]
    is_share = isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1
    return is_share and isinstance(quote, str) and isinstance(by, str) and 0 < len(by) <= _JUDGE_CHARACTERS


class End(NamedTuple):
    """One end: what it is called, and the name and the id of its atom, if it has one."""

    names: tuple[str, ...]
    atom: str | None = None
    subject: bytes | None = None


def end_of(atom: str, subject: bytes, value: str, aliases: Sequence[str], home: str) -> End:
    """An entity of the domain `home`, by what its atom says."""
    return End(tuple(dict.fromkeys((value, *aliases, atom.removeprefix(entity_prefix(home))))), atom, subject)


class Chunks(Protocol):
    """The chunks of a domain."""

    def newest(self, ends: Sequence[End]) -> Iterator[tuple[str, str]]:
        """Some that mention both ends: their names, and what they say."""


def vet(snapshot: Snapshot, index: SearchIndex, proposal: Proposal, home: str, besides: str = "") -> Vetted:
    """See `Memory.vet`. `home`: the name of the domain's atom. Chunks whose names begin with `besides` are not read."""
    kind = proposal.checked()
    source, target = (_end(snapshot, index, text, home) for text in (proposal.source, proposal.target))
    return vet_between(snapshot, proposal, kind, (source, target), StoredChunks(snapshot, index, home, besides))


def vet_between(snapshot: Snapshot, proposal: Proposal, kind: str, ends: tuple[End, End], chunks: Chunks) -> Vetted:
    """The same of two ends that are known, by the chunks that are given. `kind`: the type in its one form."""
    source, target = ends
    found, cited, given = Found(ITSELF), None, None
    if not _is_same(source, target):
        found, cited, given = _evidence(snapshot, proposal, kind, ends, chunks)
    evidence = Evidence(
        kind,
        None if proposal.confidence is None else float(proposal.confidence),
        topology_of(snapshot, source.subject, target.subject),
        found.kind,
    )
    if proposal.judged is not None and found.kind in _LEFT_OPEN:
        is_quoted = _is_quoted(proposal, ends, chunks)
        score = float(cast("float", proposal.judged["score"])) if is_quoted else 0.0
        evidence = evidence._replace(vog=score, judge=str(proposal.judged["by"]))
    is_stored = cited is not None and cited != proposal.cited
    verdict = decide(evidence, f"the stored passage {cited}" if is_stored else "the text")
    reason = verdict.reason
    if given is not None and is_stored and found.kind in _DECIDED:
        reason = f"{reason}; {said_of_given(given)}"
    return Vetted(
        source=source.names[0],
        type=kind,
        target=target.names[0],
        verdict=verdict.verdict,
        level=verdict.level,
        score=verdict.score,
        reason=reason,
        evidence=evidence.to_attrs(),
        sentence=found.sentence,
        cited=cited,
        source_atom=source.atom,
        target_atom=target.atom,
        label=proposal.type,
    )


def topology_of(snapshot: Snapshot, source: bytes | None, target: bytes | None) -> Topology:
    """How two atoms stand in the graph; edges between the two do not count."""
    steps = Steps(snapshot)
    near = [set() if one is None else {to for to, _, _ in steps.plain(one)} for one in (source, target)]
    near[0].discard(target or b"")
    near[1].discard(source or b"")
    return Topology(len(near[0] & near[1]), (len(near[0]), len(near[1])))


def _end(snapshot: Snapshot, index: SearchIndex, text: str, home: str) -> End:
    entry = known_entity(snapshot, index, text, home)
    if entry is None or entry.id is None:
        return End((spelling(text) or text,))
    return end_of(entry.atom, bytes.fromhex(entry.id.replace("-", "")), entry.name, entry.aliases, home)


def _is_same(source: End, target: End) -> bool:
    if source.atom is not None and target.atom is not None:
        return source.atom == target.atom
    one, other = source.names[0], target.names[0]
    return is_canonical_key(one) and is_canonical_key(other) and canonical(one) == canonical(other)


def _evidence(
    snapshot: Snapshot, proposal: Proposal, kind: str, ends: tuple[End, End], chunks: Chunks
) -> tuple[Found, str | None, str | None]:
    """What texts say of it: the one that is given, else stored ones; the name of the chunk that does; what is given."""
    inverse = edge_kinds(snapshot.transaction).inverse(kind)
    best, cited, given = Found(NOTHING), None, None
    if proposal.text:
        best, cited = _read(proposal.text, kind, inverse, ends), proposal.cited
        given = best.kind
        if best.kind in _DECIDED:
            return best, cited, given
    states: tuple[Found, str | None] | None = None
    denies: tuple[Found, str | None] | None = None
    for name, text in _texts(proposal, ends, chunks):
        found = _read(text, kind, inverse, ends)
        if found.kind == STATED:
            states = states or (found, name)
        elif found.kind in _DECIDED:
            denies = denies or (found, name)
        elif best.kind in (NOTHING, APART):
            best, cited = found, name
    if states is not None and denies is not None:
        return Found(TOGETHER, states[0].sentence), states[1], given  # texts disagree: neither decides
    return *(states or denies or (best, cited)), given


def _is_quoted(proposal: Proposal, ends: tuple[End, End], chunks: Chunks) -> bool:
    """Whether what a model quotes names both, and is said in a text that was looked at."""
    quote = str((proposal.judged or {}).get("quote"))
    if not all(has_name(quote, end.names) for end in ends):
        return False
    texts = [proposal.text or "", *(text for _, text in _texts(proposal, ends, chunks))]
    return any(is_said(quote, text[:READ]) for text in texts)


def _texts(proposal: Proposal, ends: tuple[End, End], chunks: Chunks) -> Iterator[tuple[str | None, str]]:
    """Texts that mention both: those that are saved with it, then the newest chunks, with their names."""
    together: Iterator[tuple[str | None, str]] = ((None, text) for text in proposal.beside)
    return islice(chain(together, chunks.newest(ends)), CHUNKS)


def _read(text: str, kind: str, inverse: str | None, ends: tuple[End, End]) -> Found:
    text = text[:READ]
    found = ground(text, ends[0].names, kind, ends[1].names, inverse)
    if found.kind in (APART, TOGETHER) and (other := _contradicted(text, kind, ends)):
        return Found(CONTRADICTED, other)
    if found.kind == APART and not all(has_name(text, end.names) for end in ends):
        return Found(NOTHING)
    return found


def _contradicted(text: str, kind: str, ends: tuple[End, End]) -> str:
    """The sentence that says of the same what the relation says, with another end; empty: there is none."""
    source, target = ends[0].names[0], ends[1].names[0]
    said = kind.replace("_", " ")
    read = [claims.read_claim(_CLAIM, f"{source} {way} {target}") for way in (said, f"is {said}")]
    ours = [claim for claim in read if claim is not None and claim.kind == "thing" and claim.affirmed]
    if not ours:
        return ""
    for sentence in sentences_of(text):
        if has_name(sentence, ends[0].names) and not has_name(sentence, ends[1].names):
            theirs = claims.read_claim(_CLAIM, sentence)
            if theirs is not None and any(claims.contradiction(one, theirs) is not None for one in ours):
                return sentence
    return ""


@dataclass(frozen=True, slots=True)
class StoredChunks:
    """Those of a store, looked up in the postings."""

    snapshot: Snapshot
    index: SearchIndex
    home: str
    besides: str = ""
    """What the names of chunks begin with that another text takes the place of; empty: of none."""

    def newest(self, ends: Sequence[End]) -> Iterator[tuple[str, str]]:
        """The newest chunks in use that mention both, with their names."""
        return islice(self._newest(ends), CHUNKS)

    def _newest(self, ends: Sequence[End]) -> Iterator[tuple[str, str]]:
        snapshot, transaction = self.snapshot, self.snapshot.transaction
        documents = self.index.documents(transaction)
        both: np.ndarray | None = None
        for end in ends:
            names = [name for name in end.names if is_canonical_key(name)]
            if not names:
                return
            listed = [keyword_seqs(transaction, documents, Field.ENTITY, canonical(name)) for name in names]
            seqs = np.unique(np.concatenate(listed))
            both = seqs if both is None else np.intersect1d(both, seqs, assume_unique=True)
        if both is None or not both.size:
            return
        part = entity_prefix(self.home).removeprefix(ENTITY)[:-1]
        mask = documents.current(snapshot.upto, snapshot.valid_at)
        mask = mask & keyword_mask(transaction, documents, Field.UNDER, f"v1.chunk.{part}")
        for seq in both[mask[both]][::-1].tolist():
            body = body_of(transaction, seq)
            name = None if body is None else str(body.members.get("name"))
            if body is None or name is None or body.damage is not None:
                continue
            if not (self.besides and name.startswith(self.besides)):
                yield name, str(body.members.get("value"))
