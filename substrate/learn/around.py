"""The verb around: what is needed after an atom, and after which atoms it is needed; by the whole model or one part.

Who leads to an atom is looked for among those that it was learnt to follow, and those that stated edges join to it: a
bounded number of rows is read, and the likeliest are judged by the same forecast as what comes after. So a number says
the same on both sides: how likely the second atom is when the first one was opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest
from itertools import islice
from typing import Final
from uuid import UUID

from substrate.atoms.resolve import name_of, resolve
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.learn.forecast import Forecaster, Need
from substrate.messages import Arg
from substrate.snapshot import Snapshot
from substrate.values.predictions import Around, Prediction
from substrate.views.edges import links_of
from substrate.views.learned.counts import share_in, sources_of_arcs
from substrate.views.learned.sessions import HOLE

__all__ = ["MOST", "PARTS", "around"]

PARTS: Final = ("next", "skip", "edges", "episodes")
"""The parts that speak of one atom; the others go by the domain, or need more than one."""
MOST: Final = 50
"""Atoms on each side."""
_ROWS: Final = 1000
"""Rows that are read to find who leads to an atom: tens of milliseconds at worst."""
_EDGES: Final = 24
_SPARE: Final = 4
_NOTHING: Final = 1e-4


def around(snapshot: Snapshot, name: str, k: int, part: str | None, domain: bytes = HOLE) -> Around:
    """See `Memory.around`."""
    if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k <= MOST:
        raise InputError(Arg("k"), f" is a whole number up to {MOST}")
    if part is not None and part not in PARTS:
        raise InputError(Arg("part"), f" is one of {', '.join(PARTS)}; None for all together")
    transaction = snapshot.transaction
    subject = resolve(transaction, name).subject
    forecaster = Forecaster(snapshot)
    if part is None:
        after = forecaster.next([subject], domain, k)
    else:
        after = forecaster.alone(part, [subject], domain, k)
    before, more = _before(transaction, forecaster, subject, domain, k, part)
    return Around(
        name_of(transaction, subject) or name,
        part,
        tuple(_told(transaction, after)),
        tuple(_told(transaction, before)),
        more,
    )


def _before(  # noqa: PLR0913, PLR0917
    transaction: ReadTransaction, forecaster: Forecaster, subject: bytes, domain: bytes, k: int, part: str | None
) -> tuple[list[Need], bool]:
    """Who leads to an atom, the likeliest first; and whether more were learnt to than were looked at."""
    shares: dict[bytes, float] = {}
    stands_for = forecaster.stands_for(subject)
    rows = (arrival for item in stands_for for arrival in _arrivals(transaction, item))
    for source, target in islice(rows, _ROWS):
        heir = forecaster.heir(source)
        if heir is not None and heir != subject:
            share = share_in(transaction, source, target)
            shares[heir] = shares.get(heir, 0.0) + share
    more = next(rows, None) is not None
    if part in (None, "edges"):
        for out in (True, False):
            for link in islice(links_of(transaction, subject, out=out), _EDGES):
                end = link.target if out else link.source
                heir = forecaster.heir(end)
                if heir is not None and heir != subject:
                    shares.setdefault(heir, 0.0)
    likely = nlargest(2 * k + _SPARE, shares, key=lambda source: (shares[source], source))
    needs = (forecaster.led(source, subject, domain, part) for source in likely)
    found = [need for need in needs if need.share > _NOTHING]
    return nlargest(k, found, key=lambda need: (need.share, need.subject)), more


def _arrivals(transaction: ReadTransaction, target: bytes) -> Iterator[tuple[bytes, bytes]]:
    return ((source, target) for source in sources_of_arcs(transaction, target))


def _told(transaction: ReadTransaction, needs: list[Need]) -> Iterator[Prediction]:
    for need in needs:
        name = name_of(transaction, need.subject)
        if name is not None and need.share > _NOTHING:
            parts = {part: round(share, 5) for part, share in need.parts.items() if share > _NOTHING}
            yield Prediction(name, round(need.share, 5), parts, str(UUID(bytes=need.subject)))
