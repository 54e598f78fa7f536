"""What a client under a policy may not write: about hidden atoms, into hidden domains, tiers, and the end of a domain.

Names are unique in a store, so a name that a hidden atom has cannot be given to another. The refusal is the same for
such a name, and for any name of a hidden domain, whether there is an atom or not: it tells that the name is not free
for this client, and nothing else. Whoever guesses names can learn that much, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.atoms.domains import CAP, DOMAIN, TIER, last_attrs
from substrate.atoms.resolve import find_subject, name_of
from substrate.ciphers import CIPHERTEXT
from substrate.codec import Draft, decode_body
from substrate.errors import Denied
from substrate.hiding.statements import KeyOf, Statements
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.tables import CHOICES, DOMAIN_KEYS, EXPECTED
from substrate.messages import AN_ATOM
from substrate.proof.entry import Kind
from substrate.values.edges import SUPERSEDES
from substrate.veil import Hidden
from substrate.views.atoms import find_name, latest_version

__all__ = ["ONLY_PEOPLE", "check_decision"]

ONLY_PEOPLE: Final = "only a person sets the tier of a domain: ask for `substrate tier DOMAIN TIER`"

_ONLY_PEOPLE_END: Final = "only a person forgets a domain or takes it out of use: its tier and its key would go with it"
OF_ALL: Final[Mapping[bytes, str]] = {
    b"watch": "`substrate watch`",
    b"quota": "`memory.set_quota()`",
    b"fading": "`substrate fading --model MODEL`",
}
"""Choices that hold for all who have the store open, by key: what a person types."""
_NAMED: Final = (Kind.PUT, Kind.TOMBSTONE)
_EDGES: Final = (Kind.EDGE, Kind.UNEDGE)


def check_decision(
    transaction: ReadTransaction, covered: ReadTransaction, hidden: Hidden | None, decision: Decision, key_of: KeyOf
) -> None:
    """Denied if a client that may not see the hidden atoms may not write this. The transaction has all there is.

    `covered`: the same, with the atoms of unlocked domains as text.
    """
    statements = Statements(covered, key_of)
    for draft in decision.drafts:
        if draft.kind in _NAMED:
            _check_name(transaction, hidden, draft, key_of, statements)
        elif draft.kind is Kind.FORGET and draft.subject is not None:
            name = name_of(transaction, draft.subject) or ""
            if name.startswith(DOMAIN):
                raise Denied(_ONLY_PEOPLE_END)
            if name.startswith(CIPHERTEXT) and key_of(name) is None:
                raise _denied(name)
            statements.check_end(draft.subject)
            statements.check_edge_lost(draft.subject)
        elif draft.kind in _EDGES:
            _check_edge(transaction, hidden, draft, decision, statements)
    for table, key, row in decision.traces:
        if table == DOMAIN_KEYS:
            raise Denied("only a person encrypts a domain, or forgets one that is encrypted: ask a person to do it")
        if table == CHOICES and key in OF_ALL:
            raise Denied(f"it holds for all who use this store: ask a person for {OF_ALL[key]}")
        if table == EXPECTED and row is not None and hidden is not None and hidden.hides_name(row.decode()):
            raise _denied("an edge to one of these names")


def _check_edge(
    transaction: ReadTransaction, hidden: Hidden | None, draft: Draft, decision: Decision, statements: Statements
) -> None:
    edge = decode_body(draft.body)
    ends = [bytes.fromhex(str(edge.get(end, ""))) for end in ("source", "target")]
    if hidden is not None and any(end in hidden.atoms for end in ends):
        raise _denied("an edge to one of these names")
    if edge.get("type") == SUPERSEDES:
        statements.check_target(ends[1])
        if draft.kind is Kind.EDGE:
            _check_in_use(transaction, ends[1], decision)


def _check_in_use(transaction: ReadTransaction, target: bytes, decision: Decision) -> None:
    """Denied if no such atom is in use, nor recorded by this: an agent supersedes what is there, and no bare name."""
    row = latest_version(transaction, target)
    if row is not None and row.kind is Kind.PUT:
        return
    puts = (draft for draft in decision.drafts if draft.kind is Kind.PUT)
    names = (draft.name or str(decode_body(draft.body).get("name", "")) for draft in puts)
    if all(find_subject(transaction, name) != target for name in names):
        raise Denied(
            "an edge of the type supersedes leads to ",
            AN_ATOM,
            " in use, and there is none of that name now. ",
            "Nothing was changed: record it first, or ask a person",
        )


def _check_name(
    transaction: ReadTransaction, hidden: Hidden | None, draft: Draft, key_of: KeyOf, statements: Statements
) -> None:
    members = decode_body(draft.body)
    name = draft.name or str(members.get("name", ""))
    if name.startswith(CIPHERTEXT) and key_of(name) is None:
        raise _denied(name)
    row = find_name(transaction, name)
    if hidden is not None:
        taken = row is not None and row.subject in hidden.atoms
        whole = members.get("parent")
        inside = isinstance(whole, str) and bytes.fromhex(whole) in hidden.atoms
        if taken or inside or hidden.hides_name(name):
            raise _denied(name)
    if draft.kind is Kind.PUT:
        statements.check_put(row, draft)
    elif row is not None:
        statements.check_end(row.subject)
    if draft.kind is Kind.TOMBSTONE and name.startswith(DOMAIN):
        raise Denied(_ONLY_PEOPLE_END)
    if draft.kind is Kind.PUT and name.startswith(DOMAIN):
        before = {} if row is None else last_attrs(transaction, row)
        said = members.get("attrs")
        after = said if isinstance(said, dict) else {}
        if any(before.get(key) != after.get(key) for key in (TIER, CAP)):
            raise Denied(ONLY_PEOPLE)


def _denied(what: str) -> Denied:
    return Denied(f"this client may not write {what}. Nothing was changed: use another name, or ask a person to do it")
