"""Files, texts and what an agent has extracted. Files only below the roots that the server was started with."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.types import CallToolResult

from substrate.errors import Denied, InputError, ItemsRefused, PathEscape
from substrate.surfaces.arguments import Caller
from substrate.surfaces.hydramem.arguments import Project, Said, SessionId, asked
from substrate.surfaces.hydramem.shapes import DirectoryTaken, FileTaken, NotTaken, Remembered, told
from substrate.surfaces.tool import Tool, progress_of

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.values.documents import Ingested, IngestedDocument

__all__ = ["TOOLS"]

_MARKDOWN: Final = (".md", ".markdown")
_PATH: Final = 4096
_FAILED: Final = 100
"""Files that were not taken and are told."""


def ingest_markdown(
    ctx: Caller, *, file_path: str, project: Project = "", session_id: SessionId = ""
) -> Annotated[CallToolResult, FileTaken]:
    """Take in one Markdown file, below a folder that the user allowed. Said again, only what changed is recorded.

    Call it when the user names a file to remember.
    """
    said = asked(ctx, project, session_id)
    path, root = _allowed(said, file_path)
    if not path.is_file():
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
    """Take in all Markdown files of a folder that the user allowed. The reply lists refused files with the reason.

    Call it when the user names a folder of notes or docs. Called again, it goes on where it stopped.
    """
    said = asked(ctx, project, session_id)
    path, root = _allowed(said, directory)
    if not path.is_dir():
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
    return told(
        DirectoryTaken(
            directory=directory,
            files_processed=len(taken.items),
            chunks_added=taken.added + taken.changed,
            entities_added=sum(one.entities for one in taken.items),
            project=said.project,
            failed=[NotTaken(file=one.item, reason=one.reason) for one in taken.failed[:_FAILED]],
        )
    )


def remember(
    ctx: Caller,
    *,
    text: str,
    source: str = "chat-note",
    project: Project = "",
    session_id: SessionId = "",
) -> Annotated[CallToolResult, Remembered]:
    """Keep a note of this conversation, and the names in it. The same text again changes nothing.

    Call it when the user tells you something to keep.
    """
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
    """The path, and the root that it is below; a relative one is looked for in each root."""
    roots = said.client.roots
    if not roots:
        raise Denied("no folder is allowed here: the user can start the server with --root FOLDER")
    if "\0" in given or not given.strip() or len(given) > _PATH:
        raise InputError(f"a path is a text of at most {_PATH:,} characters, without a NUL")
    path = Path(given)
    if path.is_absolute():
        for root in roots:
            if path.is_relative_to(root) and ".." not in path.parts:
                return path, root
        raise PathEscape("the path is outside of the folders that the server was started with: give one below them")
    if ".." in path.parts:
        raise PathEscape("the path holds `..`, which may lead out of its folder: give one without")
    there = [(root / path, root) for root in roots if (root / path).exists()]
    return there[0] if there else (roots[0] / path, roots[0])


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
    Tool(ingest_markdown, "Take in a file", "admin", writes=True, idempotent=True, verb="ingest"),
    Tool(ingest_directory_tool, "Take in a folder", "admin", writes=True, idempotent=True, verb="ingest"),
    Tool(remember, "Remember a note", "write", writes=True, idempotent=True),
)
