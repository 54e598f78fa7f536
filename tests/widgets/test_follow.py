"""Who follows a store is told how far its log has got: at once, and when anyone has written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

import substrate
from substrate.memory import Memory
from substrate_widgets import follow as pulses
from substrate_widgets.follow import follow
from tests.scale import PATIENCE_S


def _memory(tmp_path: Path) -> Memory:
    return substrate.open(tmp_path / "store", home=tmp_path / "home", background=False)


def test_everyone_who_follows_is_told_at_once_and_after_a_write(tmp_path: Path) -> None:
    with _memory(tmp_path) as memory:
        first: Queue[int | None] = Queue()
        second: Queue[int | None] = Queue()
        ends = [follow(memory, first.put)]
        size = first.get(timeout=PATIENCE_S)
        ends.append(follow(memory, second.put))
        assert second.get(timeout=PATIENCE_S) == size
        memory.checkpoint(["v1.fact.colour = blue"])
        assert first.get(timeout=PATIENCE_S) == second.get(timeout=PATIENCE_S) == memory.head().head.size
        for end in ends:
            end()


def test_what_another_process_writes_is_told(tmp_path: Path) -> None:
    with _memory(tmp_path) as memory:
        heard: Queue[int | None] = Queue()
        end = follow(memory, heard.put)
        heard.get(timeout=PATIENCE_S)
        code = f"""
import substrate
with substrate.open({str(tmp_path / "store")!r}, home={str(tmp_path / "home")!r}, background=False) as memory:
    memory.checkpoint(["v1.fact.colour = red"])
"""
        subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE_S)
        assert heard.get(timeout=PATIENCE_S) == memory.head().head.size
        end()


def test_what_another_process_learns_is_told_though_the_log_is_as_it_was(tmp_path: Path) -> None:
    with _memory(tmp_path) as memory:
        memory.checkpoint(["v1.fact.a = one", "v1.fact.b = two"])
        heard: Queue[int | None] = Queue()
        end = follow(memory, heard.put)
        size = heard.get(timeout=PATIENCE_S)
        code = f"""
import substrate
with substrate.open({str(tmp_path / "store")!r}, home={str(tmp_path / "home")!r}, background=False) as memory:
    memory.observe(["v1.fact.a", "v1.fact.b"])
"""
        subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE_S)
        assert heard.get(timeout=PATIENCE_S) == size == memory.head().head.size
        end()


def test_that_the_store_was_closed_is_told_and_then_nothing_more(tmp_path: Path) -> None:
    memory = _memory(tmp_path)
    heard: Queue[int | None] = Queue()
    follow(memory, heard.put)
    heard.get(timeout=PATIENCE_S)
    memory.close()
    assert heard.get(timeout=PATIENCE_S) is None
    assert heard.empty()


def test_one_who_raises_keeps_it_from_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def bad(_: int | None) -> None:
        raise ZeroDivisionError

    with _memory(tmp_path) as memory:
        heard: Queue[int | None] = Queue()
        ends = [follow(memory, bad), follow(memory, heard.put)]
        heard.get(timeout=PATIENCE_S)
        for colour in ("blue", "red"):
            memory.checkpoint([f"v1.fact.colour = {colour}"])
            assert heard.get(timeout=PATIENCE_S) == memory.head().head.size
        for end in ends:
            end()
    assert "ZeroDivisionError" in caplog.text


def test_a_store_that_cannot_be_read_is_told_as_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _memory(tmp_path) as memory:
        heard: Queue[int | None] = Queue()
        follow(memory, heard.put)
        heard.get(timeout=PATIENCE_S)

        def broken(_: Memory) -> None:
            raise OSError("the disk is gone")

        with monkeypatch.context() as patch:
            patch.setattr(Memory, "head", broken)
            assert heard.get(timeout=PATIENCE_S) is None
        end = follow(memory, heard.put)
        assert heard.get(timeout=PATIENCE_S) == memory.head().head.size
        end()


def test_when_python_ends_no_thread_is_left_that_could_be_killed_with_its_lock_held(memory: Memory) -> None:
    heard: Queue[int | None] = Queue()
    follow(memory, heard.put)
    heard.get(timeout=PATIENCE_S)
    thread: Any = pulses._PULSES[memory]._thread
    assert thread.is_alive()
    pulses._end()
    assert not thread.is_alive()
