"""An agent's `supersedes` edge hides what was there. What a person records later under that name is in use."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from substrate.atoms import supersedes
from substrate.clock import ManualClock
from substrate.codec import draft_forget
from substrate.errors import ItemsRefused
from substrate.memory import Memory, open_memory
from substrate.values.actors import surface_actor

OLD, NEW = "v1.constraint.deploys", "v1.constraint.deploys_new"
EDGE = {"source": NEW, "type": "supersedes", "target": OLD}


@pytest.fixture
def agent(memory: Memory) -> Memory:
    """Has superseded what a person recorded."""
    memory.checkpoint([f"{OLD} = never deploy on Fridays"])
    agent = memory.client(surface_actor("atoms", "helper"))
    agent.checkpoint([f"{NEW} = deploy whenever you like"], edges=[EDGE])
    assert not is_shown(memory)
    return agent


def is_shown(memory: Memory, **moments: object) -> bool:
    """Whether the old one is in use: every verb gives the same answer."""
    when: dict[str, Any] = moments
    shown = {
        "list": OLD in [atom.name for atom in memory.list(**when)],
        "search": OLD in [hit.name for hit in memory.search("deploy", **when)],
        "access": memory.access(OLD, **when).atom.superseded_by == (),
    }
    if not when:
        shown |= {
            "recent": OLD in [atom.name for atom in memory.recent()],
            "bootstrap": OLD in [atom.name for atom in memory.bootstrap("deploy").constraints],
            "count": memory.list(count=True).total == 2,
        }
    assert len(set(shown.values())) == 1, shown
    return shown["list"]


def test_what_a_person_records_later_is_in_use_again(memory: Memory, agent: Memory) -> None:
    before = memory.head().head.size - 1
    memory.checkpoint([f"{OLD} = never deploy on Fridays or Saturdays"])
    assert is_shown(memory)
    assert is_shown(agent)
    assert not is_shown(memory, as_of=before)
    memory.rebuild()
    assert is_shown(memory)


def test_a_person_who_says_the_same_again_brings_it_back(memory: Memory, agent: Memory) -> None:
    """The twins: an agent that repeats it confirms it, and so does an import of what was said before."""
    assert agent.checkpoint([f"{OLD} = never deploy on Fridays"]).confirmed == (OLD,)
    assert not is_shown(memory)
    assert memory.checkpoint([f"{OLD} = never deploy on Fridays"]).recorded == (OLD,)
    assert is_shown(memory)
    assert memory.checkpoint([f"{OLD} = never deploy on Fridays"]).confirmed == (OLD,)


def test_what_an_agent_or_an_undo_records_later_stays_hidden(memory: Memory, agent: Memory) -> None:
    agent.checkpoint([f"{OLD} = never deploy at night"])
    assert not is_shown(memory)
    memory.checkpoint([{"name": OLD, "value": "never deploy a document", "origin": "ingested"}])
    assert not is_shown(memory)
    memory.undo()
    assert not is_shown(memory)
    memory.checkpoint([f"{OLD} = never deploy on Mondays"])
    assert is_shown(memory)
    memory.undo()
    assert not is_shown(memory)
    memory.undo()
    assert is_shown(memory)


@pytest.mark.parametrize("actor", [None, surface_actor("atoms", "helper")])
def test_what_an_agent_adds_to_a_persons_words_stays_hidden(memory: Memory, agent: Memory, actor: str | None) -> None:  # noqa: ARG001
    item = {"name": OLD, "value": "never deploy on Fridays", "tags": ["later"]}
    assert memory.checkpoint([item], origin="agent", actor=actor).recorded == (OLD,)
    assert not is_shown(memory)


def test_what_was_taken_out_of_use_meanwhile_is_in_use_if_a_person_records_it(memory: Memory, agent: Memory) -> None:
    agent.checkpoint(tombstones=[OLD])
    memory.checkpoint([f"{OLD} = deploy on Tuesdays"])
    assert is_shown(memory)


def test_an_edge_of_an_agent_to_a_name_that_is_not_there_yet_hides_no_person(memory: Memory) -> None:
    """The twin: what the agent itself records there is hidden."""
    agent = memory.client(surface_actor("atoms", "helper"))
    agent.checkpoint([f"{NEW} = deploy whenever you like"], edges=[EDGE])
    memory.checkpoint([f"{OLD} = never deploy on Fridays"])
    assert is_shown(memory)
    memory.undo()
    agent.checkpoint([f"{OLD} = deploy at night"])
    assert not is_shown(memory)


def test_the_edge_of_a_person_hides_what_is_recorded_later_too(memory: Memory) -> None:
    memory.checkpoint([f"{OLD} = never deploy on Fridays", f"{NEW} = deploy on Mondays"], edges=[EDGE])
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    assert not is_shown(memory)


def test_a_later_edge_of_an_agent_hides_it_again(memory: Memory, agent: Memory) -> None:
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    agent.checkpoint(["v1.constraint.newest = deploy daily"], edges=[{**EDGE, "source": "v1.constraint.newest"}])
    assert OLD not in [atom.name for atom in memory.list()]
    assert memory.access(OLD).atom.superseded_by == ("v1.constraint.newest",)


def test_at_a_time_before_the_new_word_holds_the_edge_still_does(
    memory: Memory,
    agent: Memory,  # noqa: ARG001 - it has superseded
) -> None:
    memory.checkpoint([{"name": OLD, "value": "never deploy on Sundays", "valid_from": "2026-06-01"}])
    assert not is_shown(memory, valid_at="2026-03-01")
    assert is_shown(memory, valid_at="2026-07-01")


def test_a_rule_that_looks_at_the_edge_alone_is_caught(
    memory: Memory,
    agent: Memory,  # noqa: ARG001 - it has superseded
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supersedes, "_is_outlived", lambda *_: False)
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    assert not is_shown(memory)


def test_many_versions_of_agents_do_not_hide_a_persons_word(memory: Memory, agent: Memory) -> None:
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    for number in range(70):
        agent.checkpoint([{"name": OLD, "value": "never deploy on Sundays", "tags": [f"t{number}"]}])
    assert is_shown(memory)


def test_an_edge_that_a_person_states_again_is_the_persons(memory: Memory, agent: Memory) -> None:
    """The twin: an agent that repeats its edge confirms it, and hides nothing again."""
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    assert agent.checkpoint(edges=[EDGE]).edges == ()
    assert is_shown(memory)
    assert memory.checkpoint(edges=[EDGE]).edges
    assert not is_shown(memory)
    assert memory.checkpoint(edges=[EDGE]).edges == ()
    memory.checkpoint([f"{OLD} = never deploy on Mondays"])
    assert not is_shown(memory)


def test_a_person_who_confirms_the_edge_before_anything_else_makes_it_the_persons(
    memory: Memory,
    agent: Memory,  # noqa: ARG001 - it has superseded
) -> None:
    before = memory.head().head.size - 1
    assert memory.checkpoint(edges=[EDGE]).edges
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    assert not is_shown(memory)
    assert not is_shown(memory, as_of=before)


def test_an_agent_that_states_a_persons_edge_with_other_fields_leaves_it_the_persons(memory: Memory) -> None:
    """The twin: once a person has taken it back, it is the agent's."""
    agent = memory.client(surface_actor("atoms", "helper"))
    memory.checkpoint([f"{OLD} = never deploy on Fridays", f"{NEW} = deploy on Mondays"], edges=[EDGE])
    agent.checkpoint(edges=[{**EDGE, "confidence": 0.9}])
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    assert not is_shown(memory)
    memory.checkpoint(unedges=[EDGE])
    agent.checkpoint(edges=[EDGE])
    assert not is_shown(memory)
    memory.checkpoint([f"{OLD} = never deploy on Saturdays"])
    assert is_shown(memory)


