"""The verb stats: how much a store holds."""

from __future__ import annotations

from collections import Counter, defaultdict

from substrate.atoms.domains import DOMAIN, Domains
from substrate.atoms.resolve import resolve
from substrate.forget.compaction import is_owed
from substrate.log.heads import require_head
from substrate.log.tables import EXPECTED, GAPS, HEADS
from substrate.names import unescape_rest
from substrate.snapshot import Snapshot
from substrate.values.behind import Behind
from substrate.values.saved import DomainCount, DomainCounts, Stats
from substrate.veil import bare, hidden_in
from substrate.views.cards import cards_of, edges_stated
from substrate.views.counts import counts_by_domain, counts_by_type
from substrate.views.learned.episodes import episodes_beside, episodes_seen, trainings_learnt

__all__ = ["count_domains", "stats"]


def stats(snapshot: Snapshot, bytes_on_disk: int, behind: Behind | None) -> Stats:
    """See `Memory.stats`."""
    transaction = snapshot.transaction
    types = counts_by_type(transaction)
    domains: Counter[str] = Counter()
    for domain, _, count in counts_by_domain(transaction):
        domains[unescape_rest(domain)] += count.live
    head = require_head(transaction).head
    hidden = hidden_in(transaction)
    if hidden is None:
        trainings = trainings_learnt(transaction)
        sessions = episodes_seen(transaction) - trainings
    else:
        sessions, trainings = episodes_beside(bare(transaction), hidden.atoms)
    waited_for = [subject for subject, _ in transaction.scan(EXPECTED)]
    return Stats(
        origin=head.origin,
        entries=head.size,
        heads=transaction.count(HEADS),
        atoms=sum(count.live for count in types.values()),
        tombstoned=sum(count.tombstoned for count in types.values()),
        forgotten=transaction.count(GAPS),
        edges=edges_stated(transaction),
        dangling=sum(card.live > 0 for card in cards_of(transaction, waited_for)),
        bytes=bytes_on_disk,
        compaction_owed=is_owed(transaction),
        types={kind: count.live for kind, count in sorted(types.items()) if count.live},
        sessions=sessions,
        trainings=trainings,
        behind=behind,
        characters=sum(count.characters for count in types.values()),
        domains={domain: live for domain, live in sorted(domains.items()) if live},
    )


def count_domains(snapshot: Snapshot, of: str | None = None) -> DomainCounts:
    """See `Memory.domains`. It reads stored counts."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for domain, kind, count in counts_by_domain(snapshot.transaction):
        if count.live:
            found[unescape_rest(domain)] += Counter({kind: count.live, "": count.characters})
    if of is not None:
        rule = Domains(snapshot)
        groups = rule.of(resolve(snapshot.transaction, of).subject)
        slugs = [rule.name(group).removeprefix(DOMAIN) for group in groups]
        found = defaultdict(Counter, {slug: found[slug] for slug in slugs})
    return DomainCounts(
        tuple(
            DomainCount(domain, counts["document"], counts["chunk"], counts["entity"], counts[""])
            for domain, counts in sorted(found.items())
        )
    )
