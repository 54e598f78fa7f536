"""What ingesting one document comes to, beside what is there; and its checkpoints.

1. Only what changed is recorded: chunks with a new text, those that are new, tombstones of those that vanished, and the
   document, with the digest of what it was made of.
2. The document comes last, after its chunks and tombstones. So at the seq of a version of the document its chunks are
   whole. A document of more items than a checkpoint takes is written in several, and is the old one until the last.
3. What a person wrote over a chunk, or over the title, stays as long as the source says the same there.
4. Fields of the front matter are those of the file: its tags are also those of its chunks, which are recorded again
   when they change, but for chunks that a person wrote over. Links are edges; see edges.py.
5. Names are looked for in all chunks if the last ingest of the document was asked not to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from substrate.atoms.bodies import Body, body_of
from substrate.atoms.resolve import find_subject
from substrate.documents.align import align
from substrate.documents.chunk import chunks
from substrate.documents.edges import EdgeChanges, plan_edges
from substrate.documents.formats.catalogue import MARKDOWN, read_document
from substrate.documents.formats.extracted import Extracted as Content
from substrate.documents.formats.front_matter import Fields, find_front_matter
from substrate.documents.links import Linked
from substrate.documents.naming import chunk_name, document_name
from substrate.documents.slots import INGESTED, Slot, attrs_of, end_of, ingested_of, left_out_of, read_slots
from substrate.documents.sources import ROOT, mark_in, of_another_folder
from substrate.entities.enter import enter
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.heads import place_of
from substrate.log.identity import id_text
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.save.batch import Batch
from substrate.text.extract import Extracted, extract
from substrate.text.refuse_secrets import refuse_secrets
from substrate.values.documents import IngestedDocument
from substrate.views.atoms import VersionRow, find_name, gaps_of

__all__ = [
    "Incoming",
    "Known",
    "Part",
    "Plan",
    "Prepared",
    "find_document",
    "plan_document",
    "plan_gone",
    "plan_same",
    "texts_of",
]

_Item: TypeAlias = Mapping[str, object]
PART: Final = LIMITS["checkpoint_items"] // 3
"""Items of one of several checkpoints of a document."""
_NO_NAMES: Final = Extracted(())
_ENTITIES: Final = "entities"
"""The attr of a document, False, that says that no names were looked for in it."""
_CALLED: Final = "called"
"""The attr of a document with the title that its source gives it, if a person gave it another."""
_FRONT_MATTER: Final = "front_matter"
"""The attr of a document with the fields of its front matter that mean nothing here; it is there if there is any."""
_UNRESOLVED: Final = "unresolved"
"""The attr of a document with its links that lead to no document."""
_BROKEN: Final = 3
"""How many of these the report of a document names."""
_DASHES: Final = (b"---", b"\xef\xbb\xbf---")
_NO_FIELDS: Final = Fields()
_NO_EDGES: Final = EdgeChanges()
_NOTHING: Final[Mapping[str, bool]] = MappingProxyType({})
_LEFT_OUT: Final = 1000
"""Chunks that people took out of a document and that stay out, though its source has them."""


class Part(NamedTuple):
    """A chunk that a caller has cut, and the names that it says are in it."""

    text: str
    names: Extracted


@dataclass(frozen=True)
class Incoming:
    """A document as it comes in: where from, its bytes, and what the caller says of it. It is not understood yet."""

    source: str | None
    data: bytes
    media_type: str
    title: str | None
    """None: the text has it, or else it is called as `otherwise` says."""
    otherwise: str
    modified: str | None = None
    root: str | None = None
    """The mark of the folder it was read in; None: it is no file, or it does not say of which folder it is one."""
    takes_over: bool = False
    """Whether it may change a document of another folder: the caller said that this is that source."""
    links: Linked | None = None
    """Where its links lead; None: nobody looked, and edges stay as they are."""
    key: str | None = None
    """By what it is known, if not by its source."""
    parts: tuple[Part, ...] = ()
    """Its chunks, if the caller has cut it: joined, they are its text."""

    @property
    def known_by(self) -> str | None:
        """What its name follows from; None: from all of it."""
        return self.key or self.source

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return sha256(self.data).hexdigest()

    @property
    def shown(self) -> str:
        """What a report calls it."""
        return self.source or self.title or self.otherwise


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document whose text was read and cut."""

    incoming: Incoming
    title: str
    content: Content
    chunks: Sequence[str]
    names: Mapping[str, Extracted] | None = None
    """What chunks speak of; None: nobody asks. To find it takes long, so it is found before a transaction is open."""

    @classmethod
    def of(cls, incoming: Incoming, there: Collection[str], *, entities: bool, allow_secrets: bool) -> Prepared:
        """The names of chunks that are `there` already are not looked for, nor any without `entities`.

        InputError, SchemaInvalid; SecretFound if the text as a whole looks like it holds a credential.
        """
        content = read_document(incoming.data, incoming.media_type)
        title = incoming.title or content.title or incoming.otherwise
        if not allow_secrets:
            said: dict[str, object] = {"title": title, "source": incoming.source or "", "text": content.text}
            if (fields := content.fields) is not None:  # YAML may spell what the text does not show
                said |= {"tags": list(fields.tags), "aliases": list(fields.aliases), _FRONT_MATTER: fields.rest}
            refuse_secrets(None, "", said)
        if incoming.parts:
            names = {part.text: part.names for part in incoming.parts} if entities else None
            return cls(incoming, title, content, [part.text for part in incoming.parts], names)
        cut = chunks(content.text, content.sections)
        names = {text: extract(text) for text in cut if text not in there} if entities else None
        return cls(incoming, title, content, cut, names)

    def names_in(self, text: str) -> Extracted:
        """What a chunk speaks of. One that has moved has not been looked at yet."""
        if self.names is None:
            return _NO_NAMES
        return self.names[text] if text in self.names else extract(text)

    @property
    def fields(self) -> Fields:
        """What the text says of itself before it begins."""
        return self.content.fields or _NO_FIELDS

    def attrs(self, left_out: Sequence[int], known: Mapping[str, Json]) -> dict[str, Json]:
        """What the document's atom says of it; with the positions of chunks that somebody took out of use.

        `known` are its attrs until now: a file that says no other folder stays in the one it is of.
        """
        said: dict[str, Json] = {
            "digest": self.incoming.digest,
            "bytes": len(self.incoming.data),
            "media_type": self.incoming.media_type,
            "chunks": len(self.chunks),
        }
        if not self.content.exact:
            said["text_digest"] = sha256(self.content.text.encode()).hexdigest()
        if self.incoming.modified is not None:
            said["modified"] = self.incoming.modified
            if (root := self.incoming.root or mark_in(known)) is not None:
                said[ROOT] = root
        if self.names is None:
            said[_ENTITIES] = False
        if self.content.fields is not None:
            said[_FRONT_MATTER] = dict(self.fields.rest)
            if self.fields.aliases:
                said["aliases"] = list(self.fields.aliases)
        links = self.incoming.links
        if links is not None and links.unresolved:
            said[_UNRESOLVED] = list(links.unresolved)
        elif links is None and _UNRESOLVED in known:
            said[_UNRESOLVED] = known[_UNRESOLVED]
        return {**said, "left_out": list(left_out)} if left_out else said


