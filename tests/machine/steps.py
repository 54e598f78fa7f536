"""The first half of the machine: what is done to the real store, and told to the plain model in the same words."""

from __future__ import annotations

import tempfile
import uuid
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from substrate.clock import ManualClock
from substrate.errors import Conflict, ItemsRefused
from substrate.log.copies.check import check_store
from substrate.memory import Memory, open_memory
from substrate.values.times import from_microseconds
from substrate.views.catalogue import VIEWS
from tests.machine.answers import CONTENT, EDGE_CONTENT, to_input
from tests.machine.plain_model import Event, PlainModel, Said
from tests.stories import rows_of

DAY = 86_400 * 1_000_000
START = 1_700_000_000_000_000
NAMES = ["v1.fact.a", "v1.fact.ä", "v1.fact.b c", "v1.state.d"]
TYPES = ["member_of", "depends_on", "likes"]
ACTORS = [None, "ann", "bob"]

names = st.sampled_from(NAMES)
types = st.sampled_from(TYPES)
actors = st.sampled_from(ACTORS)
times = st.integers(-4, 8).map(lambda day: START + day * DAY)
steps = st.sampled_from([0, 1, DAY, DAY, 3 * DAY, 400 * DAY, -1, -DAY, -3650 * DAY])
flags = st.booleans()


def members(**strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=strategies)


def windows() -> st.SearchStrategy[tuple[int | None, int | None]]:
    return st.tuples(st.none() | times, st.none() | times).filter(
        lambda w: w != (None, None) and (None in w or w[0] < w[1])  # type: ignore[operator]
    )


def content() -> st.SearchStrategy[dict[str, Any]]:
    """Of few kinds, so that the same is said again now and then."""
    further = members(
        tags=st.sampled_from([("red",), ("blue", "red")]),
        confidence=st.just(0.5),
        source=st.just("book"),
        occurred_at=times,
        attrs=st.just({"page": 7}),
    )
    window = st.just({}) | windows().map(
        lambda w: {k: t for k, t in zip(("valid_from", "valid_to"), w, strict=True) if t is not None}
    )
    value = st.sampled_from(["x", "y", "two\nlines = 2"])
    fields = st.builds(lambda v, *rest: {"value": v} | rest[0] | rest[1], value, st.just({}) | further, window)
    return st.builds(spoken_of, fields, st.sampled_from([(), (), CONTENT[1:], ("tags", "valid_to")]))


