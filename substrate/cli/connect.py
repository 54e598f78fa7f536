"""The verbs about what is joined to what: context, associate, stale. None of them writes anything."""

from __future__ import annotations

from argparse import Namespace
from shlex import quote
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Table
from substrate.cli.inputs import AS_OF, VALID_AT, parse_number
from substrate.cli.output import Output
from substrate.cli.stores import reading
from substrate.cli.verb import Example, Verb, argument, option

if TYPE_CHECKING:
    from substrate.findings import Association, Reached

__all__ = ["ASSOCIATE", "CONTEXT", "STALE"]


def _context(given: Namespace, _: Output) -> Answer:
    with reading(given) as memory:
        found = memory.context(
            given.names,
            depth=given.depth,
            limit=given.limit,
            offset=given.offset,
            type=given.type,
            as_of=given.as_of,
            valid_at=given.valid_at,
        )
    edges = [("edge", edge.source, edge.type, edge.target) for edge in found]
    arcs = [("arc", arc.source, f"{arc.share:.0%}", arc.target) for arc in found.arcs]
    atoms = [(atom.distance, atom.name, atom.value, _state(atom)) for atom in found.atoms]
    blocks = [Table(("=distance", "name", "~value", "state"), atoms)] if atoms else []
    blocks += [Table(("=kind", "source", "type", "target"), [*edges, *arcs])] if edges or arcs else []
    hints = [f"{gone.name} is missing: {gone.reason}" for gone in found.missing]
    hints += [f"{name} has more edges: substrate edges {quote(name)}" for name in found.cut]
    if found.more:
        hints.append(f"there are more: --offset {given.offset + len(found)}")
    if not edges:
        hints.append("no edge that holds joins it to anything" if not given.offset else "there are no more")
    return Answer(found.to_dict(), tuple(blocks), tuple(hints))


def _state(atom: Reached) -> str | None:
    said = [atom.absent] if atom.absent else []
    said += [f"superseded by {', '.join(atom.superseded_by)}"] if atom.superseded_by else []
    said += [f"to be reviewed: {reason}" for reason in atom.stale]
    return "; ".join(said) or None


CONTEXT = Verb(
    "context",
    "find",
    "Show what surrounds atoms: edges both ways, and what they lead to.",
    "Edges that hold, the nearest first, up to --depth away; then what was learned to come next: arcs. In a pipe the "
    "atoms come first, each a line of distance, name, value and state; then the edges and arcs, each a line of kind, "
    "source, type (of an arc: its share) and target.",
    (
        Example("substrate context v1.decision.ledger", "what it is joined to"),
        Example("substrate context v1.fact.currency v1.decision.ledger --depth 2 --json", "two steps far, as JSON"),
    ),
    (
        argument("names", "names or ids of atoms", metavar="NAME", nargs="*", complete="name"),
        option("--depth", metavar="N", parse=parse_number, default=1, help="how many edges away, up to 3 (default 1)"),
        option("--type", metavar="TYPE", help="only edges of this type"),
        option("--limit", metavar="N", parse=parse_number, default=100, help="at most so many edges (default: 100)"),
        option("--offset", metavar="N", parse=parse_number, default=0, help="leave out the first so many"),
        AS_OF,
        VALID_AT,
    ),
    _context,
)


def _associate(given: Namespace, _: Output) -> Answer:
    with reading(given) as memory:
        found = memory.associate(
            given.names, domain=given.domain, all_domains=given.other_domain or None, limit=given.limit
        )
    rows = [(f"{item.score:.2f}", item.source.name, item.target.name, _said(item), item.reason) for item in found]
    hints = [f"{gone.name} is missing: {gone.reason}" for gone in found.missing]
    hints += [found.meaning] if found.meaning else []
    if found:
        edge = found[0].edge
        words = quote(f"{edge['source']} {edge['type']} {edge['target']}")
        hints.append(f"to accept the first: substrate checkpoint --edge {words}")
    else:
        hints.append("no unexpected connection was found")
    table = Table(("=score", "name", "related", "~value", "reason"), rows)
    return Answer(found.to_dict(), (table,) if rows else (), tuple(hints))


def _said(item: Association) -> str:
    return " ".join(item.target.value.split())


ASSOCIATE = Verb(
    "associate",
    "find",
    "Find atoms of other domains that have to do with these, though nothing joins them.",
    "Strong by meaning, by rare words, by what came next or by shared neighbours; weak by what is stated. Atoms belong "
    "to a domain by member_of edges. What an edge joins already, or did before it was taken back, is not shown. In a "
    "pipe each is a line of score, name, the other's name and value, and the reason.",
    (
        Example("substrate associate v1.fact.currency", "connections that nobody has stated"),
        Example("substrate associate v1.fact.currency v1.decision.ledger --limit 3 --json", "of two atoms, as JSON"),
    ),
    (
        argument("names", "names or ids of atoms", metavar="NAME", nargs="*", complete="name"),
        option("--domain", metavar="DOMAIN", help="the domain these belong to, besides their own", complete="name"),
        option(
            "--other-domain",
            metavar="DOMAIN",
            repeatable=True,
            help="look only in this domain; again for several (default: all others)",
            complete="name",
        ),
        option("--limit", metavar="N", parse=parse_number, default=10, help="at most so many, up to 100 (default 10)"),
    ),
    _associate,
)


def _stale(given: Namespace, _: Output) -> Answer:
    with reading(given) as memory:
        found = memory.stale(prefix=given.prefix, limit=given.limit, after=given.after)
    rows = [(item.name, item.atom.value, "; ".join(because.reason for because in item.because)) for item in found]
    hints = []
    if found.next:
        hints.append(f"there are more: --after {quote(found.next)}")
    hints.append("to say one again, as it is or anew, clears it" if rows else "nothing is to be reviewed")
    return Answer(found.to_dict(), (Table(("name", "~value", "because"), rows),) if rows else (), tuple(hints))


STALE = Verb(
    "stale",
    "find",
    "List atoms to be reviewed, since what they depend on has changed.",
    "By depends_on and derived_from edges, over any number of steps. A dependency has changed if it has another value, "
    "was superseded, or is absent now. To say an atom again, as it is or anew, clears it. In a pipe each is a line of "
    "name, value and the reasons.",
    (
        Example("substrate stale", "all of them"),
        Example("substrate stale v1.decision. --json", "only decisions, as JSON"),
    ),
    (
        argument("prefix", "how the names begin", nargs="?", default="", complete="name"),
        option("--limit", metavar="N", parse=parse_number, default=100, help="at most so many (default: 100)"),
        option("--after", metavar="NAME", help="go on after this name", complete="name"),
    ),
    _stale,
)