def test_an_undo_of_what_an_agent_stated_again_brings_the_persons_word_back(memory: Memory, agent: Memory) -> None:
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    agent.checkpoint(edges=[{**EDGE, "confidence": 0.9}])
    assert not is_shown(memory)
    memory.undo()
    assert is_shown(memory)


def test_the_other_way_round_is_refused_with_the_edge_to_take_back(memory: Memory, agent: Memory) -> None:  # noqa: ARG001
    memory.checkpoint([f"{OLD} = never deploy on Sundays"])
    turned = {"source": OLD, "type": "supersedes", "target": NEW}
    with pytest.raises(ItemsRefused, match=f"take back the edge {NEW} supersedes {OLD} first"):
        memory.checkpoint(edges=[turned])
    memory.checkpoint(unedges=[EDGE])
    assert memory.checkpoint(edges=[turned]).edges


@pytest.mark.parametrize("value", ["never deploy on Sundays", "never deploy on Fridays"])
def test_an_import_of_an_export_hides_what_the_store_hides(
    memory: Memory, agent: Memory, tmp_path: Path, clock: ManualClock, value: str
) -> None:
    """At once or step by step, and with the same words or others."""
    with (
        open_memory(tmp_path / "steps", home=tmp_path / "home", clock=clock) as steps,
        open_memory(tmp_path / "at once", home=tmp_path / "home", clock=clock) as at_once,
    ):
        moved(memory, steps)
        assert not is_shown(steps)
        clock.advance(1_000_000)
        memory.checkpoint([f"{OLD} = {value}"])
        moved(memory, steps)
        moved(memory, at_once)
        assert [is_shown(one) for one in (memory, steps, at_once)] == [True] * 3
        size = at_once.head().head.size
        moved(memory, at_once)
        assert at_once.head().head.size == size
        clock.advance(1_000_000)
        memory.checkpoint(edges=[EDGE])
        clock.advance(1_000_000)
        agent.checkpoint(edges=[{**EDGE, "confidence": 0.5}])
        clock.advance(1_000_000)
        memory.checkpoint([f"{OLD} = never deploy at noon"])
        moved(memory, steps)
        assert [is_shown(one) for one in (memory, steps)] == [False] * 2


