"""The verb remember: a text becomes an atom, under a name that is made for it. Said again, it confirms that atom.

The name is the type and the first words of the text that say something. If that name belongs to another text, a digest
of the text follows. So a text has at most three names that it can be under, and is looked for under each of them before
it is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from itertools import islice
from typing import Final

from substrate.atoms.bodies import body_of
from substrate.atoms.renames import renamed_to
from substrate.atoms.resolve import find_subject
from substrate.cues.types import type_cue
from substrate.errors import Conflict, InputError, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.log.heads import map_salt
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.names import TYPES, slug_of
from substrate.proof.entry import Kind
from substrate.proof.hashes import map_key
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.input import ATOM_FIELDS
from substrate.save.place import Place
from substrate.save.proposed import confirmed_fields
from substrate.text.secrets import find_secrets
from substrate.values.actors import is_person
from substrate.values.edges import SUPERSEDES
from substrate.values.opening import PROPOSED
from substrate.values.saved import Remembered
from substrate.views.atoms import VersionRow, find_names, gaps_of, versions_of
from substrate.views.edges import links_of
from substrate.views.touches import HUNDREDTHS

__all__ = ["Statement", "names_said", "read_statement", "remember"]

_TYPE: Final = re.compile("[a-z][a-z0-9_]*")
_DEFAULT: Final = "note"
_DIGITS: Final = (8, 64)
"""Hexadecimal digits of the digest that follows a name which another text has: some, or all."""
_MOST_STRENGTH: Final = 2
_KEPT: Final = frozenset(("attrs", "strength", "tags"))
_CLEARED: Final = dict.fromkeys(field for field in ATOM_FIELDS if field not in ("actor", "session", "origin", "source"))
"""All that an atom may say but who says it, and where."""
_MOST_EDGES: Final = 1000
"""So many edges one statement takes back."""
_TRIES: Final = 8
"""If another writer takes the name between the look and the checkpoint, there is one more look."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A text to remember: what it says, and which type it is."""

    text: str
    type: str
    is_typed: bool
    """Whether the caller gave the type. Else it is guessed, and the text may be known under another one."""
    title: str = ""
    """What its name is made of; empty: the text itself."""
    strength: int | None = None
    """With how many hundredths of strength it begins to fade; None: nothing is said of it."""
    keep: frozenset[str] = frozenset()
    """What stays of an atom that says this already: tags and attrs are added to, its strength is not set."""

    def names(self, kind: str | None = None) -> list[str]:
        """The names that it can be under as this type (None: its own), the best first."""
        return _names(self.title or self.text, self.text, self.type if kind is None else kind)

    def item(self, name: str, more: Mapping[str, object]) -> dict[str, object]:
        """The atom of this name, as a checkpoint takes it."""
        said = {**more, "name": name, "value": self.text}
        if self.title:
            attrs = more.get("attrs")
            said["attrs"] = {**(attrs if isinstance(attrs, Mapping) else {}), "title": self.title}
        return said


def read_statement(
    text: object,
    type: object = None,  # noqa: A002 - the word for it
    title: object = None,
    strength: object = None,
    keep: Iterable[str] = (),
) -> Statement:
    """The statement, its type guessed where none is given. InputError if there is no text, or no such type."""
    if title is not None and not isinstance(title, str):
        raise SchemaInvalid(Arg("title"), f" must be a string, not {title.__class__.__name__}")
    title = "" if title is None else title.strip()
    if not isinstance(text, str):
        raise SchemaInvalid(Arg("text"), f" must be a string, not {text.__class__.__name__}")
    text = text.strip()
    if not text:
        raise InputError("there is nothing to remember: ", Arg("text"), " is empty")
    hundredths = _read_strength(strength)
    kept = frozenset(keep)
    if not kept <= _KEPT:
        raise InputError(Arg("keep"), f" has some of {', '.join(sorted(_KEPT))}")
    if type is None:
        return Statement(text, type_cue(text) or _DEFAULT, is_typed=False, title=title, strength=hundredths, keep=kept)
    if not isinstance(type, str) or not _TYPE.fullmatch(type):
        raise InputError(Arg("type"), " is a word of a-z, 0-9 and _, such as decision")
    return Statement(text, type, is_typed=True, title=title, strength=hundredths, keep=kept)


