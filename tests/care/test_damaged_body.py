"""One body that its entry does not commit to: nothing takes it over, and the rest of the store stays of use."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from substrate.errors import StoreDamaged
from substrate.memory import Memory
from tests.tampered import change_body, drop_body

ITEM = "v1.fact.item_3"


@pytest.fixture
def damaged(reopen: Callable[..., Memory]) -> Memory:
    """Four facts and two edges; the third fact, entry 3, is not the one that was recorded."""
    memory = reopen()
    edges = [
        {"source": "v1.fact.item_1", "type": "needs", "target": "v1.fact.item_2"},
        {"source": ITEM, "type": "needs", "target": "v1.fact.item_4", "attrs": {"why": "the roof"}},
    ]
    memory.checkpoint([f"v1.fact.item_{i} = hall zz{i}" for i in range(1, 5)], edges=edges)
    change_body(memory, 3, "hall zz3", "hall yy9")
    memory.close()
    return reopen()


def test_a_plain_export_refuses_a_body_that_was_changed_and_leaves_no_file(damaged: Memory, tmp_path: Path) -> None:
    with pytest.raises(StoreDamaged) as refused:
        damaged.export(tmp_path / "x.jsonl")
    assert f"{ITEM} is damaged: the body of entry 3 is not the one the entry commits to" in str(refused.value)
    assert f"Restore a backup, or erase it for good: forget('{ITEM}')" in str(refused.value)
    assert not (tmp_path / "x.jsonl").exists()


def test_an_export_without_the_check_would_hand_out_what_was_put_there(
    damaged: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("substrate.atoms.bodies.is_committed", lambda *_: True)
    lines = io.StringIO()
    damaged.export(lines)
    assert "hall yy9" in lines.getvalue()


def test_a_plain_export_refuses_an_edge_that_was_changed_and_says_by_which_id_to_erase_it(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 2"])
    edge = {"source": "v1.fact.a", "type": "needs", "target": "v1.fact.b", "attrs": {"why": "the roof"}}
    saved = memory.checkpoint(edges=[edge])
    change_body(memory, saved.seqs[0], "the roof", "the wall")
    with pytest.raises(StoreDamaged, match=f"body of entry {saved.seqs[0]} .*erase it for good") as refused:
        memory.export(io.StringIO())
    assert saved.edges[0] in str(refused.value)


@pytest.mark.parametrize("what", ["atom", "edge"])
def test_a_plain_export_does_not_pass_over_a_body_that_is_gone(memory: Memory, what: str) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 2"])
    saved = memory.checkpoint(edges=[{"source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"}])
    seq = saved.seqs[0] if what == "edge" else 1
    drop_body(memory, seq)
    with pytest.raises(StoreDamaged, match=f"body of entry {seq} is gone without a forget entry"):
        memory.export(io.StringIO())


def test_what_was_forgotten_is_left_out_of_an_export_without_a_word_of_damage(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 2", "v1.fact.c = 3"])
    memory.checkpoint(["v1.fact.c = 4"], edges=[{"source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"}])
    memory.forget("v1.fact.a")
    memory.forget(seqs=range(3, 4))
    lines = io.StringIO()
    memory.export(lines)
    assert [line.count("v1.fact.") for line in lines.getvalue().splitlines()] == [0, 1, 1, 0]


def test_what_the_message_says_helps_the_atom_is_erased_and_all_else_is_of_use(damaged: Memory) -> None:
    with pytest.raises(StoreDamaged):
        damaged.list("v1.fact.")
    assert damaged.forget(ITEM).atoms == 1
    assert [atom.name for atom in damaged.list("v1.fact.")] == [f"v1.fact.item_{i}" for i in (1, 2, 4)]
    assert damaged.search("hall zz4")[0].name == "v1.fact.item_4"
    damaged.export(io.StringIO())


def test_fsck_says_how_to_erase_what_was_changed(
    damaged: Memory, reopen: Callable[..., Memory], store: Path, home: Path
) -> None:
    damaged.close()
    report = substrate.fsck(store, home=home)
    assert report.misfit
    assert "the body of entry 3 is not the one the entry commits to. Restore a backup, or erase" in str(report.damage)
    found = re.search(r"substrate forget (\S+)\. Then check again", str(report.damage))
    assert found is not None
    memory = reopen()
    assert memory.forget(found[1]).atoms == 1
    memory.close()
    assert substrate.fsck(store, home=home).ok


def test_a_document_is_forgotten_whole_though_a_chunk_of_it_was_changed(memory: Memory, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Halls\n\nThe first hall is blue.\n\n# Roofs\n\nThe roof zz3 is red.\n")
    memory.ingest(page)
    chunk = next(atom for atom in memory.list("v1.chunk.") if "zz3" in atom.value)
    change_body(memory, chunk.seq, "zz3", "yy9")
    (document,) = memory.list("v1.document.")
    memory.forget(whole=document.name)
    assert not list(memory.list("v1.chunk."))
