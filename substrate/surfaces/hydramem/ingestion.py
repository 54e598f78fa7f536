"""Files, texts and what an agent has extracted. Files only below the roots that the server was started with."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from os.path import isdir, isfile, islink, lexists
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from substrate.errors import Denied, InputError, ItemsRefused, PathEscape
from substrate.limits import LIMITS
from substrate.names import read_edge_type
from substrate.surfaces.arguments import Caller
from substrate.surfaces.hydramem.arguments import Confidence, Project, Said, SessionId, asked
from substrate.surfaces.hydramem.shapes import (
    DirectoryTaken,
    FileTaken,
    NotTaken,
    Prechunked,
    RejectedShape,
    Remembered,
    SessionExtracted,
    told,
)
from substrate.surfaces.shape import Shape
from substrate.surfaces.tool import Tool, progress_of
from substrate.text.canonical import canonical, is_canonical_key

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.values.documents import Ingested, IngestedDocument
    from substrate.values.relations import Related

__all__ = ["TOOLS"]

_MARKDOWN: Final = (".md", ".markdown")
_PATH: Final = 4096
_CHUNKS: Final = 200
_ENTITIES: Final = 1000
_RELATIONS: Final = 500
"""Of one call; more are counted and left out."""
_NO_ENTITY: Final = "an end of it cannot name an entity"
_FAILED: Final = 100
"""Files that were not taken and are told."""


def ingest_markdown(
    ctx: Caller, *, file_path: str, project: Project = "", session_id: SessionId = ""
) -> Annotated[CallToolResult, FileTaken]:
    """Ingest one Markdown file below an allowed folder. Call it when the user names a file."""
    said = asked(ctx, project, session_id)
    path, root = _allowed(said, file_path)
    if not isfile(path):  # noqa: PTH113 - `Path` raises of a name that is too long
        raise InputError(f"there is no file {file_path}")
    taken = said.memory.ingest(path, root=root, domain=said.project, session=said.session)
    one = _only(taken)
    return told(FileTaken(**_counts(one, said.project), file=file_path))


def ingest_directory_tool(
    ctx: Caller,
    *,
    directory: str,
    recursive: bool = True,
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, DirectoryTaken]:
    """Ingest the Markdown files of an allowed folder. Call it when the user names a folder."""
    said = asked(ctx, project, session_id)
    path, root = _allowed(said, directory)
    if not isdir(path):  # noqa: PTH112 - as above
        raise InputError(f"there is no folder {directory}")
    taken = said.memory.ingest(
        path,
        root=root,
        domain=said.project,
        session=said.session,
        recursive=recursive,
        suffixes=_MARKDOWN,
        progress=progress_of(ctx),
    )
    more = len(taken.failed) - _FAILED
    return told(
        DirectoryTaken(
            directory=directory,
            files_processed=len(taken.items),
            chunks_added=taken.added + taken.changed,
            entities_added=sum(one.entities for one in taken.items),
            project=said.project,
            failed=[NotTaken(file=one.item, reason=one.reason) for one in taken.failed[:_FAILED]],
            note=f"{more:,} more files were not taken" if more > 0 else None,
        ),
        "note",
    )


class _Given(Shape):
    """What an agent extracted. Agents add keys of their own: what is not known here is left out."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _is_object(cls, given: object) -> object:
        if isinstance(given, dict | cls):
            return given
        fields = ", ".join(field.alias or name for name, field in cls.model_fields.items())
        raise PydanticCustomError("object", "give an object with {fields}", {"fields": fields})


class EntityGiven(_Given):
    """An entity that an agent found."""

    name: str
    type: str = "concept"


class RelationGiven(_Given):
    """A relation that an agent found."""

    from_entity: str = Field(alias="from")
    to: str
    type: str
    confidence: Confidence = 0.5


class ChunkGiven(_Given):
    """A chunk with what an agent found in it. `idx` is its position."""

    text: str
    idx: int | None = None
    entities: tuple[EntityGiven, ...] = ()
    relations: tuple[RelationGiven, ...] = ()


