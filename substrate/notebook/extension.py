"""What `%load_ext substrate` does: magics, completion, rich display, and questions that end in a question mark."""

from __future__ import annotations

import atexit
from weakref import WeakKeyDictionary

from IPython.core.interactiveshell import InteractiveShell

from substrate.notebook import completion, display
from substrate.notebook.magics import MemoryMagics
from substrate.notebook.provenance import places_of
from substrate.notebook.questions import keep_questions
from substrate.notebook.stores import Stores
from substrate.places import recorded_by

__all__ = ["load", "unload"]

_STORES: WeakKeyDictionary[InteractiveShell, Stores] = WeakKeyDictionary()
"""Of each shell. They outlive the extension, since variables and widgets use them: closed at the process's end."""


def load(shell: InteractiveShell) -> None:
    """Register all of it; what is registered already, once."""
    if shell not in _STORES:
        _STORES[shell] = Stores()
        atexit.register(_STORES[shell].close)
    shell.register_magics(MemoryMagics(shell, _STORES[shell]))
    display.register(shell)
    completion.register(shell, _STORES[shell])
    recorded_by(places_of(shell))
    if keep_questions not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(keep_questions)


def unload(shell: InteractiveShell) -> None:
    """Take all of it back. Stores that are open stay open."""
    completion.unregister(shell)
    display.unregister(shell)
    magics = shell.magics_manager.registry.get(MemoryMagics.__name__)
    if isinstance(magics, MemoryMagics):
        magics.watch.turn(on=False)
    recorded_by(None)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("memory", None)
    shell.magics_manager.registry.pop(MemoryMagics.__name__, None)
    if keep_questions in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.remove(keep_questions)
