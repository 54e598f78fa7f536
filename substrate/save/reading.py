"""The items of a checkpoint, each checked for itself: before the lock, and without a look at the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID

from substrate.atoms.domains import DOMAIN
from substrate.atoms.edge_kinds import SCHEMA, read_edge_kinds
from substrate.atoms.resolve import read_end
from substrate.errors import InputError, ItemsRefused, SecretFound, SubstrateError, TooLarge
from substrate.limits import LIMITS
from substrate.messages import Arg, Item, Message
from substrate.save.batch import Batch
from substrate.save.input import (
    AtomGiven,
    EdgeGiven,
    EdgeInput,
    TombstoneGiven,
    TombstoneInput,
    name_in,
    placed,
    read_atom,
    read_edge,
    read_tombstone,
)
from substrate.save.repeat import check_domain_attrs
from substrate.schema import UNDOES
from substrate.text.refuse_secrets import holds_secret, refuse_secrets
from substrate.text.secrets import find_secrets
from substrate.values.saved import Refused

__all__ = ["Items", "Refusals", "read_items"]

_SHOWN: Final = 5
_Raw = TypeVar("_Raw")
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Items:
    """What a checkpoint is to write, each with its place in the call."""

    atoms: list[tuple[str, AtomGiven]]
    edges: list[tuple[str, EdgeGiven]]
    tombstones: list[tuple[str, TombstoneGiven]]
    unedges: list[tuple[str, EdgeGiven | str]]
    task: str | None
    """What produced all that is recorded."""


@dataclass(slots=True)
class Refusals:
    """What of a checkpoint is refused, and whether the rest is saved without it."""

    partial: bool
    items: list[Refused] = field(default_factory=list)

    def add(self, item: str, error: SubstrateError, name: str | None = None, raw: object = None) -> None:
        """One more. Nothing that looks like a credential is repeated."""
        reason = error.message
        if not isinstance(error, SecretFound | TooLarge) and (holds_secret(raw) or find_secrets(reason)):
            reason = "it is invalid, and nothing of it is repeated here since it holds what looks like a credential"
        self.items.append(Refused(item, error.code, reason, None if name is None or find_secrets(name) else name))

    def stop(self) -> None:
        """ItemsRefused if there are any, unless the rest is saved without them."""
        if not self.items or self.partial:
            return
        parts = ["nothing was saved. "]
        for refused in self.items[:_SHOWN]:
            parts += [refused.item, ": ", refused.reason, "; "]
        parts[-1] = f"; and {len(self.items) - _SHOWN} more" if len(self.items) > _SHOWN else ""
        raise ItemsRefused(Message(*parts), tuple(self.items))


def read_items(
    batch: Batch, common: Mapping[str, str | None], refusals: Refusals, *, allow_secrets: bool, whole: bool = False
) -> Items:
    """Every item, checked. `common`: what is said of all of them. ItemsRefused, unless some may be left out.

    `whole`: they are never written as one, so they may have more bytes than a checkpoint.
    """
    if batch.task is not None and not allow_secrets:
        refuse_secrets(None, "", {"task": batch.task})
    task = None if batch.task is None else read_end(batch.task, Arg("task"))
    reader = _Reader(common, refusals, allow_secrets=allow_secrets, whole=whole)
    where = batch.place
    items = Items(
        reader.all("atoms", batch.atoms, lambda item: reader.atom(placed(read_atom(item, common), where))),
        reader.all("edges", batch.edges, lambda item: reader.edge(placed(read_edge(item, common), where))),
        reader.all("tombstones", batch.tombstones, reader.tombstone),
        reader.all("unedges", batch.unedges, reader.unedge),
        task,
    )
    if batch.undoes:
        said = [(atom.name, atom.members) for _, atom in items.atoms]
        for name, members in (*said, *((stone.name, stone.members) for _, stone in items.tombstones)):
            if name in batch.undoes:
                members[UNDOES] = batch.undoes[name]
    refusals.stop()
    return items


class _Overfull(Exception):
    """The values come to more than a checkpoint takes: the rest need not be read."""


class _Reader:
    """Reads the items of one batch. It counts the bytes of their values."""

    def __init__(
        self, common: Mapping[str, str | None], refusals: Refusals, *, allow_secrets: bool, whole: bool
    ) -> None:
        self._common = common
        self._refusals = refusals
        self._allow_secrets = allow_secrets
        self._bytes = 0
        self._most = None if whole else LIMITS["checkpoint_bytes"]

    def all(self, what: str, items: Sequence[_Raw], read: Callable[[_Raw], _Read]) -> list[tuple[str, _Read]]:
        taken: list[tuple[str, _Read]] = []
        for i, item in enumerate(items):
            try:
                taken.append((Item(what, i), read(item)))
            except _Overfull:
                raise TooLarge("checkpoint", self._bytes, LIMITS["checkpoint_bytes"]) from None
            except InputError as error:
                self._refusals.add(Item(what, i), error, name_in(item), raw=item)
        return taken

    def atom(self, atom: AtomGiven) -> AtomGiven:
        self._bytes += len(atom.value) if atom.value.isascii() else len(atom.value.encode())
        if self._most is not None and self._bytes > self._most:
            raise _Overfull
        if not self._allow_secrets:
            refuse_secrets(atom.name, atom.value, atom.members)
        if atom.name == SCHEMA:
            read_edge_kinds(atom.value)
        if atom.name.startswith(DOMAIN):
            check_domain_attrs(atom.members.get("attrs"))
        return atom

    def edge(self, edge: EdgeGiven) -> EdgeGiven:
        if not self._allow_secrets:
            refuse_secrets(None, "", {"source": edge.source, "type": edge.type, "target": edge.target, **edge.members})
        return edge

    def tombstone(self, item: TombstoneInput) -> TombstoneGiven:
        tombstone = read_tombstone(item, self._common)
        if not self._allow_secrets:
            refuse_secrets(None, "", tombstone.members)
        return tombstone

    def unedge(self, item: EdgeInput | str) -> EdgeGiven | str:
        if not isinstance(item, str):
            return self.edge(read_edge(item, self._common))
        try:
            return UUID(item).hex
        except ValueError:
            raise InputError("an unedge is the id of an edge, or its source, type and target") from None
