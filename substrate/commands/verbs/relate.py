"""Relate: context, path, associate, groups, stale."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import AS_OF, NAMES, OFFSET, PREFIX, VALID_AT, limit
from substrate.commands.readers import fraction, number

__all__ = ["ASSOCIATE", "COMPARE", "CONTEXT", "GROUPS", "PATH", "RELATE", "STALE", "VET"]

VERDICTS = ("accepted", "unsupported", "rejected")

CONTEXT = Command(
    "context",
    "find",
    "Show the neighbours of atoms, along edges in both directions.",
    "First the current edges, nearest first, up to --depth steps. Then the arcs: atoms that sessions used after these.",
    (
        Example("substrate context v1.decision.ledger", "atoms linked to it"),
        Example(
            "substrate context v1.fact.currency v1.decision.ledger --depth 2 --json", "up to two steps away, as JSON"
        ),
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
    about_cli="In a pipe, each atom is a line of distance, name, value and state. Then each edge or arc is a line of "
    "kind, source, type (for an arc: its share) and target.",
)

PATH = Command(
    "path",
    "find",
    "Show a shortest path between two atoms, along edges in either direction.",
    "It uses current edges and atoms in use, at most 6 edges. It follows up to 200 edges of an atom, and names "
    "an atom with more.",
    (
        Example("substrate path v1.fact.currency v1.decision.ledger", "how the two are linked"),
        Example("substrate path v1.fact.currency v1.decision.ledger --most 2 --json", "at most two steps, as JSON"),
        Example("%memory path v1.fact.currency v1.decision.ledger"),
    ),
    (
        argument("a", "the name or the id of an atom", metavar="A", complete="name"),
        argument("b", "the name or the id of the other", metavar="B", complete="name"),
        option("--most", metavar="N", read=number, default=6, help="how many edges it may have, up to 6 (default: 6)"),
        AS_OF,
        VALID_AT,
    ),
    about_cli="In a pipe, each edge is a line of atom, direction (-> or <-), type, next atom and confidence.",
)

ASSOCIATE = Command(
    "associate",
    "find",
    "Find related atoms in other domains that no edge links yet, with the reason.",
    "It compares meaning, rare words, sequences of use and shared neighbours. Atoms belong to a domain by "
    "member_of edges. Atoms that an edge links now, or linked before, are left out.",
    (
        Example("substrate associate v1.fact.currency", "related atoms without an edge"),
        Example("substrate associate v1.fact.currency v1.decision.ledger --limit 3 --json", "for two atoms, as JSON"),
        Example("%memory associate v1.decision.ledger"),
    ),
    (
        NAMES,
        option("--domain", metavar="DOMAIN", help="the domain these belong to, besides their own", complete="domain"),
        option(
            "--other-domain",
            metavar="DOMAIN",
            repeatable=True,
            help="look only in this domain; repeat for several (default: all others)",
            complete="domain",
        ),
        limit(10, most=100),
    ),
    about_cli="In a pipe, each result is a line of score, name, the other's name and value, and the reason.",
)

GROUPS = Command(
    "groups",
    "find",
    "Find atoms that say nearly the same, in groups.",
    "Two atoms are joined if their vectors are near, or their rare words if one has no vector yet. Different "
    "numbers, or a negation in one of them, make them less alike. The cohesion of a group is the mean of all its "
    "pairs. The advice is merge, review (look first) or keep. Ingested texts are left out. Nothing is changed.",
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

_RELATION = (
    argument("source", "an entity: its name, an alias or its id"),
    argument("type", "the type of the relation, such as uses or works_for"),
    argument("target", "the other entity"),
    option("--text", metavar="TEXT", help="the text to check it against (default: stored passages that name both)"),
    option("--confidence", metavar="SHARE", read=float, help="how sure its author is, from 0 to 1"),
    option("--domain", metavar="DOMAIN", help="the domain of the entities (default: main)", complete="domain"),
)

VET = Command(
    "vet",
    "find",
    "Check a relation between two entities by the graph and by a text.",
    "The verdict is accepted, rejected or unsupported, with the reason. It asks no model and records nothing.",
    (
        Example('substrate vet Kafka uses ZooKeeper --text "Kafka uses ZooKeeper for its metadata"', "accepted"),
        Example('substrate vet ZooKeeper uses Kafka --text "Kafka uses ZooKeeper" --json', "rejected, as JSON"),
        Example('%memory vet Kafka uses ZooKeeper --text "Kafka uses ZooKeeper"'),
    ),
    _RELATION,
    about_cli="In a pipe it is one line of verdict, level, score and reason.",
)

RELATE = Command(
    "relate",
    "save",
    "State a relation between two entities, if it passes the check of vet.",
    "Missing entities are made. The edge keeps the evidence in its attrs. With --least unsupported, a relation "
    "is stated unless it is rejected; with --least rejected, always.",
    (
        Example('substrate relate Kafka uses ZooKeeper --text "Kafka uses ZooKeeper"', "stated"),
        Example("substrate relate Kafka likes Redis --least rejected", "stated, whatever the check says"),
        Example('%memory relate Kafka uses ZooKeeper --text "Kafka uses ZooKeeper"'),
    ),
    (
        *_RELATION,
        option("--least", metavar="VERDICT", default="accepted", choices=VERDICTS, help="the least verdict to state"),
    ),
    as_agent=False,
)

COMPARE = Command(
    "compare",
    "judge",
    "Tell whether two passages contradict each other, sentence by sentence.",
    "The verdict is conflict, agree or cannot tell. It asks no model, and needs no store.",
    (
        Example('substrate compare "The port is 80." "The port is not 80."', "conflict"),
        Example('substrate compare "The port is 80." "Tea is served." --json', "cannot tell, as JSON"),
        Example('%memory compare "The port is 80." "The port is 443."'),
    ),
    (argument("first", "a passage"), argument("second", "the other passage")),
    as_agent=False,
)

STALE = Command(
    "stale",
    "find",
    "List atoms to review, because a dependency has changed.",
    "Dependencies are depends_on and derived_from edges, over any number of steps. A dependency has changed if "
    "it has another value, is superseded, or is gone. Save the atom again, with the same or another value, to "
    "clear it. In a pipe, each atom is a line of name, value and reasons.",
    (
        Example("substrate stale", "all of them"),
        Example("substrate stale v1.decision. --json", "only decisions, as JSON"),
    ),
    (PREFIX, limit(100), option("--after", metavar="NAME", help="continue after this name", complete="name")),
    only=Face.CLI,
)
