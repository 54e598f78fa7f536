"""What a search may be restricted to, as callers give it; checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from substrate.atoms.moments import Time, read_time
from substrate.entities.naming import ENTITY
from substrate.errors import SchemaInvalid
from substrate.messages import Arg
from substrate.values.atoms import ORIGINS

__all__ = ["Filters"]


@dataclass(frozen=True, slots=True)
class Filters:
    """All that was given must hold; None or empty: no matter. `since` and `until` are about when it happened."""

    types: tuple[str, ...] = ()
    """One of these."""
    prefix: str | None = None
    domains: tuple[str, ...] = ()
    """One of these."""
    without_domains: tuple[str, ...] = ()
    """None of these."""
    tags: tuple[str, ...] = ()
    """All of these."""
    any_tags: tuple[str, ...] = ()
    """One of these at least."""
    without_tags: tuple[str, ...] = ()
    """None of these."""
    entities: tuple[str, ...] = ()
    source: str | None = None
    origin: str | None = None
    actor: str | None = None
    session: str | None = None
    since: int | None = None
    until: int | None = None
    without_pages: bool = False
    """Nothing that was made of texts from elsewhere."""

    @property
    def is_of_entities(self) -> bool:
        """Whether entities are asked for."""
        return ENTITY.split(".")[1] in self.types or (self.prefix or "").startswith(ENTITY[:-1])

    @classmethod
    def of(  # noqa: PLR0913 - all there are
        cls,
        *,
        type: str | Iterable[str] | None = None,  # noqa: A002 - the word for it
        prefix: str | None = None,
        domain: str | Iterable[str] | None = None,
        without_domains: str | Iterable[str] = (),
        tags: str | Iterable[str] = (),
        any_tags: str | Iterable[str] = (),
        without_tags: str | Iterable[str] = (),
        entities: str | Iterable[str] = (),
        source: str | None = None,
        origin: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        ingested: bool = True,
    ) -> Filters:
        """What a caller asks for, checked. SchemaInvalid, naming the filter."""
        texts = {"prefix": prefix, "source": source, "origin": origin, "actor": actor, "session": session}
        for field, text in texts.items():
            if text is not None and not _is_text(text):
                raise SchemaInvalid(Arg(field), " must be a text of valid Unicode")
        if origin is not None and origin not in ORIGINS:
            raise SchemaInvalid(Arg("origin"), f" must be one of {', '.join(ORIGINS)}")
        return cls(
            _one_of(type, Arg("type")),
            prefix,
            _one_of(domain, Arg("domain")),
            _texts(without_domains, Arg("without_domains")),
            _texts(tags, Arg("tags")),
            _texts(any_tags, Arg("any_tags")),
            _texts(without_tags, Arg("without_tags")),
            _texts(entities, Arg("entities")),
            source,
            origin,
            actor,
            session,
            None if since is None else read_time(since, Arg("since")),
            None if until is None else read_time(until, Arg("until")),
            without_pages=not ingested,
        )


def _one_of(given: str | Iterable[str] | None, field: str) -> tuple[str, ...]:
    """One text or several; None for any. A list of none is refused: to take it for any would show more than meant."""
    if given is None:
        return ()
    if not (listed := _texts(given, field)):
        raise SchemaInvalid(field, " must have at least one text; leave it out for all")
    return listed


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
