"""What is indexed of an atom, counted, as tests compare it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from substrate.text.terms import document_words

__all__ = ["Bag", "document_terms"]


class Bag(NamedTuple):
    """The terms of a document, each with how often it occurs, and how many words the document has."""

    counts: Mapping[str, int]
    length: int


def document_terms(name: str, value: str, tags: Iterable[str] = (), entities: Iterable[str] = ()) -> Bag:
    terms, length = document_words(name, value, tags, entities)
    return Bag(Counter(terms), length)