@dataclass(slots=True)
class Plan:
    """What one document comes to: what is to be recorded, what is to be taken out of use, and the report of it."""

    name: str
    version: int | None
    """The document's version that this was worked out from; None: there is none in use."""
    report: IngestedDocument
    atoms: list[_Item] = field(default_factory=list)
    tombstones: list[_Item] = field(default_factory=list)
    document: _Item | None = None
    """None: nothing is recorded of it but edges, or the document is taken out of use."""
    edges: EdgeChanges = _NO_EDGES
    names: Mapping[str, bool] = field(default_factory=dict)
    """Names in it that had no atom; see `Entered.names`."""

    @property
    def items(self) -> int:
        """How many items its checkpoints have."""
        edges = len(self.edges.stated) + len(self.edges.taken_back)
        return len(self.atoms) + len(self.tombstones) + edges + (self.document is not None)

    @property
    def characters(self) -> int:
        """Characters of its chunks that are recorded."""
        return sum(len(str(atom["value"])) for atom in self.atoms)

    def batches(self) -> Iterator[Batch]:
        """Its checkpoints, in order: one, unless it has very many items."""
        stones: Sequence[_Item] = self.tombstones
        while len(stones) > PART:
            yield Batch(tombstones=stones[:PART])
            stones = stones[PART:]
        atoms: Sequence[_Item] = self.atoms
        while len(atoms) > PART:
            yield Batch(atoms=atoms[:PART])
            atoms = atoms[PART:]
        last = () if self.document is None else (self.document,)
        yield Batch((*atoms, *last), self.edges.stated, stones, self.edges.taken_back, tombstones_first=True)


