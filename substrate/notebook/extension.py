"""What `%load_ext substrate` does: magics, completion, rich display, and lines as calls."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary, finalize

from IPython.core.interactiveshell import InteractiveShell

from substrate.notebook import completion, display
from substrate.notebook.magics import MemoryMagics
from substrate.notebook.provenance.place import places_of
from substrate.notebook.stores import Stores
from substrate.notebook.transformer import Call
from substrate.save.place import recorded_by

__all__ = ["load", "unload"]

_STORES: WeakKeyDictionary[InteractiveShell, Stores] = WeakKeyDictionary()
"""Of each shell. They outlive the extension, since variables and widgets use them."""
_LOADED: WeakKeyDictionary[InteractiveShell, None] = WeakKeyDictionary()
"""The shells that have the extension, in the order in which they got it."""


def load(shell: InteractiveShell) -> None:
    """Register all of it; what is registered already, once."""
    stores = _stores_of(shell)
    if _magics_of(shell) is None:
        shell.register_magics(MemoryMagics(shell, stores))
    display.register(shell)
    completion.register(shell, stores)
    transformers = shell.input_transformer_manager.token_transformers
    if Call not in transformers:
        transformers.append(Call)
    _LOADED[shell] = None
    _say_where()


def unload(shell: InteractiveShell) -> None:
    """Take all of it back. Stores that are open stay open."""
    completion.unregister(shell)
    display.unregister(shell)
    magics = _magics_of(shell)
    if magics is not None:
        magics.watch.turn(on=False)
        configurables: Any = shell.configurables
        configurables.remove(magics)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("memory", None)
    shell.magics_manager.registry.pop(MemoryMagics.__name__, None)
    transformers = shell.input_transformer_manager.token_transformers
    if Call in transformers:
        transformers.remove(Call)
    _LOADED.pop(shell, None)
    _say_where()


def _stores_of(shell: InteractiveShell) -> Stores:
    """Those of the shell. They are closed when it goes, at the process's end at the latest."""
    if shell not in _STORES:
        _STORES[shell] = Stores()
        finalize(shell, _STORES[shell].close)
    return _STORES[shell]


def _magics_of(shell: InteractiveShell) -> MemoryMagics | None:
    magics = shell.magics_manager.registry.get(MemoryMagics.__name__)
    return magics if isinstance(magics, MemoryMagics) else None


def _say_where() -> None:
    """What this process records is recorded where the shell is that got the extension last, of those that have it."""
    shells = list(_LOADED)
    recorded_by(places_of(shells[-1]) if shells else None)
