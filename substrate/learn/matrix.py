"""All arcs as one sparse matrix, for work on the whole of it in a notebook. The only importer of scipy."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from substrate.atoms.resolve import name_of
from substrate.atoms.supersedes import Heirs
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.log.tables import ARCS
from substrate.messages import Arg
from substrate.result import frame
from substrate.snapshot import Snapshot
from substrate.views.learned.counts import ATOM, read_cells

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Transitions", "transition_matrix"]

_KINDS = {"next": 1, "skip": 2}


@dataclass(frozen=True, slots=True)
class Transitions:
    """`matrix[i, j]`: how likely `names[j]` comes after `names[i]`. A row sums to one, or to nothing if it is empty."""

    matrix: csr_array
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Transitions {len(self.names):,} atoms, {self.matrix.nnz:,} arcs>"

    def row(self, name: str) -> dict[str, float]:
        """What comes after an atom, the likeliest first. InputError if it is not in the matrix."""
        if name not in self.names:
            raise InputError(f"{name} is not in this matrix: it was never accessed in a session with others")
        at = self.names.index(name)
        start, stop = self.matrix.indptr[at], self.matrix.indptr[at + 1]
        pairs = zip(self.matrix.indices[start:stop], self.matrix.data[start:stop], strict=True)
        return {self.names[j]: float(share) for j, share in sorted(pairs, key=lambda pair: -pair[1])}

    def to_df(self) -> DataFrame:
        """A row for each arc: source, target, probability. Needs pandas."""
        whole = self.matrix.tocoo()
        arcs = zip(whole.row, whole.col, whole.data, strict=True)
        names = self.names
        return frame([{"source": names[i], "target": names[j], "probability": float(share)} for i, j, share in arcs])


def transition_matrix(snapshot: Snapshot, kind: str, prefix: str) -> Transitions:
    """See `Memory.transition_matrix`."""
    if kind not in _KINDS:
        raise InputError(Arg("kind"), f" is one of {', '.join(_KINDS)}")
    transaction = snapshot.transaction
    atoms = _Atoms(transaction, Heirs(snapshot), prefix)
    rows, columns, amounts = [], [], []
    for key, _ in transaction.scan(ARCS, ATOM, bytes([ATOM[0] + 1])):
        source, row = atoms.place(key[1:]), read_cells(transaction, ATOM, key[1:], snapshot.at)
        for cell in row.cells if row is not None and source is not None else ():
            target, count = atoms.place(cell[0]), cell[1] if kind == "next" else cell[2]
            if target is not None and count:
                rows.append(source)
                columns.append(target)
                amounts.append(count * row.scale if row is not None else 0.0)
    size = len(atoms.names)
    matrix = csr_array((np.array(amounts, np.float64), (rows, columns)), shape=(size, size), dtype=np.float64)
    matrix.sum_duplicates()
    totals = matrix.sum(axis=1)
    matrix.data /= np.repeat(np.where(totals > 0, totals, 1), np.diff(matrix.indptr))
    return Transitions(matrix, tuple(atoms.names))


class _Atoms:
    """Gives each atom that is in use a place: one for it and all whose place it took."""

    def __init__(self, transaction: ReadTransaction, heirs: Heirs, prefix: str) -> None:
        self._transaction = transaction
        self._heirs = heirs
        self._prefix = prefix
        self._places: dict[bytes, int | None] = {}
        self.names: OrderedDict[str, int] = OrderedDict()

    def place(self, subject: bytes) -> int | None:
        """Its row and column; None if it is out of use, or not meant."""
        if subject not in self._places:
            heir = self._heirs.heir(subject)
            name = None if heir is None else name_of(self._transaction, heir)
            meant = name is not None and name.startswith(self._prefix)
            self._places[subject] = self.names.setdefault(name, len(self.names)) if meant and name is not None else None
        return self._places[subject]