class _InUse(NamedTuple):
    """A document that is in use: its version of now, its title, and the version that was ingested last."""

    now: VersionRow
    title: str
    version: VersionRow
    body: Body

    @property
    def attrs(self) -> Mapping[str, Json]:
        return attrs_of(self.body)

    @property
    def has_names(self) -> bool:
        """Whether names were looked for in it."""
        return self.attrs.get(_ENTITIES) is not False

    @property
    def called(self) -> Json:
        """The title that its source gave it."""
        return self.attrs.get(_CALLED, self.body.members.get("value"))


class Known(NamedTuple):
    """The name that the atom of a document has, and the document, if it is in use."""

    name: str
    version: _InUse | None


def find_document(transaction: ReadTransaction, domain: str, incoming: Incoming) -> Known:
    """What is there of the document that comes in."""
    name = document_name(domain, incoming.known_by, incoming.digest)
    return Known(name, _find(transaction, name))


def was_forgotten(transaction: ReadTransaction, name: str) -> bool:
    """Whether a document of this name was forgotten, and nothing has its name since."""
    if find_name(transaction, name) is not None:
        return False
    return bool(gaps_of(transaction, place_of(transaction, name)))


def _find(transaction: ReadTransaction, name: str) -> _InUse | None:
    row = find_name(transaction, name)
    body = None if row is None or row.kind is not Kind.PUT else body_of(transaction, row.seq)
    if row is None or body is None:
        return None
    ingested = ingested_of(transaction, row, body)
    if ingested is None or ingested[0].kind is not Kind.PUT:
        ingested = row, body
    return _InUse(row, str(body.members.get("value")), *ingested)


def plan_same(
    transaction: ReadTransaction, domain: str, incoming: Incoming, there: Known, *, entities: bool
) -> Plan | None:
    """Nothing to do, and the report of it, if the document is there and its bytes are the same; else None.

    One that has no mark of a folder yet, or is taken over, is recorded again, and one in which no names were looked for
    if they are asked for now. InputError if it is of another folder, may not be taken over, and would change.
    """
    name, known = there
    if known is None:
        return None
    attrs, title = known.attrs, known.title
    same = attrs.get("digest") == incoming.digest and attrs.get("media_type") == incoming.media_type
    same = same and incoming.title in (None, title) and (known.has_names or not entities)
    mark = mark_in(attrs)
    if incoming.root not in (None, mark):
        if mark is None or incoming.takes_over:
            return None
        if not same:
            raise of_another_folder(incoming.shown)
    if not same or _has_new_fields(known, incoming):
        return None
    report = _report(name, known.now.subject, incoming, title, kept=_count(known.body))
    plan = Plan(name, known.now.seq, report)
    if incoming.links is not None and incoming.root in (None, mark):
        _plan_links(transaction, domain, known, incoming.links, plan)
    return plan


