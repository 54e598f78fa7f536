"""Memory for people and AI agents who work together in notebooks, which can prove what it says.

The public names are those of `__all__`. Each is loaded when it is first used, so `import substrate` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from substrate import errors
    from substrate.engine.fsck import fsck
    from substrate.engine.memory import Memory
    from substrate.engine.memory import open_memory as open  # noqa: A004 - it is what one does with a store
    from substrate.engine.restoring import clone, rebuild, restore
    from substrate.engine.session import Session
    from substrate.findings import Found, Hit
    from substrate.learned import Observed, Predictions, Trained
    from substrate.model import Atom, Edge, Window
    from substrate.openings import Opening
    from substrate.proof.bundle import Bundle
    from substrate.proof.head import Pin
    from substrate.proof.verify import Verdict, Verifier

__all__ = [
    "Atom",
    "Bundle",
    "Edge",
    "Found",
    "Hit",
    "Memory",
    "Observed",
    "Opening",
    "Pin",
    "Predictions",
    "Session",
    "Trained",
    "Verdict",
    "Verifier",
    "Window",
    "__version__",
    "clone",
    "errors",
    "fsck",
    "open",
    "rebuild",
    "restore",
]

__version__ = "0.1.0.dev0"

# Where each lazy name lives: "module", or "module:name" for a name in it.
_HOMES = {
    "Atom": "substrate.model:Atom",
    "Bundle": "substrate.proof.bundle:Bundle",
    "Edge": "substrate.model:Edge",
    "Found": "substrate.findings:Found",
    "Hit": "substrate.findings:Hit",
    "Memory": "substrate.engine.memory:Memory",
    "Observed": "substrate.learned:Observed",
    "Opening": "substrate.openings:Opening",
    "Pin": "substrate.proof.head:Pin",
    "Predictions": "substrate.learned:Predictions",
    "Session": "substrate.engine.session:Session",
    "Trained": "substrate.learned:Trained",
    "Verdict": "substrate.proof.verify:Verdict",
    "Verifier": "substrate.proof.verify:Verifier",
    "Window": "substrate.model:Window",
    "clone": "substrate.engine.restoring:clone",
    "errors": "substrate.errors",
    "fsck": "substrate.engine.fsck:fsck",
    "open": "substrate.engine.memory:open_memory",
    "rebuild": "substrate.engine.restoring:rebuild",
    "restore": "substrate.engine.restoring:restore",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module_name, _, attribute = _HOMES[name].partition(":")
    module = import_module(module_name)
    value: object = getattr(module, attribute) if attribute else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# -- %load_ext substrate -----------------------------------------------------------------------------------------------
# IPython looks for these two by name; nobody else calls them, so they are not among the public names.


def load_ipython_extension(ip: InteractiveShell) -> None:
    """`%memory`, its completion, and rich display of results."""
    from substrate.notebook.extension import load  # noqa: PLC0415 - loads IPython

    load(ip)


def unload_ipython_extension(ip: InteractiveShell) -> None:
    """Take it back."""
    from substrate.notebook.extension import unload  # noqa: PLC0415

    unload(ip)
