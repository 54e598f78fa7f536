"""Entities: entities, extract."""

from __future__ import annotations

from substrate.commands.command import Command, Example, argument, option
from substrate.commands.options import AS_OF, OFFSET, limit

__all__ = ["ENTITIES", "EXTRACT"]

ENTITIES = Command(
    "entities",
    "find",
    "List what a domain is about: people, places, things, and how many atoms mention each.",
    "An entity is an atom v1.entity.<domain>.<name>: its value is the name as it is shown; its attrs have a type and a "
    "list of aliases. A name in one ingested text alone is listed too: it has no atom yet. Mentions are the atoms in "
    "use that name it, by any of its names, in their entities. In a pipe each is a line of name, type, mentions, "
    "aliases and atom.",
    (
        Example("substrate entities", "of all domains"),
        Example("substrate entities --domain shop --begins ad", "only those of one domain whose names begin so"),
        Example("%memory entities --domain shop"),
    ),
    (
        option("--domain", metavar="DOMAIN", help="only of this domain: v1.domain.x, or x", complete="domain"),
        option("--begins", metavar="TEXT", default="", help="only names that begin so, in any spelling"),
        limit(100),
        OFFSET,
        option("--after", metavar="ATOM", help="go on after this atom", complete="name"),
        AS_OF,
    ),
)

EXTRACT = Command(
    "extract",
    "find",
    "Find the names in a text: people, places, products, identifiers, files, addresses.",
    "By how they are written, without a model; nothing is recorded. In a pipe each is a line of name and kind.",
    (
        Example('substrate extract "Ada Lovelace wrote to Charles Babbage in London"', "three names"),
        Example("substrate extract we moved from MySQL to PostgreSQL --json", "as JSON"),
        Example("%memory extract we moved from MySQL to PostgreSQL"),
    ),
    (argument("text", "the text", nargs="+"),),
)
