"""Goals, constraints and preferences: atoms of that type, with that tag, or in the hub of that name. Some of each.

What the user asked for in a conversation for good (`always answer step by step`) is a constraint: see text/turns.py.
What rules read out of a transcript is none of these until a person confirms it: it may be a mail that was pasted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final, NamedTuple

from substrate.atoms.links import holding, is_tombstoned
from substrate.atoms.resolve import find_subject
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Documents
from substrate.search.scope import standing_of
from substrate.search.words import keyword_seqs
from substrate.snapshot import Snapshot
from substrate.values.edges import MEMBER_OF
from substrate.values.opening import PROPOSED
from substrate.views.atoms import names
from substrate.views.edges import some_links
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
    waiting = keyword_seqs(snapshot.transaction, documents, Field.TAG, PROPOSED)
    waiting = waiting[documents.now[waiting]] if len(waiting) else waiting
    proposed = frozenset(documents.subjects(waiting)) if len(waiting) else frozenset()
    found: dict[bytes, Pinned] = {}
    for section, word in _SECTIONS.items():
        for subject, seq in _of(snapshot, documents, section, word, proposed):
            found.setdefault(subject, Pinned(section, seq))
    standing = standing_of(snapshot.transaction, documents)
    standing = standing[documents.now[standing]][-_SOME:]
    for subject, seq in zip(documents.subjects(standing), standing.tolist(), strict=True):
        found.setdefault(subject, Pinned("constraints", seq))
    return {subject: pin for subject, pin in found.items() if subject not in proposed}


def _of(
    snapshot: Snapshot, documents: Documents, section: str, word: str, proposed: Collection[bytes]
) -> Iterator[tuple[bytes, int]]:
    """Some of each way. What is proposed takes no place of another one."""
    typed = islice(names(snapshot.transaction, f"v1.{word}."), _SOME + len(proposed))
    yield from ((row.subject, row.seq) for row in typed if row.kind is Kind.PUT)
    for tag in (word, section):
        tagged = keyword_seqs(snapshot.transaction, documents, Field.TAG, tag)
        if len(tagged):  # mostly nobody has it
            seqs = tagged[documents.now[tagged]][-_SOME:]
            yield from zip(documents.subjects(seqs), seqs.tolist(), strict=True)
    hub = find_subject(snapshot.transaction, f"v1.hub.{section}")
    if is_tombstoned(snapshot.transaction, hub):
        return
    links, _ = some_links(snapshot.transaction, hub, _SOME, out=False, kind=MEMBER_OF)
    yield from ((link.source, link.seq) for link in holding(snapshot, links))