_AnObject = WithJsonSchema({"type": "object"})


def ingest_prechunked(
    ctx: Caller,
    *,
    source: str,
    chunks: list[Annotated[ChunkGiven, _AnObject]],
    doc_id: str = "",
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Prechunked]:
    """Store chunks {text, idx, entities [{name, type}], relations [{from, to, type, confidence}]} of a document.

    Relations are checked. Call it after you read a document.
    """
    said = asked(ctx, project, session_id)
    order = sorted(range(len(chunks)), key=lambda at: (chunks[at].idx if chunks[at].idx is not None else at, at))
    taken = [chunks[at] for at in order][:_CHUNKS]
    declared = [one for chunk in taken for one in chunk.entities]
    entities = declared[:_ENTITIES]
    known = {canonical(one.name) for one in entities}
    proposed = [(one, at) for at, chunk in enumerate(taken) for one in chunk.relations]
    left, unfit = _fit([one for one, _ in proposed[:_RELATIONS]])
    parts: list[dict[str, Any]] = [
        {"text": one.text, "entities": [e.model_dump() for e in one.entities if canonical(e.name) in known]}
        for one in taken
    ]
    for one, at in proposed[:_RELATIONS]:
        if _unfit(one) is None:
            parts[at].setdefault("relations", []).append(_relation(one))
    ingested = said.memory.ingest(
        parts,
        source=source,
        key=doc_id or None,
        domain=said.project,
        session=said.session,
        origin="agent",
        attrs={"origin_tool": "ingest_prechunked"},
    )
    stored = _only(ingested)
    return told(
        Prechunked(
            **_became(said, ingested.related, left, unfit),
            source=source,
            doc_id=stored.id,
            chunks_added=stored.added + stored.changed,
            truncated_chunks=len(chunks) - len(taken),
            truncated_entities=len(declared) - len(entities),
            truncated_relations=len(proposed) - len(proposed[:_RELATIONS]),
        )
    )


def submit_session_extraction(
    ctx: Caller,
    *,
    entities: list[Annotated[EntityGiven, _AnObject]],
    relations: list[Annotated[RelationGiven, _AnObject]],
    session_id: SessionId = "",
    project: Project = "",
) -> Annotated[CallToolResult, SessionExtracted]:
    """Add entities {name, type} and relations {from, to, type, confidence}, checked. Call it at a session's end."""
    said = asked(ctx, project, session_id)
    left, unfit = _fit(relations[:_RELATIONS])
    related = said.memory.relate(
        [_relation(one) for one in left],
        entities=[one.model_dump() for one in entities[:_ENTITIES]],
        domain=said.project,
        attrs={"origin_tool": "submit_session_extraction"},
        origin="agent",
        session=said.session,
    )
    return told(
        SessionExtracted(
            **_became(said, related, left, unfit),
            session_id=said.session,
            truncated_entities=len(entities) - len(entities[:_ENTITIES]),
            truncated_relations=len(relations) - len(relations[:_RELATIONS]),
        )
    )


def _fit(given: Sequence[RelationGiven]) -> tuple[list[RelationGiven], list[RejectedShape]]:
    """Relations that can be stated, as far as their words go; and the others, each with what is wrong with it."""
    unfit = [(one, _unfit(one)) for one in given]
    return [one for one, wrong in unfit if wrong is None], [wrong for _, wrong in unfit if wrong is not None]


def _unfit(one: RelationGiven) -> RejectedShape | None:
    """What is wrong with the words of a relation. One that cannot be stated keeps none of the others back."""
    level, reason = "no_entity", _NO_ENTITY
    if _can_name(one.from_entity) and _can_name(one.to):
        try:
            read_edge_type(one.type)
        except InputError as error:
            level, reason = "no_type", str(error)
        else:
            return None
    return RejectedShape(**{"from": one.from_entity}, type=one.type, to=one.to, reason=reason, level=level)


def _relation(one: RelationGiven) -> dict[str, Any]:
    return {"source": one.from_entity, "type": one.type, "target": one.to, "confidence": one.confidence}


