"""What a client under a policy may not do to statements that wait for a person, or that a person has decided about.

1. A statement waits if its atom is in use and has the tag `proposed`. It is declined if it had the tag when it was
   taken out of use. Both are read from the atom's own versions, so they hold as long as these are there.
2. What waits may be repeated as it is, and get more tags: nothing else about it changes, nothing takes its place, and
   what a person put in its place stays there.
3. What is declined stays as it is: an agent records nothing under its name, and erases no version of it.
4. No atom that is there already gets the tag: a person has seen it, or need not.

The transaction has the atoms of unlocked domains as text, so this holds for them too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from substrate.ciphers import CIPHERTEXT, DomainKey, decrypt
from substrate.codec import Draft, decode_body
from substrate.errors import Denied, StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.tables import BODIES, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.values.actors import TRANSCRIPT
from substrate.values.edges import SUPERSEDES
from substrate.values.opening import PROPOSED
from substrate.views.atoms import VersionRow, is_in_use, versions_of
from substrate.views.edges import links_of, statements_of

__all__ = ["KeyOf", "Statements"]

KeyOf = Callable[[str], DomainKey | None]
"""The key of an encrypted atom, by its name on disk; None if it is locked."""

_WAITS: Final = (
    "only a person confirms or declines a statement: ask for `substrate proposed`. "
    "An agent may repeat one that waits as it is, its session and origin included, or add tags"
)
_DECLINED: Final = (
    "only a person confirms or declines a statement, and this one was declined: use another name, or ask a person"
)
_PROPOSED: Final = f'"{PROPOSED}"'.encode()
_FREE: Final = frozenset({"actor", "tags"})
"""What may differ when a statement that waits is said again; of its tags none may go."""


class Statements:
    """As one write finds them. What is stored is not checked against the log."""

    def __init__(self, transaction: ReadTransaction, key_of: KeyOf) -> None:
        self._transaction = transaction
        self._key_of = key_of

    def check_put(self, row: VersionRow | None, draft: Draft) -> None:
        """Denied if a version may not follow this one, the last of its name."""
        after = decode_body(draft.body) if row is None else self._said_by(draft, row.subject)
        if after.get("actor") == TRANSCRIPT:
            raise Denied("only the rules that read transcripts write in that name: leave the actor out")
        if row is None:
            return
        before = self._tagged(row.subject)
        if before is not None and row.kind is not Kind.PUT:
            raise Denied(_DECLINED)
        if _waits(after) if before is None else not _is_repeated(before, after):
            raise Denied(_WAITS)

    def check_end(self, subject: bytes) -> None:
        """Denied if an atom may not be taken out of use, or lose a version."""
        if self._tagged(subject) is not None:
            raise Denied(_WAITS if is_in_use(self._transaction, subject) else _DECLINED)
        for link in links_of(self._transaction, subject, out=True, kind=SUPERSEDES):
            self.check_target(link.target)

    def check_edge_lost(self, edge: bytes) -> None:
        """Denied if a statement of this edge, or of no edge, may not be erased."""
        last = next(statements_of(self._transaction, edge), None)
        if last is not None and last.type == SUPERSEDES and last.kind is Kind.EDGE:
            self.check_target(last.target)

    def check_target(self, target: bytes) -> None:
        """Denied if this is a statement that waits: who stands in its place is for a person to say."""
        if is_in_use(self._transaction, target) and self._tagged(target) is not None:
            raise Denied(_WAITS)

    def _tagged(self, subject: bytes) -> Mapping[str, Json] | None:
        """What an atom says, or said last before it was taken out of use, if that has the tag."""
        rows = versions_of(self._transaction, subject)
        said = next((row for row in rows if row.kind is Kind.PUT and row.name is not None), None)
        stored = b"" if said is None else self._transaction.get(BODIES, seq_key(said.seq)) or b""
        if _PROPOSED not in stored:  # so it is of most: not worth reading all of it
            return None
        members = decode_body(stored[SALT_BYTES:])
        return members if _waits(members) else None

    def _said_by(self, draft: Draft, subject: bytes) -> Mapping[str, Json]:
        """What a version is to say. Of one that does not open nothing is known but what can be read."""
        members = decode_body(draft.body)
        name = draft.name or str(members.get("name", ""))
        key = self._key_of(name) if name.startswith(CIPHERTEXT) else None
        try:
            return members if key is None else decode_body(decrypt(key, subject, str(members.get("value"))))
        except StoreDamaged:
            return members


def _is_repeated(before: Mapping[str, Json], after: Mapping[str, Json]) -> bool:
    """Whether what waits is said once more as it is, with more tags perhaps."""
    had, has = (members.get("tags") for members in (before, after))
    if not isinstance(had, list) or not isinstance(has, list) or not all(tag in has for tag in had):
        return False
    fields = (before.keys() | after.keys()) - _FREE
    return all(before.get(field) == after.get(field) for field in fields)


def _waits(members: Mapping[str, Json]) -> bool:
    tags = members.get("tags")
    return isinstance(tags, list) and PROPOSED in tags
