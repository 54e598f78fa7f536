"""Surfaces: sets of MCP tools, each with the names and shapes of one known server. A folder each, loaded by name.

surface    what a surface is made of; the seam between tools and the server that runs them
tool       one tool, and what it may raise
client     who calls a tool, and what it is handed
words      what arguments, verbs and hints are called in messages to an agent
shape      what a tool replies: structured content, and the same as text
arguments  arguments that tools of several surfaces take
sampling   what the client's own model is asked, and its answer
status     the status of HTTP that goes with each error
atoms/     tools on atoms; served by default
knowmind/  ten tools of a team's server
cortexgraph/  notes that fade unless they are used
keeping/   verify, history, forget, status: for clients of any surface; served by default
graphnosis/  engrams with tiers, and corrections that wait for a person: the tools of Graphnosis
hydramem/  documents, entities and relations that are checked: the tools of HydraMem
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from substrate.errors import InputError

if TYPE_CHECKING:
    from substrate.surfaces.surface import Surface

__all__ = ["DEFAULT_SURFACES", "SURFACES", "load_surface"]

SURFACES: Final = {
    "atoms": "substrate.surfaces.atoms",
    "keeping": "substrate.surfaces.keeping",
    "knowmind": "substrate.surfaces.knowmind",
    "cortexgraph": "substrate.surfaces.cortexgraph",
    "hydramem": "substrate.surfaces.hydramem",
    "graphnosis": "substrate.surfaces.graphnosis",
}
"""By name: the package, whose `surface` has a SURFACE of that name."""
DEFAULT_SURFACES: Final = ("atoms", "keeping")


def load_surface(name: str) -> Surface:
    """The surface of this name. InputError, naming those that there are, if there is none."""
    if name not in SURFACES:
        raise InputError(f"there is no surface {name!r}; there is: {', '.join(SURFACES)}")
    surface: Surface = import_module(f"{SURFACES[name]}.surface").SURFACE
    return surface
