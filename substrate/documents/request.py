"""What an ingest is asked for, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from substrate.atoms.domains import domain_name
from substrate.documents.formats.catalogue import SUFFIXES, is_media_type
from substrate.documents.formats.extracted import title_from
from substrate.errors import SchemaInvalid
from substrate.limits import check_size
from substrate.messages import Arg
from substrate.save.batch import Batch

__all__ = ["Request", "source_of"]


@dataclass(frozen=True, slots=True)
class Request:
    """What an ingest is asked for, checked. See `Memory.ingest`."""

    domain: str
    title: str | None = None
    source: str | None = None
    media_type: str | None = None
    root: Path | None = None
    said: Mapping[str, object] = field(default_factory=dict)
    allow_secrets: bool = False
    prune: bool = False
    dry_run: bool = False
    entities: bool = True
    key: str | None = None
    recursive: bool = True
    suffixes: tuple[str, ...] = ()
    """Of a folder only files whose names end so; none: all that can be read."""
    beside: Batch | None = None
    """What is saved in the same checkpoint as the one document, if that is taken."""
    keeps_out: bool = False
    """Whether documents that were forgotten are not taken in again."""

    @classmethod
    def of(  # noqa: PLR0913
        cls,
        *,
        domain: str | None = None,
        title: str | None = None,
        source: str | None = None,
        media_type: str | None = None,
        root: str | Path | None = None,
        said: Mapping[str, object],
        allow_secrets: bool = False,
        prune: bool = False,
        dry_run: bool = False,
        entities: bool = True,
        key: str | None = None,
        recursive: bool = True,
        suffixes: Iterable[str] = (),
    ) -> Request:
        """InputError, SchemaInvalid, NameInvalid."""
        for field_name, text in {"title": title, "source": source, "key": key}.items():
            if text is not None and (not isinstance(text, str) or not text.strip()):
                raise SchemaInvalid(Arg(field_name), " must be a text that is not empty")
            if text is not None:
                check_size(Arg(field_name), len(text), "text_characters", "characters")
        if media_type is not None and not is_media_type(media_type):
            raise SchemaInvalid(Arg("media_type"), f" must be one of {', '.join(dict.fromkeys(SUFFIXES.values()))}")
        return cls(
            domain_name(domain),
            None if title is None else title_from(title),
            None if source is None else source.strip(),
            media_type,
            None if root is None else Path(root),
            said,
            allow_secrets,
            prune,
            dry_run,
            entities,
            key,
            recursive,
            tuple(suffix.lower() for suffix in suffixes),
        )

    def wants(self, parts: tuple[str, ...], below: tuple[str, ...]) -> bool:
        """Whether a file of a folder is asked for."""
        if not self.recursive and len(parts) > len(below) + 1:
            return False
        return not self.suffixes or parts[-1].lower().endswith(self.suffixes)


def source_of(root: str, parts: Iterable[str], request: Request) -> str:
    """Where a file comes from, as its document says it: the name of the root, and the path below it."""
    return "/".join((request.source or root, *parts))
