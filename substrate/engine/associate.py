"""The verb associate: atoms of other domains that have more to do with one than anyone has stated.

Candidates come from four lists: the nearest by meaning, those with the same rare words, those that tend to be needed
after it, and those that have the same neighbours. They are scored by search/association.py. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.engine.arcs import Arcs
from substrate.engine.asked import find_asked, read_names
from substrate.engine.meaning import Models
from substrate.engine.nearby import Nearby, nearby
from substrate.engine.paging import check_limit
from substrate.engine.reading import Moments, atom_of, moments_of, name_of, require_body, superseders
from substrate.engine.scope import domains_of, find_domain, members_of
from substrate.errors import SchemaInvalid
from substrate.findings import Association, Associations
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import Atom
from substrate.proof.entry import Kind
from substrate.search.association import FLOOR, STATED, meaning_part, neighbours_part, together, words_part
from substrate.search.columns import Columns, Documents, Mask
from substrate.search.words import keyword_mask, score_words
from substrate.terms import query_terms
from substrate.views.atoms import VersionRow, names, versions_of
from substrate.views.models import model_searched
from substrate.views.nearest import Nearest, NearestIndex
from substrate.views.vectors import embedded_upto, vectors_of
from substrate.views.words import Field

__all__ = ["Associator"]

_EACH: Final = 50
"""Candidates of each list."""
_PIECES: Final = 4
"""Of a long text so many pieces are looked for."""
_TERMS: Final = 200
"""Words of the text whose rarity is looked up."""
_RARE: Final = 16
"""Of these, so many of the rarest count."""
_RARE_SHARE: Final = 0.01
_FEW: Final = 10
"""A word is rare if no more than this share of all current versions has it, or no more than so many."""
_DIGITS: Final = 4
"""A number must have so many, to be taken for a word."""
_SAID: Final = 3
"""Words that a reason names."""
_DOMAINS: Final = "v1.domain."
_NO_TARGETS: Final = ("v1.domain", "v1.hub")
"""What atoms belong to joins them anyway."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What one call looks at."""

    transaction: ReadTransaction
    documents: Documents
    moments: Moments
    arcs: Arcs
    nearest: Nearest | None
    dimensions: int


class Associator:
    """What associating in one open memory needs between calls. Safe to share between threads."""

    def __init__(self, log: Log, models: Models, nearest: NearestIndex, columns: Columns) -> None:
        self._log = log
        self._models = models
        self._nearest = nearest
        self._columns = columns

    def associate(
        self,
        atoms: str | Iterable[str],
        *,
        domain: str | None,
        all_domains: str | Iterable[str] | None,
        limit: int,
        arcs: Arcs,
    ) -> Associations:
        """See `Memory.associate`."""
        wanted = read_names(atoms, "atoms")
        check_limit(limit, most=LIMITS["search_items"])
        if domain is not None and not isinstance(domain, str):
            raise SchemaInvalid("domain is the name of a domain, such as v1.domain.billing or billing")
        others = None if all_domains is None else _listed(all_domains)
        with self._log.snapshot() as transaction:
            moments = moments_of(transaction, self._log.clock, None, None)
            asked = find_asked(transaction, wanted, moments)
            documents = self._columns.at(transaction)
            nearest, dimensions, why = self._meaning(transaction, documents.size)
            snapshot = _Snapshot(transaction, documents, moments, arcs, nearest, dimensions)
            domains = _Domains(snapshot, domain, others)
            sources = [_Source(snapshot, domains, subject) for subject in asked.subjects]
            bare = [source.atom.name for source in sources if nearest is not None and not len(source.vectors)]
            if bare:
                why = f"not embedded yet, and compared by words: {', '.join(bare)}; index() embeds what there is"
            found = _best(sources, limit)
            return Associations(tuple(found), asked.missing, why, documents.size - 1)

    def _meaning(self, transaction: ReadTransaction, size: int) -> tuple[Nearest | None, int, str]:
        """The vectors that there are, and how wide they are; without them, why."""
        if not self._models.wanted:
            return None, 0, "compared by words only: no model is wanted here (it is set to none)"
        model = model_searched(transaction)
        if model is None or not embedded_upto(transaction, model.space):
            return None, 0, "compared by words only: nothing is embedded yet; index() embeds what there is"
        return self._nearest.at(transaction, model.space, model.dimensions, size), model.dimensions, ""


