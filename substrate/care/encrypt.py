"""The verb encrypt: from now on a domain's atoms are ciphertext on disk.

1. First the key is written: from then on nothing can be saved as text in the domain.
2. Atoms that are there as text are recorded under opaque names, some hundred at once, with their edges. Wholes come
   before their parts, so that a part names its whole by the new id.
3. Last, the versions as text are forgotten, and the file is compacted.

Broken off at any point, it goes on when it is called again with the same passphrase: an atom that is encrypted already
is known by its name. What was saved of it as text since then becomes its next versions, with new edges. Only text that
is encrypted, or out of use, is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from substrate.atoms.bodies import body_of
from substrate.atoms.domains import Domains, domain_name, domain_of
from substrate.atoms.moments import last_seq
from substrate.atoms.resolve import find_subject
from substrate.ciphers import (
    CIPHERTEXT,
    DomainKey,
    ciphertext_name,
    ciphertext_size,
    encrypt,
    new_domain_key,
    unwrap,
    wrap,
)
from substrate.codec import Draft, draft_other, draft_put, draft_tombstone, encode_body
from substrate.encryption.domains import EncryptedDomain
from substrate.encryption.unlock import check_passphrase
from substrate.encryption.unlocked import UnlockedDomains
from substrate.errors import Conflict, StoreDamaged
from substrate.forget.forget import forget
from substrate.forget.select import Selection
from substrate.kv.api import ReadTransaction
from substrate.limits import check_size
from substrate.log.append import Decision
from substrate.log.identity import draw_id
from substrate.log.log import Log
from substrate.log.tables import DOMAIN_KEYS
from substrate.messages import FSCK, Verb
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import is_id
from substrate.snapshot import Snapshot
from substrate.values.progress import Progress
from substrate.values.review.encryption import Encrypted
from substrate.views.atoms import VersionRow, find_name, first_version, latest_version, names, versions_of
from substrate.views.edges import Link, links_of

__all__ = ["encrypt_domain"]

_AT_ONCE: Final = 500
_VISIBLE: Final = ("confidence", "windows", "label")
"""What an edge of an encrypted atom keeps, beside its ends and its type."""


def encrypt_domain(  # noqa: PLR0913
    log: Log,
    unlocked: UnlockedDomains,
    domain: str,
    passphrase: str | None,
    *,
    dry_run: bool,
    progress: Progress | None = None,
) -> Encrypted:
    """See `Memory.encrypt`."""
    name = domain_name(domain)
    with log.snapshot() as transaction:
        plain = _plain_members(transaction, domain_of(transaction, name), log.clock.now())
        _check_sizes(transaction, plain)
        counted = _count(transaction, plain)
    if dry_run:
        return Encrypted(name, True, *counted)  # noqa: FBT003 - the fields in their order
    passphrase = check_passphrase(passphrase)
    found, key = _begin(log, name, passphrase)
    unlocked.unlock(found, key)
    with log.snapshot() as transaction:  # again: until the key was there, others could save
        plain = _plain_members(transaction, found.subject, log.clock.now())
        counted = _count(transaction, plain)
        upto = last_seq(transaction)
    listed = tuple(row.name or "" for row in plain)
    tell = progress or (lambda _, __: None)
    tell(0, len(listed))
    for at in range(0, len(listed), _AT_ONCE):
        _record(log, unlocked, key, listed[at : at + _AT_ONCE])
        tell(min(at + _AT_ONCE, len(listed)), len(listed))
    compacted = True
    if listed:
        compacted = forget(log, Selection(names=listed, upto=upto), dry_run=False, progress=progress).compacted
        _check_gone(log, name, listed)
    return Encrypted(name, False, *counted, compacted)  # noqa: FBT003


class _Counted(NamedTuple):
    atoms: int
    dropped: int
    versions: int
    edges: int


def _begin(log: Log, name: str, passphrase: str) -> tuple[EncryptedDomain, DomainKey]:
    """Write the domain's key, or open the one that is there. Denied if that has another passphrase."""
    fresh = new_domain_key()
    row = wrap(fresh, passphrase)
    there: list[EncryptedDomain] = []

    def plan(transaction: ReadTransaction, _: int) -> Decision:
        subject = domain_of(transaction, name)
        known = transaction.get(DOMAIN_KEYS, subject)
        there.append(EncryptedDomain(subject, name, known or row))
        return Decision((), [] if known is not None else [(DOMAIN_KEYS, subject, row)])

    log.decide(plan)
    found = there[-1]
    return found, (fresh if found.row == row else unwrap(found.row, passphrase))


