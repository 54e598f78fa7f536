"""Which atoms a policy hides: those that belong to a domain of a tier that it does not read, and that domain's atom.

1. Tier and membership are those of now, whatever moment is asked about: today's tier rules reads of the past too.
2. What is out of use belongs where it belonged when it last spoke (`Domains`, `dormant`).
3. As long as no domain has such a tier, all of it costs a look at the names of domains for each head of the log.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

from substrate.atoms.domains import DOMAIN, Domain, domain_at, last_attrs, tier_in
from substrate.ciphers import DomainKey
from substrate.encryption.unlocked import UnlockedDomains
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.log.tables import HEADS, seq_key
from substrate.policy import Policy
from substrate.search.lazy import LazySearch
from substrate.snapshot import Snapshot
from substrate.veil import Hidden, Veiled
from substrate.views.atoms import names
from substrate.views.follow import erased_between, latest_head

if TYPE_CHECKING:
    from substrate.search.columns.documents import Documents, Mask
    from substrate.search.columns.members import DomainMasks

__all__ = ["HiddenAtoms"]

_MASKS: Final = 1000
"""Domains of which masks are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What was worked out last for some tiers, and out of what."""

    documents: Documents
    masks: tuple[Mask, ...]
    domains: tuple[Domain, ...]
    era: object
    hidden: Hidden


class Shared(Protocol):
    """What all clients of an open store share."""

    log: Log
    unlocked: UnlockedDomains

    @property
    def search(self) -> LazySearch:
        """Columns and masks. Others take their place when a domain is unlocked or locked."""


class HiddenAtoms:
    """What policies hide in one open store. Safe to share between threads.

    A transaction here has the atoms of unlocked domains as text: as `OpenStore.snapshot` gives it.
    """

    def __init__(self, store: Shared) -> None:
        self._store = store
        self._lock = Lock()
        self._head = (-1, b"")
        self._tiers: tuple[tuple[Domain, str], ...] = ()
        self._known: dict[bytes, tuple[int, str]] = {}
        self._search: LazySearch | None = None
        self._masks: DomainMasks | None = None
        self._kept: dict[frozenset[str], _Kept] = {}

    def veiled(self, policy: Policy, transaction: ReadTransaction) -> ReadTransaction:
        """The transaction as the policy shows it."""
        hidden = self.under(policy, transaction)
        return transaction if hidden is None else Veiled(transaction, hidden)

    def covered(self, transaction: ReadTransaction) -> ReadTransaction | None:
        """A transaction of the log itself with the atoms of unlocked domains as text; None if a later one was seen."""
        return self._store.unlocked.cover(transaction)

    def key_of(self, opaque: str) -> DomainKey | None:
        """The key of an encrypted atom, by its name on disk; None if it is locked."""
        return self._store.unlocked.key_of(opaque)

    def under(self, policy: Policy, transaction: ReadTransaction) -> Hidden | None:
        """What the policy hides in this snapshot; None: nothing."""
        if policy.reads_all:
            return None
        head = latest_head(transaction)
        with self._lock:
            if head != self._head:
                self._tiers, self._head = self._read_tiers(transaction), head
            domains = tuple(domain for domain, tier in self._tiers if not policy.reads(tier))
            return self._hidden(policy.tiers, domains, transaction) if domains else None

    def _read_tiers(self, transaction: ReadTransaction) -> tuple[tuple[Domain, str], ...]:
        """Each domain and its tier. What a version of one says is read once, for as long as nothing is erased."""
        size, note = self._head
        if self._known and (
            transaction.get(HEADS, seq_key(size)) != note
            or erased_between(transaction, size, latest_head(transaction)[0])
        ):
            self._known = {}  # one that is out of use may have another tier, although no version of it came
        known: dict[bytes, tuple[int, str]] = {}
        found: list[tuple[Domain, str]] = []
        for row in names(transaction, DOMAIN):
            seen = self._known.get(row.subject)
            tier = seen[1] if seen is not None and seen[0] == row.seq else tier_in(last_attrs(transaction, row))
            known[row.subject] = row.seq, tier
            found.append((domain_at(row.subject, str(row.name)), tier))
        self._known = known
        return tuple(found)

    def _hidden(self, tiers: frozenset[str], domains: tuple[Domain, ...], transaction: ReadTransaction) -> Hidden:
        search = self._store.search
        if self._masks is None or self._search is not search:
            self._search, self._masks = search, search.domains.strictly(_MASKS)
        documents = search.columns.at(transaction)
        snapshot = Snapshot(transaction, None, None, self._store.log.clock.now())
        masks = tuple(self._masks.mask(snapshot, documents, domain) for domain in domains)
        kept = self._kept.get(tiers)
        if kept is not None and kept.documents is documents and kept.domains == domains and _same(kept.masks, masks):
            return kept.hidden
        from substrate.hiding.columns import hide, still_hides, versions_in  # noqa: PLC0415 - loads numpy

        joins, versions = self._masks.joins(transaction), versions_in(transaction, domains, masks)
        hidden = None if kept is None or kept.domains != domains or kept.era is not joins.era else kept.hidden
        if kept is not None and hidden is not None:
            erased = erased_between(transaction, kept.documents.size, documents.size)
            hidden = hidden if still_hides(hidden, versions, joins, erased) else None
        if hidden is None:
            hidden = hide(transaction, domains, versions, documents, joins)
        self._kept[tiers] = _Kept(documents, masks, domains, joins.era, hidden)
        return hidden


def _same(first: tuple[Mask, ...], second: tuple[Mask, ...]) -> bool:
    return all(one is other for one, other in zip(first, second, strict=True))