def _listed(all_domains: str | Iterable[str]) -> tuple[str, ...]:
    listed = (all_domains,) if isinstance(all_domains, str) else tuple(all_domains)
    if not all(isinstance(name, str) for name in listed):
        raise SchemaInvalid("all_domains are names of domains, such as v1.domain.billing or billing")
    return listed


class _Domains:
    """Which versions lie in other domains than an atom. Atoms without one are as a domain of their own."""

    def __init__(self, snapshot: _Snapshot, given: str | None, others: tuple[str, ...] | None) -> None:
        self._snapshot = snapshot
        transaction, moments = snapshot.transaction, snapshot.moments
        self._given = frozenset[bytes]() if given is None else frozenset({find_domain(transaction, given, moments)})
        self._others = None if others is None else {find_domain(transaction, name, moments) for name in others}
        self._masks: dict[frozenset[bytes], Mask] = {}
        self._members: dict[bytes, Mask] = {}

    def of(self, subject: bytes) -> frozenset[bytes]:
        """The domains of an atom that is asked about: those it belongs to, and the one given."""
        return self._given | domains_of(self._snapshot.transaction, subject, self._snapshot.moments)

    def names(self, subject: bytes) -> tuple[str, ...]:
        """The names of the domains that an atom belongs to."""
        found = domains_of(self._snapshot.transaction, subject, self._snapshot.moments)
        return tuple(sorted(name_of(self._snapshot.transaction, domain) or "" for domain in found))

    def elsewhere(self, own: frozenset[bytes]) -> Mask:
        """The current versions of atoms that belong to others than these domains, and to none of these."""
        if own not in self._masks:
            self._masks[own] = self._elsewhere(own)
        return self._masks[own]

    def _elsewhere(self, own: frozenset[bytes]) -> Mask:
        transaction, documents = self._snapshot.transaction, self._snapshot.documents
        mask = documents.now.copy()
        for beginning in _NO_TARGETS:
            mask &= ~keyword_mask(transaction, documents, Field.UNDER, beginning)
        for domain in own:
            mask &= ~self._of_domain(domain)
        others = self._others
        if others is None and not own:
            others = {row.subject for row in names(transaction, _DOMAINS) if row.kind is Kind.PUT}
        if others is not None:
            inside = np.zeros(documents.size, np.bool_)
            for domain in others - own:
                inside |= self._of_domain(domain)
            mask &= inside
        return mask

    def _of_domain(self, domain: bytes) -> Mask:
        if domain not in self._members:
            snapshot = self._snapshot
            self._members[domain] = members_of(snapshot.transaction, snapshot.documents, domain, snapshot.moments)
        return self._members[domain]


class _Word(NamedTuple):
    """A rare word that two atoms have: how rare it is, and whether it is a name, written in the same way in both."""

    idf: float
    is_name: bool


class _Candidate(NamedTuple):
    """A version that may be associated with a source."""

    score: float
    seq: int
    parts: dict[str, float]
    reason: str