def _became(
    said: Said, related: Related | None, left: Sequence[RelationGiven], unfit: Sequence[RejectedShape]
) -> dict[str, Any]:
    """What became of relations: those that are accepted are stated, the others told with their reasons."""
    rejected = [
        RejectedShape(**{"from": one.from_entity}, type=one.type, to=one.to, reason=item.reason, level=item.level)
        for one, item in zip(left, related or (), strict=True)
        if not item.stated
    ]
    rejected += unfit
    return {
        "project": said.project,
        "entities_added": 0 if related is None else len(related.entities),
        "relations_proposed": len(left) + len(unfit),
        "relations_accepted": 0 if related is None else len(related.stated),
        "relations_rejected": len(rejected),
        "verified": True,
        "rejected": rejected,
    }


def _can_name(text: str) -> bool:
    return is_canonical_key(text) and len(text) <= LIMITS["entity_characters"]


def remember(
    ctx: Caller,
    *,
    text: str,
    source: str = "chat-note",
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Remembered]:
    """Keep a note. Call it when the user tells you something to keep."""
    said = asked(ctx, project, session_id)
    if not text.strip():
        raise InputError("there is no text to remember")
    key = sha256(f"{source}\0{text}".encode(errors="replace")).hexdigest()
    taken = said.memory.ingest(
        text, source=source, key=f"note {key}", domain=said.project, session=said.session, title=_title(text)
    )
    return told(Remembered(**_counts(_only(taken), said.project)))


def _title(text: str) -> str | None:
    return " ".join(text.split())[:80] or None


def _allowed(said: Said, given: str) -> tuple[Path, Path]:
    """The path, and the root that it is below; a relative one is looked for in each root.

    Denied of a path with a link in it, wherever that leads: whether something is there is not to be told.
    """
    roots = said.client.roots
    if not roots:
        raise Denied("no folder is allowed here: the user can start the server with --root FOLDER")
    if "\0" in given or not given.strip() or len(given) > _PATH:
        raise InputError(f"a path is a text of at most {_PATH:,} characters, without a NUL")
    path = Path(given)
    if path.is_absolute():
        for root in roots:
            if path.is_relative_to(root) and ".." not in path.parts:
                return _without_links(path.relative_to(root), root), root
        raise PathEscape("the path is outside of the folders that the server was started with: give one below them")
    if ".." in path.parts:
        raise PathEscape("the path holds `..`, which may lead out of its folder: give one without")
    there = [root for root in roots if _link_in(path, root) is not None or lexists(root / path)]
    root = there[0] if there else roots[0]
    return _without_links(path, root), root


def _without_links(path: Path, root: Path) -> Path:
    link = _link_in(path, root)
    if link is not None:
        raise Denied(f"{link} is a symbolic link: only plain files and folders are read, and no link is followed")
    return root / path


def _link_in(path: Path, root: Path) -> Path | None:
    """The first link on the way from the root down this path."""
    down = [path, *path.parents][::-1]
    return next((part for part in down if part.parts and islink(root / part)), None)  # noqa: PTH114 - as above


def _only(taken: Ingested) -> IngestedDocument:
    """What became of the one document; what kept it from being taken is raised."""
    if taken.failed:
        raise ItemsRefused(taken.failed[0].reason, taken.failed)
    return taken.items[0]


def _counts(one: IngestedDocument, project: str) -> dict[str, Any]:
    return {
        "source": one.source or one.title,
        "doc_id": one.id,
        "chunks_added": one.added + one.changed,
        "entities_added": one.entities,
        "entities_merged": one.merged,
        "project": project,
    }


TOOLS = (
    Tool(ingest_markdown, "Ingest file", "admin", writes=True, idempotent=True, verb="ingest"),
    Tool(ingest_directory_tool, "Ingest folder", "admin", writes=True, idempotent=True, verb="ingest"),
    Tool(ingest_prechunked, "Ingest chunks", "write", writes=True, idempotent=True),
    Tool(submit_session_extraction, "Add relations", "write", writes=True, idempotent=True),
    Tool(remember, "Remember", "write", writes=True, idempotent=True),
)
