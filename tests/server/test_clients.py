"""What the clients of a server share: one open store, warmed in the background, released at the end."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import substrate
from substrate.memory import Memory
from substrate.server.clients import Clients
from substrate.server.launch import Launch
from tests.scale import PATIENCE_S


def test_when_it_is_closed_nothing_is_being_loaded_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread in native code while the interpreter goes down ends the process by SIGABRT."""
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    substrate.open(tmp_path / "store", background=False).close()
    begun, go_on = threading.Event(), threading.Event()

    def warm(_: Memory) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)

    monkeypatch.setattr(Memory, "warm", warm)
    clients = Clients(Launch(tmp_path / "store"))
    clients.warm()
    assert begun.wait(PATIENCE_S)
    closing = threading.Thread(target=clients.close)
    closing.start()
    closing.join(0.1)
    assert closing.is_alive()  # it waits for the thread
    go_on.set()
    closing.join(PATIENCE_S)
    assert not closing.is_alive()
    assert not any(thread.name == "substrate-warm" for thread in threading.enumerate())
