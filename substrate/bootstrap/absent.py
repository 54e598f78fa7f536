"""What is not there: names that an objective speaks of, deleted facts that it is about, and what others lean on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np

from substrate.atoms.bodies import bodies_of
from substrate.atoms.links import is_live
from substrate.atoms.renames import renamed_to
from substrate.atoms.resolve import name_of
from substrate.atoms.stale import DEPENDENCIES
from substrate.atoms.validity import is_undone
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.log.heads import place_of
from substrate.names import check_name
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Documents
from substrate.search.words import score_words
from substrate.text.terms import query_terms
from substrate.values.opening import PROPOSED, Absent
from substrate.views.atoms import find_name, gaps_of, versions_of
from substrate.views.cards import card_of
from substrate.views.edges import some_links

__all__ = ["NEVER", "absent_in", "absent_under", "is_missed", "why_absent"]

NEVER: Final = "never recorded"
_NAME: Final = re.compile(r"\bv[1-9]\d{0,5}\.[a-z][a-z0-9_]*\.[^\s,;:!?\"'()\[\]{}]+")
_TERMS: Final = 50
_SOME: Final = 20
"""Deleted facts that match best, and names in an objective, that are looked at."""


def absent_in(transaction: ReadTransaction, documents: Documents, objective: str) -> list[Absent]:
    """Names in the objective that are not there; and deleted atoms all words of whose name it has."""
    found = {}
    for match in islice(_NAME.finditer(objective), _SOME):
        try:
            name = check_name(match[0].rstrip("."))
        except InputError:
            continue
        why = why_absent(transaction, name)
        if why:
            found[name] = Absent(name, why)
    for name in _deleted(transaction, documents, objective):
        found.setdefault(name, Absent(name, "deleted"))
    return list(found.values())


def why_absent(transaction: ReadTransaction, name: str) -> str:
    """Deleted, undone, forgotten or never recorded; empty if the atom is there."""
    row = find_name(transaction, name)
    if row is not None and row.kind is Kind.PUT:
        return ""
    if row is not None:
        return "undone" if is_undone(transaction, row.subject) else "deleted"
    return "forgotten" if gaps_of(transaction, place_of(transaction, name)) else NEVER


def absent_under(transaction: ReadTransaction, subject: bytes, name: str) -> Iterator[Absent]:
    """What an atom depends on, or is derived from, and is not there."""
    if not card_of(transaction, subject).depends:
        return
    for kind in DEPENDENCIES:
        for link in some_links(transaction, subject, _SOME, out=True, kind=kind)[0]:
            if not is_live(transaction, link.target, None) and (target := name_of(transaction, link.target)):
                yield Absent(target, why_absent(transaction, target) or "deleted", name)


def is_missed(transaction: ReadTransaction, subject: bytes) -> bool:
    """Whether to tell of an atom that is out of use.

    Not if it has another name now, was a statement declined, or an undo took back all that it said.
    """
    if renamed_to(transaction, subject) is not None or is_undone(transaction, subject):
        return False
    said = next((row for row in versions_of(transaction, subject) if row.kind is Kind.PUT), None)
    body = None if said is None else bodies_of(transaction, [said.seq])[0]
    tags = None if body is None else body.members.get("tags")
    return not (isinstance(tags, list | tuple) and PROPOSED in tags)


def _deleted(transaction: ReadTransaction, documents: Documents, objective: str) -> Sequence[str]:
    last = documents.ended
    if not last.size:
        return ()
    mask = np.zeros(documents.size, np.bool_)
    mask[last] = True
    terms = [term.term for term in query_terms(objective)[:_TERMS]]
    words = score_words(transaction, documents, terms, mask)
    said = set(terms)
    best = words.seqs[np.lexsort((-words.seqs, -words.scores))[:_SOME]]
    names = []
    for subject in documents.subjects(best):
        name = next((row.name for row in versions_of(transaction, subject) if row.name is not None), None)
        if name is None or not is_missed(transaction, subject):
            continue
        if {term.term for term in query_terms(name.split(".", 2)[2])} <= said:
            names.append(name)
    return names