class _Source:
    """One of the atoms asked about."""

    def __init__(self, snapshot: _Snapshot, domains: _Domains, subject: bytes) -> None:
        self._snapshot = snapshot
        self._subject = subject
        self._domains = domains
        self.mask = domains.elsewhere(domains.of(subject))
        version = next(versions_of(snapshot.transaction, subject))
        self.atom = _atom(snapshot, version)
        self.vectors = self._stored_vectors(version.seq)

    def _stored_vectors(self, seq: int) -> Floats:
        snapshot = self._snapshot
        if snapshot.nearest is None:
            return np.zeros((0, 1), np.float32)
        (row,) = vectors_of(snapshot.transaction, snapshot.nearest.space, [seq])
        pieces = np.frombuffer(row or b"", "<f2").reshape(-1, snapshot.dimensions)
        return pieces[:_PIECES].astype(np.float32)

    def candidates(self) -> Iterator[_Candidate]:
        """What is worth a look, in no order. What an edge joins it to already, or did, is not."""
        around = nearby(self._snapshot.transaction, self._subject, self._snapshot.moments)
        words = self._words()
        near = self._near()
        shares = self._arcs()
        linked = {self._seq(other): other for other in around.shared}
        seqs = sorted({*words, *near, *shares, *linked} - {-1})
        cosines = self._cosines(np.array(seqs, np.int64))
        for seq, cosine in zip(seqs, cosines, strict=True):
            other = self._snapshot.documents.subject(seq)
            if other != self._subject and other not in around.joined:
                yield self._candidate(seq, other, cosine, words.get(seq, {}), shares.get(seq, 0.0), around)

    def _candidate(  # noqa: PLR0913, PLR0917 - what each list says of it
        self, seq: int, other: bytes, cosine: float, words: dict[str, _Word], share: float, around: Nearby
    ) -> _Candidate:
        transaction = self._snapshot.transaction
        between = around.shared.get(other, {})
        named = {subject: name_of(transaction, subject) or "" for subject in between}
        # A word that names what both are joined to says nothing that is not stated.
        stated = {term.spelling for name in named.values() for term in query_terms(_words_of(name))}
        words = {word: rare for word, rare in words.items() if word.lower() not in {said.lower() for said in stated}}
        parts = {
            "meaning": meaning_part(cosine),
            "words": words_part(words.values(), self._snapshot.documents.extent[0]),
            "arcs": share,
            "neighbours": neighbours_part(between.values()),
        }
        chained = around.chained.get(other)
        if chained is not None:
            parts["stated"] = STATED
        parts = {part: round(value, 4) for part, value in parts.items() if abs(value) >= 0.005}  # noqa: PLR2004
        told = [
            f"close in meaning ({cosine:.2f})" if "meaning" in parts else "",
            f"both have {', '.join(sorted(words, key=lambda word: _rank(words[word]))[:_SAID])}" if words else "",
            f"it came next {share:.0%} of the time" if "arcs" in parts else "",
            f"both are joined to {', '.join(sorted(named.values())[:_SAID])}" if named else "",
        ]
        by_way = f"joined already by way of {name_of(transaction, chained) or 'another'}" if chained else ""
        reason = "; ".join(word for word in (*told, by_way or "no edge joins them") if word)
        return _Candidate(together(parts) if parts else 0.0, seq, parts, reason)

    def _near(self) -> set[int]:
        nearest = self._snapshot.nearest
        found: set[int] = set()
        if nearest is not None:
            for vector in self.vectors:
                seqs, _ = nearest.search(vector, _EACH, self.mask)
                found.update(seqs.tolist())
        return found

    def _cosines(self, seqs: NDArray[np.int64]) -> list[float]:
        """How near each is to the piece that is nearest to it."""
        best = np.zeros(len(seqs), np.float32)
        if self._snapshot.nearest is not None:
            for vector in self.vectors:
                best = np.maximum(best, np.nan_to_num(self._snapshot.nearest.scores(vector, seqs)))
        return [float(cosine) for cosine in best]

    def _words(self) -> dict[int, dict[str, _Word]]:
        """Versions elsewhere that have rare words of this one."""
        transaction, documents = self._snapshot.transaction, self._snapshot.documents
        terms = [term for term in query_terms(_text(self.atom)) if _says_something(term.spelling)]
        spelled = {term.term: term.spelling for term in terms[:_TERMS]}
        known = score_words(transaction, documents, list(spelled), documents.now)
        most = max(_FEW, int(_RARE_SHARE * known.versions))
        rare = {term.term: term.idf for term in known.terms if 1 < term.found <= most}
        rare = dict(sorted(rare.items(), key=lambda item: -item[1])[:_RARE])
        if not rare:
            return {}
        found = score_words(transaction, documents, list(rare), self.mask)
        best = found.seqs[np.argsort(-found.scores, kind="stable")[:_EACH]]
        words: dict[int, dict[str, _Word]] = {}
        for seq, column in zip(best.tolist(), found.matches(best).T, strict=True):
            text = _text(_atom(self._snapshot, self._version(seq)))
            shared = [term.term for term, has in zip(found.terms, column, strict=True) if has]
            words[seq] = {spelled[term]: _Word(rare[term], _is_name(spelled[term], text)) for term in shared}
        return words

    def _arcs(self) -> dict[int, float]:
        shares = self._snapshot.arcs(self._snapshot.transaction, self._subject)
        return {seq: share for other, share in shares.items() if (seq := self._seq(other)) >= 0}

    def _version(self, seq: int) -> VersionRow:
        return VersionRow(self._snapshot.documents.subject(seq), seq, Kind.PUT, None)

    def _seq(self, subject: bytes) -> int:
        """The current version of an atom, if it lies elsewhere; else -1."""
        version = next(versions_of(self._snapshot.transaction, subject), None)
        return version.seq if version is not None and self.mask[version.seq] else -1

    def association(self, candidate: _Candidate) -> Association | None:
        """The candidate as it is shown; None if another atom supersedes it, or both are parts of one whole."""
        snapshot = self._snapshot
        subject = snapshot.documents.subject(candidate.seq)
        if superseders(snapshot.transaction, subject, snapshot.moments):
            return None
        target = _atom(snapshot, self._version(candidate.seq))
        if {self.atom.id, self.atom.parent} & {target.id, target.parent} - {None}:
            return None
        edge = {
            "source": self.atom.name,
            "type": "references",
            "target": target.name,
            "confidence": round(candidate.score, 2),
            # Numbers only: names of others would outlive their being forgotten.
            "attrs": {"suggested_by": "associate", "parts": dict(candidate.parts)},
        }
        return Association(
            self.atom,
            target,
            round(candidate.score, 4),
            candidate.parts,
            candidate.reason,
            edge,
            self._domains.names(self._subject),
            self._domains.names(subject),
        )


