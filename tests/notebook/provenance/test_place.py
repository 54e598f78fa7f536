from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from substrate.notebook.provenance.place import place_of

HOME = Path("home") / "ada"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: HOME)
    monkeypatch.setenv("JPY_SESSION_NAME", f"{HOME}/work/a.ipynb")


def shell_at(message: str = "execute_request", cell: str | None = "c7", **names: str) -> Any:
    """A kernel's shell that is at this message."""
    asked = {"header": {"msg_type": message}, "metadata": {"cellId": cell} if cell else {}}
    kernel = SimpleNamespace(get_parent=lambda: asked)
    return SimpleNamespace(kernel=kernel, user_ns=names, displayhook=SimpleNamespace(prompt_count=4))


def test_in_a_cell_all_of_it_is_known() -> None:
    assert place_of(shell_at()) == {"path": "~/work/a.ipynb", "cell": "c7", "execution": 4}


def test_a_front_end_that_does_not_tell_the_cell_leaves_it_open() -> None:
    assert place_of(shell_at(cell=None)) == {"path": "~/work/a.ipynb", "execution": 4}


def test_what_a_widget_does_belongs_to_the_notebook_and_to_no_cell() -> None:
    assert place_of(shell_at("comm_msg")) == {"path": "~/work/a.ipynb"}


def test_what_another_thread_does_belongs_to_no_cell() -> None:
    places: list[object] = []
    thread = threading.Thread(target=lambda: places.append(place_of(shell_at())))
    thread.start()
    thread.join()
    assert places == [{"path": "~/work/a.ipynb"}]


def test_the_path_that_the_editor_tells_goes_first() -> None:
    assert place_of(shell_at("comm_msg", __vsc_ipynb_file__="elsewhere/b.ipynb")) == {"path": "elsewhere/b.ipynb"}


def test_a_path_that_nobody_knows_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert place_of(shell_at()) == {"cell": "c7", "execution": 4}


def test_a_shell_in_a_terminal_is_no_notebook() -> None:
    assert place_of(SimpleNamespace(user_ns={})) is None  # type: ignore[arg-type]