def _check_gone(log: Log, domain: str, listed: Sequence[str]) -> None:
    """Conflict if another process saved one of these as text meanwhile: that is not forgotten."""
    with log.snapshot() as transaction:
        left = [name for name in listed if find_name(transaction, name) is not None]
    if left:
        raise Conflict(
            f"{left[0]} was saved in {domain} meanwhile, and is text still. To finish, use ", Verb("encrypt")
        )


def _check_sizes(transaction: ReadTransaction, plain: Sequence[VersionRow]) -> None:
    """TooLarge, with its name, if an atom has no room as ciphertext. Before anything is written."""
    for row in plain:
        body = body_of(transaction, row.seq) if row.kind is Kind.PUT else None
        if body is not None and body.damage is None:
            size = ciphertext_size(len(encode_body(body.members)))
            check_size(f"{row.name} as ciphertext", size, "value_bytes", instead="save it in parts, or forget it")


def _plain_members(transaction: ReadTransaction, domain: bytes, now: int) -> list[VersionRow]:
    """The atoms of a domain that are there as text, those out of use too; wholes before their parts."""
    domains = Domains(Snapshot(transaction, None, None, now))
    found = [
        row
        for row in names(transaction, "")
        if not (row.name or "").startswith(CIPHERTEXT)
        and row.subject != domain
        and domains.belongs(row.subject, domain)
    ]
    return sorted(found, key=lambda row: _depth(transaction, row))


def _depth(transaction: ReadTransaction, row: VersionRow) -> int:
    """How many wholes an atom is a part of, one in the other."""
    seen: set[bytes] = set()
    latest: VersionRow | None = row
    while latest is not None and latest.subject not in seen and latest.kind is Kind.PUT:
        seen.add(latest.subject)
        body = body_of(transaction, latest.seq)
        parent = None if body is None else body.members.get("parent")
        latest = latest_version(transaction, bytes.fromhex(str(parent))) if is_id(parent) else None
    return len(seen)


def _count(transaction: ReadTransaction, plain: Sequence[VersionRow]) -> _Counted:
    live = [row for row in plain if row.kind is Kind.PUT]
    versions = sum(version.name is not None for row in plain for version in versions_of(transaction, row.subject))
    edges = {link.edge for row in live for link in _links(transaction, row.subject)}
    return _Counted(len(live), len(plain) - len(live), versions, len(edges))


def _links(transaction: ReadTransaction, subject: bytes) -> Iterator[Link]:
    for out in (True, False):
        yield from links_of(transaction, subject, out=out)


def _record(log: Log, unlocked: UnlockedDomains, key: DomainKey, plain: Sequence[str]) -> None:
    """Record atoms under opaque names, with their edges: all of these, or none."""

    def plan(transaction: ReadTransaction, _: int) -> Decision:
        batch = _Batch(transaction, unlocked, key)
        for name in plain:
            batch.add(name)
        return Decision(list(batch.drafts()))

    log.decide(plan)