def _has_new_fields(known: _InUse, incoming: Incoming) -> bool:
    """Whether the document was ingested before front matter was read, and has some."""
    if _FRONT_MATTER in known.attrs or incoming.media_type != MARKDOWN or not incoming.data.startswith(_DASHES):
        return False
    return find_front_matter(incoming.data.decode()) is not None


def _plan_links(transaction: ReadTransaction, domain: str, known: _InUse, links: Linked, plan: Plan) -> None:
    """What the links of a document come to whose text stays: files that they lead to came or went."""
    plan.edges = plan_edges(transaction, plan.name, known.now.subject, _targets(domain, links))
    if list(links.unresolved) != known.attrs.get(_UNRESOLVED, []):
        attrs = {key: said for key, said in known.attrs.items() if key != _UNRESOLVED}
        attrs |= {_UNRESOLVED: list(links.unresolved)} if links.unresolved else {}
        attrs |= {_CALLED: known.called} if known.title != known.called else {}
        source = known.body.members.get("source")
        plan.document = {"name": plan.name, "value": known.title, "source": source, "attrs": attrs}
    if plan.items:
        plan.report = replace(
            plan.report,
            linked=len(plan.edges.stated),
            unresolved=len(links.unresolved) + links.more,
            broken_links=links.unresolved[:_BROKEN],
            status="changed",
            only_links=True,
        )


def _targets(domain: str, links: Linked) -> list[str]:
    return [document_name(domain, source) for source in links.sources]


def texts_of(transaction: ReadTransaction, there: Known) -> set[str]:
    """The texts of the chunks that the document has now, if it is there and names were looked for in them."""
    name, known = there
    if known is not None and not known.has_names:
        return set()
    return {slot.text for slot in _slots(transaction, name, known)}


def plan_document(
    transaction: ReadTransaction, domain: str, prepared: Prepared, there: Known, waiting: Mapping[str, bool] = _NOTHING
) -> Plan:
    """What a document comes to in the domain of this name, given what is `there`.

    `waiting`: the names of documents that wait for the same checkpoint.
    """
    incoming, (name, known) = prepared.incoming, there
    slots = _slots(transaction, name, known)
    looks_again = prepared.names is not None and known is not None and not known.has_names
    tags = list(prepared.fields.tags)
    here = {slot.position: slot for slot in slots}
    positions = align([(slot.position, slot.text) for slot in slots], prepared.chunks)
    recorded: list[tuple[int, str]] = []
    left_out: list[int] = []
    again: set[bytes] = set()
    names_there: dict[int, Json] = {}
    added = changed = 0
    for position, text in zip(positions, prepared.chunks, strict=True):
        slot = here.pop(position, None)
        if slot is not None and slot.text == text:
            names_came = looks_again and _is_without_names(slot) and bool(prepared.names_in(text))
            if slot.is_live and not names_came and (slot.is_edited or _tags_in(slot.body) == tags):
                continue
            if not slot.is_live and len(left_out) < _LEFT_OUT and not _is_to_return(transaction, slot):
                left_out.append(position)
                continue
        recorded.append((position, text))
        if slot is not None:
            again.add(slot.latest.subject)
            if prepared.names is None and slot.text == text:
                names_there[position] = slot.body.members.get("entities", [])
        added += slot is None or not slot.is_live
        changed += slot is not None and slot.is_live
    stones = [_stone(chunk_name(name, slot.position)) for slot in here.values() if slot.is_live]
    spoken_of = [prepared.names_in(text) for _, text in recorded]
    entered = enter(transaction, domain, spoken_of, besides=again, waiting=waiting)
    atoms: list[_Item] = [
        *entered.atoms,
        *(
            _chunk(name, position, text, incoming.source, names_there.get(position, list(listed)), tags)
            for (position, text), listed in zip(recorded, entered.fields, strict=True)
        ),
    ]
    attrs = prepared.attrs(left_out, {} if known is None else known.attrs)
    title = prepared.title
    if known is not None and incoming.title is None and known.called == title and known.title != title:
        attrs[_CALLED], title = title, known.title  # what a person called it
    whole: dict[str, object] = {"name": name, "value": title, "source": incoming.source, "attrs": attrs}
    before = {} if known is None else known.body.members
    if tags or "tags" in before:
        whole["tags"] = tags
    if prepared.fields.occurred_at or "occurred_at" in before:
        whole["occurred_at"] = prepared.fields.occurred_at
    links = incoming.links
    subject = find_subject(transaction, name) if known is None else known.now.subject
    edges = _NO_EDGES if links is None else plan_edges(transaction, name, subject, _targets(domain, links))
    report = _report(
        name,
        subject,
        incoming,
        title,
        linked=len(edges.stated),
        unresolved=0 if links is None else len(links.unresolved) + links.more,
        broken_links=() if links is None else links.unresolved[:_BROKEN],
        added=added,
        changed=changed,
        kept=len(prepared.chunks) - added - changed,
        tombstoned=len(stones),
        entities=entered.new,
        merged=len({listed for names in entered.fields for listed in names}) - entered.new,
        unlisted=entered.more + sum(found.more for found in spoken_of),
        dropped=prepared.fields.dropped,
        unread=prepared.content.unread,
        status="new" if known is None else "changed",
        was_forgotten=known is None and was_forgotten(transaction, name),
    )
    version = None if known is None else known.now.seq
    return Plan(name, version, report, atoms, stones, whole, edges, entered.names)


