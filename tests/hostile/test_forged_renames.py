"""Edges `renamed_to` that no rename stated, and what goes with what is forgotten."""

from __future__ import annotations

import json
from argparse import Namespace
from io import StringIO
from pathlib import Path

import pytest

import substrate
from substrate.commands.calls import named_in_question
from substrate.memory import Memory
from tests.agents import ALL_SCOPES, User, in_memory

PAYROLL, SPAM = "v1.fact.payroll", "v1.fact.spam"


@pytest.mark.parametrize("taken_back", [False, True])
def test_an_import_cannot_tie_an_atom_to_another_so_that_both_are_erased(memory: Memory, *, taken_back: bool) -> None:
    memory.checkpoint([{"name": PAYROLL, "value": "account 123"}])
    lines = [
        {"kind": "put", "name": SPAM, "value": "spam"},
        {"kind": "edge", "source": PAYROLL, "type": "renamed_to", "target": SPAM},
        {"kind": "edge", "source": SPAM, "type": "renamed_to", "target": PAYROLL},
    ]
    memory.import_lines(StringIO("\n".join(map(json.dumps, lines))))
    if taken_back:
        memory.undo()
    assert (memory.forget([SPAM]).atoms, memory.access(PAYROLL).value) == (1, "account 123")


def test_an_imported_rename_is_forgotten_under_both_names(memory: Memory) -> None:
    lines = [
        {"kind": "put", "name": "v1.fact.old", "value": "canary"},
        {"kind": "put", "name": "v1.fact.new", "value": "canary"},
        {"kind": "put", "name": "v1.fact.new", "value": "said since"},
        {"kind": "edge", "source": "v1.fact.old", "type": "renamed_to", "target": "v1.fact.new"},
        {"kind": "tombstone", "name": "v1.fact.old"},
    ]
    memory.import_lines(StringIO("\n".join(map(json.dumps, lines))))
    assert memory.forget(["v1.fact.new"]).renamed == ("v1.fact.old",)


def test_who_is_asked_before_a_forget_sees_every_name_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "s"
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    with substrate.open(folder) as memory:
        memory.checkpoint([{"name": PAYROLL, "value": "account 123"}])
        memory.rename(PAYROLL, SPAM)
        memory.checkpoint([{"name": PAYROLL, "value": "another account"}])
        given = Namespace(names=[SPAM], whole=None)
        assert named_in_question(memory, given, memory.forget([SPAM], dry_run=True)) == [f'"{SPAM}"', f'"{PAYROLL}"']
        assert memory.forget([SPAM], dry_run=True).renamed == (PAYROLL,)
        user = User(erase=False)
    with in_memory(folder, scopes=ALL_SCOPES, user=user) as agent:
        agent.error("memory_forget", keys=[SPAM])
    (asked,) = user.asked
    assert asked.message.startswith("Erase 2 atoms for good?")
    assert asked.message.endswith(
        f'1. "{SPAM}", which says "account 123"\n2. "{PAYROLL}", which says "another account"'
    )
