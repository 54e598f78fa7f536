"""Memory for people and AI agents who work together in notebooks, which can prove what it says.

The public names are those of `__all__`. Each is loaded when it is first used, so `import substrate` stays light.

The rooms, from the bottom up (docs/architecture.md has the map):

    errors, messages, limits, clock, files, result, names, settings   what everything leans on
    text/ claims/ proof/ values/ codec                                 pure: texts, claims, proofs, what users hold
    kv/ log/ views/ embed/                                             tables, the log, what follows from it, vectors
    snapshot, atoms/ conflicts/ search/ learn/ relate/                 reading, finding, learning
    save/ bootstrap/ forget/ documents/ care/                          the larger verbs
    store, client, memory                                              an open store, who calls, the facade
    commands/ surfaces/ server/ cli/ notebook/                         the faces; widgets/ beside this package
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from substrate import errors
    from substrate.care.copies import clone, rebuild, restore
    from substrate.care.fsck import fsck
    from substrate.learn.session import Session
    from substrate.memory import Memory
    from substrate.memory import open_memory as open  # noqa: A004 - it is what one does with a store
    from substrate.policy import Policy
    from substrate.proof.bundle import Bundle
    from substrate.proof.head import Pin
    from substrate.proof.verify import Verdict, Verifier
    from substrate.values.atoms import Atom
    from substrate.values.behind import Behind, BehindWarning
    from substrate.values.edges import Edge, Window
    from substrate.values.hits import Found, Hit
    from substrate.values.opening import Opening
    from substrate.values.predictions import Observed, Predictions, Trained

__all__ = [
    "Atom",
    "Behind",
    "BehindWarning",
    "Bundle",
    "Edge",
    "Found",
    "Hit",
    "Memory",
    "Observed",
    "Opening",
    "Pin",
    "Policy",
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
    "Atom": "substrate.values.atoms:Atom",
    "Behind": "substrate.values.behind:Behind",
    "BehindWarning": "substrate.values.behind:BehindWarning",
    "Bundle": "substrate.proof.bundle:Bundle",
    "Edge": "substrate.values.edges:Edge",
    "Found": "substrate.values.hits:Found",
    "Hit": "substrate.values.hits:Hit",
    "Memory": "substrate.memory:Memory",
    "Observed": "substrate.values.predictions:Observed",
    "Opening": "substrate.values.opening:Opening",
    "Pin": "substrate.proof.head:Pin",
    "Policy": "substrate.policy:Policy",
    "Predictions": "substrate.values.predictions:Predictions",
    "Session": "substrate.learn.session:Session",
    "Trained": "substrate.values.predictions:Trained",
    "Verdict": "substrate.proof.verify:Verdict",
    "Verifier": "substrate.proof.verify:Verifier",
    "Window": "substrate.values.edges:Window",
    "clone": "substrate.care.copies:clone",
    "errors": "substrate.errors",
    "fsck": "substrate.care.fsck:fsck",
    "open": "substrate.memory:open_memory",
    "rebuild": "substrate.care.copies:rebuild",
    "restore": "substrate.care.copies:restore",
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
