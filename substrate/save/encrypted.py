"""Items that belong to an encrypted domain, as the log takes them: opaque names and ciphertext. Under the write lock.

An atom belongs to such a domain if the same checkpoint says so by an edge `member_of`, if its name or its whole does,
if an edge that stands says so, or if the domain has it already. If the domain is locked, the atom is refused: nothing
is ever saved as text there. That holds from the moment `encrypt` has written the key, while text is there still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from substrate.atoms.bodies import body_of
from substrate.atoms.domains import DOMAIN, Domains
from substrate.atoms.edge_kinds import BUILT_IN
from substrate.atoms.resolve import find_subject
from substrate.ciphers import CIPHERTEXT, DomainKey, ciphertext_name, encrypt
from substrate.codec import encode_body
from substrate.encryption.domains import encrypted_domains
from substrate.encryption.unlocked import UnlockedDomains
from substrate.entities.naming import with_names
from substrate.errors import InputError, SubstrateError
from substrate.kv.api import ReadTransaction
from substrate.log.expect import version_conflict
from substrate.messages import ATOM, Unlock, Verb
from substrate.names import check_name, domain_part, escape_part
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.save.input import AtomGiven, EdgeGiven, TombstoneGiven
from substrate.save.reading import Items
from substrate.save.repeat import PLACE, by_whom, is_same, merged, placed_by
from substrate.schema import UNDOES
from substrate.snapshot import Snapshot
from substrate.text.quote import as_word
from substrate.values.edges import MEMBER_OF
from substrate.views.atoms import find_name, latest_version

__all__ = ["Encrypter", "check_versions"]

_HAS_MEMBER: Final = BUILT_IN.inverse(MEMBER_OF)
_OF_CALL: Final = ("actor", "session", "origin")
"""What edges and tombstones say of the call that made them: of what is encrypted they say nothing."""
_Item = TypeVar("_Item")
_Reject: TypeAlias = Callable[[str, SubstrateError, str | None], None]


class Encrypter:
    """Of one checkpoint, in a store with encrypted domains."""

    def __init__(
        self,
        transaction: ReadTransaction,
        time: int,
        unlocked: UnlockedDomains | None,
        common: Mapping[str, str | None],
    ) -> None:
        self._raw = transaction
        self._is_other_verb = unlocked is None
        self._unlocked = unlocked or UnlockedDomains()
        self._read = self._unlocked.cover(transaction) or transaction
        self._common = common
        self._domains = {domain.subject: domain for domain in encrypted_domains(transaction)}
        self._by_part = {escape_part(one.name.removeprefix(DOMAIN)): at for at, one in self._domains.items()}
        self._members = Domains(Snapshot(self._read, None, None, time))
        self._places: dict[str, bytes] = {}
        """The domain of each atom of this checkpoint that is to be encrypted, by its name."""
        self._names: set[str] = set()
        self._opaque: dict[str, str] = {}
        self._said: dict[str, tuple[Mapping[str, Json], str]] = {}
        """What each atom says within this checkpoint, and its value on disk."""
        self.shown: dict[str, str] = {}
        """The names of encrypted atoms, by their opaque ones."""

    def encrypted(self, items: Items, reject: _Reject) -> Items:
        """The items as they are written. What cannot be is handed to `reject`, and left out."""
        self._names = {atom.name for _, atom in items.atoms}
        for _ in range(2):  # a member of a member belongs too
            self._place(items, self._names)
        return Items(
            list(_kept(items.atoms, self._atom, reject)),
            list(_kept(items.edges, self._edge, reject)),
            list(_kept(items.tombstones, self._tombstone, reject)),
            [(at, self._ends(one) if isinstance(one, EdgeGiven) else one) for at, one in items.unedges],
            None if items.task is None else self.name(items.task),
        )

    def name(self, name: str) -> str:
        """The name or id that the log knows an atom by."""
        opaque = self._opaque.get(name)
        if opaque is None:
            row = find_name(self._read, name) if "." in name else latest_version(self._read, bytes.fromhex(name))
            opaque = None if row is None else self._unlocked.opaque_name(self._raw, row.subject)
            if row is not None and opaque is not None:
                self._opaque[name], self.shown[opaque] = opaque, row.name or name
        return opaque or name

    def check_rename(self, name: str) -> None:
        """InputError if the atom of this name is an encrypted domain, or is encrypted."""
        if find_subject(self._raw, name) in self._domains:
            raise InputError(f"{name} is an encrypted domain, which keeps its name")
        if name.startswith(CIPHERTEXT):
            raise InputError("it is encrypted, and keeps its name. Save it under another with ", Verb("checkpoint"))

    # -- what belongs ------------------------------------------------------------------------------------------------

    def _place(self, items: Items, names: set[str]) -> None:
        for _, atom in items.atoms:
            domain = (
                self._domain_of_name(atom.name)
                or self._domain_of(str(atom.members.get("parent") or ""))
                or self._domain_by_edges(find_subject(self._read, atom.name))
            )
            if domain is not None:
                self._places.setdefault(atom.name, domain)
        for _, edge in items.edges:
            member, group = _membership(edge)
            domain = self._domain_of(group) if member in names else None
            if domain is not None:
                self._places.setdefault(member, domain)

    def _domain_of_name(self, name: str) -> bytes | None:
        """The encrypted domain that has an atom of this name, or that its name is in."""
        opaque = self.name(name)
        if opaque.startswith(CIPHERTEXT) and opaque != name:
            return self._unlocked.domain_of(opaque[len(CIPHERTEXT) :].partition(".")[0])
        return self._by_part.get(domain_part(name) or "")

    def _domain_of(self, group: str) -> bytes | None:
        """The encrypted domain that an atom is, or belongs to."""
        if not group:
            return None
        if group in self._places:
            return self._places[group]
        subject = find_subject(self._read, group)
        return subject if subject in self._domains else self._domain_by_edges(subject)

    def _domain_by_edges(self, subject: bytes) -> bytes | None:
        """The encrypted domain that an atom belongs to by what stands already. A domain's own atom stays text."""
        if subject in self._domains:
            return None
        return next((domain for domain in self._domains if self._members.belongs(subject, domain)), None)

    # -- what is written ---------------------------------------------------------------------------------------------

    def _atom(self, atom: AtomGiven) -> AtomGiven:
        if atom.name.startswith(CIPHERTEXT):
            raise InputError("this names an encrypted ", ATOM, ". Unlock its domain, and save it by its own name")
        at = self._places.get(atom.name)
        if at is None:
            return atom
        domain, key = self._domains[at], self._key(at)
        opaque = self.name(atom.name)
        if opaque == atom.name:
            if find_name(self._raw, atom.name) is not None:
                if self._domain_by_edges(find_subject(self._raw, atom.name)) is not None:
                    raise InputError(
                        f"{atom.name} is text in {domain.name} still, which is encrypted in part. To finish, use ",
                        Verb("encrypt"),
                    )
                raise InputError(
                    f"{atom.name} is saved as text already. Forget it first, or use another name in {domain.name}"
                )
            opaque = self._opaque[atom.name] = ciphertext_name(key.id)
            self.shown[opaque] = atom.name
        subject = find_subject(self._raw, opaque)
        said = self._whole(atom)
        known, value = self._known(atom.name, opaque)
        if known is not None and known["value"] == atom.value:
            both = merged(known, said, atom.cleared)
            if is_same(both, known, atom.cleared):
                return AtomGiven(opaque, value, {})
            said = by_whom(known, placed_by(said, both))
        said = with_names(said, known)
        value = encrypt(key, subject, encode_body(said))
        self._said[opaque] = said, value
        return AtomGiven(opaque, value, {})

    def _whole(self, atom: AtomGiven) -> dict[str, Json]:
        said: dict[str, Json] = {**atom.members, "name": atom.name, "value": atom.value}
        if "parent" in said:
            said["parent"] = find_subject(self._raw, self.name(str(said["parent"]))).hex()
        return said

    def _known(self, name: str, opaque: str) -> tuple[Mapping[str, Json] | None, str]:
        """What the atom says now, and its value on disk; None if it is new, out of use, or damaged."""
        if opaque in self._said:
            return self._said[opaque]
        row, stored = find_name(self._read, name), find_name(self._raw, opaque)
        if row is None or stored is None or stored.kind is not Kind.PUT:
            return None, ""
        said, outer = body_of(self._read, row.seq), body_of(self._raw, stored.seq)
        if said is None or said.damage is not None or outer is None:
            return None, ""
        return said.members, str(outer.members["value"])

    def _key(self, domain: bytes) -> DomainKey:
        key = self._unlocked.key(domain)
        if key is None:
            raise self._locked(domain)
        return key

    def _locked(self, domain: bytes) -> InputError:
        name = self._domains[domain].name
        if self._is_other_verb:
            return InputError(f"{name} is encrypted. To save there, use ", Verb("checkpoint"))
        called = as_word(name.removeprefix(DOMAIN))
        return InputError(f"{name} is encrypted and locked. To unlock it, use ", Unlock(called))

    def _edge(self, edge: EdgeGiven) -> EdgeGiven:
        member, group = _membership(edge)
        domain = self._domain_of(group)
        known = self._ends(edge)
        ends = {known.source, known.target}
        if domain is not None and not self.name(member).startswith(CIPHERTEXT):
            self._key(domain)
            raise InputError(
                f"{self._domains[domain].name} is encrypted and {member} is not. Save the ",
                ATOM,
                " in the same checkpoint as this edge",
            )
        if not any(end.startswith(CIPHERTEXT) for end in ends):
            return known
        for end in ends - self._names:
            if "." in end and find_name(self._raw, end) is None and not end.startswith(CIPHERTEXT):
                raise InputError(f"{end} is not there, and its name would be readable. Save it first, then the edge")
        return replace(known, members=self._bare(known.members))

    def _bare(self, members: Mapping[str, Json]) -> dict[str, Json]:
        """Without what the call says of itself. InputError if more is said: it could be read."""
        attrs = members.get("attrs")
        own = {key for key in attrs if key != PLACE} if isinstance(attrs, dict) else set()
        if own or members.get("cited") not in (None, self._common.get("source")):
            raise InputError("in an encrypted domain an edge takes neither attrs nor a source: they stay readable")
        return {key: said for key, said in members.items() if key not in (*_OF_CALL, "attrs", "cited")}

    def _ends(self, edge: EdgeGiven) -> EdgeGiven:
        return replace(edge, source=self.name(edge.source), target=self.name(edge.target))

    def _tombstone(self, stone: TombstoneGiven) -> TombstoneGiven:
        opaque = self.name(stone.name)
        if not opaque.startswith(CIPHERTEXT) or opaque == stone.name:
            return stone
        if {"reason", "occurred_at"} & stone.members.keys():
            raise InputError("in an encrypted domain a tombstone takes neither reason nor time: they stay readable")
        return TombstoneGiven(opaque, {key: said for key, said in stone.members.items() if key == UNDOES})


def check_versions(transaction: ReadTransaction, unlocked: UnlockedDomains, versions: Mapping[str, int | None]) -> None:
    """Conflict if an atom is not at the version that a writer expects, as one reads it who has unlocked its domain."""
    covered = unlocked.cover(transaction) or transaction
    for name, wanted in versions.items():
        row = find_name(covered, check_name(name))
        version = None if row is None or row.kind is not Kind.PUT else row.seq
        if version != wanted:
            raise version_conflict(name, version, wanted)


def _kept(
    items: Iterable[tuple[str, _Item]], change: Callable[[_Item], _Item], reject: _Reject
) -> Iterator[tuple[str, _Item]]:
    for at, item in items:
        try:
            yield at, change(item)
        except InputError as error:
            reject(at, error, getattr(item, "name", None))


def _membership(edge: EdgeGiven) -> tuple[str, str]:
    """Who an edge says to be a member, and of what; empty if it says something else."""
    if edge.type == MEMBER_OF:
        return edge.source, edge.target
    return (edge.target, edge.source) if edge.type == _HAS_MEMBER else ("", "")
