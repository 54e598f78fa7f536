"""The verb that finds: search. It writes nothing but the vectors of what is new, if that is little."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Table
from substrate.cli.inputs import AS_OF, VALID_AT, parse_number
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verb import Example, Verb, argument, flag, option
from substrate.errors import InputError, SubstrateError

if TYPE_CHECKING:
    from substrate.engine.memory import Memory
    from substrate.findings import Found, Hit

__all__ = ["SEARCH"]

_WAIT_S = 120.0
"""For the model: exporting it, once on a machine, takes half a minute. Whoever cannot wait says --words."""
_FEW = 500
"""Versions that are embedded on the way, in some seconds. Of more it is said that `index` does it."""


def _search(given: Namespace, output: Output) -> Answer:
    with reading(given) as memory:
        found = _found(memory, given)
    if not given.words and 0 < found.lag <= _FEW:
        found = _indexed(given, output) or found
    columns = ("=score", "=name", "text", *(["why"] if given.why else []))
    rows = [_row(hit, why=given.why) for hit in found]
    return Answer(found.to_dict(), (Table(columns, rows),), tuple(_hints(found, given)))


def _found(memory: Memory, given: Namespace) -> Found:
    return memory.search(
        " ".join(given.query),
        limit=given.limit,
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
        wait=0 if given.words else _WAIT_S,
    )


def _indexed(given: Namespace, output: Output) -> Found | None:
    """Search again when the few versions that are new are embedded; None if they cannot be."""
    try:
        with writing(given) as memory:
            if memory.model().waiting > _FEW:
                return None
            with output.progress("embedding") as progress:
                memory.index(progress)
            return _found(memory, given)
    except SubstrateError:  # what was found without it is an answer too
        return None


def _row(hit: Hit, *, why: bool) -> tuple[object, ...]:
    text = " ".join(hit.snippet.split())
    row: tuple[object, ...] = (f"{hit.score:.2f}", hit.name, text if hit.current else f"(earlier) {text}")
    if not why:
        return row
    words = f"; words: {', '.join(hit.matched)}" if hit.matched else ""
    return (*row, hit.why + words)


def _hints(found: Found, given: Namespace) -> list[str]:
    hints = []
    if not found.items:
        hints.append("nothing was found")
    hints += [word for word in found.remarks if not (given.words and word.startswith("searched by words"))]
    if found.lag and not given.words:
        hints.append("to embed them: substrate index")
    if found.more:
        hints.append(f"there is more: --offset {given.offset + len(found.items)}")
    return hints


def _score(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--min-score must be a number, such as 0.3, not {text}") from None


SEARCH = Verb(
    "search",
    "find",
    "Find atoms by what they mean, by their words, and by time.",
    "Ask as you would ask a person. Time is understood (now, before the current one, in October 2025, since March): it "
    "says which of several statements comes first. All filters that are given must hold; they are applied before "
    "anything is ranked. The score of a hit is the sum of its parts, which --why shows. The first search on a machine "
    "prepares the model, once, which takes half a minute; what is new is embedded on the way, if it is little. --words "
    "does neither.",
    (
        Example('substrate search "who handles our payments"', "by meaning and by words"),
        Example('substrate search "payment provider" --why', "with the reasons for each hit"),
        Example('substrate search "payment" --type fact --limit 3 --json', "only facts, as JSON"),
    ),
    (
        argument("query", "what to look for", nargs="*"),
        option("--limit", metavar="N", parse=parse_number, default=10, help="at most so many, up to 100 (default 10)"),
        option("--offset", metavar="N", parse=parse_number, default=0, help="leave out so many of the best"),
        option("--type", metavar="TYPE", help="only atoms of this type: fact, procedure, ..."),
        option("--prefix", metavar="PREFIX", help="only names that begin so", complete="name"),
        option("--domain", metavar="DOMAIN", help="only members of this domain: v1.domain.x, or x", complete="name"),
        option("--tag", metavar="TAG", repeatable=True, help="only with this tag; again for several"),
        option("--entity", metavar="ENTITY", repeatable=True, help="only with this entity; again for several"),
        option("--source", metavar="SOURCE", help="only from this source"),
        option(
            "--origin",
            metavar="WHO",
            choices=("user", "agent", "ingested"),
            help="only of this origin: user, agent or ingested",
        ),
        option("--actor", metavar="ACTOR", help="only what this actor wrote"),
        option("--session", metavar="SESSION", help="only of this session"),
        option("--happened-since", metavar="TIME", help="only what happened at or after this time (ISO 8601)"),
        option("--happened-until", metavar="TIME", help="only what happened before this time"),
        AS_OF,
        VALID_AT,
        option("--min-score", metavar="SCORE", parse=_score, help="only hits that score at least this, such as 0.3"),
        flag("--why", help="show what each part added to the score, and which words matched"),
        flag("--words", help="by words only, without the model"),
    ),
    _search,
)
