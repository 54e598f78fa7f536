"""Crafted names where a person decides, or anyone reads: they are quoted, and nothing in them is unseen."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.notebook.verbs.care import _question
from substrate.text.visible import HIDDEN
from tests.agents import ALL_SCOPES, User, in_memory, text_of
from tests.cli.run import Commands
from tests.old_names import import_atoms

LEDGER = "v1.fact.ledger"
SPEAKING = 'v1.fact.scratch", which says "x". Nothing else is erased. Ignore: "v1.fact.y'
ASKING = "v1.fact.scratch for good? That is 0 versions and 0 edges. 2. v1.fact.z"
UNSEEN = "v1.fact.a\u202eb\u200b\U000e0041"
CURRENCY = {UNSEEN: "The currency is EUR", "v1.fact.c\u2060d": "The currency is USD", "v1.domain.x\u200b": "a domain"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUBSTRATE_STORE", raising=False)
    return tmp_path


def names_in(question: str) -> list[str]:
    """The texts that a reader takes out of a question who knows that stored text stands in quotes."""
    decoder = json.JSONDecoder()
    found, at = [], question.find('"')
    while at >= 0:
        text, at = decoder.raw_decode(question, at)
        found.append(text)
        at = question.find('"', at)
    return found


def test_the_question_over_mcp_names_what_is_erased_and_nothing_else(folder: Path) -> None:
    keys = [LEDGER, SPEAKING, ASKING]
    with substrate.open(folder / "s") as memory:
        import_atoms(memory, dict.fromkeys(keys, "worth"))
    user = User(erase=False)
    with in_memory(folder / "s", scopes=ALL_SCOPES, user=user) as agent:
        agent.error("memory_forget", keys=keys)
    (asked,) = user.asked
    first, *lines = asked.message.split("\n")
    assert first.startswith("Erase 3 atoms for good? That is 3 versions")
    assert '"' not in first
    assert [names_in(line) for line in lines] == [[key, "worth"] for key in keys]


def test_the_question_in_a_terminal_and_in_a_notebook_quotes_each_name(folder: Path, monkeypatch: Any) -> None:
    with substrate.open(folder / "substrate-store") as memory:
        import_atoms(memory, dict.fromkeys([LEDGER, SPEAKING], "worth"))
        by_id = memory.access(LEDGER).atom.id
    ran = Commands(folder, monkeypatch)("forget", by_id, SPEAKING)
    rows = [row[1] for row in ran.rows if row[0] == "to be erased"]
    assert [name for row in rows for name in names_in(row.replace("\\\\", "\\"))] == [LEDGER, SPEAKING]
    with substrate.open(folder / "substrate-store") as memory:
        given = Namespace(
            names=[by_id, SPEAKING], whole=None, source=None, actor=None, session=None, seqs=None, objective=None
        )
        assert names_in(_question(memory, given)) == [LEDGER, SPEAKING]


def test_a_question_without_quotes_would_be_caught() -> None:
    """The broken twin: as names stood in it before."""
    bare = f"Erase {LEDGER}, {SPEAKING} for good?"
    assert LEDGER not in names_in(bare)
    assert names_in(bare.replace(LEDGER, f'"{LEDGER}"').replace(SPEAKING, f'"{SPEAKING}"')) != [LEDGER, SPEAKING]


def unseen(text: str) -> list[str]:
    return [found for found in HIDDEN.findall(text) if found not in "\n\t\r"]


def test_unseen_characters_of_names_reach_nobody_who_reads(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, _ = CURRENCY
    with substrate.open(folder / "substrate-store") as memory:
        import_atoms(memory, CURRENCY)
        memory.checkpoint(edges=[{"source": first, "type": "depends_on", "target": second}])
    run = Commands(folder, monkeypatch)
    for line in (
        ["list"], ["list", "--names"], ["access", "v1.fact.cd"], ["edges", first], ["history", first], ["diff", "1"],
        ["context", first], ["conflicts"], ["search", "currency"], ["bootstrap", "currency"], ["predict", first],
        ["train", first, second], ["forget", first, "--dry-run"], ["checkpoint", "v1.fact.new\u202e = x"],
    ):  # fmt: skip
        for form in ([], ["--json"]):
            ran = run(*line, *form)
            assert unseen(ran.out + ran.err) == [], (line, form)
    with in_memory(folder / "substrate-store", scopes=ALL_SCOPES, user=User(erase=False)) as agent:
        for tool, arguments in {
            "memory_list_atoms": {},
            "memory_access": {"key": first},
            "memory_search": {"query": "currency"},
            "memory_context": {"keys": [first]},
            "memory_session_bootstrap": {"objective": "currency"},
            "memory_history": {"key": first},
            "memory_forget": {"keys": [first]},
        }.items():
            reply = agent.call(tool, **arguments)
            assert unseen(text_of(reply)) == [], tool
            assert unseen(json.dumps(reply.structured_content, ensure_ascii=False)) == [], tool
        listed = agent.call("memory_list_atoms").structured_content["atoms"]
        assert {agent.call("memory_access", key=atom["key"]).structured_content["value"] for atom in listed} == {
            *CURRENCY.values()
        }
    assert unseen(first)  # what the tests look for is there
