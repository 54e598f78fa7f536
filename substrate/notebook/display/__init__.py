"""Rich display: results as HTML, where a notebook shows them. The plain repr, for terminals, is the results' own.

Types are registered by name, so that nothing of the engine is loaded before one of its results is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from substrate.notebook.display import atoms, found, grown, kept, learnt, traced

__all__ = ["SHOWN", "register", "unregister"]

SHOWN: Mapping[tuple[str, str], Callable[[Any], str]] = MappingProxyType(
    {
        ("substrate.engine.memory", "Memory"): kept.memory,
        ("substrate.findings", "Associations"): found.associations,
        ("substrate.findings", "Context"): found.context,
        ("substrate.findings", "Found"): found.found,
        ("substrate.findings", "StaleAtoms"): found.stale,
        ("substrate.growth", "Diff"): atoms.diff,
        ("substrate.growth", "Growth"): grown.growth,
        ("substrate.growth", "Heads"): grown.heads,
        ("substrate.learned", "Predictions"): learnt.predictions,
        ("substrate.learned", "Trained"): learnt.trained,
        ("substrate.model", "Access"): atoms.access,
        ("substrate.model", "Atom"): atoms.atom,
        ("substrate.model", "Conflicts"): kept.conflicts,
        ("substrate.model", "Edges"): atoms.edges,
        ("substrate.model", "Forgot"): kept.forgot,
        ("substrate.model", "History"): atoms.history,
        ("substrate.model", "Listing"): atoms.listing,
        ("substrate.model", "Saved"): kept.saved,
        ("substrate.notebook.recording", "Recorded"): traced.recorded,
        ("substrate.notebook.status", "Status"): kept.status,
        ("substrate.notebook.trail", "Trail"): traced.trail,
        ("substrate.openings", "Opening"): learnt.opening,
        ("substrate.proof.bundle", "Bundle"): kept.bundle,
        ("substrate.proof.head", "Pin"): kept.pin,
        ("substrate.proof.note", "VerifierKey"): kept.key,
        ("substrate.proof.verify", "Verdict"): kept.verdict,
    }
)
"""What shows which type. A new one is a function, and a line here."""


def register(shell: InteractiveShell) -> None:
    """From now on the shell shows results so."""
    html = _html(shell)
    for (module, kind), show in SHOWN.items():
        html.for_type_by_name(module, kind, show)


def unregister(shell: InteractiveShell) -> None:
    """And no more."""
    html = _html(shell)
    for module, kind in SHOWN:
        html.deferred_printers.pop((module, kind), None)
        for known in [one for one in html.type_printers if (one.__module__, one.__name__) == (module, kind)]:
            html.pop(known)


def _html(shell: InteractiveShell) -> Any:  # noqa: ANN401 - IPython's types do not say what it is
    formatter: Any = shell.display_formatter
    return formatter.formatters["text/html"]
