"""The verb associate: atoms of other domains that have more to do with one than anyone has stated.

Candidates come from four lists: the nearest by meaning, those with the same rare words, those that tend to be needed
after it, and those that have the same neighbours. They are scored by relate/strength.py. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import require_body
from substrate.atoms.domains import DOMAIN, Domains, find_domain
from substrate.atoms.load import atom_of
from substrate.atoms.meant.subjects import find_asked, read_names
from substrate.atoms.resolve import name_of
from substrate.atoms.supersedes import is_superseded
from substrate.embed.query import Models
from substrate.errors import SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.learn.arcs import arcs_after
from substrate.limits import LIMITS, check_limit
from substrate.messages import INDEX, Arg, Message
from substrate.proof.entry import Kind
from substrate.relate.neighbours import Nearby, nearby
from substrate.relate.strength import FLOOR, STATED, meaning_part, neighbours_part, together, words_part
from substrate.search.columns.documents import Columns, Documents, Mask
from substrate.search.columns.members import DomainMasks
from substrate.search.words import keyword_mask, score_words
from substrate.snapshot import Snapshot
from substrate.text.terms import query_terms
from substrate.values.atoms import Atom
from substrate.values.edges import REFERENCES
from substrate.values.relations import Association, Associations
from substrate.views.atoms import VersionRow, latest_version, names, versions_of
from substrate.views.models import model_searched
from substrate.views.nearest.index import Nearest, NearestIndex
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
_NO_TARGETS: Final = ("v1.domain", "v1.hub")
"""What atoms belong to joins them anyway."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _View:
    """What one call looks at."""

    snapshot: Snapshot
    documents: Documents
    nearest: Nearest | None
    dimensions: int

    @property
    def transaction(self) -> ReadTransaction:
        """That of the snapshot."""
        return self.snapshot.transaction


class Associator:
    """What associating in one open store needs between calls. Safe to share between threads."""

    def __init__(self, models: Models, nearest: NearestIndex, columns: Columns, domains: DomainMasks) -> None:
        self._models = models
        self._nearest = nearest
        self._columns = columns
        self._domains = domains

    def associate(
        self,
        snapshot: Snapshot,
        atoms: str | Iterable[str],
        *,
        domain: str | None,
        all_domains: str | Iterable[str] | None,
        limit: int,
    ) -> Associations:
        """See `Memory.associate`."""
        wanted = read_names(atoms, Arg("atoms"))
        check_limit(limit, most=LIMITS["search_items"])
        if domain is not None and not isinstance(domain, str):
            raise SchemaInvalid(Arg("domain"), " is the name of a domain, such as v1.domain.billing or billing")
        others = None if all_domains is None else _listed(all_domains)
        asked = find_asked(snapshot, wanted)
        documents = self._columns.at(snapshot.transaction)
        nearest, dimensions, why = self._meaning(snapshot.transaction, documents.size)
        view = _View(snapshot, documents, nearest, dimensions)
        domains = _Domains(view, self._domains, domain, others)
        sources = [_Source(view, domains, subject) for subject in asked.subjects]
        bare = [source.atom.name for source in sources if nearest is not None and not len(source.vectors)]
        if bare:
            why = Message(f"not embedded yet, and compared by words: {', '.join(bare)}; ", INDEX)
        found = _best(sources, limit)
        return Associations(tuple(found), asked.missing, why, documents.size - 1)

    def _meaning(self, transaction: ReadTransaction, size: int) -> tuple[Nearest | None, int, str]:
        """The vectors that there are, and how wide they are; without them, why."""
        if not self._models.wanted:
            return None, 0, "compared by words only: semantic search is off (model = none)"
        model = model_searched(transaction)
        if model is None or not embedded_upto(transaction, model.space):
            return None, 0, Message("compared by words only: nothing is embedded yet; ", INDEX)
        return self._nearest.at(transaction, model.space, model.dimensions, size), model.dimensions, ""


def _listed(all_domains: str | Iterable[str]) -> tuple[str, ...]:
    listed = (all_domains,) if isinstance(all_domains, str) else tuple(all_domains)
    if not all(isinstance(name, str) for name in listed):
        raise SchemaInvalid(Arg("all_domains"), " are names of domains, such as v1.domain.billing or billing")
    return listed


