"""Engrams: domains, as this surface calls them. Which there are, and which one a name means.

What this client may not see is not there: the engine hides it from every verb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from substrate.errors import InputError, NotFound
from substrate.names import DOMAIN
from substrate.policy import CAPS, PUBLIC
from substrate.surfaces.arguments import Caller
from substrate.surfaces.client import Client, client_of
from substrate.text.likeness import label_of
from substrate.text.quote import in_quotes

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory
    from substrate.values.atoms import Atom
    from substrate.values.hits import Match

__all__ = [
    "MAIN",
    "NAME",
    "Engram",
    "Meant",
    "beginning_of",
    "caller",
    "candidates",
    "engrams_of",
    "graphs_of",
    "meant_by",
    "require",
]

NAME: Final = "graphnosis"
MAIN: Final = "main"
_SHOWN: Final = 60
_LISTED: Final = 30
"""Engrams that an error names."""
_CAP: Final = CAPS[PUBLIC]


class Engram(NamedTuple):
    """A graph: its slug, its tier, and how many tokens one recall gives of it."""

    slug: str
    tier: str = PUBLIC
    cap: int = _CAP
    made: bool = False
    """Whether there is such a domain; `main` is made by the first text for it."""


class Meant(NamedTuple):
    """What a name means: the slug of an engram; or, if it is not one, those that it may mean."""

    slug: str | None
    near: tuple[Match, ...] = ()


def caller(ctx: Caller) -> Client:
    """Who calls."""
    return client_of(ctx, NAME)


def beginning_of(text: str) -> str:
    """As much of a text as a question to the user shows."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def engrams_of(memory: Memory) -> dict[str, Engram]:
    """Every engram that this client may know of, by its slug. `main` is always there."""
    known = {MAIN: Engram(MAIN)} | {one.domain: Engram(one.domain, made=True) for one in memory.domains()}
    for one in memory.tiers():
        known[one.domain] = Engram(one.domain, one.tier, one.max_tokens or _CAP, made=True)
    return dict(sorted(known.items()))


def meant_by(memory: Memory, name: str) -> Meant:
    """The engram that a name means, by the one resolver. InputError if it has neither letters nor digits."""
    wanted = label_of(name)
    if not wanted.key:
        raise InputError(f"{in_quotes(name)} has neither letters nor digits: give the name of an engram")
    matches = memory.which(name, kind="domain")
    if matches.name is not None:
        return Meant(matches.name.removeprefix(DOMAIN))
    # Of a domain that only names of documents tell of, there is no atom to find.
    same = [slug for slug in engrams_of(memory) if label_of(slug).key == wanted.key]
    return Meant(same[0]) if len(same) == 1 else Meant(None, matches.items)


def require(memory: Memory, name: str) -> str:
    """The slug of the engram that a name means. NotFound, naming those it may mean, if it is not clearly one."""
    meant = meant_by(memory, name)
    if meant.slug is None:
        raise NotFound(f"there is no engram {in_quotes(name)}; {candidates(memory, meant.near)}")
    return meant.slug


def candidates(memory: Memory, near: tuple[Match, ...]) -> str:
    """For a message: the engrams that may be meant, with the reasons; or all there are."""
    if near:
        told = (f"{in_quotes(one.name.removeprefix(DOMAIN))} ({one.reason}, {one.score:.0%})" for one in near)
        return f"close to it: {', '.join(told)}"
    slugs = list(engrams_of(memory))
    more = f" and {len(slugs) - _LISTED:,} more" if len(slugs) > _LISTED else ""
    return f"there are: {', '.join(map(in_quotes, slugs[:_LISTED]))}{more}"


def graphs_of(memory: Memory, atom: Atom, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The slugs of the engrams that an atom is in, the one first that a reply names; none of an atom without a domain.

    That is the one in its name; else the first that was asked for, or by name.
    """
    slugs = [one.domain for one in memory.domains(of=atom.id)]
    parts = atom.name.split(".", 3)
    named = parts[1] in {"chunk", "document", "entity"} and len(parts) > 3  # noqa: PLR2004 - v1, type, domain, rest
    own = (unquote(parts[2], errors="surrogatepass"),) if named else ()
    return tuple(dict.fromkeys((*own, *(slug for slug in asked if slug in slugs), *slugs)))
