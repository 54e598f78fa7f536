"""What is learnt follows from the log and the sessions: to learn it anew ends in the same rows, byte for byte."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given

from substrate.engine.memory import Memory
from substrate.engine.stores import CHECKS, VIEWS
from substrate.log.check import check_store
from substrate.log.tables import ARCS, ARRIVALS, EPISODES, SESSIONS, USES
from substrate.views.counts import Counts
from substrate.views.episodes import Episodes
from tests.engine.stories import LEARNT, NAMES, Step, Story, a_story, rows_of, stories
from tests.scale import rounds
from tests.search.happenings import few

ALL = [*NAMES, "v1.domain.shop", "v1.domain.home"]


def damage_of(memory: Memory) -> str | None:
    return check_store(memory._log.path, views=VIEWS, checks=CHECKS).damage


def in_use(memory: Memory) -> set[bytes]:
    return {UUID(atom.id).bytes for atom in memory.list(limit=1000, superseded=True)}


def ids_of(memory: Memory) -> dict[str, bytes]:
    return {atom.name: UUID(atom.id).bytes for atom in memory.list(limit=1000, superseded=True, tombstoned=True)}


def left_of(memory: Memory, subject: bytes, tables: tuple[str, ...] = LEARNT) -> list[str]:
    """The tables in which an id is found, wherever in a row."""
    found = rows_of(memory, tables)
    return [table for table, rows in found.items() if any(subject in key + row for key, row in rows)]


def check_story(story: Story, ever: dict[bytes, str]) -> None:
    """All that must hold at the end of a story; `ever` are the ids that there have been."""
    memory = story.memory
    before = rows_of(memory)
    assert damage_of(memory) is None
    memory.rebuild()
    assert rows_of(memory) == before
    there = in_use(memory)
    for subject in ever.keys() - there:
        assert left_of(memory, subject) == [], f"{ever[subject]} is out of use"
    listed = ids_of(memory).values()
    for subject in ever.keys() - set(listed):
        assert left_of(memory, subject, (SESSIONS,)) == [], f"{ever[subject]} was forgotten"
    for name in NAMES:
        if ids_of(memory).get(name) in there:
            said = memory.predict(name, k=50, floor=0)
            assert {UUID(one.id).bytes for one in said} <= there
    assert set(memory.transition_matrix().names) <= {atom.name for atom in memory.list(limit=1000)}


def tell(steps: list[Step]) -> None:
    with a_story() as story:
        ever: dict[bytes, str] = {}
        for step in steps:
            story.tell(step)
            ever |= {subject: name for name, subject in ids_of(story.memory).items()}
        for session in story.open.values():
            session.close()
        check_story(story, ever)


@pytest.mark.soak
@pytest.mark.timeout(0)
@few(rounds(60, 3000))
@given(stories())
def test_a_rebuild_ends_in_the_rows_that_were_learnt_live_and_none_is_of_what_is_out_of_use(steps: list[Step]) -> None:
    tell(steps)