def moved(source: Memory, target: Memory) -> None:
    lines = StringIO()
    source.export(lines)
    lines.seek(0)
    target.import_lines(lines)


def reads_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which rows are read to see what outlived an edge, as they are read."""
    read: list[str] = []
    for name in ("statements_of", "versions_of"):
        inner = getattr(supersedes, name)
        monkeypatch.setattr(
            supersedes, name, lambda *args, n=name, f=inner, **more: (read.append(n), f(*args, **more))[1]
        )
    return read


def test_what_outlives_an_edge_is_looked_for_once_for_each_version(
    memory: Memory, agent: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no statement or version is read, if none was recorded after the edge."""
    read = reads_of(monkeypatch)
    assert not is_shown(memory)
    assert read == []
    for night in ("at night", "late at night"):
        agent.checkpoint([f"{OLD} = never deploy {night}"])
        read.clear()
        assert not is_shown(memory)
        assert read == ["statements_of", "versions_of"]
        assert not is_shown(memory)
        memory.checkpoint(["v1.fact.other = said of something else"])
        assert OLD not in [atom.name for atom in memory.list()]
        assert read == ["statements_of", "versions_of"]
        memory.checkpoint(tombstones=["v1.fact.other"])
    agent.checkpoint(edges=[{**EDGE, "confidence": 0.5}])
    memory.checkpoint([f"{OLD} = never deploy at noon"])
    assert is_shown(memory)


def test_a_persons_word_that_is_erased_brings_nothing_back(memory: Memory, agent: Memory) -> None:
    """Of what was found before, nothing is taken over: the last version stays the last one."""
    (said,) = memory.checkpoint([f"{OLD} = never deploy at noon"]).seqs
    agent.checkpoint([f"{OLD} = never deploy at night"])
    assert is_shown(memory)
    log = memory._store.log  # `forget` also puts a new file in the store's place: then nothing is carried
    log.append([draft_forget(bytes.fromhex(memory.access(OLD).atom.id.replace("-", "")), [said])])
    assert not is_shown(memory)