class _Batch:
    """Atoms that are encrypted in one checkpoint."""

    def __init__(self, transaction: ReadTransaction, unlocked: UnlockedDomains, key: DomainKey) -> None:
        self._transaction = transaction
        self._unlocked = unlocked
        self._key = key
        self._covered = unlocked.cover(transaction) or transaction
        self._rows: list[tuple[VersionRow, str]] = []
        self._again: list[tuple[VersionRow, bytes]] = []
        """Atoms that are encrypted already, and their ids as such."""
        self._new: dict[bytes, bytes] = {}
        """The new id of each atom of the batch, by its old one."""

    def add(self, name: str) -> None:
        """Take in an atom, unless it is forgotten or out of use by now."""
        row = find_name(self._transaction, name)
        known = None if row is None else self._known(row)
        if row is not None and known is not None:
            self._again.append((row, known))
        elif row is not None and row.kind is Kind.PUT:
            opaque = ciphertext_name(self._key.id)
            self._rows.append((row, opaque))
            self._new[row.subject] = find_subject(self._transaction, opaque)

    def drafts(self) -> Iterator[Draft]:
        """The atoms, then their edges, each once."""
        for row, opaque in self._rows:
            yield self._put(opaque, self._new[row.subject], self._said(row))
        for row, known in self._again:
            yield from self._later_versions(row, known)
        seen: set[bytes] = set()
        for row, _ in self._rows:
            for link in _links(self._transaction, row.subject):
                if link.edge not in seen and self._is_to_state(row.subject, link):
                    seen.add(link.edge)
                    yield self._edge(link)
        for row, known in self._again:
            first = first_version(self._transaction, known) or 0
            for link in _links(self._transaction, row.subject):
                if link.edge not in seen and link.seq > first and not self._is_stated(link):
                    seen.add(link.edge)
                    yield self._edge(link)

    def _put(self, opaque: str, subject: bytes, said: Mapping[str, Json]) -> Draft:
        return draft_put(opaque, encrypt(self._key, subject, encode_body(said)))

    def _said(self, row: VersionRow) -> dict[str, Json]:
        """What a version as text says, as it says it when it is encrypted."""
        body = body_of(self._transaction, row.seq)
        if body is None or body.damage is not None:
            raise StoreDamaged(f"{row.name} cannot be read: nothing more was encrypted; run ", FSCK)
        said = dict(body.members)
        if is_id(said.get("parent")):
            said["parent"] = self._now(bytes.fromhex(str(said["parent"]))).hex()
        return said

    def _later_versions(self, row: VersionRow, known: bytes) -> Iterator[Draft]:
        """What was saved as text after the atom was encrypted, and is not encrypted yet. The newest stays current."""
        first = first_version(self._transaction, known) or 0
        texts = [one for one in versions_of(self._transaction, row.subject) if one.name and one.seq > first]
        opaque = self._unlocked.opaque_name(self._transaction, known)
        if not texts or opaque is None:
            return
        versions = [(one.seq, self._decrypted(one)) for one in versions_of(self._covered, known)]
        there = [said for _, said in versions]
        later = [self._said(one) for one in reversed(texts) if one.kind is Kind.PUT]
        missing = [said for said in later if said not in there]
        for said in missing:
            yield self._put(opaque, known, said)
        seq, current = versions[0]
        last = missing[-1] if missing else current
        if row.seq > seq:
            current = self._said(row) if row.kind is Kind.PUT else None
        if current is None and last is not None:
            yield draft_tombstone(opaque)
        elif current is not None and current != last:
            yield self._put(opaque, known, current)

    def _decrypted(self, row: VersionRow) -> Mapping[str, Json] | None:
        """What an encrypted version says; None of a tombstone, and of what was erased."""
        body = body_of(self._covered, row.seq) if row.kind is Kind.PUT else None
        return None if body is None else body.members

    def _is_stated(self, link: Link) -> bool:
        """Whether the encrypted atom has this edge already."""
        source, target = self._now(link.source), self._now(link.target)
        stated = links_of(self._transaction, source, out=True, kind=link.type)
        return any(other.target == target for other in stated)

    def _is_to_state(self, subject: bytes, link: Link) -> bool:
        """Whether nobody has stated the edge again: who was encrypted before has, for both ends."""
        other = link.target if link.source == subject else link.source
        if other in self._new:
            return True
        row = latest_version(self._transaction, other)
        return row is None or self._known(row) is None

    def _edge(self, link: Link) -> Draft:
        body = body_of(self._transaction, link.seq)
        kept = {} if body is None else {name: said for name, said in body.members.items() if name in _VISIBLE}
        ends: dict[str, Json] = {
            "source": self._now(link.source).hex(),
            "type": link.type,
            "target": self._now(link.target).hex(),
        }
        return draft_other(Kind.EDGE, {**kept, **ends}, subject=draw_id())

    def _now(self, subject: bytes) -> bytes:
        """The id of an atom when all of the domain is encrypted."""
        if subject in self._new:
            return self._new[subject]
        row = latest_version(self._transaction, subject)
        return (None if row is None else self._known(row)) or subject

    def _known(self, row: VersionRow) -> bytes | None:
        """The id of the encrypted atom that has the name of one that is there as text."""
        found = None if row.name is None or row.name.startswith(CIPHERTEXT) else find_name(self._covered, row.name)
        is_encrypted = found is not None and self._unlocked.opaque_name(self._transaction, found.subject) is not None
        return found.subject if found is not None and is_encrypted else None
