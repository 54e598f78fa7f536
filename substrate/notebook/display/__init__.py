"""Rich display: results as HTML, where a notebook shows them. The plain repr, for terminals, is the results' own.

Types are registered by name, so that nothing of the engine is loaded before one of its results is there.

atoms       atoms, their versions, changes and edges
search      hits of a search
entities    entities, and the names in a text
relations   what surrounds atoms, and what is to be reviewed
learning    predictions, trainings, and the context of a new session
fading      how far atoms have faded, and what was touched, swept and promoted
garden      what a gardener did, its runs, and edges that look spurious
conflicts   atoms that contradict each other
pending     what waits for a person
saved       what was saved and what was forgotten
documents   a document, and what ingesting came to
sources     a recorded cell, and the atoms that an atom comes from
proofs      proofs, pins, keys and verdicts
growth      how the log grew
store       a memory, its status, and its encrypted domains
markup      HTML that stored text cannot break out of
style       the frame of an output, and the one style sheet
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from substrate.notebook.display import (
    atoms,
    conflicts,
    documents,
    entities,
    fading,
    garden,
    growth,
    learning,
    pending,
    proofs,
    relations,
    saved,
    search,
    sources,
    store,
)

__all__ = ["SHOWN", "register", "unregister"]

SHOWN: Mapping[tuple[str, str], Callable[[Any], str]] = MappingProxyType(
    {
        ("substrate.memory", "Memory"): store.memory,
        ("substrate.policy", "DomainTiers"): store.tiers,
        ("substrate.values.relations", "Associations"): relations.associations,
        ("substrate.values.relations", "Context"): relations.context,
        ("substrate.values.relations", "Groups"): relations.groups,
        ("substrate.values.relations", "Merged"): relations.merged,
        ("substrate.values.relations", "PathFound"): relations.path,
        ("substrate.values.review.pending", "Accepted"): pending.accepted,
        ("substrate.values.review.pending", "Declined"): pending.declined,
        ("substrate.values.review.pending", "Proposals"): pending.proposals,
        ("substrate.values.review.garden", "Tended"): garden.tended,
        ("substrate.values.review.garden", "Tending"): garden.tending,
        ("substrate.values.review.garden", "Pruned"): garden.pruned,
        ("substrate.values.review.fading", "FadingAtoms"): fading.fading,
        ("substrate.values.review.fading", "FadingCurve"): fading.curve,
        ("substrate.values.review.fading", "Promoted"): fading.promoted,
        ("substrate.values.review.fading", "Swept"): fading.swept,
        ("substrate.values.review.fading", "Touched"): fading.touched,
        ("substrate.values.review.encryption", "Encrypted"): store.encryption,
        ("substrate.values.review.encryption", "Unlocked"): store.encryption,
        ("substrate.values.review.encryption", "Locked"): store.encryption,
        ("substrate.values.hits", "Found"): search.found,
        ("substrate.values.hits", "Matches"): search.matches,
        ("substrate.values.review.stale", "StaleAtoms"): relations.stale,
        ("substrate.values.entities", "EntityPage"): entities.directory,
        ("substrate.values.entities", "ExtractedEntities"): entities.extracted,
        ("substrate.values.growth", "Diff"): atoms.diff,
        ("substrate.values.growth", "Growth"): growth.growth,
        ("substrate.values.growth", "Heads"): growth.heads,
        ("substrate.values.predictions", "Predictions"): learning.predictions,
        ("substrate.values.predictions", "Trained"): learning.trained,
        ("substrate.values.atoms", "Access"): atoms.access,
        ("substrate.values.atoms", "Atom"): atoms.atom,
        ("substrate.values.conflicts", "Conflicts"): conflicts.conflicts,
        ("substrate.values.documents", "Document"): documents.document,
        ("substrate.values.documents", "Ingested"): documents.ingested,
        ("substrate.values.edges", "Edges"): atoms.edges,
        ("substrate.values.saved", "Forgot"): saved.forgot,
        ("substrate.values.atoms", "History"): atoms.history,
        ("substrate.values.atoms", "Listing"): atoms.listing,
        ("substrate.values.saved", "Remembered"): saved.remembered,
        ("substrate.values.saved", "Saved"): saved.saved,
        ("substrate.values.saved", "Undone"): saved.undone,
        ("substrate.notebook.provenance.record", "Recorded"): sources.recorded,
        ("substrate.notebook.status", "Status"): store.status,
        ("substrate.notebook.provenance.sources", "Trail"): sources.trail,
        ("substrate.values.opening", "Opening"): learning.opening,
        ("substrate.proof.bundle", "Bundle"): proofs.bundle,
        ("substrate.proof.head", "Pin"): proofs.pin,
        ("substrate.proof.note", "VerifierKey"): proofs.key,
        ("substrate.proof.verify", "Verdict"): proofs.verdict,
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
