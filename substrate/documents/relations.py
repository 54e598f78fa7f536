"""Chunks that come with what was found in them: entities of a type, and relations, in the checkpoint of the document.

1. A relation is checked against the text of its chunk, then the other chunks that mention both, then stored ones.
2. Entities that are not there yet, and relations that are accepted, are saved with the document or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from substrate.documents.ingest import ingest
from substrate.documents.naming import chunk_prefix, document_name
from substrate.documents.request import Request
from substrate.errors import SchemaInvalid
from substrate.log.log import Log
from substrate.save.batch import Batch
from substrate.save.relate import RelatePlan, RelateRequest, plan_relations
from substrate.search.index import SearchIndex
from substrate.snapshot import Snapshot
from substrate.text.canonical import canonical, is_canonical_key
from substrate.text.refuse_secrets import refuse_secrets
from substrate.values.documents import Ingested

__all__ = ["ingest_chunks"]


def ingest_chunks(  # noqa: PLR0913, PLR0917 - where to read, where to write, what
    log: Log,
    index: SearchIndex,
    read: Callable[[], AbstractContextManager[Snapshot]],
    chunks: Sequence[Mapping[str, object]],
    request: Request,
    attrs: Mapping[str, object] | None,
) -> Ingested:
    """See `Memory.ingest`. `attrs` are those of the edges."""
    asked = _asked(chunks, request, attrs)
    if asked is None:
        return ingest(log, chunks, request)
    with read() as snapshot:
        planned = plan_relations(snapshot, index, asked)
    beside = _batch(planned, request)
    if not request.allow_secrets:  # the text as a whole is looked at by the ingest
        refuse_secrets(None, "", {"entities": list(beside.atoms), "relations": list(beside.edges)})
    taken = ingest(log, chunks, replace(request, beside=beside if beside.count() else None))
    recorded = 0 if request.dry_run else beside.count()
    return taken if taken.failed else replace(taken, related=planned.related(recorded))


def _asked(
    chunks: Sequence[Mapping[str, object]], request: Request, attrs: Mapping[str, object] | None
) -> RelateRequest | None:
    """What the chunks declare and relate; None if they do neither."""
    given = [(chunk, *_found(chunk)) for chunk in chunks if isinstance(chunk, Mapping)]
    declared = [one for _, entities, _ in given for one in entities if isinstance(one, Mapping)]
    stated = [(relation, str(chunk.get("text"))) for chunk, _, relations in given for relation in relations]
    if not declared and not stated:
        return None
    asked = RelateRequest.of(
        [{**relation, "text": text} for relation, text in stated],
        entities=declared,
        domain=request.domain,
        attrs=attrs,
    )
    names = [(str(chunk.get("text")), _forms(entities)) for chunk, entities, _ in given][::-1]  # the last first
    proposals = []
    for proposal, window in asked.proposals:
        ends = _forms((proposal.source, proposal.target))
        others = tuple(text for text, forms in names if ends <= forms and text != proposal.text)
        proposals.append((replace(proposal, beside=others), window))
    # What the document says now is in the call; what it said before goes with it.
    document = document_name(asked.home, request.key or request.source)
    return replace(asked, proposals=tuple(proposals), besides=chunk_prefix(document))


def _found(chunk: Mapping[str, object]) -> tuple[list[Any], list[Mapping[str, Any]]]:
    """The entities and the relations of a chunk. SchemaInvalid."""
    entities, relations = chunk.get("entities", ()), chunk.get("relations", ())
    if not isinstance(relations, list | tuple) or not all(isinstance(one, Mapping) for one in relations):
        raise SchemaInvalid("the relations of a chunk must be a list of mappings with source, type and target")
    return list(entities) if isinstance(entities, list | tuple) else [], list(relations)


def _forms(names: Iterable[object]) -> frozenset[str]:
    said = [name.get("name") if isinstance(name, Mapping) else name for name in names]
    return frozenset(canonical(name) for name in said if isinstance(name, str) and is_canonical_key(name))


def _batch(planned: RelatePlan, request: Request) -> Batch:
    """What is saved beside the document: by who asked for it, and not by a file."""
    who = {"origin": request.said.get("origin") or "user"}
    atoms = tuple({**atom, **who} for name, atom in planned.atoms.items() if name != planned.home)
    edges = tuple({**edge, **who} for edge in planned.edges)
    return Batch(atoms=atoms, edges=edges)
