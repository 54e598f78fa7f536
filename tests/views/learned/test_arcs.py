"""What is learnt follows from the log and the sessions: to learn it anew ends in the same rows, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.log.copies.check import check_store
from substrate.log.tables import ARCS, SESSIONS
from substrate.memory import Memory
from substrate.views.catalogue import CHECKS, VIEWS
from substrate.views.learned.counts import ATOM, Counts, read_cells, read_uses
from substrate.views.learned.episodes import Episodes
from substrate.views.learned.sessions import Heard
from tests.scale import rounds
from tests.search.happenings import few
from tests.stories import LEARNT, NAMES, Step, Story, a_story, rows_of, stories

A, B, C, D, *_ = NAMES
SHOP = "v1.domain.shop"


def damage_of(memory: Memory) -> str | None:
    return check_store(memory._store.log.path, views=VIEWS, checks=CHECKS).damage


def ids_of(memory: Memory, *, tombstoned: bool = True) -> dict[str, bytes]:
    atoms = memory.list(limit=1000, superseded=True, tombstoned=tombstoned)
    return {atom.name: UUID(atom.id).bytes for atom in atoms}


def left_of(memory: Memory, subject: bytes, tables: tuple[str, ...] = LEARNT) -> list[str]:
    """The tables in which an id is found, wherever in a row, in bytes or spelled."""
    found = rows_of(memory, tables)
    spelled = subject.hex().encode()
    return [table for table, rows in found.items() if any(subject in key + row or spelled in row for key, row in rows)]


def check_rebuilt(memory: Memory) -> None:
    before = rows_of(memory)
    assert damage_of(memory) is None
    memory.rebuild()
    assert rows_of(memory) == before


def check_gone(memory: Memory, ever: dict[bytes, str]) -> None:
    """Nothing that is learnt is of an atom out of use; no session names one that was forgotten."""
    known, live = ids_of(memory), ids_of(memory, tombstoned=False)
    for subject in ever.keys() - live.values():
        assert left_of(memory, subject) == [], f"{ever[subject]} is out of use"
    for subject in ever.keys() - known.values():
        assert left_of(memory, subject, (SESSIONS,)) == [], f"{ever[subject]} was forgotten"
    for name in live.keys() & set(NAMES):
        assert {UUID(one.id).bytes for one in memory.predict(name, k=50, floor=0)} <= set(live.values())
    assert set(memory.transition_matrix().names) <= {atom.name for atom in memory.list(limit=1000)}


def tell(steps: list[Step]) -> None:
    with a_story() as story:
        ever: dict[bytes, str] = {}
        for step in steps:
            story.tell(step)
            ever |= {subject: name for name, subject in ids_of(story.memory).items()}
        for session in story.open.values():
            session.close()
        check_rebuilt(story.memory)
        check_gone(story.memory, ever)


@pytest.mark.no_cover
@pytest.mark.soak
@pytest.mark.timeout(0)
@few(rounds(24, 3000))
@given(stories())
def test_a_rebuild_ends_in_the_rows_that_were_learnt_live_and_none_is_of_what_is_out_of_use(steps: list[Step]) -> None:
    tell(steps)


# -- what the histories found, each by its name --------------------------------------------------------------------


def shown(story: Story) -> None:
    """Some sessions, in parts and of several kinds."""
    for step in (
        ("observe", ([A, B, C, D], 3, SHOP, "fix the login page", "ann")),
        ("access", ("bob", [A, B])),
        ("write down", None),
        ("access", ("bob", [C, A])),
        ("train", ([B, C, D], 2, None, None)),
        ("end", "bob"),
    ):
        story.tell(step)


def test_two_atoms_that_followed_each_other_can_be_forgotten_at_once() -> None:
    with a_story() as story:
        story.tell(("observe", ([C, D], 0, None, None, "ann")))
        ever = {subject: name for name, subject in ids_of(story.memory).items()}
        story.memory.forget([C, D])
        check_gone(story.memory, ever)
        check_rebuilt(story.memory)


def test_to_train_one_atom_after_one_that_is_out_of_use_by_now_teaches_nothing_of_that() -> None:
    with a_story() as story:
        gone = ids_of(story.memory)[A]
        story.memory.access(A)
        story.tell(("tombstone", A))
        story.memory.train([B])
        assert left_of(story.memory, gone) == []


@pytest.mark.parametrize("how", ["tombstone", "forget"])
def test_what_a_training_came_after_leaves_it_no_trace_when_it_goes(how: str) -> None:
    with a_story() as story:
        gone = ids_of(story.memory)[A]
        story.memory.access(A)
        story.memory.train([B])
        assert left_of(story.memory, gone) != []
        story.tell((how, A))
        assert left_of(story.memory, gone) == []
        check_rebuilt(story.memory)


@pytest.mark.parametrize("how", ["tombstone", "forget"])
@pytest.mark.parametrize("name", [A, B, D, SHOP])
def test_what_is_out_of_use_is_in_no_row_column_sum_episode_or_use(how: str, name: str) -> None:
    with a_story() as story:
        memory = story.memory
        shown(story)
        gone = ids_of(memory)[name]
        assert left_of(memory, gone) != []
        story.tell((how, name))
        assert left_of(memory, gone) == []
        assert left_of(memory, gone, (SESSIONS,)) == ([] if how == "forget" else [SESSIONS])
        others = [other for other in (A, B, C, D) if other != name]
        for source in others:
            assert name not in [one.name for one in memory.predict(source, k=50, floor=0)]
        with memory._store.log.snapshot() as transaction:
            assert read_uses(transaction, gone) == (0, 0)
            for key, _ in transaction.scan(ARCS):
                row = read_cells(transaction, key[:1], key[1:], story.clock.now())
                assert row is not None
                assert row.sums == (sum(cell[1] for cell in row.cells), sum(cell[2] for cell in row.cells))
        check_rebuilt(memory)


def test_an_atom_that_comes_back_begins_anew() -> None:
    with a_story() as story:
        shown(story)
        subject = ids_of(story.memory)[B]
        story.tell(("tombstone", B))
        story.tell(("revive", B))
        assert ids_of(story.memory)[B] == subject
        assert left_of(story.memory, subject) == []
        story.memory.observe([A, B])
        assert B in [one.name for one in story.memory.predict(A)]
        check_rebuilt(story.memory)


def test_what_one_session_or_actor_taught_is_unlearnt_with_it() -> None:
    with a_story() as story:
        story.memory.observe([A, B], session="ann")
        story.clock.advance(1)
        before = rows_of(story.memory)
        story.tell(("observe", ([C, D, A], 0, SHOP, "ship it", "bob")))
        assert rows_of(story.memory) != before
        assert story.memory.forget(session="bob").sessions == 1
        assert rows_of(story.memory) == before
        story.memory.train([D, C])
        assert story.memory.forget(actor="me").trainings == 1
        assert rows_of(story.memory) == {table: [] for table in LEARNT}


def test_a_session_that_goes_on_after_it_was_forgotten_joins_no_other_one() -> None:
    with a_story() as story:
        memory = story.memory
        one, two = memory.session("what ann does", name="ann"), memory.session("what bob does", name="bob")
        one.access(A)
        memory._client.recorder.flush()
        memory.forget(session="ann")
        two.access(B)
        memory._client.recorder.flush()  # the key of the row that went is free again
        one.access(C)
        one.access(D)
        one.close()
        two.close()
        assert [target.name for target in memory.predict(B, floor=0) if "next" in target.parts] == []
        assert [target.name for target in memory.predict(C, floor=0) if "next" in target.parts] == [D]
        check_rebuilt(memory)


def test_supersedes_changes_no_row() -> None:
    with a_story() as story:
        shown(story)
        before = rows_of(story.memory)
        story.tell(("supersede", (A, B)))
        assert rows_of(story.memory) == before
        story.tell(("unedge", (A, B)))
        assert rows_of(story.memory) == before


# -- counts ----------------------------------------------------------------------------------------------------------


@few(25)
@given(st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6), min_size=2, max_size=6), st.randoms())
def test_in_which_order_sessions_are_added_up_does_not_matter(sessions: list[list[str]], order: object) -> None:
    """Counts are whole numbers: they are the same, to the last unit."""

    def counts(given: list[list[str]]) -> dict[tuple[str, str], tuple[int, int]]:
        with a_story() as story:
            names = {subject: name for name, subject in ids_of(story.memory).items()}
            story.memory.observe([{"items": items} for items in given])
            with story.memory._store.log.snapshot() as transaction:
                return {
                    (names[key[1:]], names[target]): (first, second)
                    for key, _ in transaction.scan(ARCS)
                    if key[:1] == ATOM
                    for target, first, second in read_cells(transaction, ATOM, key[1:], 0).cells  # type: ignore[union-attr]
                }

    shuffled = list(sessions)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert counts(shuffled) == counts(sessions)


def test_a_session_of_any_length_is_learnt_and_can_go_on() -> None:
    with a_story() as story:
        items = [NAMES[i % len(NAMES)] for i in range(10_000)]
        assert story.memory.observe(items).accesses == len(items)
        check_rebuilt(story.memory)


# -- broken twins: views with one fault, which the same checks must catch ----------------------------------------------


def keeps_columns(patch: pytest.MonkeyPatch) -> None:
    """A tombstoned atom loses its own row, and stays in those of others."""
    patch.setattr("substrate.views.learned.counts._Row.drop", lambda *_: False)


def keeps_its_own_rows(patch: pytest.MonkeyPatch) -> None:
    remove = Counts.remove

    def lazy(self: Counts, subject: bytes) -> None:
        known = self._row(ATOM + subject)
        remove(self, subject)
        self._rows[ATOM + subject] = known

    patch.setattr(Counts, "remove", lazy)


def keeps_episodes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Episodes, "remove", lambda *_: None)


def closes_up(patch: pytest.MonkeyPatch) -> None:
    """Where an atom was forgotten, what stood around it moves together."""

    def without(self: Heard, gone: set[bytes]) -> Heard:
        return self._replace(items=tuple(item for item in self.items if item not in gone))

    patch.setattr(Heard, "without", without)


@pytest.mark.parametrize("broken", [keeps_columns, keeps_its_own_rows, keeps_episodes, closes_up])
def test_a_view_with_one_fault_is_caught(broken: Callable[[pytest.MonkeyPatch], None]) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(AssertionError):  # noqa: PT012
        broken(patch)
        with a_story() as story:
            shown(story)
            ever = {subject: name for name, subject in ids_of(story.memory).items()}
            story.tell(("forget", B))
            check_gone(story.memory, ever)
            check_rebuilt(story.memory)
