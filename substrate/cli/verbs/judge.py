"""The verbs that judge: conflicts and resolve, of what contradicts each other; pending, of what waits for a person."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Facts, Table
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verbs.save import saved_answer
from substrate.commands import calls
from substrate.result import iso

if TYPE_CHECKING:
    from substrate.values.conflicts import Conflict
    from substrate.values.review.pending import Proposal, Proposals

__all__ = ["conflicts", "pending", "resolve"]


def conflicts(given: Namespace, _: Output) -> Answer:
    """Print pairs of atoms that contradict each other."""
    with reading(given) as memory:
        found = memory.conflicts(given.name, limit=given.limit, offset=given.offset, ingested=given.ingested)
    hints = [] if found.items else ["there are no open conflicts"]
    if found.items:
        hints.append("to settle one: substrate resolve FIRST SECOND, with --keep NAME if only one of them is right")
    if found.more:
        hints.append(f"there is more: --offset {given.offset + len(found.items)}")
    columns = ("=first", "=second", "kind", "reason")
    return Answer(found.to_dict(), (Table(columns, [_row(item) for item in found]),), tuple(hints))


def _row(conflict: Conflict) -> tuple[str, str, str, str]:
    return conflict.first.name, conflict.second.name, conflict.kind, conflict.reason


def resolve(given: Namespace, _: Output) -> Answer:
    """Settle a conflict."""
    with writing(given) as memory:
        saved = calls.resolve(memory, given)
    if given.keep is None:
        told = f"{given.first} and {given.second} are both right"
    else:
        other = given.second if given.keep == given.first else given.first
        told = f"{given.keep} supersedes {other}"
    return saved_answer(saved, [("resolved", told)])


def pending(given: Namespace, _: Output) -> Answer:
    """List what waits for a person, or decide on one."""
    calls.check_pending(given)
    if given.accept is None and given.decline is None:
        with reading(given) as memory:
            return _listed(memory.proposals(limit=given.limit))
    with writing(given) as memory:
        if given.decline is not None:
            declined = memory.decline(given.decline, actor=given.actor)
            return Answer(declined.to_dict(), (Facts([("declined", declined.name or declined.id)]),), is_report=True)
        accepted = calls.accept(memory, given)
    rows = [("accepted", accepted.name)]
    if accepted.domain is not None:
        rows.append(("domain", f"{accepted.domain}{', created' if accepted.created else ''}"))
    return Answer(accepted.to_dict(), (Facts(rows),), is_report=True)


def _listed(found: Proposals) -> Answer:
    hints = [] if found.items else ["nothing waits for you"]
    if found.items:
        hints.append("to decide: substrate pending --accept ID, or --decline ID")
    if any(one.kind == "text" for one in found):
        hints.append("a text needs a domain: --accept ID --domain NAME, or --create for the one that was asked for")
    if found.more:
        hints.append("there is more: --limit")
    columns = ("=id", "kind", "about", "text", "?expires")
    return Answer(
        found.to_dict(), (Table(columns, [_pending_row(one) for one in found]),) if found else (), tuple(hints)
    )


def _pending_row(one: Proposal) -> tuple[str, str, str, str, str | None]:
    about = one.name or one.domain or ""
    if one.candidates:
        about += f" (near: {', '.join(near.name for near in one.candidates)})"
    return one.id, one.kind, about, one.value, None if one.expires_at is None else iso(one.expires_at)
