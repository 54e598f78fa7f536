"""Surfaces: sets of MCP tools, each with the names and shapes of one known server. One file each, loaded by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from substrate.errors import InputError

if TYPE_CHECKING:
    from substrate.surfaces.seam import Surface

__all__ = ["DEFAULT_SURFACE", "SURFACES", "load_surface"]

DEFAULT_SURFACE: Final = "atoms"
SURFACES: Final = ("atoms",)
"""Each is the module of that name in this package, which has a SURFACE."""


def load_surface(name: str) -> Surface:
    """The surface of this name. InputError, naming those that there are, if there is none."""
    if name not in SURFACES:
        raise InputError(f"there is no surface {name!r}; there is: {', '.join(SURFACES)}")
    surface: Surface = import_module(f"substrate.surfaces.{name}").SURFACE
    return surface
