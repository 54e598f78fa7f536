"""The verbs that find: search, context, associate, explore."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.notebook.desk import Desk
from substrate.notebook.given import number
from substrate.notebook.verb import argument, verb
from substrate.notebook.verbs.reading import AS_OF, VALID_AT

if TYPE_CHECKING:
    from substrate.findings import Associations, Context, Found

__all__ = ["associate", "context", "explore", "search"]


@verb(
    "search",
    "find",
    "%memory search who handles our payments",
    "%memory search payment provider --type fact --limit 3",
    rest="query",
)
@argument("query", nargs="*", metavar="QUERY", help="what to look for, as you would ask a person")
@argument("--limit", metavar="N", type=number, help="at most so many, up to 100 (default: MemoryMagics.limit)")
@argument("--offset", metavar="N", type=number, default=0, help="leave out so many of the best")
@argument("--type", metavar="TYPE", help="only atoms of this type: fact, procedure, ...")
@argument("--prefix", metavar="PREFIX", complete="name", help="only names that begin so")
@argument("--domain", metavar="DOMAIN", complete="domain", help="only members of this domain: v1.domain.x, or x")
@argument("--tag", metavar="TAG", action="append", help="only with this tag; again for several")
@argument("--entity", metavar="ENTITY", action="append", help="only with this entity; again for several")
@argument("--source", metavar="SOURCE", help="only from this source")
@argument("--origin", metavar="WHO", choices=("user", "agent", "ingested"), help="only of this origin")
@argument("--actor", metavar="ACTOR", help="only what this actor wrote")
@argument("--session", metavar="SESSION", help="only of this session")
@argument("--happened-since", metavar="TIME", help="only what happened at or after this time (ISO 8601)")
@argument("--happened-until", metavar="TIME", help="only what happened before this time")
@AS_OF
@VALID_AT
@argument("--min-score", metavar="SCORE", type=float, help="only hits that score at least this, such as 0.3")
@argument("--why", action="store_true", help="the reasons of each hit; here they are shown in any case")
@argument("--words", action="store_true", help="by words only, without the model")
def search(desk: Desk, given: Namespace, _: str | None) -> Found:
    """Find atoms by what they mean, by their words, and by time.

    Options may stand before or after the question. Time is understood: now, before the current one, in October 2025.
    """
    return desk.memory().search(
        given.query,
        limit=desk.limit if given.limit is None else given.limit,
        offset=given.offset,
        type=given.type,
        prefix=given.prefix,
        domain=given.domain,
        tags=given.tag or (),
        entities=given.entity or (),
        source=given.source,
        origin=given.origin,
        actor=given.actor,
        session=given.session,
        since=given.happened_since,
        until=given.happened_until,
        as_of=given.as_of,
        valid_at=given.valid_at,
        min_score=given.min_score,
        wait=0 if given.words else desk.wait,
    )


@verb("context", "find", "%memory context v1.decision.ledger --depth 2")
@argument("names", nargs="+", metavar="NAME", complete="name", help="names or ids of atoms")
@argument("--depth", metavar="N", type=number, default=1, help="how many edges away, up to 3 (1)")
@argument("--limit", metavar="N", type=number, default=100, help="at most so many edges (100)")
@argument("--offset", metavar="N", type=number, default=0, help="leave out the first so many")
@argument("--type", metavar="TYPE", help="only edges of this type")
@AS_OF
@VALID_AT
def context(desk: Desk, given: Namespace, _: str | None) -> Context:
    """Show what surrounds atoms: edges, the atoms that they lead to, and what is used after them."""
    return desk.memory().context(
        given.names,
        depth=given.depth,
        limit=given.limit,
        offset=given.offset,
        type=given.type,
        as_of=given.as_of,
        valid_at=given.valid_at,
    )


@verb("associate", "find", "%memory associate v1.decision.ledger")
@argument("names", nargs="+", metavar="NAME", complete="name", help="names or ids of atoms")
@argument("--domain", metavar="DOMAIN", complete="domain", help="the domain that they are taken to be of")
@argument("--other-domain", metavar="DOMAIN", action="append", complete="domain", help="look only in this domain")
@argument("--limit", metavar="N", type=number, default=10, help="at most so many (10)")
def associate(desk: Desk, given: Namespace, _: str | None) -> Associations:
    """Find unexpected connections to atoms of other domains, each with its reason."""
    return desk.memory().associate(given.names, domain=given.domain, all_domains=given.other_domain, limit=given.limit)


@verb("explore", "find", "%memory explore payment", rest="query")
@argument("query", nargs="*", metavar="QUERY", help="what to begin with")
@AS_OF
def explore(desk: Desk, given: Namespace, _: str | None) -> object:
    """Open the Explorer: search as you type, narrow down, and see all there is to know of an atom."""
    memory = desk.memory()
    # The Explorer goes by seqs; before the first entry there is as much as at it, which is the key.
    traits = {} if given.as_of is None else {"as_of": max(0, memory.diff(given.as_of, given.as_of, limit=1).stop)}
    return memory.explore(given.query, **traits)
