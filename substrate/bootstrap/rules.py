"""Goals, constraints and preferences: atoms of that type, with that tag, or in the hub of that name. Some of each.

What the user asked for in a conversation for good (`always answer step by step`) is a constraint: see text/turns.py.
What rules read out of a transcript is none of these until a person confirms it: it may be a mail that was pasted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from substrate.atoms.links import holding, is_lasting, is_tombstoned
from substrate.atoms.resolve import find_subject
from substrate.kv.api import kept_by
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Documents
from substrate.search.scope import standing_of
from substrate.search.words import keyword_seqs
from substrate.snapshot import Snapshot
from substrate.values.edges import MEMBER_OF
from substrate.values.opening import PROPOSED
from substrate.views.atoms import names
from substrate.views.edges import Link, some_links
from substrate.views.words import Field

__all__ = ["Pinned", "pinned"]

_SECTIONS: Final = {"goals": "goal", "constraints": "constraint", "preferences": "preference"}
"""Where an atom is shown, and the type or tag that it has."""
_SOME: Final = 200
"""Looked at of each kind, by each way: whoever has more goals than this has none."""


class Pinned(NamedTuple):
    """The one section that an atom belongs to, and since which entry it does."""

    section: str
    seq: int


def pinned(snapshot: Snapshot, documents: Documents) -> dict[bytes, Pinned]:
    """Goals, constraints and preferences by the ids of their atoms. Of those in a hub, some may be out of use."""
    kept = kept_by(snapshot.transaction, "rules")
    known: dict[bytes, Pinned] | None = kept.get(documents.size)
    if known is None:
        known, lasts = _pinned(snapshot, documents)
        if lasts and len(known) <= _SOME and snapshot.is_now:
            kept[documents.size] = known
    return dict(known)


def _pinned(snapshot: Snapshot, documents: Documents) -> tuple[dict[bytes, Pinned], bool]:
    """The same; and whether it is so whenever one asks."""
    waiting = keyword_seqs(snapshot.transaction, documents, Field.TAG, PROPOSED)
    waiting = waiting[documents.now[waiting]] if len(waiting) else waiting
    proposed = frozenset(documents.subjects(waiting)) if len(waiting) else frozenset()
    found: dict[bytes, Pinned] = {}
    lasts = True
    for section, word in _SECTIONS.items():
        links = _in_hub(snapshot, section)
        for subject, seq in _of(snapshot, documents, word, (word, section), proposed):
            found.setdefault(subject, Pinned(section, seq))
        for link in holding(snapshot, links):
            found.setdefault(link.source, Pinned(section, link.seq))
        lasts = lasts and is_lasting(snapshot.transaction, [link.seq for link in links])
    standing = standing_of(snapshot.transaction, documents)
    standing = standing[documents.now[standing]][-_SOME:]
    for subject, seq in zip(documents.subjects(standing), standing.tolist(), strict=True):
        found.setdefault(subject, Pinned("constraints", seq))
    return {subject: pin for subject, pin in found.items() if subject not in proposed}, lasts


def _of(
    snapshot: Snapshot, documents: Documents, word: str, tags: Sequence[str], proposed: Collection[bytes]
) -> Iterator[tuple[bytes, int]]:
    """Some by their type, and some of each tag. What is proposed takes no place of another one."""
    typed = islice(names(snapshot.transaction, f"v1.{word}."), _SOME + len(proposed))
    yield from ((row.subject, row.seq) for row in typed if row.kind is Kind.PUT)
    for tag in tags:
        tagged = keyword_seqs(snapshot.transaction, documents, Field.TAG, tag)
        if len(tagged):  # mostly nobody has it
            seqs = tagged[documents.now[tagged]][-_SOME:]
            yield from zip(documents.subjects(seqs), seqs.tolist(), strict=True)


def _in_hub(snapshot: Snapshot, section: str) -> Sequence[Link]:
    """Some edges to the hub of that name, if it is in use."""
    hub = find_subject(snapshot.transaction, f"v1.hub.{section}")
    if is_tombstoned(snapshot.transaction, hub):
        return ()
    return some_links(snapshot.transaction, hub, _SOME, out=False, kind=MEMBER_OF)[0]
