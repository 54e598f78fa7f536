"""What a search may be restricted to, as callers give it; checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from substrate.atoms.moments import Time, read_time
from substrate.errors import SchemaInvalid
from substrate.messages import Arg
from substrate.values.atoms import ORIGINS

__all__ = ["Filters"]


@dataclass(frozen=True, slots=True)
class Filters:
    """All that was given must hold; None or empty: no matter. `since` and `until` are about when it happened."""

    type: str | None = None
    prefix: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    source: str | None = None
    origin: str | None = None
    actor: str | None = None
    session: str | None = None
    since: int | None = None
    until: int | None = None

    @classmethod
    def of(  # noqa: PLR0913
        cls,
        *,
        type: str | None = None,  # noqa: A002 - the word for it
        prefix: str | None = None,
        domain: str | None = None,
        tags: str | Iterable[str] = (),
        entities: str | Iterable[str] = (),
        source: str | None = None,
        origin: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
    ) -> Filters:
        """What a caller asks for, checked. SchemaInvalid, naming the filter."""
        texts = {"type": type, "prefix": prefix, "domain": domain, "source": source, "origin": origin, "actor": actor}
        for field, text in {**texts, "session": session}.items():
            if text is not None and not _is_text(text):
                raise SchemaInvalid(Arg(field), " must be a text of valid Unicode")
        if origin is not None and origin not in ORIGINS:
            raise SchemaInvalid(Arg("origin"), f" must be one of {', '.join(ORIGINS)}")
        return cls(
            type,
            prefix,
            domain,
            _texts(tags, Arg("tags")),
            _texts(entities, Arg("entities")),
            source,
            origin,
            actor,
            session,
            None if since is None else read_time(since, Arg("since")),
            None if until is None else read_time(until, Arg("until")),
        )


def _texts(given: str | Iterable[str], field: str) -> tuple[str, ...]:
    listed = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (None,)
    if not all(_is_text(text) for text in listed):
        raise SchemaInvalid(field, " must be a text or a list of texts")
    return listed


def _is_text(given: object) -> bool:
    """Whether it can be looked for: a lone surrogate cannot have been stored."""
    try:
        return isinstance(given, str) and given.encode() is not None
    except UnicodeEncodeError:
        return False
