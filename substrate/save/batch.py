"""What a checkpoint is to save, as it was handed in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from substrate.errors import SchemaInvalid
from substrate.limits import LIMITS
from substrate.save.input import AtomInput, EdgeInput, TombstoneInput
from substrate.save.place import Place
from substrate.values.atoms import Atom
from substrate.values.edges import Edge
from substrate.views.beside.parts import Part
from substrate.views.touches import Touch

__all__ = ["Batch"]

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be saved, as it was handed in."""

    atoms: Sequence[AtomInput] = ()
    edges: Sequence[EdgeInput] = ()
    tombstones: Sequence[TombstoneInput] = ()
    unedges: Sequence[EdgeInput | str] = ()
    task: str | None = None
    place: Place | None = None
    """Where in a notebook it is recorded."""
    may_rename: bool = False
    """Whether it may state that an atom was renamed: a rename may, and an undo, which may take back or repeat one."""
    undoes: Mapping[str, int] = field(default_factory=dict)
    """How many of the last versions never held: of atoms that it takes back to what they were by name, of edges by id
    in hexadecimal."""
    strength: int | None = None
    """With how many hundredths of strength what is recorded begins to fade; None: nothing is said of it."""
    touches: Mapping[str, Sequence[Touch]] = field(default_factory=dict)
    """How often atoms were used before they are recorded here, by their names; of no atom yet."""
    archives: bool = False
    """Whether what is taken out of use is put away, and listed as that."""
    tombstones_first: bool = False
    """Whether what is taken out of use comes before what is recorded, in the log. The two are different atoms."""
    part: Part | None = None
    """Of what it is a part, if it is one of several checkpoints that belong together."""
    begun: int | None = None
    """The first entry of the import of which it is a part, if that has one yet."""
    recorded_at: Mapping[str, Sequence[int | None]] = field(default_factory=dict)
    """When items were recorded in the store that they come from, in microseconds since 1970: a list for each argument,
    in its order; empty: they come from none."""
    counts_now: bool = False
    """Whether they count as said here and now nevertheless."""
    is_statement: bool = False
    """Whether to say a known text again is a statement of now: what contradicts it was said before."""

    @classmethod
    def of(  # noqa: PLR0913, PLR0917
        cls,
        atoms: Iterable[AtomInput],
        edges: Iterable[EdgeInput] = (),
        tombstones: Iterable[TombstoneInput] = (),
        unedges: Iterable[EdgeInput | str] = (),
        task: str | None = None,
        place: Place | None = None,
    ) -> Batch:
        """SchemaInvalid if one of them is no list. Of an iterator without end, one more is drawn than there may be."""
        return cls(_some(atoms), _some(edges), _some(tombstones), _some(unedges), task, place)

    def count(self) -> int:
        """How many items it has, edges to the task among them."""
        produced = 0 if self.task is None else len(self.atoms)
        return len(self.atoms) + len(self.edges) + len(self.tombstones) + len(self.unedges) + produced


def _some(items: Iterable[_Item]) -> tuple[_Item, ...]:
    if isinstance(items, str | bytes | Mapping | Atom | Edge) or not isinstance(items, Iterable):
        raise SchemaInvalid("atoms, edges, tombstones and unedges are lists: put a single one into brackets")
    return tuple(islice(items, LIMITS["checkpoint_items"] + 1))
