"""Entities: entities, extract."""

from __future__ import annotations

from substrate.commands.command import Command, Example, argument, option
from substrate.commands.options import AS_OF, OFFSET, limit

__all__ = ["ENTITIES", "EXTRACT"]

ENTITIES = Command(
    "entities",
    "find",
    "List the people, places and things of a domain, and how many atoms mention each.",
    "An entity is an atom v1.entity.<domain>.<name>. Its value is the shown name; its attrs hold a type and "
    "aliases. The list includes names from a single ingested text, which have no atom yet. Mentions counts the "
    "atoms in use that list one of its names as an entity. In a pipe, each entity is a line of name, type, "
    "mentions, aliases and atom.",
    (
        Example("substrate entities", "of all domains"),
        Example("substrate entities --domain shop --begins ad", "names in one domain that begin with ad"),
        Example("%memory entities --domain shop"),
    ),
    (
        option("--domain", metavar="DOMAIN", help="only of this domain: v1.domain.x, or x", complete="domain"),
        option("--begins", metavar="TEXT", default="", help="only names that begin with this, in any spelling"),
        limit(100),
        OFFSET,
        option("--by", metavar="ORDER", choices=("mentions", "name"), help="the order (default: mentions, most first)"),
        option("--after", metavar="ATOM", help="by name: continue after this atom", complete="name"),
        AS_OF,
    ),
)

EXTRACT = Command(
    "extract",
    "find",
    "Find the names in a text: people, places, products, identifiers, files, addresses.",
    "It looks at the spelling, without a model, and records nothing. In a pipe, each name is a line of name and kind.",
    (
        Example('substrate extract "Ada Lovelace wrote to Charles Babbage in London"', "three names"),
        Example("substrate extract we moved from MySQL to PostgreSQL --json", "as JSON"),
        Example("%memory extract we moved from MySQL to PostgreSQL"),
    ),
    (argument("text", "the text", nargs="+"),),
    as_agent=False,
)
