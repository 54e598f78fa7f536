"""What is hidden, worked out for all atoms at once, over columns. It loads numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.domains import Domain
from substrate.ciphers import CIPHERTEXT, read_wrapped
from substrate.kv.api import ReadTransaction, behind
from substrate.log.tables import ATOMS, DOMAIN_KEYS, EXPECTED
from substrate.proof.entry import ID_BYTES, Kind
from substrate.search.columns.documents import Documents, Mask
from substrate.search.columns.ids import Ids, ids_of
from substrate.search.columns.joins import Joins
from substrate.values.edges import DEPENDS_ON, DERIVED_FROM, MEMBER_OF, REFERENCES, SUPERSEDES
from substrate.veil import Hidden
from substrate.views.atoms import versions_of
from substrate.views.cards import CardChanges, card_of
from substrate.views.joins import ERASED, PART, type_number
from substrate.views.words import BLOCK

__all__ = ["hide", "still_hides", "versions_in"]

_COUNTED: Final = {type_number(kind): kind for kind in (DEPENDS_ON, DERIVED_FROM, MEMBER_OF, REFERENCES, SUPERSEDES)}
"""Types that cards count by their words; of the others all that counts is that they are there."""


def versions_in(transaction: ReadTransaction, domains: Iterable[Domain], masks: Sequence[Mask]) -> Mask:
    """The versions of the atoms that belong to the domains, of their encrypted atoms, and of the domains' own."""
    versions: Mask = np.logical_or.reduce(masks)
    atoms = [domain.subject for domain in domains] + [
        row[:ID_BYTES]
        for prefix in ciphertexts_of(transaction, domains)
        for _, row in transaction.scan(ATOMS, prefix.encode(), behind(prefix.encode()))
    ]
    versions[[one.seq for subject in atoms for one in versions_of(transaction, subject)]] = True
    return versions


def ciphertexts_of(transaction: ReadTransaction, domains: Iterable[Domain]) -> list[str]:
    """What the names of encrypted atoms of these domains begin with. They are hidden locked and unlocked."""
    rows = (transaction.get(DOMAIN_KEYS, domain.subject) for domain in domains)
    return [f"{CIPHERTEXT}{read_wrapped(row).id.hex()}." for row in rows if row is not None]


def still_hides(hidden: Hidden, versions: Mask, joins: Joins, erased: Iterable[int]) -> bool:
    """Whether nothing that was written since, or `erased`, has to do with what is hidden."""
    size = len(hidden.versions)
    if any(hidden.hides_seq(seq) for seq in erased):  # it is hidden still, and counts no more
        return False
    if len(versions) < size or versions[size:].any() or not np.array_equal(versions[:size], hidden.versions):
        return False
    rows = joins.rows_from(size)
    # Another edge to a name that hidden ones wait for makes the name the client's own, or takes it away again.
    return not len(rows) or not any(_touching(joins, rows, ids_of(ids)).any() for ids in (hidden.atoms, hidden.waiting))


def hide(
    transaction: ReadTransaction, domains: Sequence[Domain], versions: Mask, documents: Documents, joins: Joins
) -> Hidden:
    """All that follows from which versions are hidden."""
    versions.flags.writeable = False
    seqs = np.flatnonzero(versions)
    atoms = frozenset(documents.subjects(seqs)) | {domain.subject for domain in domains}
    touching = np.flatnonzero(_touching(joins, np.arange(len(joins.seq)), ids_of(atoms)))
    bodies = versions.astype(np.uint8)
    bodies[joins.seq[touching]] = 1
    cards = _cards(joins, touching, atoms)
    waiting = [subject for subject, _ in transaction.scan(EXPECTED) if subject in cards] if len(cards) > 1 else []
    return Hidden(
        atoms=atoms,
        versions=versions,
        bodies=bodies.tobytes(),
        offsets=dict(_offsets(seqs)),
        parts=frozenset(domain.part for domain in domains if domain.part is not None),
        ciphertexts=tuple(ciphertexts_of(transaction, domains)),
        cards=cards,
        waiting=frozenset(waiting),
        waited_for=frozenset(at for at in waiting if card_of(transaction, at).live <= cards[at][1]),
    )


def _touching(joins: Joins, rows: NDArray[np.int64], atoms: Ids) -> Mask:
    """Which of the rows are statements of edges with one of these atoms."""
    stated = (joins.type[rows] != PART) & (joins.flags[rows] & ERASED == 0)
    touching: Mask = stated & (joins.source.at(rows).are_in(atoms) | joins.target.at(rows).are_in(atoms))
    return touching


def _offsets(seqs: NDArray[np.int64]) -> Iterator[tuple[int, frozenset[int]]]:
    """The hidden versions by block of postings."""
    blocks = seqs // BLOCK
    for block in np.unique(blocks).tolist():
        yield block, frozenset((seqs[blocks == block] % BLOCK).tolist())


def _cards(joins: Joins, rows: NDArray[np.int64], atoms: frozenset[bytes]) -> dict[bytes, list[int]]:
    """What these statements add to the cards of atoms that are not hidden, and to the sum."""
    changes = CardChanges()
    last = np.ones(len(joins.seq), np.bool_)
    last[joins.before[joins.followers]] = False
    live = last & (joins.kind == Kind.EDGE)
    sources, targets = joins.source.at(rows).listed(), joins.target.at(rows).listed()
    for row, source, target in zip(rows.tolist(), sources, targets, strict=True):
        if live[row]:
            changes.live(source, target, 1)
        if source not in atoms or target not in atoms:
            changes.state(source, _COUNTED.get(int(joins.type[row]), ""), target, Kind(int(joins.kind[row])))
    return {key: less for key, less in changes.by_atom().items() if key not in atoms}
