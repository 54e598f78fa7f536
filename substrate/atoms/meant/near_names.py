"""The names that may have been meant, where a name is not there. The work is bounded, whatever the store's size.

Looked at are, of names in use: the same under another version or type; what is one letter away; what stands beside it
in the order of names; and what has words in common with it. The likest are said, if they are like it at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import islice, pairwise
from string import ascii_lowercase, digits
from struct import unpack_from
from typing import Final, NamedTuple

from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.decode import stored_entry
from substrate.log.heads import require_head
from substrate.log.tables import ENTRIES, POSTINGS, seq_key
from substrate.names import guess_name, normalise
from substrate.proof.entry import Kind
from substrate.schema import is_name
from substrate.text.quote import if_needed
from substrate.text.secrets import find_secrets
from substrate.text.terms import document_words, fit
from substrate.views import words as postings
from substrate.views.atoms import VersionRow, find_names, names, names_before, versions_of
from substrate.views.words import Field, posting_heads, posting_keys, split_postings

__all__ = ["MOST_SUGGESTED", "discreet", "name_heads", "names_beside", "near_names", "or_near"]

MOST_SUGGESTED: Final = 10
"""Of many names that are missing in one call, so many get suggestions: each takes a millisecond or two."""
_LIKE: Final = 0.6
"""How like two names must be, from 0 to 1, for the one to be meant by the other."""
_WORDS_LIKE: Final = 0.7
"""Of names of which one has all the words of the other."""
_BEHIND: Final = 0.2
"""What is so much less like than the likest is not said beside it."""
_OTHER_HEAD: Final = 0.1
"""What another version or type takes off."""
_HEADS: Final = 40
_BESIDE: Final = 40
_SPELT: Final = 16
"""Letters up to which all that is one letter away is looked up. Of longer names, more than one word is right."""
_LETTERS: Final = ascii_lowercase + digits + "_"
_TERMS: Final = 3
_BLOCKS: Final = 32
_SEQS: Final = 300
_WITH_WORDS: Final = 40
_COMPARED: Final = 8
_LEAST_WORD: Final = 4
_LAST: Final = "\U0010ffff"
_HEAD: Final = re.compile(r"[^.]*\.[^.]*\.")
_SIGNS: Final = re.compile(r"[\W_]+")


_DISCREET: Final[ContextVar[bool]] = ContextVar("substrate_discreet", default=False)


@contextmanager
def discreet() -> Iterator[None]:
    """In the block no names are suggested to this caller: for one who may write and not read."""
    before = _DISCREET.set(True)
    try:
        yield
    finally:
        _DISCREET.reset(before)


def or_near(transaction: ReadTransaction, name: str, under: str = "") -> str:
    """How a message goes on that says a name is not there: `; near it: v1.fact.a, v1.fact.b`, or not at all.

    A name that could be taken for more of the message is in quotes.
    """
    near = near_names(transaction, name, under=under)
    return f"; near it: {', '.join(map(if_needed, near))}" if near else ""


def near_names(transaction: ReadTransaction, name: str, most: int = 3, *, under: str = "") -> tuple[str, ...]:
    """The names in use that are likest to one that is not there, the likest first; those that begin with `under`.

    None that looks like a credential. Empty for an id, and for what is like nothing.
    """
    wanted = None if _DISCREET.get() else _Spelling.of(name)
    if wanted is None:
        return ()
    scored = [
        (_likeness(wanted, other), other)
        for other in _candidates(transaction, wanted)
        if other.startswith(under) and other != name
    ]
    least = max([_LIKE, *(score - _BEHIND for score, _ in scored)])
    best = sorted((-score, other) for score, other in scored if score >= least)
    return tuple(islice((other for _, other in best if is_name(other) and not find_secrets(other)), most))


def names_beside(transaction: ReadTransaction, name: str, *, letters: bool = True) -> tuple[str, ...]:
    """Names in use that may have been meant by one that is not there, as far as few reads find them; in no order.

    Without `letters`, all that is one letter away is not looked up: half of the work.
    """
    wanted = None if _DISCREET.get() else _Spelling.of(name)
    return () if wanted is None else tuple(_candidates(transaction, wanted, letters=letters))


def _candidates(transaction: ReadTransaction, wanted: _Spelling, *, letters: bool = True) -> dict[str, None]:
    """The names that are to be compared."""

    def shown(rows: Iterable[VersionRow | None]) -> Iterator[str]:
        for row in rows:
            if row is not None and row.kind is Kind.PUT and row.name is not None:
                yield row.name

    likely = dict.fromkeys(shown(_likely(transaction, wanted, letters=letters)))
    further = dict.fromkeys(other for other in shown(_further(transaction, wanted)) if other not in likely)
    return likely | dict.fromkeys(nlargest(_COMPARED, further, key=lambda other: _alike(wanted, other)))


class _Spelling(NamedTuple):
    """A name, taken apart: `v1.type.`; the rest; its letters, without signs and capitals; pairs of these; its words."""

    name: str
    head: str
    rest: str
    letters: str
    pairs: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, name: str) -> _Spelling | None:
        """None if it has no head, or cannot be a name."""
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            return None
        name = normalise(name)
        head = _HEAD.match(name)
        if head is None or len(name.encode()) > LIMITS["name_bytes"]:
            return None
        rest = name[head.end() :]
        folded = rest.casefold()
        letters = _SIGNS.sub("", folded)
        words = frozenset(word for word in _SIGNS.split(folded) if word)
        return cls(name, head[0], rest, letters, _pairs(letters), words)


def _pairs(letters: str) -> frozenset[str]:
    return frozenset(map("".join, pairwise(letters)))


# -- who may be meant --------------------------------------------------------------------------------------------------


def _likely(transaction: ReadTransaction, wanted: _Spelling, *, letters: bool) -> list[VersionRow | None]:
    """The same under another version or type, and what is one letter away."""
    meant = {head + wanted.rest for head in name_heads(transaction)}
    if letters:
        meant |= {wanted.head + rest for rest in _one_letter_away(wanted.rest)}
    meant.add(guess_name(wanted.name) or wanted.name)
    longest = max(map(len, meant))
    if 4 * longest > LIMITS["name_bytes"]:
        meant = {other for other in meant if len(other.encode()) <= LIMITS["name_bytes"]}
    return find_names(transaction, sorted(meant))


def name_heads(transaction: ReadTransaction) -> Iterator[str]:
    """What names begin with, up to the second dot: each once, by leaps over the names in between."""
    after = None
    for _ in range(_HEADS):
        row = next(names(transaction, "", after, limit=1), None)
        head = None if row is None else _HEAD.match(row.name or "")
        if head is None:
            return
        yield head[0]
        after = head[0] + _LAST


def _one_letter_away(rest: str) -> Iterator[str]:
    """One letter more, less or another, or two in each other's place."""
    if len(rest) > _SPELT:
        return
    for at in range(len(rest) + 1):
        before, letter, behind = rest[:at], rest[at : at + 1], rest[at + 1 :]
        if letter:
            yield before + behind
            yield before + behind[:1] + letter + behind[1:]
        for other in _LETTERS:
            yield before + other + letter + behind
            yield before + other + behind


