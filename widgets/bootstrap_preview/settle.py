"""Settling a conflict that someone looked at: keep one, both, or both one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from substrate.errors import Conflict, InputError, NotFound
from substrate.save.repeat import PLACE
from substrate.values.atoms import Atom
from substrate.values.edges import CONSISTENT_WITH, Window

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Verdict", "settle"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What someone decides about two atoms, of which he saw these versions (`seqs`).

    `do` is keep (then `keep` is one of the two), both, or windows (then each has its own, as ISO 8601 texts in UTC).
    """

    first: str
    second: str
    seqs: tuple[int, int]
    do: str
    keep: str = ""
    windows: tuple[tuple[str, str], tuple[str, str]] = (("", ""), ("", ""))
    reason: str = ""

    @classmethod
    def of(cls, said: Mapping[str, object]) -> Verdict:
        """As the page says it. InputError if it is none."""
        try:
            first, second, do = str(said["first"]), str(said["second"]), str(said["do"])
            one, other = map(int, cast("Any", said["seqs"]))
            given: Any = said.get("windows") or (("", ""), ("", ""))
            windows = (str(given[0][0]), str(given[0][1])), (str(given[1][0]), str(given[1][1]))
        except (IndexError, KeyError, TypeError, ValueError):
            raise InputError("a verdict has first, second, seqs, do, and keep, windows or reason") from None
        if do not in {"keep", "both", "windows"}:
            raise InputError("a conflict is settled by keep, both or windows")
        keep, reason = str(said.get("keep", "")), str(said.get("reason", "")).strip()
        return cls(first, second, (one, other), do, keep, windows, reason)

    @property
    def expect(self) -> dict[str, int]:
        """The versions that were seen."""
        return dict(zip((self.first, self.second), self.seqs, strict=True))


def settle(memory: Memory, verdict: Verdict) -> str:
    """Do it, and say in words what was done. Conflict, NotFound or InputError, in words, with nothing written."""
    reason = verdict.reason or None
    try:
        if verdict.do == "windows":
            return _keep_both_in_turn(memory, verdict)
        if verdict.do == "both":
            memory.resolve(verdict.first, verdict.second, reason=reason, expect=verdict.expect)
            return f"Settled: {verdict.first} and {verdict.second} are both right."
        memory.resolve(verdict.first, verdict.second, keep=verdict.keep, reason=reason, expect=verdict.expect)
    except Conflict:
        raise Conflict(
            "Someone was faster: one of the two has changed since you looked. Nothing was settled; look again."
        ) from None
    except NotFound:
        raise NotFound("Someone was faster: these two are in conflict no more. Nothing was written.") from None
    other = verdict.second if verdict.keep == verdict.first else verdict.first
    return f"Settled: {verdict.keep} is kept, and supersedes {other}."


def _keep_both_in_turn(memory: Memory, verdict: Verdict) -> str:
    """Both are recorded again, each with its window, if the windows do not overlap."""
    open_ones = [(clash.first, clash.second) for clash in memory.conflicts(verdict.first)]
    pair = next((pair for pair in open_ones if {atom.name for atom in pair} == {verdict.first, verdict.second}), None)
    if pair is None:
        raise NotFound(f"there is no open conflict between {verdict.first} and {verdict.second}")
    given = dict(zip((verdict.first, verdict.second), verdict.windows, strict=True))
    atoms = [_within(atom, *given[atom.name]) for atom in pair]
    if _overlap(*(atom.valid for atom in atoms)):
        raise InputError(
            "Both would still hold at the same time. Let one end on the day on which the other begins, or before it."
        )
    stated: Sequence[Mapping[str, object]] = ()
    if verdict.reason:  # an atom has no place for it: it goes with an edge, as in `resolve`
        attrs = {"reason": verdict.reason, "resolved": list(verdict.seqs)}
        stated = [{"source": verdict.first, "type": CONSISTENT_WITH, "target": verdict.second, "attrs": attrs}]
    saved = memory.checkpoint(atoms, edges=stated, expect=verdict.expect)
    told = f"Settled: {verdict.first} and {verdict.second} both stay, each for its time."
    if saved.conflicts:
        told += f" They contradict others now: {len(saved.conflicts)}."
    return told


def _within(atom: Atom, start: str, end: str) -> Atom:
    """The atom with this window. Who says so, and where, is who settles it; what it says is not changed by that."""
    attrs = {key: value for key, value in atom.attrs.items() if key != PLACE}
    since, until = _time(start, "from"), _time(end, "until")
    return replace(atom, valid_from=since, valid_to=until, attrs=attrs, actor=None, session=None)


def _time(text: str, field: str) -> datetime | None:
    if not text.strip():
        return None
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(f"{field}: {text[:40]!r} is not a date such as 2026-03-01") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _overlap(one: Window, other: Window) -> bool:
    """Whether there is a time at which both hold: neither ends before the other begins."""
    return not any(
        a.end is not None and b.start is not None and a.end <= b.start for a, b in ((one, other), (other, one))
    )
