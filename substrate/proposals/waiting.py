"""What waits: rows as users hold them, and one of them by its id."""

from __future__ import annotations

import re
from typing import Final

from substrate.atoms.bodies import require_body
from substrate.atoms.meant.which import which
from substrate.atoms.resolve import ATOM_ID, name_of
from substrate.errors import Conflict, InputError, NotFound
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit
from substrate.messages import Verb
from substrate.proof.entry import Kind
from substrate.result import iso
from substrate.snapshot import Snapshot
from substrate.values.hits import Found, Match
from substrate.values.review.pending import CORRECTION, STATEMENT, TEXT, Proposal, Proposals
from substrate.values.times import from_microseconds
from substrate.views.atoms import latest_version
from substrate.views.beside.proposals import NO_ATOM, ProposalRow, all_proposals, find_proposal

__all__ = [
    "is_statement",
    "near_domains",
    "proposal_id",
    "proposal_of",
    "require_open",
    "row_of",
    "waiting",
    "with_statements",
]

_ID: Final = re.compile(r"p_[0-9a-f]{32}")


def proposal_id(row: ProposalRow) -> str:
    """Its id, as users see it: random, so that nobody can guess one."""
    return f"p_{row.id.hex()}"


def is_statement(given: object) -> bool:
    """Whether it is the name or the id of an atom, as statements have them."""
    return isinstance(given, str) and (ATOM_ID.fullmatch(given) is not None or given.startswith("v1."))


def waiting(snapshot: Snapshot, limit: int) -> Proposals:
    """Rows that wait, those first that expire first."""
    check_limit(limit)
    shown = [row for row in all_proposals(snapshot.transaction) if row.is_open(snapshot.at)]
    shown.sort(key=lambda row: (row.ends, row.id))
    return Proposals(tuple(proposal_of(snapshot, row) for row in shown[:limit]), len(shown) > limit)


def with_statements(rows: Proposals, found: Found, limit: int) -> Proposals:
    """The same, and behind them the statements that were found, as far as the limit goes."""
    statements = [
        Proposal(hit.atom.id, STATEMENT, hit.atom.value, hit.atom.recorded_at, name=hit.name, source=hit.atom.source)
        for hit in found
    ]
    items = (*rows.items, *statements)
    return Proposals(items[:limit], rows.more or found.more or len(items) > limit)


def row_of(transaction: ReadTransaction, given: str) -> ProposalRow:
    """The row with this id, whatever became of it. NotFound, InputError."""
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise InputError("the id of a proposal reads like p_ and 32 hexadecimal digits; ", Verb("proposals"), " lists")
    row = find_proposal(transaction, bytes.fromhex(given[2:]))
    if row is not None:
        return row
    raise NotFound(f"there is no proposal {given}; ", Verb("proposals"), " lists those that wait")


def require_open(row: ProposalRow, time: int) -> None:
    """Conflict if somebody decided already; NotFound if its time is over."""
    if row.state in {"accepted", "declined"}:
        by = "" if row.seq is None else f", by entry {row.seq}"
        raise Conflict(f"the proposal was {row.state} already{by}: nothing was changed")
    if not row.is_open(time):
        raise NotFound(f"the proposal expired at {iso(from_microseconds(row.ends))}: propose it again")


def proposal_of(snapshot: Snapshot, row: ProposalRow) -> Proposal:
    """A row as users hold it, beside what its atom says now."""
    said, is_text = row.said, row.subject == NO_ATOM
    latest = None if is_text else latest_version(snapshot.transaction, row.subject)
    is_used = latest is not None and latest.kind is Kind.PUT
    original = require_body(snapshot.transaction, latest.seq).members.get("value") if latest and is_used else None
    return Proposal(
        proposal_id(row),
        TEXT if is_text else CORRECTION,
        said.get("value", ""),
        from_microseconds(row.made),
        from_microseconds(row.ends),
        name=None if is_text else name_of(snapshot.transaction, row.subject),
        original=None if original is None else str(original),
        changed=not is_text and (latest is None or latest.seq != row.seq),
        domain=said.get("domain"),
        candidates=near_domains(snapshot, said.get("domain", "")) if is_text else (),
        title=said.get("title"),
        source=said.get("source"),
        reason=said.get("reason"),
        actor=said.get("actor"),
        session=said.get("session"),
    )


def near_domains(snapshot: Snapshot, wanted: str) -> tuple[Match, ...]:
    """The domains that may be meant; none of what is no name."""
    try:
        return which(snapshot, wanted, "domain").items
    except InputError:
        return ()