def spoken_of(said: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """The same, and of these fields, if they are not given, that they shall be empty."""
    return dict.fromkeys(fields) | said


def edge_content() -> st.SearchStrategy[dict[str, Any]]:
    spans = st.lists(windows(), min_size=1, max_size=2).map(tuple)
    fields = members(confidence=st.just(0.25), cited=st.just("page 3"), attrs=st.just({"n": [1]}), windows=spans)
    return st.builds(spoken_of, fields, st.sampled_from([(), (), (*EDGE_CONTENT, "windows"), ("cited",)]))


class Doing(RuleBasedStateMachine):
    model_type: ClassVar[type[PlainModel]] = PlainModel

    @initialize()
    def create(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path, self.home = Path(self.folder.name, "store"), Path(self.folder.name, "home")
        self.clock = ManualClock(START)
        self.memory = self.open(self.path)
        self.model = self.model_type(START)
        self.ids: dict[int, str] = {}
        self.edge_ids: dict[tuple[int, str, int], str] = {}
        self.others = self.asked = 0

    def open(self, path: Path) -> Memory:
        return open_memory(path, home=self.home, clock=self.clock, background=False)

    def another(self) -> Path:
        self.others += 1
        return Path(self.folder.name, f"other{self.others}")

    def teardown(self) -> None:
        if not hasattr(self, "folder"):
            return
        try:
            self.memory.close()
            assert check_store(self.path, home=self.home, views=VIEWS).damage is None
        finally:
            self.folder.cleanup()

    # -- what happens --------------------------------------------------------------------------------------------

    @rule(step=steps)
    def time_passes(self, step: int) -> None:
        self.clock.advance(step)

    @rule(name=names, said=content(), actor=actors)
    def put(self, name: str, said: Said, actor: str | None) -> None:
        self.checkpoint([(name, said)], actor)

    @rule(name=names, said=st.just({}) | content(), actor=actors)
    def say_again(self, name: str, said: Said, actor: str | None) -> None:
        """The same value; with nothing else, it confirms, else it may refine."""
        found = self.model.access(name)
        if isinstance(found, Event):
            self.checkpoint([(name, {**said, "value": found.said["value"]})], actor)

    @rule(items=st.lists(st.tuples(names, content()), min_size=2, max_size=4), actor=actors)
    def put_several(self, items: list[tuple[str, Said]], actor: str | None) -> None:
        self.checkpoint(items, actor)

    def checkpoint(self, items: list[tuple[str, Said]], actor: str | None) -> None:
        head, after = self.memory.head(), deepcopy(self.model)
        given = [to_input(said, name=name) for name, said in items]
        after.begun = after.size
        try:
            made = [after.put(name, said, self.clock.now(), actor) for name, said in items]
        except ValueError:
            with pytest.raises(ItemsRefused):
                self.memory.checkpoint(given, actor=actor)
            return
        saved = self.memory.checkpoint(given, actor=actor)
        assert saved.seqs == range(self.model.size, after.size)
        assert set(saved.recorded) == {name for (name, _), new in zip(items, made, strict=True) if new}
        assert {name for (name, _), new in zip(items, made, strict=True) if not new} <= set(saved.confirmed)
        if not any(made):
            assert saved.head == head
        after.begun = 2**63
        self.model = after

    @rule(name=names, actor=actors, occurred_at=st.none() | times)
    def tombstone(self, name: str, actor: str | None, occurred_at: int | None) -> None:
        given: Any = name
        if occurred_at is not None:
            given = {"name": name, "occurred_at": from_microseconds(occurred_at)}
        if self.model.tombstone(name, self.clock.now(), actor, occurred_at):
            assert self.memory.checkpoint(tombstones=[given], actor=actor).tombstoned == (name,)
        else:
            with pytest.raises(ItemsRefused) as refusal:
                self.memory.checkpoint(tombstones=[given], actor=actor)
            assert [(item.item, item.code) for item in refusal.value.refused] == [("tombstones[0]", "not_found")]

    @rule(ends=st.tuples(names, types, names), said=st.just({}) | edge_content(), actor=actors)
    def edge(self, ends: tuple[str, str, str], said: Said, actor: str | None) -> None:
        saved = self.memory.checkpoint(edges=[self.edge_input(ends, said)], actor=actor)
        made = self.model.edge(ends, said, self.clock.now(), actor)
        assert (len(saved.seqs), len(saved.edges)) == (made, made)
        if made:
            assert set(saved.dangling) == {name for name in (ends[0], ends[2]) if name in self.model.dangling()}

    @rule(newer=names, older=names)
    def supersede(self, newer: str, older: str) -> None:
        ends = (newer, "supersedes", older)
        if self.model.makes_a_cycle(newer, older):
            with pytest.raises(ItemsRefused):
                self.memory.checkpoint(edges=[self.edge_input(ends)])
        else:
            self.memory.checkpoint(edges=[self.edge_input(ends)])
            self.model.edge(ends, {}, self.clock.now())

    @rule(pick=st.integers(0, 99), actor=actors)
    def unedge(self, pick: int, actor: str | None) -> None:
        ends = self.an_edge(pick)
        if self.model.unedge(ends, self.clock.now(), actor):
            assert len(self.memory.checkpoint(unedges=[self.edge_input(ends)], actor=actor).unedged) == 1
        else:
            with pytest.raises(ItemsRefused) as refusal:
                self.memory.checkpoint(unedges=[self.edge_input(ends)], actor=actor)
            assert refusal.value.refused[0].item == "unedges[0]"

    def an_edge(self, pick: int) -> tuple[str, str, str]:
        known = sorted({event.about for event in self.model.events if isinstance(event.about, tuple)})
        return self.model.ends(known[pick % len(known)]) if known else (NAMES[0], TYPES[0], NAMES[1])

    def edge_input(self, ends: tuple[str, str, str], said: Said | None = None) -> dict[str, Any]:
        return to_input(said or {}, **dict(zip(("source", "type", "target"), ends, strict=True)))

    @rule(name=names, said=content(), wrong=st.integers(-2, 2))
    def put_as_expected(self, name: str, said: Said, wrong: int) -> None:
        found = self.model.access(name)
        right = found.seq if isinstance(found, Event) else None
        expect = right if wrong == 0 else (right or 0) + wrong
        given = to_input(said, name=name)
        if expect == right:
            with suppress(ItemsRefused):  # it would have a window without a time
                saved = self.memory.checkpoint([given], expect={name: expect})
                assert self.model.put(name, said, self.clock.now()) == len(saved.seqs)
        else:
            with pytest.raises(Conflict):
                self.memory.checkpoint([given], expect={name: expect})

    @rule(
        atoms=st.lists(st.tuples(names, content()), max_size=3),
        gone=st.lists(names, max_size=2),
        edges=st.lists(st.tuples(st.tuples(names, types, names), edge_content()), max_size=2),
        back=st.lists(st.integers(0, 99), max_size=1),
        partial=flags,
    )
    def all_at_once(
        self,
        atoms: list[tuple[str, Said]],
        gone: list[str],
        edges: list[tuple[tuple[str, str, str], Said]],
        back: list[int],
        partial: bool,  # noqa: FBT001
    ) -> None:
        """A checkpoint of everything; atoms come first, then tombstones, what is taken back, and edges."""
        unedges = [ends for ends in map(self.an_edge, back) if ends not in [stated for stated, _ in edges]]
        if not (atoms or gone or edges or unedges):
            return
        after = deepcopy(self.model)
        after.begun, now = after.size, self.clock.now()
        refused, taken = [], set()
        for i, (name, said) in enumerate(atoms):
            try:
                after.put(name, said, now)
                taken.add(name)
            except ValueError:
                refused.append(f"atoms[{i}]")
        for i, name in enumerate(gone):
            if name in taken or not after.tombstone(name, now):
                refused.append(f"tombstones[{i}]")
        refused += [f"unedges[{i}]" for i, ends in enumerate(unedges) if not after.unedge(ends, now)]
        for ends, said in edges:
            after.edge(ends, said, now)
        after.begun = 2**63
        given: dict[str, Any] = {
            "atoms": [to_input(said, name=name) for name, said in atoms],
            "tombstones": gone,
            "edges": [self.edge_input(ends, said) for ends, said in edges],
            "unedges": [self.edge_input(ends) for ends in unedges],
        }
        if refused and not partial:
            with pytest.raises(ItemsRefused) as refusal:
                self.memory.checkpoint(**given)
            assert [item.item for item in refusal.value.refused] == refused
        else:
            saved = self.memory.checkpoint(**given, partial=partial)
            assert saved.seqs == range(self.model.size, after.size)
            assert [item.item for item in saved.refused] == refused
            self.model = after

    @rule(name=names)
    def forget(self, name: str) -> None:
        about = self.model.number(name)
        if about is None or self.model.last(about) is None:
            return
        before = self.model.size
        counted = self.memory.forget(name, dry_run=True)
        assert (counted.dry_run, counted.seqs, self.memory.head().head.size) == (True, (), before)
        forgot = self.memory.forget(name)
        assert forgot.atoms == counted.atoms == 1
        assert (forgot.versions, forgot.edges) == (counted.versions, counted.edges)
        assert forgot.compacted
        (seq,) = self.follow(before, {"FORGET"}).get(self.ids[about], [None])
        assert seq is not None
        self.model.forget(about, seq)
        self.drop_edges()

    def drop_edges(self) -> None:
        self.model.drop_edges()
        left = {event.about for event in self.model.events}
        self.edge_ids = {edge: id_ for edge, id_ in self.edge_ids.items() if edge in left}

    @rule(actor=st.sampled_from(["ann", "bob"]))
    def forget_actor(self, actor: str) -> None:
        model, said = self.model, self.model.said_by(actor)
        if not said:
            return
        for about in {event.about for event in said if not isinstance(event.about, int)}:
            there = [event for event in model.of(about) if event.erased_by is None]
            if all(event.actor == actor for event in there if event.kind == "edge"):
                said += [event for event in there if event not in said]  # that it was taken back says nothing alone
        whole = model.left_without_version(actor)
        lost = {event.about for event in said if model.last(event.about) is event} - whole
        was_live = {about for about in lost if isinstance(about, int) and model.is_live(about)}
        before = model.size
        forgot = self.memory.forget(actor=actor)
        assert forgot.atoms == len(whole)
        assert sorted(forgot.tombstoned) == sorted(model.names[about] for about in was_live)
        forgets, ends = self.follow(before, {"FORGET"}), self.entries(before, {"TOMBSTONE", "UNEDGE"})
        for about in sorted(whole):
            model.forget(about, forgets[self.ids[about]][-1])
        left = {event.about for event in model.events if event.erased_by is None and event not in said}
        for event in said:
            if event.erased_by is None:
                event.erased_by = forgets[self.id_of(event.about)][-1]
                if model.confirmed.get(event.about, (-1, 0))[0] == event.seq:
                    del model.confirmed[event.about]
        for about in lost & left:  # of what lost its latest, that it is out of use must stay said
            kind = "tombstone" if isinstance(about, int) else "unedge"
            (seq,) = ends.pop(self.id_of(about))
            model.events.append(Event(seq, model.times[seq], kind, about, {}))
        assert ends == {}
        model.events.sort(key=lambda event: event.seq)
        self.drop_edges()

    def id_of(self, about: int | tuple[int, str, int]) -> str:
        return self.ids[about] if isinstance(about, int) else self.edge_ids[about]

    def follow(self, start: int, kinds: set[str]) -> dict[str, list[int]]:
        """Take over the times of the entries from `start` on; the seqs of those of these kinds, by their subject."""
        found = self.entries(start, kinds)
        self.model.times[start:] = [stored.entry.time for stored in self.memory._store.log.entries(start)]
        return found

    def entries(self, start: int, kinds: set[str]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for stored in self.memory._store.log.entries(start):
            if stored.entry.kind.name in kinds:
                found.setdefault(str(uuid.UUID(bytes=stored.entry.subject)), []).append(stored.seq)
        return found

    # -- what is learnt ------------------------------------------------------------------------------------------

    @rule(items=st.lists(names, min_size=1, max_size=6), passes=st.integers(1, 4))
    def train(self, items: list[str], passes: int) -> None:
        trained = self.memory.train(items, passes)
        assert trained.learnt == tuple(name for name in items if self.model.is_used(name))
        assert {item.name for item in trained.skipped} == set(items) - set(trained.learnt)
        if trained.learnt:
            self.model.train(self.clock.now())
            assert trained.seq == self.model.size - 1
        else:
            assert trained.seq == -1

    @rule(items=st.lists(names, min_size=1, max_size=6), days=st.integers(0, 3000))
    def observe(self, items: list[str], days: int) -> None:
        observed = self.memory.observe(items, at=from_microseconds(self.clock.now() - days * DAY))
        assert observed.accesses == sum(self.model.is_used(name) for name in items)

    # -- what must change nothing --------------------------------------------------------------------------------

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.open(self.path)

    @rule()
    def rebuild(self) -> None:
        self.memory._client.recorder.flush()
        before = rows_of(self.memory)
        self.memory.rebuild()
        assert rows_of(self.memory) == before

    @rule()
    def compact(self) -> None:
        self.memory.compact()
