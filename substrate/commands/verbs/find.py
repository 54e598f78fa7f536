"""Find: search, which, explore."""

from __future__ import annotations

from dataclasses import replace

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import AS_OF, DOMAIN, OFFSET, ORIGINS, TAG, TYPE, VALID_AT, limit
from substrate.commands.readers import number, score

__all__ = ["CUES", "EXPLORE", "SEARCH", "WHICH"]

SEARCH = Command(
    "search",
    "find",
    "Find atoms by meaning, by words and by time.",
    "Ask as you would ask a person. Words of time (now, before the current one, in October 2025, since March) "
    "decide which statement comes first. Every filter must hold, and filters apply before the ranking. The score "
    "of a hit is the sum of its parts.",
    (
        Example('substrate search "who handles our payments"', "by meaning and by words"),
        Example('substrate search "payment provider" --why', "with the reasons for each hit"),
        Example('substrate search "payment" --type fact --limit 3 --json', "only facts, as JSON"),
        Example('substrate search "payment provider" --hops 2 --why', "also atoms that edges lead to"),
        Example("%memory search who handles our payments"),
        Example("%memory search payment provider --type fact --limit 3"),
        Example("%memory search payment provider --hops 2"),
    ),
    (
        argument("query", "the words or the question to search for", nargs="*"),
        replace(limit(10, most=100), face=Face.CLI),
        option(
            "--limit",
            metavar="N",
            read=number,
            help="maximum number of results, up to 100 (default: MemoryMagics.limit)",
            face=Face.NOTEBOOK,
        ),
        OFFSET,
        TYPE,
        option("--prefix", metavar="PREFIX", help="only names that begin with this", complete="name"),
        DOMAIN,
        option(
            "--no-domain",
            metavar="DOMAIN",
            repeatable=True,
            help="without the members of this domain; repeat for several",
            complete="domain",
        ),
        TAG,
        option("--any-tag", metavar="TAG", repeatable=True, help="only with this tag; repeat to allow several"),
        option("--no-tag", metavar="TAG", repeatable=True, help="without this tag; repeat for several"),
        option("--entity", metavar="ENTITY", repeatable=True, help="only with this entity; repeat for several"),
        option("--source", metavar="SOURCE", help="only from this source"),
        option("--origin", metavar="WHO", choices=ORIGINS, help="only of this origin: user, agent or ingested"),
        option("--actor", metavar="ACTOR", help="only atoms by this author"),
        option("--session", metavar="SESSION", help="only of this session"),
        option("--happened-since", metavar="TIME", help="only events at or after this time (ISO 8601)"),
        option("--happened-until", metavar="TIME", help="only events before this time"),
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
    about_cli="--why shows these parts. The first search on a machine prepares the model, which takes a few seconds. A "
    "search also embeds a few new atoms. --words does neither.",
    about_notebook="Options may stand before or after the question. The reasons of each hit are always shown.",
)

WHICH = Command(
    "which",
    "find",
    "Find the atom that a text names.",
    "TEXT is a name, or the part of it after the type. It can be an id, or at least its first eight digits. It "
    "can be a short id such as memory_x, doc_x or edge_<id>. It can be a title, an alias or the source of a "
    "document. Without exactly one match, it prints up to three similar atoms, with score and reason. Upper and "
    "lower case are the same.",
    (
        Example("substrate which payment_provider", "the name of the atom"),
        Example('substrate which "Payment Provder"', "an atom with a similar name; none has this one", exit=4),
        Example("substrate which currency --kind fact --json", "only among facts, as JSON"),
        Example("%memory which payment provider"),
    ),
    (
        argument("text", "a name, id, title, alias or source", nargs="*"),
        option("--kind", metavar="TYPE", help="only atoms of this type: domain, entity, document, ..."),
    ),
    about_cli="In a pipe, each atom is a line of name, score, reason and id. The exit code is 0 for exactly one match, "
    "else 4.",
)

CUES = Command(
    "cues",
    "find",
    "Tell whether a message asks to keep or to recall something.",
    "It judges by the wording alone, without a model, and records nothing. keep and recall are from 0 to 1. The "
    "advice is keep, ask (the person first) or leave.",
    (
        Example('substrate cues "I prefer PostgreSQL for databases"', "keep it: a preference"),
        Example('substrate cues "What did I say about my API preferences?" --json', "recall it: what to search for"),
        Example("%memory cues I prefer PostgreSQL for databases"),
    ),
    (argument("text", "the message", nargs="*"),),
    as_agent=False,
)

EXPLORE = Command(
    "explore",
    "find",
    "Open the Explorer: search as you type, filter, and see everything about an atom.",
    "",
    (Example("%memory explore payment"),),
    (argument("query", "the first query", nargs="*"), AS_OF),
    only=Face.NOTEBOOK,
)