def remember(  # noqa: PLR0913
    log: Log,
    statement: Statement,
    more: Mapping[str, object],
    *,
    said: Mapping[str, object],
    place: Place | None = None,
    allow_secrets: bool = False,
    afresh: bool = False,
) -> Remembered:
    """See `Memory.remember`. `more` are further fields of the atom.

    `afresh`: nothing that was said or done before under its name holds: other fields are cleared, edges that put
    another atom in its place are taken back, and it does not follow a rename.
    """
    if taken := more.keys() & {"name", "value"}:
        raise SchemaInvalid(f"{min(taken)} cannot be given as a field: ", Arg("text"), " is what is saved")
    for tries_left in reversed(range(_TRIES)):
        with log.snapshot() as transaction:
            name, seq = _place_for(transaction, statement, follow=not afresh)
            changed = _kept(transaction, seq, more, statement.keep)
            changed |= _confirming(transaction, seq, {**more, **changed}) if is_person(said) else {}
            unedges = tuple(_in_its_place(transaction, name)) if afresh else ()
        if (seq is None or afresh) and "entities" not in more:
            changed |= _named_in(statement.text)
        strength = None if seq is not None and "strength" in statement.keep else statement.strength
        item = {**(_CLEARED if afresh else {}), **statement.item(name, more), **changed}
        try:
            saved = checkpoint(
                log,
                Batch(atoms=(item,), unedges=unedges, place=place, strength=strength, is_statement=True),
                expect={name: seq},
                said=said,
                allow_secrets=allow_secrets,
            )
        except Conflict:
            if not tries_left:
                raise
        else:
            told = {field.name: getattr(saved, field.name) for field in fields(saved)}
            return Remembered(**told, name=name, value=statement.text)
    raise AssertionError("the last try returns or raises")


def _in_its_place(transaction: ReadTransaction, name: str) -> Iterator[str]:
    """The ids of edges that put another atom in the place of the one of this name."""
    links = links_of(transaction, find_subject(transaction, name), out=False, kind=SUPERSEDES)
    return (id_text(link.edge) for link in islice(links, _MOST_EDGES))


def _named_in(text: str) -> dict[str, object]:
    """The names in a text, as the entities of its atom: `search --entity` finds it by each."""
    from substrate.text.extract import extract  # noqa: PLC0415 - its lists of words take a moment

    names = [entity.name for entity in extract(text).entities]
    return {"entities": names} if names else {}


def _kept(
    transaction: ReadTransaction, seq: int | None, more: Mapping[str, object], keep: frozenset[str]
) -> dict[str, object]:
    """Tags and attrs that are given, with those that the atom has already."""
    body = None if seq is None or not keep else body_of(transaction, seq)
    if body is None or body.damage is not None:
        return {}
    kept: dict[str, object] = {}
    old, new = body.members.get("tags"), more.get("tags")
    if "tags" in keep and isinstance(old, list) and isinstance(new, list):
        kept["tags"] = list(dict.fromkeys((*old, *new)))
    had, given = body.members.get("attrs"), more.get("attrs")
    if "attrs" in keep and isinstance(had, dict) and isinstance(given, dict):
        kept["attrs"] = {**had, **given}
    return kept


def _confirming(transaction: ReadTransaction, seq: int | None, more: Mapping[str, object]) -> dict[str, object]:
    """What changes when a person says a text again that rules read out of a transcript."""
    body = None if seq is None else body_of(transaction, seq)
    tags = () if body is None or body.damage is not None else body.members.get("tags")
    given = more.get("tags")
    given = given if isinstance(given, list | tuple) else ()
    if not isinstance(tags, list) or PROPOSED not in tags or PROPOSED in given:
        return {}
    return {"origin": "user", **confirmed_fields(dict.fromkeys((*tags, *given)))}


