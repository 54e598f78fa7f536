"""All verbs of `%memory`, in the order in which help lists them. A new verb is a function, and a line here."""

from __future__ import annotations

from types import MappingProxyType

from substrate.notebook.verb import Verb
from substrate.notebook.verbs import caring, finding, judging, learning, opening, proving, reading, saving, tracing

__all__ = ["GROUPS", "VERBS", "table"]

GROUPS = {
    "store": "Which store",
    "save": "Save",
    "read": "Read",
    "find": "Find",
    "learn": "Learn and predict",
    "judge": "Judge",
    "prove": "Prove",
    "care": "Forget",
}

_ALL = (
    opening.open_store,
    opening.status,
    saving.checkpoint,
    tracing.record,
    reading.access,
    reading.list_atoms,
    reading.edges,
    reading.history,
    reading.diff,
    tracing.why,
    finding.search,
    finding.context,
    finding.associate,
    finding.explore,
    learning.bootstrap,
    learning.train,
    learning.predict,
    tracing.watch,
    judging.conflicts,
    judging.resolve,
    proving.prove,
    proving.verify,
    proving.pin,
    proving.key,
    caring.forget,
)

VERBS: MappingProxyType[str, Verb] = MappingProxyType({verb.name: verb for verb in _ALL})


def table() -> str:
    """Every verb with what it does, as `%memory?` shows it."""
    lines = ["`%memory VERB ...` works with the store of this notebook's folder.", ""]
    for group, title in GROUPS.items():
        verbs = [verb for verb in _ALL if verb.group == group]
        if verbs:
            lines += [f"{title}:", *(f"  {verb.name:<11} {verb.summary}" for verb in verbs), ""]
    lines += [
        "`%memory VERB --help` explains one. Results are objects: `found = %memory search ...`, or `_` afterwards.",
        "To begin: `%memory open PATH`, then `%memory checkpoint v1.fact.x = what you know`.",
    ]
    return "\n".join(lines)
