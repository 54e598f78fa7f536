"""The verb which: the atom that a text means, given by whichever of its names; or those that it may mean, and why.

Looked for, in this order, until something is found: an id; a name; what follows the type in a name; a short id, as
other memory servers have them (`memory_x`, `doc_x`, `edge_<id>`); a title or an alias; the source of a document; the
beginning of an id. If exactly one is found, it is meant. Else what is like it is told: by the text it contains, by its
words, by its spelling.

The work is bounded, whatever the store's size: postings and the order of names lead to a few candidates, and only these
are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple
from uuid import UUID

from substrate.atoms.bodies import require_body
from substrate.atoms.domains import DOMAIN
from substrate.atoms.meant.having import Term, having_all
from substrate.atoms.meant.near_names import name_heads, names_beside
from substrate.atoms.renames import renamed_to
from substrate.atoms.resolve import ATOM_ID, name_of
from substrate.codec import decode_body
from substrate.errors import InputError, SchemaInvalid, StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.limits import check_size
from substrate.log.decode import stored_entry
from substrate.log.identity import id_text
from substrate.log.tables import BODIES, ENTRIES, VERSIONS, seq_key
from substrate.messages import ATOMS, Arg
from substrate.names import EDGE_TYPE, check_name, escape_rest, type_of, unescape_rest
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, SALT_BYTES, Kind
from substrate.schema import is_name
from substrate.snapshot import Snapshot
from substrate.text.likeness import Label, compare, label_of
from substrate.text.secrets import find_secrets
from substrate.text.terms import document_words, fit, keyword
from substrate.values.hits import Match, Matches
from substrate.views.atoms import VersionRow, find_names, latest_version, names, versions_of
from substrate.views.edges import statement_at
from substrate.views.words import Field, keyword_term

__all__ = ["which"]

_MOST: Final = 3
"""Atoms that are told as close."""
_ALL_DOMAINS: Final = 100
"""Domains up to which the text is compared with each, with its title. Of more, with those that few reads find."""
_READ: Final = 24
"""Candidates whose titles and aliases are read."""
_WORDS: Final = 4
"""Words of a text by which candidates are found."""
_ALIASES: Final = 50
_TITLE: Final = 200
"""Characters of a value that may be a title."""
_ID_START: Final = re.compile(r"[0-9a-fA-F]{8}[0-9a-fA-F-]*")
_SHORT_ID: Final = re.compile(r"(memory|doc|edge)_(.+)", re.DOTALL)
_DOCUMENT: Final = "v1.document."
_CHUNK: Final = "v1.chunk."
_NAMED_BY_VALUE: Final = ("entity", "document")
"""Types of atoms whose value is what people call them."""

_REST: Final = "its name, without its type"
_PART: Final = "the last part of its name"
_VALUE: Final = "its text"
_DOUBTFUL: Final = (_PART, _VALUE)
"""What an atom may be called, and may not: nobody is meant by that alone."""


class _Called(NamedTuple):
    """An atom, and all it is called: (what that is, the text)."""

    row: VersionRow
    labels: tuple[tuple[str, str], ...]


def which(snapshot: Snapshot, text: str, kind: str | None) -> Matches:
    """See `Memory.which`."""
    if not isinstance(text, str):
        raise SchemaInvalid(Arg("text"), f" must be a text, not {type(text).__name__}")
    check_size(Arg("text"), len(text), "text_characters", "characters")
    if kind is not None and (not isinstance(kind, str) or not EDGE_TYPE.fullmatch(kind)):
        raise SchemaInvalid(Arg("kind"), " must be a type of ", ATOMS, ", such as domain or entity")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SchemaInvalid(Arg("text"), " must be a text of valid Unicode") from None
    wanted = label_of(text.strip())
    if not wanted.key:
        raise InputError(Arg("text"), " has neither letters nor digits: give a name")
    return _Look(snapshot.transaction, wanted, kind).answer()


class _Look:
    """One text that is looked for. Only of what is in use now."""

    def __init__(self, transaction: ReadTransaction, wanted: Label, kind: str | None) -> None:
        self._transaction = transaction
        self._wanted = wanted
        self._text = wanted.text
        self._kind = kind
        self._has_all = False
        """Whether the candidates are all there are of the kind."""

    def answer(self) -> Matches:
        """See the module."""
        domains = self._all_domains() if self._kind == "domain" else None
        self._has_all = domains is not None
        called = domains or []
        rest = () if self._has_all else self._by_rest(self._text)  # one may have as its name what is another's title
        for rows, reason in (
            (self._by_id(self._text), "its id"),
            (self._by_name(), "its name"),
            (self._by_old_name(), "its earlier name"),
            (rest, _REST),
            (self._by_short_id(), "its short id"),
        ):
            if found := self._shown(rows):
                return _exact([self._match(row, 1.0, reason) for row in found])
        if edge := self._edge():
            return _exact([edge])
        for rows in ((),) if self._has_all else (self._by_value(), self._by_words(), self._by_chunks()):
            called += self._called(self._shown(islice(rows, _READ)))
            if matches := self._called_so(called):
                return _exact(matches)
        for rows, reason in ((self._by_source(), "its source"), (self._by_id_start(), "its id begins so")):
            if found := self._shown(rows):
                return _exact([self._match(row, 1.0, reason) for row in found])
        if not self._has_all:
            called = self._further(called)
            if matches := self._called_so(called):
                return _exact(matches)
        return self._close(called)

    @cached_property
    def _heads(self) -> tuple[str, ...]:
        """What a name of the kind begins with."""
        return tuple(name_heads(self._transaction)) if self._kind is None else (f"v1.{self._kind}.",)

    # -- exactly -----------------------------------------------------------------------------------------------------

    def _by_id(self, text: str) -> Iterator[VersionRow | None]:
        if ATOM_ID.fullmatch(text):
            yield next(versions_of(self._transaction, UUID(text).bytes), None)

    def _by_name(self) -> Iterator[VersionRow | None]:
        if _is_name(self._text):
            yield from find_names(self._transaction, [check_name(self._text)])

    def _by_old_name(self) -> Iterator[VersionRow | None]:
        for row in self._by_name():
            new = None if row is None or row.kind is Kind.PUT else renamed_to(self._transaction, row.subject)
            yield None if new is None else next(versions_of(self._transaction, new), None)

    def _by_rest(self, rest: str) -> Iterator[VersionRow | None]:
        """What has this after its type, as it is given or in the spellings that names mostly have."""
        plain = self._wanted.text.casefold() if rest == self._text else rest
        rests = dict.fromkeys((rest, escape_rest(rest), plain, re.sub(r"[\s-]+", "_", plain), "".join(plain.split())))
        spelled = [check_name(head + one) for head in self._heads for one in rests if _is_name(head + one)]
        for row in find_names(self._transaction, list(dict.fromkeys(spelled))):
            if row is not None and row.name is not None and self._is_called(_rest_of(row.name), rest):
                yield row

    def _is_called(self, label: str, text: str) -> bool:
        return label_of(label).key == label_of(text).key

    def _by_short_id(self) -> Iterator[VersionRow | None]:
        short = _SHORT_ID.fullmatch(self._text)
        if short is None or short[1] == "edge":
            return
        yield from self._by_id(short[2])
        if short[1] == "memory":
            yield from self._by_rest(short[2])
        else:
            spelled = [_DOCUMENT + short[2], f"{_DOCUMENT}main.{short[2]}"]
            yield from find_names(self._transaction, [check_name(name) for name in spelled if _is_name(name)])

    def _edge(self) -> Match | None:
        """An edge that is stated, by its id; unless one of its ends is hidden."""
        short = _SHORT_ID.fullmatch(self._text)
        spelled = self._text if short is None or short[1] != "edge" else short[2]
        if self._kind is not None or not ATOM_ID.fullmatch(spelled):
            return None
        link = statement_at(self._transaction, UUID(spelled).bytes, 2**63 - 2)
        if link is None or link.kind is not Kind.EDGE:
            return None
        source, target = (name_of(self._transaction, end) or id_text(end) for end in (link.source, link.target))
        return Match(f"{source} {link.type} {target}", id_text(link.edge), 1.0, "its id")

    def _by_id_start(self) -> Iterator[VersionRow | None]:
        """The atoms whose ids begin so: one if it is meant, two if it is not clear which."""
        digits = self._text.replace("-", "").lower()
        if not _ID_START.fullmatch(self._text) or len(digits) >= 2 * ID_BYTES:
            return
        first = bytes.fromhex(digits.ljust(2 * ID_BYTES, "0"))
        last = bytes.fromhex(digits.ljust(2 * ID_BYTES, "f")) + b"\xff" * 9
        for _ in range(_MOST):
            key = next((key for key, _ in self._transaction.scan(VERSIONS, first, last, limit=1)), None)
            if key is None:
                return
            yield latest_version(self._transaction, key[:ID_BYTES])
            first = key[:ID_BYTES] + b"\xff" * 9

    def _called_so(self, called: list[_Called]) -> list[Match]:
        """Those of the atoms that are called just so, and under which of their names."""
        found, just_so = [], []
        for row, labels in called:
            same = [
                (what, label)
                for what, label in labels
                if what not in _DOUBTFUL and label_of(label).key == self._wanted.key
            ]
            if same:
                so = [what for what, label in same if keyword(label) == keyword(self._text)]
                found.append(self._match(row, 1.0, so[0] if so else same[0][0]))
                if so:
                    just_so.append(found[-1])
        # `Node.js` and `NodeJS` may be two, each meant by its own signs. Of domains somebody is asked before writing.
        return just_so if len(just_so) == 1 and self._kind != "domain" else found

    # -- who may be meant --------------------------------------------------------------------------------------------

    def _all_domains(self) -> list[_Called] | None:
        """Every domain, with all it is called; None if there are many."""
        rows = list(islice(names(self._transaction, DOMAIN), _ALL_DOMAINS + 1))
        return self._called(self._shown(rows)) if len(rows) <= _ALL_DOMAINS else None

    def _terms(self) -> list[Term]:
        words = islice(dict.fromkeys(document_words("", self._text)[0]), _WORDS)
        return [(Field.WORD, fit(word).encode()) for word in words]

    def _by_value(self) -> Iterator[VersionRow | None]:
        """Entities that have the text among their names; entities and documents that have all its words."""
        for kind in _NAMED_BY_VALUE:
            if self._kind in (None, kind):
                if kind == "entity":
                    own = (Field.ENTITY, keyword_term(Field.ENTITY, self._text))
                    yield from self._latest(having_all(self._transaction, [_under(kind), own]))
                yield from islice(
                    self._latest(having_all(self._transaction, [_under(kind), *self._terms()])), _READ // 2
                )

    def _by_words(self) -> Iterator[VersionRow | None]:
        """What has all words of the text: that may be its title."""
        own = [] if self._kind is None else [_under(self._kind)]
        yield from self._latest(having_all(self._transaction, [*own, *self._terms()]))

    def _by_chunks(self) -> Iterator[VersionRow | None]:
        """Documents with a chunk that has all words of the text: its front matter has the aliases."""
        if self._kind in (None, "document"):
            rows = islice(self._latest(having_all(self._transaction, [_under("chunk"), *self._terms()])), _READ // 2)
            heads = [str(row.name).removeprefix(_CHUNK).rpartition(".")[0] for row in rows if row is not None]
            documents = dict.fromkeys(_DOCUMENT + head for head in heads)
            yield from find_names(self._transaction, [check_name(name) for name in documents if _is_name(name)])

    def _by_source(self) -> Iterator[VersionRow | None]:
        """Documents of this source: the path of a file, as it was ingested."""
        if self._kind in (None, "document"):
            own = (Field.SOURCE, keyword_term(Field.SOURCE, self._text))
            yield from islice(self._latest(having_all(self._transaction, [own, _under("document")])), _READ)

    def _latest(self, seqs: Iterable[int]) -> Iterator[VersionRow | None]:
        """The latest versions of the atoms that these are versions of, each once."""
        seen: set[bytes] = set()
        for seq in seqs:
            subject = stored_entry(seq, self._transaction.get(ENTRIES, seq_key(seq))).subject
            if subject not in seen:
                seen.add(subject)
                yield latest_version(self._transaction, subject)

    def _further(self, called: list[_Called]) -> list[_Called]:
        """The same, and what has one of its words, or stands beside it in the order of names."""
        slug = re.sub(r"\s+", "_", self._text.casefold())
        one_word = len(self._wanted.words) == 1  # of several, one is mostly right, and leads there
        name = self._text if _is_name(self._text) else f"v1.{self._kind or 'fact'}.{slug}"
        near = names_beside(self._transaction, name, letters=one_word or name == self._text)
        known = {one.row.subject for one in called}
        others = [row for row in self._shown(find_names(self._transaction, near)) if row.subject not in known]
        return [*called, *self._called(others)]

    def _close(self, called: list[_Called]) -> Matches:
        """Those that are like it, the likest first; of each atom its likest name."""
        wanted = label_of(_rest_of(self._text)) if _is_name(self._text) else self._wanted  # labels have no type
        found: dict[bytes, tuple[float, str, VersionRow]] = {}
        for row, labels in called:
            likeness = [
                (alike, what) for what, label in labels if (alike := compare(wanted, label_of(label))) is not None
            ]
            if likeness and not find_secrets(str(row.name)):
                best, what = max(likeness, key=lambda one: one[0].score)
                reason = best.reason if what in {_REST, _PART} else f"{what}: {best.reason}"
                found[row.subject] = (best.score, reason, row)
        likest = sorted(found.values(), key=lambda one: (-one[0], str(one[2].name)))[:_MOST]
        matches = tuple(self._match(row, score, reason) for score, reason, row in likest)
        return Matches(matches, "close" if matches else "none")

    # -- what they are called ----------------------------------------------------------------------------------------

    def _shown(self, rows: Iterable[VersionRow | None]) -> list[VersionRow]:
        """Those in use, of the kind asked for,; each once."""
        found: dict[bytes, VersionRow] = {}
        for row in rows:
            if row is None or row.kind is not Kind.PUT or row.name is None or not is_name(row.name):
                continue
            if self._kind in (None, type_of(row.name)):
                found[row.subject] = row
        return list(found.values())

    def _called(self, rows: list[VersionRow]) -> list[_Called]:
        """The atoms with all they are called, read at once. Bodies are not checked here, but of those that are told."""
        called = []
        for row, body in zip(rows, self._transaction.get_many(BODIES, [seq_key(row.seq) for row in rows]), strict=True):
            said: Mapping[str, Json] = {}
            with suppress(StoreDamaged):  # a body of a log from elsewhere, that makes no sense: its name does
                said = {} if body is None else decode_body(body[SALT_BYTES:])
            called.append(_Called(row, tuple(_labels(str(row.name), said))))
        return called

    def _match(self, row: VersionRow, score: float, reason: str) -> Match:
        require_body(self._transaction, row.seq)  # checked against the log
        return Match(str(row.name), id_text(row.subject), round(score, 4), reason)


def _exact(found: list[Match]) -> Matches:
    """One is meant; of several it is not clear which."""
    return Matches(tuple(found[:_MOST]), "exact" if len(found) == 1 else "close")


def _under(kind: str) -> Term:
    """All atoms of a type have it."""
    return Field.UNDER, keyword_term(Field.UNDER, f"v1.{kind}")


def _is_name(text: str) -> bool:
    if not text.startswith("v"):  # most texts are none, and to say why, and what was meant, takes its time
        return False
    try:
        return bool(check_name(text))
    except InputError:
        return False


def _rest_of(name: str) -> str:
    return unescape_rest(name.split(".", 2)[-1])


def _labels(name: str, members: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """All that an atom is called, and what that is: also texts that may be what it is called, and may be else."""
    rest = name.split(".", 2)[-1]
    yield _REST, unescape_rest(rest)
    if "." in rest:
        yield _PART, unescape_rest(rest.rpartition(".")[2])
    attrs = members.get("attrs")
    said = attrs if isinstance(attrs, dict) else {}
    value, title, aliases = members.get("value"), said.get("title"), said.get("aliases")
    if isinstance(title, str):
        yield "its title", title
    if isinstance(value, str) and len(value) <= _TITLE:
        named = type_of(name) in _NAMED_BY_VALUE
        if named or type_of(name) == "domain":
            yield "its title" if named else _VALUE, value
    for alias in aliases[:_ALIASES] if isinstance(aliases, list) else ():
        if isinstance(alias, str):
            yield "its alias", alias
