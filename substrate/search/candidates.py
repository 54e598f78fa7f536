"""Candidates for the ranking: the best by words, the best by meaning, what stands beside them and what edges lead to.

All of one snapshot, and only versions of the mask. What is read here without a check against the log decides an order
and is not shown: what is shown is read anew by whoever shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.links import joined_to
from substrate.codec import decode_body
from substrate.embed.texts import name_words
from substrate.kv.api import ReadTransaction
from substrate.log.tables import BODIES, CONFIRMED, read_seq, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES
from substrate.schema import is_id, is_position, is_share
from substrate.search.columns.documents import Documents, Mask
from substrate.search.conversation.question import NOBODY, Addressed
from substrate.search.conversation.rules import rules_in
from substrate.search.conversation.turns import Turns
from substrate.search.ranking import WORDS, Candidates, first_scores, full_score
from substrate.search.scope import standing_of
from substrate.search.statements.forms import forms_of
from substrate.search.words import WordScores
from substrate.snapshot import Snapshot
from substrate.veil import bare
from substrate.views.atoms import version_names, versions_of
from substrate.views.nearest.index import Nearest
from substrate.views.nearest.rows import wide
from substrate.views.turns import TURN
from substrate.views.words import NONE, beside, parts_from

__all__ = ["CANDIDATES", "Gathered", "Lists", "gather", "is_part", "meant_of", "others", "sides_of", "widen"]

CANDIDATES: Final = 64
"""Of each list: these are ranked. What lies behind them, on later pages, follows by its words and meaning alone."""
_LOOKED_INTO: Final = 24
"""Of so many of the best, bodies are read: for neighbours and evidence."""
_FORMED: Final = 100
"""Of so many of the best it is looked at which are sentences of one form, where the question says when."""
_LEADERS: Final = 5
_EDGES: Final = 20
"""From so many of the best, so many edges each are followed."""
_DEEP: Final = 1000
"""So many of the nearest can be paged through; what has a word of the query always can."""
_VERSIONS: Final = 16
"""Versions of an atom, or parts beside one, that are looked at for one that is meant."""
_APART: Final = 1000
"""How far apart the chunks of a document are, until somebody writes between them."""
_PARENT: Final = b'"parent"'
"""Stands in every body of a part; others need not be decoded to know."""
_CONFIRMED: Final = 0.2
_UNKNOWN: Final = 0.5

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Lists:
    """What a query is looked up in, as of one snapshot. Without `vector` or `nearest`: by words alone."""

    snapshot: Snapshot
    documents: Documents
    mask: Mask
    words: WordScores
    names: frozenset[str]
    """Terms of the query that are names."""
    vector: Floats | None = None
    nearest: Nearest | None = None
    addressed: Addressed = NOBODY
    """Whom the question is about."""
    window: Mask | None = None
    """What lies in the span of time that is asked about, if one is."""
    cut: dict[bytes, None] = field(default_factory=dict)
    """Hubs among the best, noted as candidates are gathered: edges of theirs that may hold were not looked at."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Candidates with their seqs; `all`: whether there are no others."""

    seqs: Ints
    candidates: Candidates
    all: bool
    others_score_at_most: float
    read: Mapping[int, dict[str, Json]]
    """What the best of them say, by seq, as `decode_body` gives it. Nobody may change it."""


