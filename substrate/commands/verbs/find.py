"""Find: search, which, explore."""

from __future__ import annotations

from dataclasses import replace

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import AS_OF, OFFSET, ORIGINS, VALID_AT, limit
from substrate.commands.readers import number, score

__all__ = ["CUES", "EXPLORE", "SEARCH", "WHICH"]

SEARCH = Command(
    "search",
    "find",
    "Find atoms by what they mean, by their words, and by time.",
    "Ask as you would ask a person. Time is understood (now, before the current one, in October 2025, since March): it "
    "says which of several statements comes first. All filters that are given must hold; they are applied before "
    "anything is ranked. The score of a hit is the sum of its parts.",
    (
        Example('substrate search "who handles our payments"', "by meaning and by words"),
        Example('substrate search "payment provider" --why', "with the reasons for each hit"),
        Example('substrate search "payment" --type fact --limit 3 --json', "only facts, as JSON"),
        Example('substrate search "payment provider" --hops 2 --why', "with what edges lead to"),
        Example("%memory search who handles our payments"),
        Example("%memory search payment provider --type fact --limit 3"),
        Example("%memory search payment provider --hops 2"),
    ),
    (
        argument("query", "what to look for", nargs="*"),
        replace(limit(10, most=100), face=Face.CLI),
        option(
            "--limit",
            metavar="N",
            read=number,
            help="maximum number of results, up to 100 (default: MemoryMagics.limit)",
            face=Face.NOTEBOOK,
        ),
        OFFSET,
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
        option(
            "--no-domain",
            metavar="DOMAIN",
            repeatable=True,
            help="without the members of this domain; again for several",
            complete="domain",
        ),
        option("--tag", metavar="TAG", repeatable=True, help="only with this tag; again for several, all of them"),
        option("--any-tag", metavar="TAG", repeatable=True, help="only with this tag; again for one of several"),
        option("--no-tag", metavar="TAG", repeatable=True, help="without this tag; again for several"),
        option("--entity", metavar="ENTITY", repeatable=True, help="only with this entity; again for several"),
        option("--source", metavar="SOURCE", help="only from this source"),
        option("--origin", metavar="WHO", choices=ORIGINS, help="only of this origin: user, agent or ingested"),
        option("--actor", metavar="ACTOR", help="only what this actor wrote"),
        option("--session", metavar="SESSION", help="only of this session"),
        option("--happened-since", metavar="TIME", help="only what happened at or after this time (ISO 8601)"),
        option("--happened-until", metavar="TIME", help="only what happened before this time"),
        AS_OF,
        VALID_AT,
        option("--hops", metavar="N", read=number, default=0, help="also walk N edges from the best hits, up to 3"),
        option(
            "--walk",
            metavar="KIND",
            choices=("best", "pagerank"),
            default="best",
            help="how to walk: best (the best path to each atom, the default) or pagerank",
        ),
        option("--min-score", metavar="SCORE", read=score, help="only hits that score at least this, such as 0.3"),
        flag("--why", help="show what each part added to the score, and which words matched"),
        flag("--words", help="by words only, without the model"),
    ),
    about_cli="--why shows these parts. "
    "The first search on a machine prepares the model, once, which takes half a minute; what is new is "
    "embedded on the way, if it is little. --words does neither.",
    about_notebook="Options may stand before or after the question. The reasons of each hit are always shown.",
)

WHICH = Command(
    "which",
    "find",
    "Tell which atom a text means.",
    "TEXT is its name, or what follows the type in it; its id, or at least eight digits of its beginning; a short id "
    "such as memory_x, doc_x or edge_<id>; its title or an alias; the source of a document. If no atom, or more than "
    "one, is called just so, up to three that may be meant are told, with how like they are and why. Letters of all "
    "scripts count, case does not.",
    (
        Example("substrate which payment_provider", "the name of the atom"),
        Example(
            'substrate which "Payment Provder"', "what is spelled like it; there is none that is called so", exit=4
        ),
        Example("substrate which currency --kind fact --json", "only among facts, as JSON"),
        Example("%memory which payment provider"),
    ),
    (
        argument("text", "what it is called", nargs="*"),
        option("--kind", metavar="TYPE", help="only atoms of this type: domain, entity, document, ..."),
    ),
    about_cli="In a pipe each is a line of name, score, reason and id. The exit code is 0 if exactly one is meant, "
    "else 4.",
)

CUES = Command(
    "cues",
    "find",
    "Tell whether a message asks to keep or to recall something.",
    "By its wording alone, without a model; nothing is recorded. keep and recall are from 0 to 1. The advice is keep, "
    "ask (the person first) or leave.",
    (
        Example('substrate cues "I prefer PostgreSQL for databases"', "keep it: a preference"),
        Example('substrate cues "What did I say about my API preferences?" --json', "recall it: what to search for"),
        Example("%memory cues I prefer PostgreSQL for databases"),
    ),
    (argument("text", "the message", nargs="*"),),
)

EXPLORE = Command(
    "explore",
    "find",
    "Open the Explorer: search as you type, narrow down, and see all there is to know of an atom.",
    "",
    (Example("%memory explore payment"),),
    (argument("query", "what to begin with", nargs="*"), AS_OF),
    only=Face.NOTEBOOK,
)