class _Domains:
    """Which versions lie in other domains than an atom. Atoms without one are as a domain of their own."""

    def __init__(self, view: _View, masks: DomainMasks, given: str | None, others: tuple[str, ...] | None) -> None:
        self._view = view
        self._of_domains = masks
        snapshot = view.snapshot
        self._domains = Domains(snapshot)
        self._given = frozenset[bytes]() if given is None else frozenset({find_domain(snapshot, given).subject})
        self._others = None if others is None else {find_domain(snapshot, name).subject for name in others}
        self._masks: dict[frozenset[bytes], Mask] = {}
        self._members: dict[bytes, Mask] = {}

    def of(self, subject: bytes) -> frozenset[bytes]:
        """The domains of an atom that is asked about: those it belongs to, and the one given."""
        return self._given | self._domains.of(subject)

    def names(self, subject: bytes) -> tuple[str, ...]:
        """The names of the domains that an atom belongs to."""
        found = self._domains.of(subject)
        return tuple(sorted(self._domains.name(domain) for domain in found))

    def elsewhere(self, own: frozenset[bytes]) -> Mask:
        """The current versions of atoms that belong to others than these domains, and to none of these."""
        if own not in self._masks:
            self._masks[own] = self._elsewhere(own)
        return self._masks[own]

    def _elsewhere(self, own: frozenset[bytes]) -> Mask:
        transaction, documents = self._view.transaction, self._view.documents
        mask = documents.now.copy()
        for beginning in _NO_TARGETS:
            mask &= ~keyword_mask(transaction, documents, Field.UNDER, beginning)
        for domain in own:
            mask &= ~self._of_domain(domain)
        others = self._others
        if others is None and not own:
            others = {row.subject for row in names(transaction, DOMAIN) if row.kind is Kind.PUT}
        if others is not None:
            inside = np.zeros(documents.size, np.bool_)
            for domain in others - own:
                inside |= self._of_domain(domain)
            mask &= inside
        return mask

    def _of_domain(self, domain: bytes) -> Mask:
        if domain not in self._members:
            of = self._domains.domain(domain)
            self._members[domain] = self._of_domains.mask(self._view.snapshot, self._view.documents, of)
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

    def __init__(self, view: _View, domains: _Domains, subject: bytes) -> None:
        self._view = view
        self._subject = subject
        self._domains = domains
        self.mask = domains.elsewhere(domains.of(subject))
        version = next(versions_of(view.transaction, subject))
        self.atom = _atom(view, version)
        self.vectors = self._stored_vectors(version.seq)

    def _stored_vectors(self, seq: int) -> Floats:
        view = self._view
        if view.nearest is None:
            return np.zeros((0, 1), np.float32)
        (row,) = vectors_of(view.transaction, view.nearest.space, [seq])
        pieces = np.frombuffer(row or b"", "<f2").reshape(-1, view.dimensions)
        return pieces[:_PIECES].astype(np.float32)

    def candidates(self) -> Iterator[_Candidate]:
        """What is worth a look, in no order. What an edge joins it to already, or did, is not."""
        around = nearby(self._view.snapshot, self._subject)
        words = self._words()
        near = self._near()
        shares = self._arcs()
        linked = {self._seq(other): other for other in around.shared}
        seqs = sorted({*words, *near, *shares, *linked} - {-1})
        cosines = self._cosines(np.array(seqs, np.int64))
        for seq, cosine in zip(seqs, cosines, strict=True):
            other = self._view.documents.subject(seq)
            if other != self._subject and other not in around.joined:
                yield self._candidate(seq, other, cosine, words.get(seq, {}), shares.get(seq, 0.0), around)

    def _candidate(  # noqa: PLR0913, PLR0917 - what each list says of it
        self, seq: int, other: bytes, cosine: float, words: dict[str, _Word], share: float, around: Nearby
    ) -> _Candidate:
        transaction = self._view.transaction
        between = around.shared.get(other, {})
        named = {subject: name_of(transaction, subject) or "" for subject in between}
        # A word that names what both are joined to says nothing that is not stated.
        stated = {term.spelling for name in named.values() for term in query_terms(_words_of(name))}
        words = {word: rare for word, rare in words.items() if word.lower() not in {said.lower() for said in stated}}
        parts = {
            "meaning": meaning_part(cosine),
            "words": words_part(words.values(), self._view.documents.extent[0]),
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
        nearest = self._view.nearest
        found: set[int] = set()
        if nearest is not None:
            for vector in self.vectors:
                seqs, _ = nearest.search(vector, _EACH, self.mask)
                found.update(seqs.tolist())
        return found

    def _cosines(self, seqs: NDArray[np.int64]) -> list[float]:
        """How near each is to the piece that is nearest to it."""
        best = np.zeros(len(seqs), np.float32)
        if self._view.nearest is not None:
            for vector in self.vectors:
                best = np.maximum(best, np.nan_to_num(self._view.nearest.scores(vector, seqs)))
        return [float(cosine) for cosine in best]

    def _words(self) -> dict[int, dict[str, _Word]]:
        """Versions elsewhere that have rare words of this one."""
        transaction, documents = self._view.transaction, self._view.documents
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
            text = _text(_atom(self._view, self._version(seq)))
            shared = [term.term for term, has in zip(found.terms, column, strict=True) if has]
            words[seq] = {spelled[term]: _Word(rare[term], _is_name(spelled[term], text)) for term in shared}
        return words

    def _arcs(self) -> dict[int, float]:
        shares = arcs_after(self._view.snapshot, self._subject)
        return {seq: share for other, share in shares.items() if (seq := self._seq(other)) >= 0}

    def _version(self, seq: int) -> VersionRow:
        return VersionRow(self._view.documents.subject(seq), seq, Kind.PUT, None)

    def _seq(self, subject: bytes) -> int:
        """The current version of an atom, if it lies elsewhere; else -1."""
        version = latest_version(self._view.transaction, subject)
        return version.seq if version is not None and self.mask[version.seq] else -1

    def association(self, candidate: _Candidate) -> Association | None:
        """The candidate as it is shown; None if another atom supersedes it, or both are parts of one whole."""
        view = self._view
        subject = view.documents.subject(candidate.seq)
        if is_superseded(view.snapshot, subject):
            return None
        target = _atom(view, self._version(candidate.seq))
        if {self.atom.id, self.atom.parent} & {target.id, target.parent} - {None}:
            return None
        edge = {
            "source": self.atom.name,
            "type": REFERENCES,
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


def _atom(view: _View, version: VersionRow) -> Atom:
    body = require_body(view.transaction, version.seq)
    return atom_of(view.snapshot, version, body)