def _read_strength(given: object) -> int | None:
    """In hundredths. InputError."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 1 <= given <= _MOST_STRENGTH:
        raise InputError(Arg("strength"), f" is a number from 1 to {_MOST_STRENGTH}")
    return round(given * HUNDREDTHS)


def names_said(transaction: ReadTransaction, statement: Statement) -> Iterator[tuple[str, VersionRow | None]]:
    """Each name under which this text is, or was before it was taken out of use or renamed, with its last version.

    None in the place of a version: what stood under the name was erased. Of that nothing but its name is left, so a
    text of that name is taken for it.
    """
    candidates = _candidates(statement)
    salt = map_salt(transaction)
    for name, row in zip(candidates, find_names(transaction, candidates), strict=True):
        if row is None:
            if gaps_of(transaction, map_key(salt, name)):
                yield name, None
            continue
        last = _last_text(transaction, row)
        if last in {statement.text, None}:
            yield name, None if last is None else row


def _candidates(statement: Statement) -> list[str]:
    """All names that the text can be under, whatever its type."""
    types = (statement.type, *TYPES, _DEFAULT)
    return list(dict.fromkeys(name for kind in types for name in statement.names(kind)))


def _place_for(transaction: ReadTransaction, statement: Statement, *, follow: bool) -> tuple[str, int | None]:
    """The name that says this text, or can say it; and the version it is at, None if it is not in use.

    `follow`: if the atom that said it was renamed, it is looked for under its new name.
    """
    own = statement.names()
    types = () if statement.is_typed else (kind for kind in (*TYPES, _DEFAULT) if kind != statement.type)
    candidates = list(dict.fromkeys((*own, *(name for kind in types for name in statement.names(kind)))))
    rows = dict(zip(candidates, find_names(transaction, candidates), strict=True))
    for name, row in rows.items():
        if row is not None and row.kind is Kind.PUT and _last_text(transaction, row) == statement.text:
            return name, row.seq
    for row in rows.values() if follow else ():
        new = None if row is None or row.kind is Kind.PUT else renamed_to(transaction, row.subject)
        latest = None if new is None else next(versions_of(transaction, new), None)
        if latest is not None and latest.name is not None and _last_text(transaction, latest) == statement.text:
            return latest.name, latest.seq
    for name in own:
        row = rows[name]
        if row is None or (row.kind is not Kind.PUT and _last_text(transaction, row) == statement.text):
            return name, None
    raise Conflict(f"all names for this text are taken by others, such as {candidates[0]}: save it by checkpoint")


def _last_text(transaction: ReadTransaction, row: VersionRow) -> object:
    """What the atom says, or said last before it was taken out of use; None if that was erased."""
    latest = next((one for one in versions_of(transaction, row.subject) if one.kind is Kind.PUT), None)
    body = None if latest is None else body_of(transaction, latest.seq)
    return None if body is None or body.damage is not None else body.members.get("value")


def _names(called: str, text: str, kind: str) -> list[str]:
    """The names that a text which is called so can be under as this type: by these words, then by its digest too."""
    slug = slug_of("".join(_without_secrets(called)), leave_out=(kind, f"{kind}s"))
    digest = sha256(text.encode(errors="surrogatepass")).hexdigest()
    ends: Sequence[str] = [digest[:count] for count in _DIGITS]
    names = [slug, *(f"{slug}_{end}" for end in ends)] if slug else list(ends)
    return [f"v1.{kind}.{name}" for name in names]


def _without_secrets(text: str) -> Iterator[str]:
    """The parts of a text between what looks like credentials: none of these comes into a name."""
    at = 0
    for finding in sorted(find_secrets(text), key=lambda finding: finding.start):
        yield text[at : max(at, finding.start)] + " "
        at = max(at, finding.end)
    yield text[at:]
