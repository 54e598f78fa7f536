"""Where in a notebook the kernel is: which notebook, which cell, which execution. Whatever of it can be known."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from substrate.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["place_of", "places_of"]


def places_of(shell: InteractiveShell) -> Callable[[], dict[str, str | int] | None]:
    """What tells, whenever it is asked, where this shell is."""
    return lambda: place_of(shell)


def place_of(shell: InteractiveShell) -> dict[str, str | int] | None:
    """Path, cell and execution, those that are known; None in a shell that is no notebook's.

    The path is told by the server that started the kernel, the cell by the page that asked for the execution. What a
    widget or a thread does belongs to the notebook, and to no cell.
    """
    if not hasattr(shell, "kernel"):
        return None
    where: dict[str, str | int] = {}
    path = shell.user_ns.get("__vsc_ipynb_file__") or load_settings().notebook
    if path:
        where["path"] = _homely(str(path))
    asked = _asked(shell)
    if asked.get("header", {}).get("msg_type") == "execute_request":
        if cell := asked.get("metadata", {}).get("cellId"):
            where["cell"] = str(cell)
        where["execution"] = int(shell.displayhook.prompt_count)  # what the page shows as Out[n], in any IPython
    return where


def _asked(shell: Any) -> dict[str, Any]:  # noqa: ANN401 - a kernel's shell, which IPython does not know
    """The message that the kernel is at; nothing in other threads, which go on while it is at others."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    asked: dict[str, Any] = shell.kernel.get_parent()
    return asked


def _homely(path: str) -> str:
    """Without the name of whose home it is in: atoms are shared."""
    home = f"{Path.home()}/"
    return f"~/{path.removeprefix(home)}" if path.startswith(home) else path
