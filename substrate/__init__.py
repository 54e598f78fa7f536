"""Memory for people and AI agents who work together in notebooks, which can prove what it says.

The public names are those of `__all__`. Each is loaded when it is first used, so `import substrate` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from substrate import errors

__all__ = ["__version__", "errors"]

__version__ = "0.1.0.dev0"

# Where each lazy name lives: "module", or "module:name" for a name in it.
_HOMES = {
    "errors": "substrate.errors",
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
