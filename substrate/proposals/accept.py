"""The verb accept: a correction becomes a version, a text a document. Of several at once, one wins.

A correction is one checkpoint: the version and the end of the proposal are written together, or neither is. A text may
take several. So the domain that was picked is written into the row first, and the texts leave it last. If the process
ends between, the proposal still waits; accepted again, it goes into the same domain, where the same text is one
document. If the domain refuses the text, the row is as it was before, and another one can be picked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from substrate.atoms.bodies import require_body
from substrate.atoms.domains import DOMAIN
from substrate.atoms.load import atom_of
from substrate.atoms.meant.which import which
from substrate.atoms.renames import renamed_to
from substrate.atoms.resolve import name_of
from substrate.documents.ingest import ingest
from substrate.documents.request import Request
from substrate.errors import Conflict, InputError, NotFound, SecretFound, SubstrateError
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.log.tables import ENTRIES
from substrate.messages import AN_ATOM, Arg
from substrate.names import escape_rest
from substrate.proof.entry import Kind
from substrate.proposals.waiting import is_statement, proposal_id, require_open, row_of
from substrate.save.batch import Batch
from substrate.save.checkpoint import read_batch
from substrate.save.input import fields_of
from substrate.save.place import Place
from substrate.save.proposed import confirm
from substrate.snapshot import Snapshot
from substrate.text.likeness import slug_of
from substrate.text.quote import if_needed, in_quotes
from substrate.text.refuse_secrets import refuse_secrets
from substrate.values.documents import IngestedDocument
from substrate.values.review.pending import CORRECTION, STATEMENT, TEXT, Accepted
from substrate.values.saved import Saved
from substrate.views.atoms import VersionRow, latest_version
from substrate.views.beside.proposals import NO_ATOM, ProposalRow, proposal_trace

__all__ = ["Decided", "accept"]

_SPEAKER: Final = ("actor", "origin", "session")
"""Who said it: a corrected version is said by the one who accepts it."""
_TAKEN: Final = "taken"
"""In a row: the name of the domain that somebody picked for its text."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Which proposal is accepted, and how. See `Memory.accept`."""

    id: str
    domain: str | None = None
    create: bool = False
    only: str | None = None
    """The one kind that may be accepted so."""


def accept(log: Log, decided: Decided, *, said: Mapping[str, object], place: Place | None = None) -> Accepted:
    """See `Memory.accept`."""
    if is_statement(decided.id) and decided.only in {None, STATEMENT}:
        return _accept_statement(log, decided, said, place)
    with log.snapshot() as transaction:
        row = row_of(transaction, decided.id)
        require_open(row, log.clock.now())
    kind = TEXT if row.subject == NO_ATOM else CORRECTION
    if decided.only not in {None, kind}:
        raise InputError(f"this is a proposal of another kind, {kind}: a person decides on it")
    if kind == TEXT:
        return _accept_text(log, decided, row, said)
    if decided.domain is not None or decided.create:
        raise InputError(Arg("domain"), " and ", Arg("create"), " are of texts: this is a correction of ", AN_ATOM)
    return _accept_correction(log, row, said, place)


def _accept_statement(log: Log, decided: Decided, said: Mapping[str, object], place: Place | None) -> Accepted:
    if decided.domain is not None or decided.create:
        raise InputError("this is a statement out of a transcript: a person confirms it as it is")
    saved = confirm(log, (decided.id,), (), said=said, place=place)
    return Accepted(decided.id, STATEMENT, saved.recorded[0], saved.seqs[0], saved=saved)


def _accept_correction(log: Log, row: ProposalRow, said: Mapping[str, object], place: Place | None) -> Accepted:
    with log.snapshot() as transaction:
        name = name_of(transaction, row.subject)
        if name is None:
            raise NotFound("the proposal was about ", AN_ATOM, " that is not there any more")
        require_open(row_of(transaction, proposal_id(row)), log.clock.now())  # or another may have accepted it by now
        latest = _check_version(transaction, row, name)
        body = require_body(transaction, latest.seq)
        atom = atom_of(Snapshot(transaction, None, None, log.clock.now()), latest, body)
    fields = {key: field for key, field in fields_of(atom).items() if key not in _SPEAKER}
    fields |= {"name": name, "value": row.said["value"], "origin": said.get("origin") or atom.origin}
    batch = Batch(atoms=(fields,), place=place)
    # What looks like a credential was refused when it was proposed.
    planner, _ = read_batch(batch, expect=None, said=said, partial=False, allow_secrets=True)

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        now = row_of(transaction, proposal_id(row))
        require_open(now, time)
        _check_version(transaction, now, name)
        decision = planner.plan(transaction, time)
        seq = transaction.count(ENTRIES)
        ended = proposal_trace(now.decided("accepted", seq))
        return Decision(decision.drafts, [*decision.traces, ended])

    appended = log.decide(plan)
    saved: Saved = planner.saved(appended.seqs, appended.head, appended.subjects)
    return Accepted(proposal_id(row), CORRECTION, name, appended.seqs[0], saved=saved)