def gather(lists: Lists, prefer: Ints, count: int = CANDIDATES, *, timed: bool = False) -> Gathered:
    """The candidates, up to `count` of each list; of equals at the end of a list those with the highest `prefer`.

    `timed`: whether the question says when; then it is looked at which have its names, and are of one form.
    """
    words = lists.words
    best, weakest = _best(words, count, prefer)
    close, last = np.zeros(0, np.int64), 0.0
    if lists.vector is not None and lists.nearest is not None:
        close, cosines = lists.nearest.search(lists.vector, count, lists.mask)
        last = float(cosines[-1]) if len(cosines) else 0.0
    found = [best, close]
    if lists.window is not None:
        found.append(_inside(lists, lists.window & lists.mask, count // 2))
    found.append(rules_in(standing_of(lists.snapshot.transaction, lists.documents), lists.mask))
    seqs = _united(found)
    shares = _shares(words, seqs)
    vectors = cosine = None
    if lists.vector is not None and lists.nearest is not None:
        vectors = _vectors(lists, lists.vector, lists.nearest, seqs)
        cosine = vectors @ lists.vector
        if np.count_nonzero(np.isfinite(cosine)) < len(cosine):
            cosine = np.nan_to_num(cosine)
    first = first_scores(shares, cosine)
    leaders = seqs[(-first).argsort(kind="stable")[:_LOOKED_INTO]]
    read = _bodies(lists.snapshot.transaction, leaders)
    near = _neighbours(lists, leaders, read)
    linked = _linked(lists, leaders[:_LEADERS])
    # What stands beside a hit, or at the end of its edge, may be the answer without having been found by itself.
    beside_them = {seq for pair in near.values() for seq in pair if seq >= 0}
    more = np.array(sorted((beside_them | linked.keys()).difference(seqs.tolist())), np.int64)
    if len(more):
        if vectors is not None and lists.vector is not None and lists.nearest is not None:
            vectors = np.concatenate([vectors, _vectors(lists, lists.vector, lists.nearest, more)])
        seqs, shares = np.concatenate([seqs, more]), np.concatenate([shares, _shares(words, more)])
    place = {seq: at for at, seq in enumerate(seqs.tolist())}
    before, after = _places(place, near)
    documents = lists.documents
    candidates = Candidates(
        words=shares,
        vectors=vectors,
        when=documents.when[seqs],
        dated=(documents.occurred[seqs] != NONE) | (documents.valid_from[seqs] != NONE),
        texts=_texts(lists, seqs),
        atoms=documents.subject_high[seqs],
        before=before,
        after=after,
        linked=_links(place, linked),
        trust=_trust(lists, place, leaders, read),
        turns=_turns(lists, seqs),
    )
    if timed:
        named = _named(lists, seqs)
        candidates = replace(candidates, named=named, forms=_forms(lists, seqs, named, first))
    bound = WORDS * weakest + max(last, 0.0)
    everything = len(words.seqs) <= count and len(close) < count
    return Gathered(seqs, candidates, everything, bound / full_score(meaning=cosine is not None), read)


def widen(lists: Lists, gathered: Gathered, more: Sequence[int]) -> Gathered:
    """The candidates, and behind them versions that were found in another way: by walks along edges."""
    if not more:
        return gathered
    seqs, found, documents = np.array(more, np.int64), gathered.candidates, lists.documents
    vectors = found.vectors
    if vectors is not None and lists.vector is not None and lists.nearest is not None:
        vectors = np.concatenate([vectors, _vectors(lists, lists.vector, lists.nearest, seqs)])
    none = np.full(len(seqs), -1, np.int64)
    dated = (documents.occurred[seqs] != NONE) | (documents.valid_from[seqs] != NONE)
    every = np.concatenate([gathered.seqs, seqs])
    candidates = Candidates(
        words=np.concatenate([found.words, _shares(lists.words, seqs)]),
        vectors=vectors,
        when=documents.when[every],
        dated=np.concatenate([found.dated, dated]),
        texts=_texts(lists, every),
        atoms=documents.subject_high[every],
        before=np.concatenate([found.before, none]),
        after=np.concatenate([found.after, none]),
        linked=np.concatenate([found.linked, none]),
        trust=np.concatenate([found.trust, np.full(len(seqs), _UNKNOWN, np.float32)]),
        named=None if found.named is None else np.concatenate([found.named, _named(lists, seqs)]),
        forms=None if found.forms is None else np.concatenate([found.forms, len(found) + np.arange(len(seqs))]),
        turns=_turns(lists, every),
        matched=len(found),
    )
    return replace(gathered, seqs=every, candidates=candidates)


def others(lists: Lists, gathered: Gathered) -> Iterator[tuple[int, float, float, float]]:
    """What lies behind the candidates: seq, score, and the parts of words and meaning; best first.

    All that has a word of the query, and of the rest what is nearest. Whatever page is asked for, it is the same.
    """
    close = np.zeros(0, np.int64)
    if lists.vector is not None and lists.nearest is not None:
        close, _ = lists.nearest.search(lists.vector, _DEEP, lists.mask)
    seqs = np.setdiff1d(np.union1d(lists.words.seqs, close), gathered.seqs)
    words = _shares(lists.words, seqs)
    cosine = np.zeros(len(seqs), np.float32)
    if lists.vector is not None and lists.nearest is not None:
        cosine = np.maximum(np.nan_to_num(lists.nearest.scores(lists.vector, seqs)), 0)
    full = full_score(meaning=lists.nearest is not None)
    total = first_scores(words, cosine) / full
    for at in np.lexsort((-lists.documents.when[seqs], -total.round(6))).tolist():
        yield int(seqs[at]), float(total[at]), WORDS * float(words[at]) / full, float(cosine[at]) / full


def _united(lists: Sequence[Ints]) -> Ints:
    """What is in one of the lists, in order, each once. As `np.unique`, in a third of its time for so few."""
    every = np.concatenate(lists)
    every.sort()
    first = np.ones(len(every), np.bool_)
    np.not_equal(every[1:], every[:-1], out=first[1:])
    return every[first]


def _best(words: WordScores, count: int, prefer: Ints) -> tuple[Ints, float]:
    """The best by words, and the share of the weakest of them if there are others; see `_shares`."""
    seqs, scores = words.seqs, words.scores
    if len(seqs) <= count:
        return seqs, 0.0
    parted = scores.copy()
    parted.partition(len(parted) - count)
    least = parted[len(parted) - count]
    (places,) = (scores >= least).nonzero()
    if len(places) > count:
        is_above = scores[places] > least
        above, equal = places[is_above], places[~is_above]
        some = np.argsort(-prefer[seqs[equal]], kind="stable")[: count - len(above)]
        places = np.concatenate([above, equal[some]])
    most = _most(words)
    return seqs[places], float(least / np.float32(most)) if most > 0 else 0.0


def _inside(lists: Lists, window: Mask, count: int) -> Ints:
    """What lies in the span of time that is asked about: it may be the answer, however little of the query it has."""
    words = lists.words.seqs[window[lists.words.seqs]]
    words = words[np.argsort(-_shares(lists.words, words), kind="stable")[:count]]
    if lists.vector is not None and lists.nearest is not None:
        return np.union1d(words, lists.nearest.search(lists.vector, count, window)[0])
    inside = np.flatnonzero(window)
    return np.union1d(words, inside[np.argsort(-lists.documents.when[inside], kind="stable")[:count]])


def _shares(words: WordScores, seqs: Ints) -> Floats:
    """BM25 of each, as a share of what a text of mean length gets that has every word once."""
    most = _most(words)
    if most <= 0 or not len(words.seqs):
        return np.zeros(len(seqs), np.float32)
    at = words.seqs.searchsorted(seqs)
    shares = words.scores.take(at, mode="clip")
    shares /= np.float32(most)
    shares[words.seqs.take(at, mode="clip") != seqs] = 0
    return shares


def _most(words: WordScores) -> float:
    """What a text of mean length gets that has every word once."""
    return sum(term.idf for term in words.terms)


def _vectors(lists: Lists, query: Floats, nearest: Nearest, seqs: Ints) -> Floats:
    """Of each version the vector of the piece that is nearest to the query; nan where it is not embedded yet."""
    held = nearest.held(seqs)
    rows, pieces = _of_record(lists.snapshot.transaction, nearest, len(query), seqs) if held is None else held
    if not np.count_nonzero(pieces != 1):  # most texts are of one piece
        return rows
    stop = np.cumsum(pieces)
    first = stop - pieces
    for at in np.flatnonzero(pieces > 1).tolist():
        first[at] += int(np.argmax(rows[first[at] : stop[at]] @ query))
    found = np.full((len(seqs), len(query)), np.nan, np.float32)
    found[pieces > 0] = rows[first[pieces > 0]]
    return found


def _of_record(transaction: ReadTransaction, nearest: Nearest, width: int, seqs: Ints) -> tuple[Floats, Ints]:
    """The vectors of all pieces of these versions, and how many each has."""
    rows = [row or b"" for row in nearest.stored(transaction, seqs.tolist())]
    halves = np.frombuffer(b"".join(rows), "<f2").reshape(-1, width)
    return wide(halves), np.array([len(row) for row in rows]) // (2 * width)


def _bodies(transaction: ReadTransaction, seqs: Ints) -> dict[int, dict[str, Json]]:
    rows = transaction.get_many(BODIES, [seq_key(seq) for seq in seqs.tolist()])
    return {seq: decode_body(row[SALT_BYTES:]) for seq, row in zip(seqs.tolist(), rows, strict=True) if row is not None}


def _texts(lists: Lists, seqs: Ints) -> NDArray[np.uint64]:
    """Equal where name words and value are: two cities may have the same name, and are two answers."""
    texts = lists.documents.value[seqs]
    order = texts.argsort()
    said = texts[order]
    again = said[1:] == said[:-1]
    if np.count_nonzero(again):
        several = np.zeros(len(texts), np.bool_)
        several[order[1:][again]] = several[order[:-1][again]] = True
        texts[several] ^= _marks(lists, seqs[several])
    return texts


def _marks(lists: Lists, seqs: Ints) -> NDArray[np.uint64]:
    """The name of each version as a number. A version has one name, so what was worked out once is kept."""
    size = lists.documents.size
    marks, known = lists.documents.once("names", lambda: (np.zeros(size, np.uint64), np.zeros(size, np.bool_)))
    fresh = seqs[~known[seqs]]
    if len(fresh):
        subjects = lists.documents.subjects(fresh)
        named = version_names(lists.snapshot.transaction, zip(subjects, fresh.tolist(), strict=True))
        marks[fresh] = [_mark(name or "") for name in named]
        known[fresh] = True  # last: another thread may look meanwhile
    found: NDArray[np.uint64] = marks[seqs]
    return found


def _mark(name: str) -> int:
    """The words of a name as a number; 0: it has none."""
    words = name_words(name)
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest(), "big") if words else 0


def _forms(lists: Lists, seqs: Ints, named: Mask, first: Floats) -> Ints:
    """Which are sentences of one form: of the best that have the names of the query."""
    some = np.flatnonzero(named[: len(first)])
    some = some[np.argsort(-first[some], kind="stable")[:_FORMED]]
    read = _bodies(lists.snapshot.transaction, seqs[some])
    forms = np.arange(len(seqs))
    forms[some] = some[forms_of([str(read.get(seq, {}).get("value", "")) for seq in seqs[some].tolist()])]
    return forms


def _neighbours(lists: Lists, seqs: Ints, read: Mapping[int, Mapping[str, Json]]) -> dict[int, tuple[int, int]]:
    """Of each version that is part of a whole the parts before and after it that are meant, or -1."""
    near: dict[int, tuple[int, int]] = {}
    for seq in seqs.tolist():
        said = read.get(seq, {})
        whole, position = said.get("parent"), said.get("position")
        if whole is not None and is_id(whole) and is_position(position):
            near[seq] = _both_sides(lists, bytes.fromhex(whole), position)
    return near


def sides_of(lists: Lists, seq: int) -> tuple[int, int]:
    """The parts before and after a version that is part of a whole, as far as they are meant; -1: there is none."""
    row = lists.snapshot.transaction.get(BODIES, seq_key(seq))
    if row is None or _PARENT not in row:
        return -1, -1
    return _neighbours(lists, np.array([seq]), {seq: decode_body(row[SALT_BYTES:])}).get(seq, (-1, -1))


def is_part(transaction: ReadTransaction, seq: int) -> bool:
    """Whether a version is part of a whole: a turn, a chunk."""
    return any(said.get("parent") is not None for said in _bodies(transaction, np.array([seq])).values())


def _both_sides(lists: Lists, whole: bytes, position: int) -> tuple[int, int]:
    """The parts before and after a position, of one position the latest if it is next to it; -1: there is none.

    One look finds what is behind it, and what is right before it: turns are one apart, and chunks mostly `_APART`.
    A turn may stand where a chunk could: if many parts lie between, the look begins right before it.
    """
    transaction, left, right, looked = lists.snapshot.transaction, -1, -1, 0
    start = position - (1 if position % _APART else _APART)
    parts = parts_from(transaction, whole, start)
    if start < position - 1:
        first = list(islice(parts, _VERSIONS))
        parts = chain(first, parts)
        if len(first) == _VERSIONS and first[-1][0] < position:
            start = position - 1
            parts = parts_from(transaction, whole, start)
    for side, seq in parts:
        if side > position + 1 and (right >= 0 or looked >= _VERSIONS):
            break
        looked += side > position
        if side != position and _is_meant(lists, seq):
            if side < position:
                left = seq
            elif side == position + 1 or right < 0:
                right = seq
    if left < 0 and start > 0:
        left = _before(lists, whole, start)
    return left, right


def _is_meant(lists: Lists, seq: int) -> bool:
    return seq < len(lists.mask) and bool(lists.mask[seq])


def _before(lists: Lists, whole: bytes, position: int) -> int:
    """The nearest part before a position that is meant; -1: there is none among those looked at."""
    transaction = lists.snapshot.transaction
    seq = next(beside(transaction, whole, position, after=False, limit=1), -1)
    if seq < 0 or _is_meant(lists, seq):  # mostly the first is the one, or there is none
        return seq
    several = beside(transaction, whole, position, after=False, limit=_VERSIONS)
    return next((seq for seq in several if _is_meant(lists, seq)), -1)


def _places(place: Mapping[int, int], near: Mapping[int, tuple[int, int]]) -> tuple[Ints, Ints]:
    """As places among the candidates; who stands after one has that one before it."""
    before, after = np.full(len(place), -1, np.int64), np.full(len(place), -1, np.int64)
    for seq, (left, right) in near.items():
        at = place[seq]
        if left >= 0:
            before[at], after[place[left]] = place[left], at
        if right >= 0:
            after[at], before[place[right]] = place[right], at
    return before, after


def _links(place: Mapping[int, int], linked: Mapping[int, int]) -> Ints:
    """As places among the candidates: of each the one from which an edge leads to it, or -1."""
    links = np.full(len(place), -1, np.int64)
    for seq, leader in linked.items():
        links[place[seq]] = place[leader]
    return links


def meant_of(lists: Lists, subject: bytes) -> int:
    """The latest version of an atom that is meant; -1 if none is."""
    versions = versions_of(lists.snapshot.transaction, subject, upto=lists.documents.size - 1)
    return next((version.seq for version in islice(versions, _VERSIONS) if lists.mask[version.seq]), -1)


def _linked(lists: Lists, leaders: Ints) -> dict[int, int]:
    """Versions that an edge joins to one of the leaders: each with the best of these."""
    linked: dict[int, int] = {}
    for leader in leaders.tolist():
        for end in islice(joined_to(lists.snapshot, lists.documents.subject(leader), lists.cut), _EDGES):
            seq = meant_of(lists, end)
            if seq not in (-1, leader):
                linked.setdefault(seq, leader)
    return linked


def _trust(lists: Lists, place: Mapping[int, int], leaders: Ints, read: Mapping[int, Mapping[str, Json]]) -> Floats:
    """How sure each is: what its writer said, and a little more if it was said again; of the leaders alone."""
    trust = np.full(len(place), _UNKNOWN, np.float32)
    for seq, body in read.items():
        said = body.get("confidence")
        if said is not None and is_share(said):
            trust[place[seq]] = said
    transaction = lists.snapshot.transaction
    if lists.snapshot.upto is None and bare(transaction).any(CONFIRMED):
        again = transaction.get_many(CONFIRMED, lists.documents.subjects(leaders))
        for seq, confirmed in zip(leaders.tolist(), again, strict=True):
            if confirmed is not None and read_seq(confirmed[:8]) == seq:
                said = read.get(seq, {}).get("confidence")
                trust[place[seq]] = min(1.0, (float(said) if is_share(said) else _UNKNOWN) + _CONFIRMED)
    return trust


def _named(lists: Lists, seqs: Ints) -> Mask:
    """Which have every name of the query that any version has."""
    named = np.ones(len(seqs), np.bool_)
    for place, term in enumerate(lists.words.terms):
        if term.term in lists.names and term.found:
            named &= lists.words.has(place, seqs)
    return named


def _turns(lists: Lists, seqs: Ints) -> Turns | None:
    """What each is in a conversation, if any of them is a turn."""
    documents, terms = lists.documents, lists.words.terms
    flags = documents.flags[seqs] & np.uint8(TURN)
    if not np.count_nonzero(flags):
        return None
    rarest = max((place for place, term in enumerate(terms) if term.found), key=lambda at: terms[at].idf, default=None)
    keyed = np.zeros(len(seqs), np.bool_) if rarest is None else lists.words.has(rarest, seqs)
    return Turns(flags, documents.speaker[seqs], keyed, lists.addressed)