def _further(transaction: ReadTransaction, wanted: _Spelling) -> Iterator[VersionRow]:
    """What stands beside it in the order of names, and what has words in common with it."""
    yield from islice(names(transaction, "", wanted.name), _BESIDE)
    yield from islice(names_before(transaction, wanted.name), _BESIDE)
    seqs = _with_words(transaction, wanted.rest)
    entries = zip(seqs, transaction.get_many(ENTRIES, [seq_key(seq) for seq in seqs]), strict=True)
    for subject in dict.fromkeys(stored_entry(seq, data).subject for seq, data in entries):
        yield from islice(versions_of(transaction, subject), 1)


def _with_words(transaction: ReadTransaction, rest: str) -> list[int]:
    """The seqs of some versions that have the rarest words of a name; those that have most of them first."""
    size = require_head(transaction).head.size
    terms, _ = document_words(f"v1.{rest}", "")
    rows: list[tuple[int, list[tuple[int, bytes]]]] = []
    heads = posting_heads(size, first := max(0, -(-size // postings.BLOCK) - _BLOCKS))
    for term in islice(dict.fromkeys(terms), 2 * _TERMS):
        found = transaction.get_many(POSTINGS, posting_keys(Field.WORD, fit(term).encode(), size, first))
        blocks = [
            (start, split_postings(row)[0]) for (start, _), row in zip(heads, found, strict=True) if row is not None
        ]
        rows.append((sum(len(offsets) for _, offsets in blocks), blocks))
    counts: Counter[int] = Counter()
    for _, blocks in sorted(rows, key=lambda row: row[0])[:_TERMS]:
        counts.update(islice(_newest(blocks), _SEQS))
    return [seq for seq, _ in counts.most_common(_WITH_WORDS)]


def _newest(blocks: list[tuple[int, bytes]]) -> Iterator[int]:
    for start, offsets in reversed(blocks):
        some = offsets[-2 * _SEQS :]
        for offset in reversed(unpack_from(f"<{len(some) // 2}H", some)):
            yield start + offset


# -- how like they are -------------------------------------------------------------------------------------------------


def _alike(wanted: _Spelling, name: str) -> float:
    """A quick measure, blind to where the letters stand."""
    pairs = _pairs(_SIGNS.sub("", name.split(".", 2)[-1].casefold()))
    together = len(wanted.pairs) + len(pairs)
    return 2 * len(wanted.pairs & pairs) / together if together else 0.0


def _likeness(wanted: _Spelling, name: str) -> float:
    """From 0 to 1: as letters in order, as pairs of letters, or as words."""
    other = _Spelling.of(name)
    if other is None:
        return 0.0
    score = SequenceMatcher(None, wanted.letters, other.letters, autojunk=False).ratio()
    score = max(score, _alike(wanted, name))
    if other.words and wanted.words and (wanted.words <= other.words or other.words <= wanted.words):
        shared = wanted.words & other.words
        score = max(score, _WORDS_LIKE if sum(map(len, shared)) >= _LEAST_WORD else 0.0)
    return score - (_OTHER_HEAD if wanted.head != other.head else 0.0)
