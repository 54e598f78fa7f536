"""The verb encrypt: from now on a domain's atoms are ciphertext on disk.

1. First the key is written: from then on nothing can be saved as text in the domain.
2. Atoms that are there as text are recorded under opaque names, some hundred at once, with their edges. Wholes come
   before their parts, so that a part names its whole by the new id.
3. Last, the versions as text are forgotten, and the file is compacted.

Broken off at any point, it goes on when it is called again with the same passphrase: an atom that is encrypted already
is known by its name, and of it only the text is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from substrate.atoms.bodies import body_of
from substrate.atoms.domains import Domains, domain_name, domain_of
from substrate.atoms.resolve import find_subject
from substrate.ciphers import CIPHERTEXT, DomainKey, ciphertext_name, encrypt, new_domain_key, unwrap, wrap
from substrate.codec import Draft, draft_other, draft_put, encode_body
from substrate.encryption.domains import EncryptedDomain
from substrate.encryption.unlock import check_passphrase
from substrate.encryption.unlocked import UnlockedDomains
from substrate.errors import StoreDamaged
from substrate.forget.forget import forget
from substrate.forget.select import Selection
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.identity import draw_id
from substrate.log.log import Log
from substrate.log.tables import DOMAIN_KEYS
from substrate.messages import FSCK
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import is_id
from substrate.snapshot import Snapshot
from substrate.values.progress import Progress
from substrate.values.review.encryption import Encrypted
from substrate.views.atoms import VersionRow, find_name, latest_version, names, versions_of
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
        plain = _plain_members(transaction, domain_of(transaction, name))
        counted = _count(transaction, plain)
    if dry_run:
        return Encrypted(name, True, *counted)  # noqa: FBT003 - the fields in their order
    passphrase = check_passphrase(passphrase)
    found, key = _begin(log, name, passphrase)
    unlocked.unlock(found, key)
    with log.snapshot() as transaction:  # again: until the key was there, others could save
        plain = _plain_members(transaction, found.subject)
        counted = _count(transaction, plain)
    live = [row.name or "" for row in plain if row.kind is Kind.PUT]
    tell = progress or (lambda _, __: None)
    tell(0, len(live))
    for at in range(0, len(live), _AT_ONCE):
        _record(log, unlocked, key, live[at : at + _AT_ONCE])
        tell(min(at + _AT_ONCE, len(live)), len(live))
    compacted = True
    if plain:
        selection = Selection(names=tuple(row.name or "" for row in plain))
        compacted = forget(log, selection, dry_run=False, progress=progress).compacted
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


def _plain_members(transaction: ReadTransaction, domain: bytes) -> list[VersionRow]:
    """The atoms of a domain that are there as text, those out of use too; wholes before their parts."""
    domains = Domains(Snapshot(transaction, None, None, 0))
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
        self._new: dict[bytes, bytes] = {}
        """The new id of each atom of the batch, by its old one."""

    def add(self, name: str) -> None:
        """Take in an atom, unless it is encrypted, forgotten or out of use by now."""
        row = find_name(self._transaction, name)
        if row is not None and row.kind is Kind.PUT and self._known(row) is None:
            opaque = ciphertext_name(self._key.id)
            self._rows.append((row, opaque))
            self._new[row.subject] = find_subject(self._transaction, opaque)

    def drafts(self) -> Iterator[Draft]:
        """The atoms, then their edges, each once."""
        for row, opaque in self._rows:
            body = body_of(self._transaction, row.seq)
            if body is None or body.damage is not None:
                raise StoreDamaged(f"{row.name} cannot be read: nothing more was encrypted; run ", FSCK)
            said = dict(body.members)
            if is_id(said.get("parent")):
                said["parent"] = self._now(bytes.fromhex(str(said["parent"]))).hex()
            yield draft_put(opaque, encrypt(self._key, self._new[row.subject], encode_body(said)))
        seen: set[bytes] = set()
        for row, _ in self._rows:
            for link in _links(self._transaction, row.subject):
                if link.edge not in seen and self._is_to_state(row.subject, link):
                    seen.add(link.edge)
                    yield self._edge(link)

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
            "source": self._new.get(link.source, link.source).hex(),
            "type": link.type,
            "target": self._new.get(link.target, link.target).hex(),
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