def plan_gone(transaction: ReadTransaction, name: str) -> Plan | None:
    """What taking a document out of use comes to, its chunks first; None if it is out of use already."""
    known = _find(transaction, name)
    if known is None:
        return None
    live = [slot for slot in _slots(transaction, name, known) if slot.is_live]
    source = known.body.members.get("source")
    size = known.attrs.get("bytes")
    report = IngestedDocument(
        name,
        id_text(known.now.subject),
        known.title,
        source if isinstance(source, str) else None,
        str(known.attrs.get("digest")),
        size if isinstance(size, int) else 0,
        tombstoned=len(live),
        status="gone",
    )
    stones = [_stone(chunk_name(name, slot.position)) for slot in live]
    edges = plan_edges(transaction, name, known.now.subject, ())
    return Plan(name, known.now.seq, report, tombstones=[*stones, _stone(name)], edges=edges)


def _slots(transaction: ReadTransaction, name: str, known: _InUse | None) -> list[Slot]:
    if known is None:
        return read_slots(transaction, name, None)
    return read_slots(transaction, name, end_of(transaction, known.version.seq), left_out_of(known.attrs))


def _report(name: str, subject: bytes, incoming: Incoming, title: str, **said: Any) -> IngestedDocument:  # noqa: ANN401
    size = len(incoming.data)
    return IngestedDocument(name, id_text(subject), title, incoming.source, incoming.digest, size, **said)


def _chunk(  # noqa: PLR0913, PLR0917
    document: str, position: int, text: str, source: str | None, entities: Json, tags: Sequence[str]
) -> _Item:
    return {
        "name": chunk_name(document, position),
        "value": text,
        "parent": document,
        "position": position,
        "source": source,
        "entities": entities,
        "tags": tags,
    }


def _stone(name: str) -> _Item:
    return {"name": name}


def _is_without_names(slot: Slot) -> bool:
    """Whether a chunk is as it was ingested, and lists no entities."""
    return not slot.is_edited and not slot.body.members.get("entities")


def _tags_in(body: Body) -> Json:
    return body.members.get("tags", [])


def _is_to_return(transaction: ReadTransaction, slot: Slot) -> bool:
    """Whether a chunk that is out of use comes back: if an ingest took it out, not if somebody did."""
    body = body_of(transaction, slot.latest.seq)
    return body is None or body.members.get("origin") == INGESTED


def _count(body: Body) -> int:
    count = attrs_of(body).get("chunks")
    return count if isinstance(count, int) else 0
