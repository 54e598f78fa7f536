"""What the engine means, as simply as it can be said: a list of what happened, scanned anew for every question.

Atoms are numbered; a name gets a new number when it is first recorded, or first pointed to, after it was forgotten.
Times are microseconds. Nothing here is fast, clever or shared with the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Edge: TypeAlias = tuple[int, str, int]
Said: TypeAlias = Mapping[str, Any]

ABSENT, FORGOTTEN = "absent", "forgotten"


@dataclass
class Event:
    """One entry of the log about an atom (its number) or an edge (source, type, target)."""

    seq: int
    time: int
    kind: str
    about: int | Edge
    said: Said
    actor: str | None = None
    erased_by: int | None = None


class PlainModel:
    def __init__(self, time: int) -> None:
        self.times = [time]  # of every entry; the first is the key entry
        self.events: list[Event] = []
        self.names: list[str] = []
        self.forgotten: dict[int, int] = {}
        self.confirmed: dict[int | Edge, tuple[int, int]] = {}
        self.begun = 2**63  # what is at this seq or later was said in the same breath: that confirms nothing

    @property
    def size(self) -> int:
        return len(self.times)

    # -- writing -------------------------------------------------------------------------------------------------

    def number(self, name: str) -> int | None:
        """The atom that the name means now: recorded, tombstoned, or only pointed to."""
        known = [i for i, known in enumerate(self.names) if known == name and i not in self.forgotten]
        return known[-1] if known else None

    def bind(self, name: str) -> int:
        known = self.number(name)
        if known is None:
            self.names.append(name)
            known = len(self.names) - 1
        return known

    def append(self, kind: str, about: int | Edge, said: Said, now: int, actor: str | None = None) -> Event:
        event = Event(self.size, max(now, self.times[-1]), kind, about, said, actor)
        self.times.append(event.time)
        self.events.append(event)
        return event

    def put(self, name: str, said: Said, now: int, actor: str | None = None) -> bool:
        """Whether it made a version; else it confirmed the one there is."""
        return self.state(self.bind(name), "put", said, now, actor)

    def edge(self, ends: tuple[str, str, str], said: Said, now: int, actor: str | None = None) -> bool:
        """Whether it was stated anew; else it confirmed."""
        return self.state((self.bind(ends[0]), ends[1], self.bind(ends[2])), "edge", said, now, actor)

    def state(self, about: int | Edge, kind: str, said: Said, now: int, actor: str | None) -> bool:
        """Of the same value said again, a field that is not given stays, and one given as None goes."""
        last = self.last(about)
        known = last is not None and last.kind == kind and last.erased_by is None
        if last is not None and known and last.said.get("value") == said.get("value"):
            merged = without_none({**last.said, **said})
            if merged.get("valid_from", 0) >= merged.get("valid_to", 2**63):
                raise ValueError("the window would end before it begins")
            if merged == last.said:
                if last.seq < self.begun:
                    self.confirmed[about] = last.seq, max(now, self.times[-1])
                return False
            said = merged
        self.append(kind, about, without_none(said), now, actor)
        return True

    def tombstone(self, name: str, now: int, actor: str | None = None, occurred_at: int | None = None) -> bool:
        about = self.number(name)
        if about is None or not self.is_live(about):
            return False
        self.append("tombstone", about, without_none({"occurred_at": occurred_at}), now, actor)
        return True

    def unedge(self, ends: tuple[str, str, str], now: int, actor: str | None = None) -> bool:
        about = (self.number(ends[0]), ends[1], self.number(ends[2]))
        if about not in self.live_edges():
            return False
        self.append("unedge", about, {}, now, actor)  # type: ignore[arg-type]
        return True

    def train(self, now: int) -> None:
        """An entry of which atoms and edges know nothing."""
        self.times.append(max(now, self.times[-1]))

    def is_used(self, name: str) -> bool:
        about = self.number(name)
        return about is not None and self.is_live(about)

    def makes_a_cycle(self, source: str, target: str) -> bool:
        """Whether `source supersedes target` would, by way of others, supersede itself."""
        start, goal = self.number(target), self.number(source)
        seen, waiting = set(), [start]
        while waiting:
            at = waiting.pop()
            seen.add(at)
            waiting += [t for s, kind, t in self.live_edges() if s == at and kind == "supersedes" and t not in seen]
        return source == target or (goal is not None and goal in seen)

    # -- forgetting ----------------------------------------------------------------------------------------------

    def touched(self, about: int) -> list[Event]:
        """All that goes with an atom: its versions, and what was said of edges from and to it."""
        return [
            event
            for event in self.events
            if event.erased_by is None
            and (event.about == about if isinstance(event.about, int) else about in (event.about[0], event.about[2]))
        ]

    def forget(self, about: int, seq: int) -> None:
        """Erase an atom, by the forget entry `seq`: it then stands for all its gaps, earlier ones too."""
        for event in [*self.touched(about), *self.of(about)]:
            event.erased_by = seq
        self.confirmed = {
            key: when
            for key, when in self.confirmed.items()
            if key != about and (isinstance(key, int) or about not in (key[0], key[2]))
        }
        self.forgotten[about] = seq

    def drop_edges(self) -> None:
        """Of an edge of which every statement was erased nothing stays; stated again, it is another one."""
        left = {event.about for event in self.events if event.erased_by is None}
        self.events = [event for event in self.events if isinstance(event.about, int) or event.about in left]

    def left_without_version(self, actor: str) -> set[int]:
        """Atoms of which every version is this actor's."""
        puts = [event for event in self.events if event.kind == "put" and event.erased_by is None]
        others = {event.about for event in puts if event.actor != actor}
        return {event.about for event in puts if isinstance(event.about, int) and event.about not in others}

    def said_by(self, actor: str) -> list[Event]:
        return [event for event in self.events if event.actor == actor and event.erased_by is None]

    # -- reading -------------------------------------------------------------------------------------------------

    def seq_at(self, time: int) -> int:
        """The last entry at or before `time`; -1 if there is none."""
        return sum(recorded <= time for recorded in self.times) - 1

    def of(self, about: int | Edge, as_of: int | None = None) -> list[Event]:
        stop = self.size if as_of is None else as_of + 1
        return [event for event in self.events if event.about == about and event.seq < stop]

    def last(self, about: int | Edge, as_of: int | None = None) -> Event | None:
        events = self.of(about, as_of)
        return events[-1] if events else None

    def moments(self) -> list[int]:
        """Every time at which something may begin or cease to hold."""
        said = [event.said.get(key) for event in self.events for key in ("occurred_at", "valid_from", "valid_to")]
        ends = [end for event in self.events for window in event.said.get("windows", ()) for end in window]
        return sorted({time for time in (*self.times, *said, *ends) if time is not None})

    def is_live(self, about: int, as_of: int | None = None) -> bool:
        last = self.last(about, as_of)
        return last is not None and last.kind == "put" and about not in self.forgotten

    def meant(self, name: str, as_of: int | None = None) -> int | None:
        """The atom that the name meant then, forgotten since or not."""
        known = [i for i, known in enumerate(self.names) if known == name and self.of(i, as_of)]
        return known[-1] if known else None

    def access(self, name: str, as_of: int | None = None, valid_at: int | None = None) -> Event | str:
        about = self.meant(name, as_of)
        if about is None:
            return ABSENT
        return FORGOTTEN if about in self.forgotten else self.read(about, as_of, valid_at)

    def read(self, about: int, as_of: int | None = None, valid_at: int | None = None) -> Event | str:
        events, gap = self.of(about, as_of), False
        while events:
            event = events.pop()
            if event.kind == "tombstone":
                ended = event.time if event.erased_by is not None else event.said.get("occurred_at", event.time)
                if valid_at is None or ended <= valid_at:
                    return ABSENT
            elif event.erased_by is not None:
                gap = True
                if valid_at is None or event.time <= valid_at:
                    return FORGOTTEN
            else:
                since = event.time
                while events and self.is_refined(events[-1], event):
                    since = events.pop().time
                if valid_at is None or self.holds(event, since if events else None, valid_at):
                    return event
        return FORGOTTEN if gap else ABSENT

    def is_refined(self, earlier: Event, later: Event) -> bool:
        """Whether the later one says the same value again, and so when it holds."""
        said = earlier.said.get("value")
        return earlier.kind == "put" and earlier.erased_by is None and said == later.said.get("value")

    def holds(self, event: Event, since: int | None, time: int) -> bool:
        """`since` is when its value was recorded; None if that was the first thing that was said."""
        start, end = event.said.get("valid_from"), event.said.get("valid_to")
        if start is None:
            start = event.said.get("occurred_at", since)
        return (start is None or start <= time) and (end is None or time < end)

    def superseders(self, about: int, as_of: int | None = None, valid_at: int | None = None) -> list[str]:
        """Who stands in its place: what holds then, also by way of what does not hold then but is in use."""
        found: set[int] = set()
        waiting, seen = [about], {about}
        while waiting:
            at = waiting.pop()
            for source, kind, target in self.live_edges(as_of):
                if (
                    kind == "supersedes"
                    and target == at
                    and source not in seen
                    and self.is_open(source, as_of, valid_at)
                ):
                    seen.add(source)
                    if self.read(source, as_of, valid_at) == ABSENT:
                        waiting.append(source)
                    else:
                        found.add(source)
        return sorted(self.names[source] for source in found)

    def is_open(self, about: int, as_of: int | None, valid_at: int | None) -> bool:
        """Whether it was in use then, be it that what it says did not hold; what was erased may have held."""
        if valid_at is None:
            return self.is_live(about, as_of)
        if self.read(about, as_of, valid_at) != ABSENT:
            return True
        events = self.of(about, as_of)
        ended = [
            e.time if e.erased_by is not None else e.said.get("occurred_at", e.time)
            for e in events
            if e.kind == "tombstone"
        ]
        return bool(events) and not any(time <= valid_at for time in ended)

    def listing(
        self,
        as_of: int | None = None,
        valid_at: int | None = None,
        *,
        superseded: bool = False,
        tombstoned: bool = False,
    ) -> list[Event]:
        """The versions that a list shows, by name. Of a tombstoned atom, the last version that is left."""
        shown = []
        for name in sorted(set(self.names)):
            found = self.access(name, as_of, valid_at)
            about = self.meant(name, as_of)
            if tombstoned and found == ABSENT and about is not None and valid_at is None:
                left = [e for e in self.of(about, as_of) if e.kind == "put" and e.erased_by is None]
                found = left[-1] if left else ABSENT
            if isinstance(found, str) or about is None or (not superseded and self.superseders(about, as_of, valid_at)):
                continue
            shown.append(found)
        return shown

    def forgotten_since(self, as_of: int) -> int:
        """Atoms that were in use then and have been forgotten since."""
        return sum(
            last is not None and last.kind == "put" and seq > as_of
            for last, seq in ((self.last(about, as_of), seq) for about, seq in self.forgotten.items())
        )

    def history(self, name: str, as_of: int | None = None) -> list[Event]:
        """Every version under that name, of the atoms forgotten under it too."""
        about = [i for i, known in enumerate(self.names) if known == name]
        return sorted((event for i in about for event in self.of(i, as_of)), key=lambda event: event.seq)

    def live_edges(self, as_of: int | None = None) -> list[Edge]:
        edges = {event.about for event in self.events if isinstance(event.about, tuple)}
        last = {edge: self.last(edge, as_of) for edge in edges}
        return sorted(e for e, event in last.items() if event and event.kind == "edge" and event.erased_by is None)

    def edges(
        self, name: str, as_of: int | None = None, valid_at: int | None = None, direction: str = "both"
    ) -> list[Event]:
        about = self.number(name)
        shown = []
        for edge in self.live_edges(as_of):
            event = self.last(edge, as_of)
            assert event is not None
            out, back = edge[0] == about and direction != "in", edge[2] == about and direction != "out"
            windows = event.said.get("windows", ())
            if (out or back) and (valid_at is None or not windows or any(_within(w, valid_at) for w in windows)):
                shown.append(event)
        return shown

    def members(self, about: int, as_of: int | None, at: int) -> set[int]:
        """The atoms from which at most two `member_of` edges lead to this one, over atoms in use."""
        found: set[int] = set()
        for group in (about, *self.direct_members(about, as_of, at)):
            found |= self.direct_members(group, as_of, at)
        return found

    def direct_members(self, about: int, as_of: int | None, at: int) -> set[int]:
        edges = [edge for edge in self.live_edges(as_of) if edge[1:] == ("member_of", about)]
        return {edge[0] for edge in edges if self.is_live(about, as_of) and self.holds_then(edge, as_of, at)}

    def holds_then(self, edge: Edge, as_of: int | None, at: int) -> bool:
        """Whether a window of an edge contains the time, if it has any."""
        event = self.last(edge, as_of)
        windows = event.said.get("windows", ()) if event else ()
        return not windows or any(_within(window, at) for window in windows)

    def characters(self) -> int:
        """Of the values of all atoms in use."""
        live = [self.last(about) for about in range(len(self.names)) if self.is_live(about)]
        return sum(len(str(event.said["value"])) for event in live if event)

    def dangling(self) -> set[str]:
        ends = {end for edge in self.live_edges() for end in (edge[0], edge[2])}
        return {self.names[end] for end in ends if self.last(end) is None}

    def ends(self, edge: Edge) -> tuple[str, str, str]:
        return self.names[edge[0]], edge[1], self.names[edge[2]]

    # -- comparing two moments -----------------------------------------------------------------------------------

    def diff(self, start: int, stop: int) -> set[tuple[str, str | None]]:
        """(kind, name) of every change, but for atoms and edges that were forgotten as a whole."""
        changes: set[tuple[str, str | None]] = set()
        for about, name in enumerate(self.names):
            if about not in self.forgotten:
                before, after = self.last(about, start), self.last(about, stop)
                kind = _became(before, after, "put", ("added", "changed", "tombstoned", "revived"))
                if before is not after and any(
                    e and e.kind == "put" and e.erased_by is not None for e in (before, after)
                ):
                    kind = "forgotten"
                changes |= {(kind, name)} if kind else set()
        for edge in {event.about for event in self.events if isinstance(event.about, tuple)}:
            before, after = self.last(edge, start), self.last(edge, stop)
            if not any(event is not None and event.erased_by is not None for event in (before, after)):
                kind = _became(before, after, "edge", ("edge_added", "edge_changed", "edge_removed", "edge_added"))
                changes |= {(kind, " ".join(self.ends(edge)))} if kind else set()
        return changes

    def forgotten_between(self, start: int, stop: int) -> set[int]:
        """Forgotten atoms to which something happened between: a version that is gone now, or the forgetting."""
        return {
            about
            for about, seq in self.forgotten.items()
            if any(start < at <= stop for at in (seq, *(event.seq for event in self.of(about))))
        }


def _became(before: Event | None, after: Event | None, live: str, words: tuple[str, str, str, str]) -> str | None:
    added, changed, removed, revived = words
    if after is None or before is after:
        return None
    if after.kind == live:
        return added if before is None else changed if before.kind == live else revived
    return removed if before is not None and before.kind == live else None


def without_none(said: Said) -> dict[str, Any]:
    return {key: value for key, value in said.items() if value is not None}


def _within(window: tuple[int | None, int | None], time: int) -> bool:
    start, end = window
    return (start is None or start <= time) and (end is None or time < end)
