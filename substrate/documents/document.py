"""The verb document: a document as a whole, as it was ingested, at any moment.

A version of a document and its chunks were written together, the document last. So its chunks are those that there
were at the end of that checkpoint, whatever became of them since; and the digest says whether they are all there.
A person may give the document another title: what was ingested is then read from the version before.
"""

from __future__ import annotations

from hashlib import sha256

from substrate.atoms.domains import domain_name
from substrate.atoms.load import atom_of, damage_of
from substrate.atoms.resolve import ATOM_ID, resolve
from substrate.atoms.validity import version_at
from substrate.documents.naming import DOCUMENT, chunk_name, document_name
from substrate.documents.slots import attrs_of, end_of, ingested_of, left_out_of, read_slots
from substrate.errors import NotFound
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.documents import Document

__all__ = ["document"]


def document(snapshot: Snapshot, name: str, domain: str | None = None) -> Document:
    """See `Memory.document`."""
    transaction = snapshot.transaction
    if domain is not None and isinstance(name, str) and not ATOM_ID.fullmatch(name) and not name.startswith(DOCUMENT):
        name = document_name(domain_name(domain), name)
    found = version_at(snapshot, resolve(transaction, name, snapshot.upto, asked=snapshot.asked))
    if found is None:
        raise NotFound(f"there is no {name}: it is out of use; its history shows what it was")
    version, body = found
    atom = atom_of(snapshot, version, body, superseded_by=())
    if atom.damaged is not None:
        raise damage_of(atom)
    ingested = ingested_of(transaction, version, body)
    if ingested is not None and ingested[0].kind is Kind.PUT:
        version, body = ingested
    attrs = attrs_of(body)
    source = body.members.get("source")
    digest, count, size = attrs.get("digest"), attrs.get("chunks"), attrs.get("bytes")
    if not atom.name.startswith(DOCUMENT) or not isinstance(digest, str) or not isinstance(count, int):
        raise NotFound(f"{atom.name} is not an ingested document: use access to read it")
    there = read_slots(transaction, atom.name, end_of(transaction, version.seq), left_out_of(attrs))
    slots = [slot for slot in there if slot.is_member]
    text = "".join(slot.text for slot in slots)
    expected = attrs.get("text_digest", digest)
    modified = attrs.get("modified")
    return Document(
        atom.name,
        atom.id,
        atom.value,
        text,
        tuple(atom_of(snapshot, slot.version, slot.body, superseded_by=()) for slot in slots),
        source if isinstance(source, str) else None,
        digest,
        size if isinstance(size, int) else 0,
        str(attrs.get("media_type")),
        atom.recorded_at,
        atom.seq,
        modified if isinstance(modified, str) else None,
        sha256(text.encode()).hexdigest() == expected,
        max(count - len(slots), 0),
        tuple(chunk_name(atom.name, slot.position) for slot in slots if slot.is_edited) if snapshot.is_now else (),
    )
