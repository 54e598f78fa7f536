"""The verb sweep: notes of one surface that have faded go out of use. Nothing is erased."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.moments import snapshot_of
from substrate.errors import Conflict, InputError
from substrate.fading.listing import FadingIndex, Scored, Wanted
from substrate.fading.named import ARCHIVED
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.log.tables import TOUCHES
from substrate.messages import Arg
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.search.columns.authors import Authors
from substrate.values.review.fading import Swept

__all__ = ["SURFACE", "Sweep", "sweep"]

SURFACE: Final = "cortexgraph"
"""The surface whose notes fade, where the caller has none of its own."""
_FADED: Final = "faded"
_SHOWN: Final = 10
_TRIES: Final = 5
_MOST: Final = LIMITS["checkpoint_items"]
_WIDE: Final = 256
"""Notes whose author is looked up at once, where only some are wanted."""


class Sweep(NamedTuple):
    """What to sweep, and how."""

    surface: str
    archive: bool
    limit: int | None
    dry_run: bool

    @classmethod
    def of(cls, surface: str | None, *, archive: bool, limit: int | None, dry_run: bool) -> Sweep:
        """Checked. InputError."""
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST):
            raise InputError(Arg("limit"), f" is a whole number from 1 to {_MOST:,}")
        return cls(surface or SURFACE, archive, limit, dry_run)


def sweep(log: Log, index: FadingIndex, asked: Sweep, said: Mapping[str, object]) -> Swept:
    """See `Memory.sweep`. What was touched meanwhile is looked at again."""
    for tries_left in reversed(range(_TRIES)):
        with log.snapshot() as transaction:
            scored = index.scored(snapshot_of(transaction, log.clock, None, None), Wanted(statuses=("active",)))
            places = _own(scored, index.authors, asked)
            swept = Swept(
                items=tuple(scored.atoms(places[:_SHOWN])),
                dry_run=asked.dry_run,
                archived=asked.archive,
                total=len(places),
                score_sum=float(scored.scores.score[places].sum()),
                surface=asked.surface,
            )
            names = [] if asked.dry_run else [(one.name, one.atom.seq) for one in scored.atoms(places)]
            touched = _last_touch(transaction)
        try:
            _tombstone(log, names, touched, asked, said)
        except Conflict:
            if not tries_left:
                raise
        else:
            return swept
    raise AssertionError("the last try returns or raises")


def _own(scored: Scored, authors: Authors, asked: Sweep) -> NDArray[np.int64]:
    """Where the faded notes of the surface stand, the lowest scores first; as many as are asked for."""
    places = scored.below()
    wide = max(1, len(places)) if asked.limit is None else _WIDE
    own = places[:0]
    for start in range(0, len(places), wide):
        some = places[start : start + wide]
        seqs = scored.scores.seqs[some]
        written = authors.written_by(scored.snapshot, scored.documents, asked.surface, seqs)
        own = np.concatenate([own, some[np.isin(seqs, written)]])
        if asked.limit is not None and len(own) >= asked.limit:
            break
    return own[: asked.limit]


def _tombstone(
    log: Log, names: list[tuple[str, int]], touched: bytes, asked: Sweep, said: Mapping[str, object]
) -> None:
    """Take these out of use. Conflict if one was changed, or anything was touched, since they were looked at."""

    def check(transaction: ReadTransaction) -> None:
        if _last_touch(transaction) != touched:
            raise Conflict("a note was touched while this was decided: nothing was swept. Try again")

    for start in range(0, len(names), _MOST):
        some = names[start : start + _MOST]
        stones = [{"name": name, "reason": ARCHIVED if asked.archive else _FADED} for name, _ in some]
        batch = Batch(tombstones=stones, archives=asked.archive)
        checkpoint(log, batch, expect=dict(some), said=said, check=check if start == 0 else None)


def _last_touch(transaction: ReadTransaction) -> bytes:
    """The key of the touch that was written last."""
    return next((key for key, _ in transaction.scan(TOUCHES, reverse=True, limit=1)), b"")
