"""Widgets of a store of which another copy is ahead: they show what is there, under a notice."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

import substrate
from substrate import Memory
from tests.scale import PATIENCE_S


def overtake(memory: Memory, folder: Path) -> None:
    memory.checkpoint(["v1.fact.a = 1"])
    shutil.copytree(folder / "store", folder / "copy")
    with substrate.open(folder / "copy", home=folder / "home") as copy:
        copy.checkpoint(["v1.fact.a = 2"])


@pytest.mark.parametrize("show", ["explore", "preview", "timeline", "transitions"])
def test_a_widget_comes_up_under_a_notice(memory: Memory, tmp_path: Path, show: str) -> None:
    overtake(memory, tmp_path)
    widget = getattr(memory, show)()
    assert widget.wait(PATIENCE_S)
    assert f"{tmp_path / 'store'} is behind" in widget.notice
    assert "substrate restore" in widget.notice
    assert (widget.problem, widget.store) == ("", str(tmp_path / "store"))
    widget.close()


def test_a_proof_that_cannot_be_given_is_told_and_the_widget_stays(memory: Memory, tmp_path: Path) -> None:
    overtake(memory, tmp_path)
    widget = memory.show_proof("v1.fact.a")
    assert widget.wait(PATIENCE_S)
    assert (widget.verdict["ok"], widget.verdict["headline"], widget.problem) == (None, "Not proven", "")
    assert "proving what is current are refused" in widget.verdict["words"]
    widget.as_of = 1
    assert widget.wait(PATIENCE_S)
    assert (widget.verdict["ok"], widget.verdict["claim"]) == (True, "recorded")
    widget.close()


def test_a_widget_that_is_looked_at_hears_of_it(memory: Memory, tmp_path: Path) -> None:
    widget = memory.explore()
    widget.views = 1
    assert widget.notice == ""
    told = threading.Event()
    widget.observe(lambda _: told.set(), "notice")
    overtake(memory, tmp_path)
    assert told.wait(PATIENCE_S)
    assert "is behind" in widget.notice
    widget.close()