def _check_version(transaction: ReadTransaction, row: ProposalRow, name: str) -> VersionRow:
    """The version that is corrected. Conflict, with what the atom says now, if that is another one."""
    latest = latest_version(transaction, row.subject)
    if latest is not None and latest.seq == row.seq and latest.kind is Kind.PUT:
        return latest
    if latest is None or latest.kind is not Kind.PUT:
        after = renamed_to(transaction, row.subject)
        new = None if after is None else name_of(transaction, after)
        if new is not None:
            raise Conflict(f"{if_needed(name)} was renamed to {if_needed(new)}: propose the text for that name")
        raise Conflict(f"{if_needed(name)} is out of use meanwhile: nothing was changed")
    says = str(require_body(transaction, latest.seq).members.get("value"))
    raise Conflict(f"{if_needed(name)} changed since it was proposed, and says now: {in_quotes(says)}. Propose again")


# -- texts -------------------------------------------------------------------------------------------------------------


def _accept_text(log: Log, decided: Decided, row: ProposalRow, said: Mapping[str, object]) -> Accepted:
    asked = decided.domain or row.said.get(_TAKEN) or row.said["domain"]
    with log.snapshot() as transaction:
        found = which(Snapshot(transaction, None, None, log.clock.now()), asked, "domain")
    created = found.name is None
    if created and not decided.create:
        near = ", ".join(if_needed(one.name.removeprefix(DOMAIN)) for one in found)
        raise NotFound(
            f"there is no domain {in_quotes(asked)}" + (f"; near it: {near}" if near else "") + ". Give another ",
            Arg("domain"),
            ", or set ",
            Arg("create"),
            " to create it",
        )
    domain = found.name or DOMAIN + escape_rest(slug_of(asked))
    beside = _new_domain(domain, asked.strip(), said) if created else None
    picked_before = _TAKEN in row.said
    row = _take(log, row, domain)
    try:
        document = _ingest(log, row, domain, beside)
    except SubstrateError:
        if not picked_before:
            _give_back(log, row)
        raise
    seqs: list[int] = []

    def end(transaction: ReadTransaction, time: int) -> Decision:
        now = row_of(transaction, proposal_id(row))
        require_open(replace(now, ends=max(now.ends, time + 1)), time)  # it was not over when it was picked
        latest = latest_version(transaction, bytes.fromhex(document.id.replace("-", "")))
        seqs[:] = [0 if latest is None else latest.seq]
        return Decision((), [proposal_trace(now.decided("accepted", seqs[0]))])

    log.decide(end)
    return Accepted(proposal_id(row), TEXT, document.name, seqs[0], domain=domain, created=created)


def _new_domain(name: str, title: str, said: Mapping[str, object]) -> Batch:
    """The domain's atom, in the name of who accepts. It is saved with the document, or not at all. SecretFound."""
    refuse_secrets(None, "", {"domain": title})
    who = {word: said.get(word) for word in ("actor", "session", "source")}
    return Batch(atoms=({**who, "name": name, "value": title, "attrs": {"title": title}, "origin": "user"},))


def _ingest(log: Log, row: ProposalRow, domain: str, beside: Batch | None) -> IngestedDocument:
    request = Request.of(
        domain=domain,
        title=row.said.get("title"),
        source=row.said.get("source"),
        key=None if "source" in row.said else proposal_id(row),
        said={word: row.said[word] for word in ("actor", "session") if word in row.said},
    )
    taken = ingest(log, row.said["value"], replace(request, beside=beside))
    for failed in taken.failed:
        raise (SecretFound if failed.code == SecretFound.code else InputError)(failed.reason)
    return taken.items[0]


def _take(log: Log, row: ProposalRow, domain: str) -> ProposalRow:
    """The row with the domain that was picked. Conflict if another one was."""
    taken: list[ProposalRow] = []

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        now = row_of(transaction, proposal_id(row))
        require_open(now, time)
        before = now.said.get(_TAKEN, domain)
        if before != domain:
            raise Conflict(
                f"the proposal was accepted already, into {if_needed(before)}: accept it again without a domain"
            )
        taken[:] = [replace(now, said={**now.said, _TAKEN: domain})]
        return Decision((), [proposal_trace(taken[0])])

    log.decide(plan)
    return taken[0]


def _give_back(log: Log, row: ProposalRow) -> None:
    """Nothing came of the domain that was picked: another one can be."""

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        now = row_of(transaction, proposal_id(row))
        if not now.is_open(time):
            return Decision(())
        said = {word: text for word, text in now.said.items() if word != _TAKEN}
        return Decision((), [proposal_trace(replace(now, said=said))])

    log.decide(plan)
