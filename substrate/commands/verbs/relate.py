"""Relate: context, path, associate, groups, stale."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import AS_OF, NAMES, OFFSET, PREFIX, VALID_AT, limit
from substrate.commands.readers import fraction, number

__all__ = ["ASSOCIATE", "CONTEXT", "GROUPS", "PATH", "STALE"]

CONTEXT = Command(
    "context",
    "find",
    "Show what surrounds atoms: edges both ways, and what they lead to.",
    "Edges that hold, the nearest first, up to --depth away; then arcs: the atoms that were used after these.",
    (
        Example("substrate context v1.decision.ledger", "what it is joined to"),
        Example("substrate context v1.fact.currency v1.decision.ledger --depth 2 --json", "two steps far, as JSON"),
        Example("%memory context v1.decision.ledger --depth 2"),
    ),
    (
        NAMES,
        option("--depth", metavar="N", read=number, default=1, help="how many edges away, up to 3 (default: 1)"),
        option("--type", metavar="TYPE", help="only edges of this type"),
        limit(100, "edges"),
        OFFSET,
        AS_OF,
        VALID_AT,
    ),
    about_cli="In a pipe the atoms come first, each a line of distance, name, value and state; then the edges and "
    "arcs, each a line of kind, source, type (of an arc: its share) and target.",
)

PATH = Command(
    "path",
    "find",
    "Show a shortest path between two atoms, along edges in either direction.",
    "Only edges that hold, through atoms in use; at most 6 of them. Of an atom with more than 200 edges so many are "
    "followed, and it is named.",
    (
        Example("substrate path v1.fact.currency v1.decision.ledger", "how the two are joined"),
        Example("substrate path v1.fact.currency v1.decision.ledger --most 2 --json", "two steps at most, as JSON"),
        Example("%memory path v1.fact.currency v1.decision.ledger"),
    ),
    (
        argument("a", "the name or the id of an atom", metavar="A", complete="name"),
        argument("b", "the name or the id of the other", metavar="B", complete="name"),
        option("--most", metavar="N", read=number, default=6, help="how many edges it may have, up to 6 (default: 6)"),
        AS_OF,
        VALID_AT,
    ),
    about_cli="In a pipe each edge is a line of the atom it leaves, the way it points (-> or <-), its type, the atom "
    "it leads to, and its confidence.",
)

ASSOCIATE = Command(
    "associate",
    "find",
    "Find related atoms in other domains that no edge links yet, with the reason.",
    "Strong by meaning, by rare words, by what came next or by shared neighbours; weak by what is stated. Atoms belong "
    "to a domain by member_of edges. What an edge joins already, or did before it was taken back, is not shown.",
    (
        Example("substrate associate v1.fact.currency", "connections that nobody has stated"),
        Example("substrate associate v1.fact.currency v1.decision.ledger --limit 3 --json", "of two atoms, as JSON"),
        Example("%memory associate v1.decision.ledger"),
    ),
    (
        NAMES,
        option("--domain", metavar="DOMAIN", help="the domain these belong to, besides their own", complete="domain"),
        option(
            "--other-domain",
            metavar="DOMAIN",
            repeatable=True,
            help="look only in this domain; again for several (default: all others)",
            complete="domain",
        ),
        limit(10, most=100),
    ),
    about_cli="In a pipe each is a line of score, name, the other's name and value, and the reason.",
)

GROUPS = Command(
    "groups",
    "find",
    "Find atoms that say nearly the same, in groups.",
    "Two atoms are joined if their vectors are near or, where one has no vector yet, their rare words. Each with a "
    "number that the other lacks, or one of them negated, are less alike. cohesion is the mean of all pairs of a "
    "group. The advice is merge, review (look first) or keep. Ingested texts are left out. Nothing is changed.",
    (
        Example("substrate groups", "groups, the most alike first"),
        Example("substrate groups --pairs --threshold 0.88 --json", "pairs of likely duplicates, as JSON"),
        Example("%memory groups --type note"),
    ),
    (
        option(
            "--threshold", metavar="0..1", read=fraction, default=0.83, help="how alike two must be (default: 0.83)"
        ),
        option("--most", metavar="N", read=number, default=12, help="atoms in one group, 2 to 100 (default: 12)"),
        limit(20, most=1000),
        flag("--pairs", help="list single pairs, in the place of groups"),
        option(
            "--type",
            metavar="TYPE",
            repeatable=True,
            help="only atoms of this type: fact, procedure, ...; again for one of several",
        ),
        option("--prefix", metavar="PREFIX", help="only names that begin so", complete="name"),
        option(
            "--domain",
            metavar="DOMAIN",
            repeatable=True,
            help="only members of this domain: v1.domain.x, or x; again for one of several",
            complete="domain",
        ),
        option("--tag", metavar="TAG", repeatable=True, help="only with this tag; again for several, all of them"),
    ),
    about_cli="In a pipe each member is a line of group, cohesion, advice, name and value; each pair one of similarity "
    "and both names. `substrate merge` makes one atom of a group.",
)

STALE = Command(
    "stale",
    "find",
    "List atoms to be reviewed, since what they depend on has changed.",
    "By depends_on and derived_from edges, over any number of steps. A dependency has changed if it has another value, "
    "was superseded, or is absent now. Saving an atom again, with the same or another value, clears it. In a pipe each "
    "is a line of name, value and the reasons.",
    (
        Example("substrate stale", "all of them"),
        Example("substrate stale v1.decision. --json", "only decisions, as JSON"),
    ),
    (PREFIX, limit(100), option("--after", metavar="NAME", help="go on after this name", complete="name")),
    only=Face.CLI,
)
