"""Notebook widgets of Substrate, each a view of one open store. They are linked by `link`.

Each is loaded when it is first used: `import substrate_widgets` loads neither ipywidgets nor the engine.

    linked              what all widgets are
    warming             what those are that compare by meaning
    work                work in a thread of its own
    follow              notices that someone wrote
    pages               who looks at it
    assets              what goes into the page
    picture             a still picture, for pages without a kernel
    still               where that picture stands in a notebook, and its last state
    shared/             the script and style of all
    explorer/           search
    proof_viewer/       proofs
    bootstrap_preview/  openings
    transitions/        arcs
    timeline/           heads
    entity_graph/       entities, the evidence of edges, runs of the gardener
    fading/             curves of atoms, reviews, sweeps
    web/                the page of a server: some of these without a kernel
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bootstrap_preview.widget import BootstrapPreview
    from .entity_graph.widget import EntityGraph
    from .explorer.widget import Explorer
    from .fading.widget import Fading
    from .linked import link
    from .proof_viewer.widget import ProofViewer
    from .timeline.widget import Timeline
    from .transitions.widget import Transitions

__all__ = ["BootstrapPreview", "EntityGraph", "Explorer", "Fading", "ProofViewer", "Timeline", "Transitions", "link"]

_HOMES = {
    "BootstrapPreview": "bootstrap_preview.widget",
    "EntityGraph": "entity_graph.widget",
    "Explorer": "explorer.widget",
    "Fading": "fading.widget",
    "ProofViewer": "proof_viewer.widget",
    "Timeline": "timeline.widget",
    "Transitions": "transitions.widget",
    "link": "linked",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
