"""What the timeline shows: heads as marks on an axis, and what lies between two of them. Plain values for the page.

A place on the axis is a whole number: microseconds since 1970, or a seq. Both are exact in the page's numbers.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from substrate.errors import InputError, ProofInvalid
from substrate.values.atoms import Atom
from substrate.values.times import from_microseconds, to_microseconds

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.growth import Change

__all__ = ["MARKS", "between", "erased_since", "head", "marks"]

MARKS = 200
"""At most so many marks are in the page; heads that lie closer together are one."""
_CHANGES = 200
_SHOWN = 300
"""Characters of a value that go into the page."""


def marks(memory: Memory, axis: str, window: list[int]) -> dict[str, object]:
    """The heads in a window of the axis, or all of them: `marks`, and the `span` that they lie in."""
    if window:
        low, high = window
        start, stop = (_moment(memory, place, axis) for place in (low - 1, high))
        growth = memory.growth(start, stop, parts=MARKS, by=axis, counts=False)
    else:
        growth = memory.growth(parts=MARKS, by=axis, counts=False)
        low, high = _place(growth.start, 0, axis), _place(growth.stop, growth.last, axis)
    shown = [
        {
            "at": _place(part.recorded_at, part.size - 1, axis),
            "from": _place(part.started_at, part.first - 1, axis),
            "size": part.size,
            "first": part.first,
            "entries": part.entries,
            "time": to_microseconds(part.recorded_at),
        }
        for part in growth
    ]
    return {"marks": shown, "span": {"low": low, "high": high, "axis": axis, "size": growth.size}}


def _moment(memory: Memory, place: int, axis: str) -> int | datetime:
    """A place on the axis, as a moment that the log has: a page may ask for what lies beyond."""
    if axis == "time":
        return from_microseconds(place)
    return max(-1, min(memory.head().head.size - 1, place))


def _place(time: datetime, seq: int, axis: str) -> int:
    return seq if axis == "entries" else to_microseconds(time)


def head(memory: Memory, size: int) -> dict[str, object]:
    """The head of this size, with what it added. InputError if there is none."""
    found = memory.heads(before=size + 1, limit=1)
    if not found or found[0].size != size:
        raise InputError(f"no head was signed at size {size:,}: pick another")
    return {**found[0].to_dict(), "time": to_microseconds(found[0].recorded_at)}


def between(memory: Memory, older: int, newer: int) -> dict[str, object]:
    """What changed between two heads: `changes`; and whether the newer log is shown to contain the older: `badge`."""
    diff = memory.diff(older - 1, newer - 1, limit=_CHANGES)
    changes = {"items": [_change(change) for change in reversed(diff.items)], "left_out": diff.left_out or 0}
    return {"changes": changes, "badge": _badge(memory, older, newer)}


def erased_since(memory: Memory, size: int) -> bool:
    """Whether after this size anything was forgotten: all else leaves what lay between two heads as it was."""
    before: int | None = None
    while True:
        page = memory.heads(before=before)
        for found in page:
            if found.size <= size:
                return False
            if "forget" in found.added:
                return True
        if page.next is None:
            return False
        before = page.next


def _change(change: Change) -> dict[str, object]:
    atoms = {side: atom for side in ("before", "after") if isinstance(atom := getattr(change, side), Atom)}
    name = next((atom.name for atom in atoms.values()), None if change.kind.startswith("edge") else change.name)
    return {
        "kind": change.kind,
        "name": change.name or "",
        "atom": name or "",
        **{side: _cut(atom.value) for side, atom in atoms.items()},
    }


def _cut(value: str) -> str:
    return value if len(value) <= _SHOWN else f"{value[:_SHOWN]}… ({len(value):,} characters)"


def _badge(memory: Memory, older: int, newer: int) -> dict[str, object]:
    """The consistency proof from one head to the other, made, and checked by who has pinned the older one."""
    try:
        pin = memory.pin(older)
        proof = memory.prove_extended(pin, until=newer).to_json()
        verdict = memory.verify(proof, pin=pin, claim="extended")
    except (ProofInvalid, InputError) as error:  # of two heads with a restore in between, nothing leads across
        return {"ok": isinstance(error, InputError) and None, "words": str(error), "proof": "", "pin": ""}
    words = f"The log at size {verdict.head.size:,} contains all of the log at size {older:,}, unchanged"
    return {"ok": verdict.trusted, "words": words, "proof": proof, "pin": str(pin)}