def _best(sources: list[_Source], limit: int) -> list[Association]:
    """The strongest over all sources, each pair once."""
    ranked = sorted(
        ((source, candidate) for source in sources for candidate in source.candidates() if candidate.score >= FLOOR),
        key=lambda pair: (-pair[1].score, pair[1].seq),
    )
    found: dict[frozenset[str], Association] = {}
    for source, candidate in ranked:
        association = source.association(candidate)
        if association is not None:
            found.setdefault(frozenset({association.source.id, association.target.id}), association)
        if len(found) == limit:
            break
    return list(found.values())


def _text(atom: Atom) -> str:
    return "\n".join((_words_of(atom.name), atom.value, *atom.tags, *atom.entities))


def _says_something(word: str) -> bool:
    """Not a single letter, nor a small number: these are the same by chance."""
    return len(word) >= (_DIGITS if word.isdecimal() else 2) or not word.isascii()


def _is_name(word: str, text: str) -> bool:
    """Whether a word has a capital or a digit, and stands so in the other text too."""
    return any(character.isupper() or character.isdigit() for character in word) and word in text


def _rank(word: _Word) -> tuple[bool, float]:
    return not word.is_name, -word.idf


def _words_of(name: str) -> str:
    """What a name says, without version and type."""
    return name.partition(".")[2].partition(".")[2].replace(".", " ").replace("_", " ")


def _atom(snapshot: _Snapshot, version: VersionRow) -> Atom:
    body = require_body(snapshot.transaction, version.seq)
    return atom_of(snapshot.transaction, version, body, snapshot.moments)
