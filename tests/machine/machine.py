"""The second half of the machine: every question, answered by the real store and by the plain model, must agree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis.stateful import invariant, precondition, rule

import substrate
from substrate.atoms.domains import find_domain
from substrate.atoms.resolve import name_of
from substrate.errors import Forgotten, InputError
from substrate.log.copies.check import check_store
from substrate.memory import Memory
from substrate.names import type_of
from substrate.values.atoms import Atom
from substrate.values.growth import Change
from substrate.values.times import from_microseconds
from substrate.views.catalogue import VIEWS
from tests.machine.answers import (
    accessed,
    all_pages,
    edges_of,
    expected,
    expected_edge,
    expected_history,
    history_of,
    in_order,
    said_of,
    said_of_edge,
    shown,
    shown_edge,
)
from tests.machine.plain_model import Event
from tests.machine.steps import NAMES, Doing

COPIES = 4
"""Files and stores that copying may make in one run: it takes the most time."""


class StoreMachine(Doing):
    @invariant()
    def all_that_is_there_now_is_as_in_the_model(self) -> None:
        if hasattr(self, "memory"):
            self.compare(self.memory)

    @invariant()
    def so_is_what_was_there_at_other_moments(self) -> None:
        """A few questions after every step: others each time, and the same ones whenever the same is done."""
        if hasattr(self, "memory"):
            self.asked += 1
            choice = Random(self.asked)
            self.ask_what_we_knew(choice.randrange(self.model.size), by_time=choice.random() < 0.5)
            self.ask_what_was_true(choice.choice(self.model.moments()), choice.choice([None, self.model.size - 1]))
            start, stop = sorted(choice.choices(range(self.model.size), k=2))
            self.compare_two_moments(start, stop)
            self.turn_pages(choice.randrange(1, 4), tombstoned=choice.random() < 0.5, superseded=choice.random() < 0.5)
            self.what_was_forgotten_says_so_with_a_proof(choice.choice(NAMES))
            with pytest.raises(InputError):
                self.memory.access(NAMES[0], as_of=self.model.size + choice.randrange(3))

    def compare(self, memory: Memory) -> None:
        model = self.model
        assert memory.head().head.size == model.size
        for name in NAMES:
            self.compare_atom(memory, name)
            assert history_of(memory, name) == expected_history(model.history(name))
            self.compare_edges(memory, name)
        assert [shown(atom) for atom in memory.list()] == [expected(model, event) for event in model.listing()]
        self.compare_search(memory, model.listing())
        everything = memory.list(superseded=True, tombstoned=True)
        versions = model.listing(superseded=True, tombstoned=True)
        assert [shown(atom) for atom in everything] == [expected(model, event) for event in versions]
        live = [model.is_live(event.about) for event in versions]  # type: ignore[arg-type]
        assert [atom.tombstoned for atom in everything] == [not is_live for is_live in live]
        listed = {model.names[event.about] for event in model.listing()}  # type: ignore[index]
        assert {one.name for one in memory.predict(NAMES, k=100, floor=0, again=True)} <= listed
        stats = memory.stats()
        assert (stats.entries, stats.atoms, stats.tombstoned) == (model.size, sum(live), len(live) - sum(live))
        assert (stats.edges, stats.dangling) == (len(model.live_edges()), len(model.dangling()))
        in_use = [event for event, is_live in zip(versions, live, strict=True) if is_live]
        assert stats.types == Counter(type_of(model.names[event.about]) for event in in_use)  # type: ignore[index]
        assert stats.characters == model.characters()
        self.compare_members(memory)

    def compare_members(self, memory: Memory, seq: int | None = None, **moment: Any) -> None:
        """Every atom taken as a domain: the mask has who belongs to it, as far as it answers at that moment."""
        with memory._store.read(**moment) as snapshot:
            documents = memory._store.search.columns.at(snapshot.transaction)
            current = documents.current(snapshot.upto, snapshot.valid_at)
            for name in NAMES:
                about = self.model.number(name)
                if about is None or self.model.last(about, seq) is None:
                    continue
                domain = find_domain(snapshot, name)
                mask = memory._store.search.domains.mask(snapshot, documents, domain) & current
                found = {name_of(snapshot.transaction, one) for one in documents.subjects(np.flatnonzero(mask))}
                answering = {name_of(snapshot.transaction, one) for one in documents.subjects(np.flatnonzero(current))}
                known = {self.model.names[one] for one in self.model.members(about, seq, snapshot.at)}
                assert found == known & answering, (name, moment)

    def compare_atom(self, memory: Memory, name: str) -> None:
        found, known = accessed(memory, name), self.model.access(name)
        if isinstance(known, str) or isinstance(found, str):
            assert found == known
            return
        assert shown(found) == expected(self.model, known)
        assert isinstance(known.about, int)
        self.same_atom(known.about, found)
        assert list(found.superseded_by) == self.model.superseders(known.about)
        seq, time = self.model.confirmed.get(known.about, (-1, 0))
        assert found.confirmed_at == (from_microseconds(time) if seq == known.seq else None)
        assert shown(memory.access(found.id).atom) == shown(found)

    def same_atom(self, about: int, atom: Atom) -> None:
        """An id is one atom's, for as long as it is not forgotten."""
        assert self.ids.setdefault(about, atom.id) == atom.id
        assert len(set(self.ids.values())) == len(self.ids)

    def compare_edges(self, memory: Memory, name: str) -> None:
        edges, known = edges_of(memory, name), self.model.edges(name)
        assert sorted(map(repr, map(shown_edge, edges))) == sorted(repr(expected_edge(self.model, e)) for e in known)
        by_seq = {event.seq: event for event in known}
        dangling = self.model.dangling()
        for edge in edges:
            about = by_seq[edge.seq].about
            assert isinstance(about, tuple)
            assert self.edge_ids.setdefault(about, edge.id) == edge.id
            assert self.ids.setdefault(about[0], edge.source_id) == edge.source_id
            assert self.ids.setdefault(about[2], edge.target_id) == edge.target_id
            assert edge.dangling == tuple(
                end for end, name in (("source", edge.source), ("target", edge.target)) if name in dangling
            )

    # -- other moments -------------------------------------------------------------------------------------------

    def ask_what_we_knew(self, seq: int, *, by_time: bool) -> None:
        model = self.model
        moment: object = seq
        if by_time:
            time = model.times[seq] - seq % 2
            seq, moment = model.seq_at(time), from_microseconds(time)
        for name in NAMES:
            self.compare_moment(name, seq, {"as_of": moment})
            assert history_of(self.memory, name, as_of=moment) == expected_history(model.history(name, seq))
            if not self.is_forgotten(name):
                edges = [shown_edge(edge) for edge in edges_of(self.memory, name, as_of=moment)]
                known = [expected_edge(model, event) for event in model.edges(name, seq)]
                assert sorted(map(repr, edges)) == sorted(map(repr, known))
        listing = self.memory.list(as_of=moment)  # type: ignore[arg-type]
        assert [shown(atom) for atom in listing] == [expected(model, event) for event in model.listing(seq)]
        self.compare_search(self.memory, model.listing(seq), as_of=moment)
        if not self.has_gaps():
            assert listing.forgotten == model.forgotten_since(seq)
            self.compare_members(self.memory, seq, as_of=moment)

    def ask_what_was_true(self, time: int, seq: int | None) -> None:
        moment = {"as_of": seq, "valid_at": from_microseconds(time)}
        for name in NAMES:
            self.compare_moment(name, seq, moment, time)
            if not self.is_forgotten(name):
                edges = [shown_edge(edge) for edge in edges_of(self.memory, name, **moment)]
                known = [expected_edge(self.model, event) for event in self.model.edges(name, seq, time)]
                assert sorted(map(repr, edges)) == sorted(map(repr, known))
        for superseded in (True, False):
            listing = self.memory.list(superseded=superseded, **moment)  # type: ignore[arg-type]
            events = self.model.listing(seq, time, superseded=superseded)
            assert [shown(atom) for atom in listing] == [expected(self.model, event) for event in events]
        self.compare_search(self.memory, self.model.listing(seq, time), **moment)
        if not self.has_gaps():
            self.compare_members(self.memory, seq, **moment)

    def compare_search(self, memory: Memory, events: list[Event], **moment: object) -> None:
        """The types of all names are words, so a search for them finds all there is: once each, and nothing else."""
        found = memory.search("fact state", limit=100, **moment)  # type: ignore[arg-type]
        assert len(found) == len(events)
        assert {hit.name: shown(hit.atom) for hit in found} == {
            self.model.names[event.about]: expected(self.model, event)  # type: ignore[index]
            for event in events
        }

    def compare_moment(self, name: str, seq: int | None, moment: dict[str, object], time: int | None = None) -> None:
        found, known = accessed(self.memory, name, **moment), self.model.access(name, seq, time)
        if isinstance(known, Event):
            assert not isinstance(found, str), f"{name} at {moment} is {found}"
            assert shown(found) == expected(self.model, known)
            assert isinstance(known.about, int)
            assert list(found.superseded_by) == self.model.superseders(known.about, seq, time)
            self.same_atom(known.about, found)
        elif known == "forgotten":
            assert found == known
        else:  # before it was there; or in a time that a forgotten one of this name has taken with it
            assert found == known or (found == "forgotten" and self.was_forgotten(name))

    def is_forgotten(self, name: str) -> bool:
        return self.was_forgotten(name) and self.model.number(name) is None

    def was_forgotten(self, name: str) -> bool:
        return any(self.model.names[about] == name for about in self.model.forgotten)

    def has_gaps(self) -> bool:
        """Whether versions of an atom that is still there were erased: what held then nobody can tell."""
        gone = [event.about for event in self.model.events if event.erased_by is not None]
        return any(isinstance(about, int) and about not in self.model.forgotten for about in gone)

    def turn_pages(self, limit: int, *, tombstoned: bool, superseded: bool) -> None:
        options = {"tombstoned": tombstoned, "superseded": superseded}
        events = self.model.listing(**options)
        known = [expected(self.model, event) for event in events]
        assert [shown(atom) for atom in all_pages(self.memory, limit, **options)] == known
        skipped = self.memory.list(limit=limit, offset=1, **options)  # type: ignore[arg-type]
        assert [shown(atom) for atom in skipped] == known[1 : 1 + limit]
        prefixed = self.memory.list("v1.fact.", **options)  # type: ignore[arg-type]
        assert [atom.name for atom in prefixed] == [str(k[0]) for k in known if str(k[0]).startswith("v1.fact.")]

    def compare_two_moments(self, start: int, stop: int) -> None:
        model = self.model
        diff = self.memory.diff(start, stop)
        assert (diff.start, diff.stop) == (start, stop)
        gone = {self.ids[about] for about in model.forgotten_between(start, stop)}
        assert {change.id for change in diff if change.kind == "forgotten" and change.name is None} == gone
        told = [(change.kind, change.name) for change in diff if change.name is not None]
        assert len(told) == len(set(told))
        assert set(told) == model.diff(start, stop)
        for change in diff:
            self.compare_change(change, start, stop)

    def compare_change(self, change: Change, start: int, stop: int) -> None:
        for side, as_of in ((change.before, start), (change.after, stop)):
            if isinstance(side, Atom):
                known = self.model.access(side.name, as_of)
                assert isinstance(known, Event)
                assert shown(side) == expected(self.model, known)

    # -- forgetting, proven --------------------------------------------------------------------------------------

    def what_was_forgotten_says_so_with_a_proof(self, name: str) -> None:
        if self.is_forgotten(name):
            with pytest.raises(Forgotten) as raised:
                self.memory.access(name)
            verdict = self.memory.verify(raised.value.proof, name=name, claim="forgotten")  # type: ignore[arg-type]
            assert verdict.trusted

    # -- copies --------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.others < COPIES)
    @rule()
    def clone(self) -> None:
        target, lines = self.another(), self.another()
        self.memory.export(lines, full=True)
        substrate.clone(lines, target, home=self.home_of(target))
        assert check_store(target, home=self.home_of(target), views=VIEWS).damage is None
        with substrate.open(target, home=self.home_of(target), read_only=True) as copy:
            assert copy.head() == self.memory.head()
            self.compare(copy)

    def home_of(self, path: Path) -> Path:
        return path.with_suffix(".home")

    @precondition(lambda self: self.others < COPIES)
    @rule()
    def transplant(self) -> None:
        """A plain export, imported into a new store: the same atoms and edges, at other seqs and times."""
        target, lines = self.another(), self.another()
        self.memory.export(lines)
        with self.open(target) as copy:
            if any(event.erased_by is None for event in self.model.events):
                copy.import_lines(lines)
            self.compare_transplanted(copy)
        assert check_store(target, home=self.home, views=VIEWS).damage is None

    def compare_transplanted(self, copy: Memory) -> None:
        model = self.model
        listing = copy.list(superseded=True, tombstoned=True)
        known = model.listing(superseded=True, tombstoned=True)
        assert [atom.name for atom in listing] == [expected(model, event)[0] for event in known]
        assert all(self.moved(event, said_of(atom)) for event, atom in zip(known, listing, strict=True))
        for name in NAMES:
            edges = sorted(repr(((e.source, e.type, e.target), said_of_edge(e))) for e in edges_of(copy, name))
            assert edges == sorted(repr((model.ends(e.about), in_order(e.said))) for e in model.edges(name))  # type: ignore[arg-type]
            if not self.has_gaps():
                versions = history_of(copy, name)
                left = [event for event in model.history(name) if event.erased_by is None]
                assert [version[2] for version in versions] == [event.kind for event in left]
                assert all(e.kind != "put" or self.moved(e, v[4]) for e, v in zip(left, versions, strict=True))
                if not self.was_forgotten(name):
                    self.compare_what_was_true(copy, name)

    def moved(self, event: Event, said: object) -> bool:
        """Whether a version says the same in another store; from when it holds may have to be said there."""
        assert isinstance(said, dict)
        return {key: value for key, value in said.items() if key != "occurred_at" or key in event.said} == event.said

    def compare_what_was_true(self, copy: Memory, name: str) -> None:
        for time in self.model.moments():
            found, known = accessed(copy, name, valid_at=from_microseconds(time)), self.model.access(name, None, time)
            assert (found if isinstance(found, str) else found.value) == (
                known if isinstance(known, str) else known.said["value"]
            )
