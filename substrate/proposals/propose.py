"""The verb propose: another text for an atom, or a text that has no domain yet. It waits for a person."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from substrate.atoms.bodies import require_body
from substrate.atoms.domains import DOMAIN
from substrate.atoms.load import atom_of, damage_of
from substrate.atoms.resolve import resolve
from substrate.ciphers import CIPHERTEXT
from substrate.encryption.domains import encrypted_domains
from substrate.errors import Conflict, InputError, NotFound, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.limits import check_size
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.messages import AN_ATOM, Arg, Verb
from substrate.proof.entry import ID_BYTES, Kind
from substrate.proposals.corrections import correct
from substrate.proposals.waiting import near_domains, proposal_of
from substrate.snapshot import Snapshot
from substrate.text.likeness import label_of
from substrate.text.quote import if_needed
from substrate.text.refuse_secrets import refuse_secrets
from substrate.values.atoms import Atom
from substrate.values.review.pending import Correction, Proposal
from substrate.views.beside.proposals import MEANT, NO_ATOM, ProposalRow, all_proposals, overdue, proposal_trace

__all__ = ["Wanted", "correction", "propose"]

_MINUTE: Final = 60 * 1_000_000
_CORRECTION_MINUTES: Final = 10
_TEXT_MINUTES: Final = 24 * 60
_MOST_MINUTES: Final = 7 * 24 * 60


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is proposed, as a caller gives it. See `Memory.propose`."""

    value: str
    name: str | None = None
    domain: str | None = None
    expect: int | None = None
    minutes: int | None = None
    said: Mapping[str, object] | None = None
    """Title, source, reason, actor and session, those that are given."""


def correction(snapshot: Snapshot, name: str, change: str) -> Correction:
    """See `Memory.correction`."""
    if not isinstance(change, str) or not change.strip():
        raise InputError(Arg("change"), " is empty: say what should change")
    check_size(Arg("change"), len(change), "query_characters", "characters")
    atom = _current(snapshot, name)
    made = correct(atom.value, change)
    text, mode = (None, None) if made is None else made
    return Correction(atom.name, atom.id, atom.seq, atom.value, text, mode)


def propose(log: Log, wanted: Wanted) -> Proposal:
    """See `Memory.propose`."""
    said, minutes = _checked(wanted)
    drawn = os.urandom(ID_BYTES)  # nobody can guess it
    rows: list[ProposalRow] = []

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        rows.clear()
        there = list(all_proposals(transaction))
        waiting = 1 + sum(row.is_open(time) for row in there)
        check_size("the list of proposals", waiting, "proposals", "items", "decide some first")
        row = ProposalRow(drawn, NO_ATOM, time, time + minutes * _MINUTE, said=said)
        if wanted.domain is not None:
            _check_readable(transaction, wanted.domain)
            near = near_domains(Snapshot(transaction, None, None, time), wanted.domain)
            row = replace(row, said={**said, **({MEANT: near[0].name} if near else {})})
        if wanted.name is not None:
            atom = _current(Snapshot(transaction, None, None, time), wanted.name)
            _check_change(atom, wanted)
            row = ProposalRow(drawn, _subject(transaction, wanted.name), time, row.ends, seq=atom.seq, said=said)
        rows.append(row)
        return Decision((), [*overdue(there, time), proposal_trace(row)])

    log.decide(plan)
    with log.snapshot() as transaction:
        return proposal_of(Snapshot(transaction, None, None, log.clock.now()), rows[0])


def _checked(wanted: Wanted) -> tuple[dict[str, str], int]:
    """The texts of the row, and how many minutes it waits. InputError, SchemaInvalid, TooLarge, SecretFound."""
    if (wanted.name is None) == (wanted.domain is None):
        raise InputError("give ", Arg("name"), " to change ", AN_ATOM, ", or ", Arg("domain"), " to add one to it")
    if not isinstance(wanted.value, str) or not wanted.value.strip():
        raise InputError(Arg("value"), " is empty: give the proposed text")
    given = {"value": wanted.value, "domain": wanted.domain, **(wanted.said or {})}
    said = {word: text for word, text in given.items() if text is not None}
    for word, text in said.items():
        if not isinstance(text, str):
            raise SchemaInvalid(Arg(word), f" must be a text, not {type(text).__name__}")
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise SchemaInvalid(Arg(word), " must be a text of valid Unicode") from None
        if word == "value":
            check_size(Arg(word), size, "value_bytes")
        else:
            check_size(Arg(word), len(text), "text_characters", "characters")
    if wanted.domain is not None and not label_of(wanted.domain).key:
        raise InputError(Arg("domain"), " has neither letters nor digits: give a name")
    refuse_secrets(wanted.name or "v1.note.proposed", wanted.value, {k: v for k, v in said.items() if k != "value"})
    minutes = wanted.minutes
    if minutes is None:
        minutes = _CORRECTION_MINUTES if wanted.domain is None else _TEXT_MINUTES
    if isinstance(minutes, bool) or not isinstance(minutes, int) or not 0 < minutes <= _MOST_MINUTES:
        raise SchemaInvalid(Arg("minutes"), f" is a whole number from 1 to {_MOST_MINUTES:,}")
    return {word: str(text) for word, text in said.items()}, minutes


def _current(snapshot: Snapshot, name: str) -> Atom:
    """The atom as it is now. NotFound if it is out of use."""
    latest = resolve(snapshot.transaction, name)
    if latest.kind is not Kind.PUT:
        raise NotFound(f"{if_needed(name)} is out of use: there is nothing to correct")
    atom = atom_of(snapshot, latest, require_body(snapshot.transaction, latest.seq))
    if atom.damaged is not None:
        raise damage_of(atom)
    return atom


def _subject(transaction: ReadTransaction, name: str) -> bytes:
    return resolve(transaction, name).subject


def _check_change(atom: Atom, wanted: Wanted) -> None:
    if atom.name.startswith(CIPHERTEXT):
        raise InputError("it is encrypted, and a proposal is not. Save the new text with ", Verb("checkpoint"))
    if wanted.expect is not None and wanted.expect != atom.seq:
        raise Conflict(f"{if_needed(atom.name)} changed meanwhile: read it again, and propose again")
    if atom.value == wanted.value:
        raise InputError("it says that already: nothing would change")
    if atom.superseded_by:
        by = ", ".join(map(if_needed, atom.superseded_by))
        raise Conflict(f"{if_needed(atom.name)} is superseded, by {by}: correct that one")


def _check_readable(transaction: ReadTransaction, domain: str) -> None:
    """InputError if the domain is encrypted, however it is spelt: a proposal waits as text."""
    for one in encrypted_domains(transaction):
        if label_of(one.name.removeprefix(DOMAIN)).key == label_of(domain.removeprefix(DOMAIN)).key:
            raise InputError(f"{one.name} is encrypted, and a proposal is not. Save the text with ", Verb("checkpoint"))
