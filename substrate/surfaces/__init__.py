"""Surfaces: sets of MCP tools, each with the names and shapes of one known server. A folder each, loaded by name.

tool     what a surface is made of, and what its tools are handed
client   who calls a tool
shape    what a tool replies: structured content, and the same as text
atoms/   the default surface
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from substrate.errors import InputError

if TYPE_CHECKING:
    from substrate.surfaces.tool import Surface

__all__ = ["DEFAULT_SURFACE", "SURFACES", "load_surface"]

DEFAULT_SURFACE: Final = "atoms"
SURFACES: Final = ("atoms",)
"""Each is the folder of that name in this package, whose `tools` has a SURFACE."""


def load_surface(name: str) -> Surface:
    """The surface of this name. InputError, naming those that there are, if there is none."""
    if name not in SURFACES:
        raise InputError(f"there is no surface {name!r}; there is: {', '.join(SURFACES)}")
    surface: Surface = import_module(f"substrate.surfaces.{name}.tools").SURFACE
    return surface
