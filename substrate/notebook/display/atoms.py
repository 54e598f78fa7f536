"""Atoms, their versions, changes and edges, as HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from substrate.notebook.display.markup import (
    ROWS,
    Child,
    Markup,
    badge,
    bar,
    chip,
    facts,
    footer,
    h,
    name,
    stored,
    table,
    when,
)
from substrate.notebook.display.style import page
from substrate.notebook.provenance.sources import where_in
from substrate.notebook.spelling import counted
from substrate.result import plain

if TYPE_CHECKING:
    from substrate.proof.encoding import Json
    from substrate.values.atoms import Access, Atom, History, Listing, Version
    from substrate.values.edges import Edge, Edges
    from substrate.values.growth import Change, Diff
    from substrate.values.predictions import Prediction

__all__ = ["access", "atom", "cell_code", "diff", "edge_line", "edges", "history", "listing", "prediction_rows"]

_WHOLE = 4000
"""Characters of a value that is shown by itself."""
_CODE = 1000
_KINDS = {"added": "good", "revived": "good", "edge_added": "good", "changed": "warn", "edge_changed": "warn"}


def _more(count: int) -> str:
    return f"… {count - ROWS:,} more: .to_df() has all" if count > ROWS else ""


# -- one atom ----------------------------------------------------------------------------------------------------------


def access(result: Access) -> str:
    """An atom that was read: value, fields, what to review, what comes next, and the proof."""
    proof = (
        None if result.proof is None else [badge(f"proof: {result.proof.claim}", "good"), _head_of(result.proof.head)]
    )
    likely = prediction_rows(result.predictions)
    return page(
        name(result.name),
        h("div", stored(result.value, _WHOLE), css="ss-value"),
        facts(
            {
                "renamed from": name(result.renamed_from) if result.renamed_from is not None else None,
                "to be reviewed": [badge("stale"), stored("; ".join(result.stale))] if result.stale else None,
                **_fields(result.atom),
                "proof": proof,
            }
        ),
        h("div", "probably needed next", css="ss-section") if likely else None,
        table((), likely),
        footer("the proof is .proof; to check it: %memory verify _" if result.proof is not None else ""),
        beside=_state(result.atom),
    )


def atom(result: Atom) -> str:
    """An atom by itself, such as one of a list."""
    value = h("div", stored(result.value, _WHOLE), css="ss-value")
    return page(name(result.name), value, facts(_fields(result)), beside=_state(result))


def _head_of(note: str) -> Markup:
    origin, size = [*note.split("\n"), ""][:2]
    return h("span", f"under the head of {origin} at size {size}", css="ss-faint")


def _fields(atom: Atom) -> dict[str, Child]:
    said = ", ".join(word for word in (atom.actor, atom.origin, atom.session) if word)
    place = atom.attrs.get("notebook")
    notebook = place if isinstance(place, Mapping) else {}
    attrs = "\n".join(f"{key}: {_json(said)}" for key, said in atom.attrs.items() if key != "notebook" or not notebook)
    return {
        "tags": [chip(tag) for tag in atom.tags],
        "entities": [chip(entity) for entity in atom.entities],
        "confidence": None if atom.confidence is None else bar(atom.confidence, f"{atom.confidence:.2f}"),
        "source": stored(atom.source) if atom.source else None,
        "said by": h("bdi", said) if said else None,
        "occurred": when(atom.occurred_at),
        "valid from": when(atom.valid_from),
        "valid to": when(atom.valid_to),
        "superseded by": [name(other) for other in atom.superseded_by],
        "recorded": [when(atom.recorded_at), h("span", f", entry {atom.seq}", css="ss-faint")],
        "confirmed": when(atom.confirmed_at),
        "notebook": [h("bdi", where_in(notebook)), cell_code(notebook)],
        "attrs": stored(attrs) if attrs else None,
    }


def cell_code(notebook: Mapping[str, Json]) -> Child:
    """The code of the cell that something was recorded in, folded away."""
    code, left_out = notebook.get("code"), notebook.get("code_left_out")
    if not isinstance(code, str):
        return h("div", h("bdi", f"its code is not kept: {left_out}"), css="ss-faint") if left_out else None
    return h("details", h("summary", "the cell", css="ss-faint"), h("div", stored(code, _CODE), css="ss-name ss-code"))


def _json(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def _state(atom: Atom) -> Child:
    if atom.damaged is not None:
        return badge(f"damaged: {atom.damaged}", "plain")
    if atom.tombstoned:
        return _tombstoned(atom.reason)
    return badge("superseded", "plain") if atom.superseded_by else None


def _tombstoned(reason: str | None) -> Child:
    return [badge("tombstoned", "plain"), None if reason is None else stored(reason)]


def prediction_rows(predictions: tuple[Prediction, ...]) -> list[list[Child]]:
    """A row for each: how likely, the name, and the parts of the model that say so."""
    return [
        [bar(one.probability, f"{one.probability:.0%}"), name(one.name), h("span", one.why, css="ss-faint")]
        for one in predictions[:ROWS]
    ]


# -- many --------------------------------------------------------------------------------------------------------------


def listing(result: Listing) -> str:
    """A row for each atom."""
    rows = [
        [
            name(one.name),
            [_state(one), _place(one), stored(one.value)],
            [chip(tag) for tag in one.tags],
            when(one.recorded_at),
        ]
        for one in result.items[:ROWS]
    ]
    total = "" if result.total is None or result.total == len(result.items) else f"of {result.total:,}"
    return page(
        counted(len(result.items), "atom") if result.items else "there are no such atoms",
        table(("name", "value", "tags", "recorded"), rows),
        footer(
            _more(len(result.items)),
            f"the next page: --after {result.next}" if result.next else "",
            f"{counted(result.forgotten, 'atom')} of that time have been forgotten since" if result.forgotten else "",
            f"{counted(result.gaps, 'atom')} left out: the version that would answer was erased" if result.gaps else "",
        ),
        beside=total,
    )


def _place(atom: Atom) -> Child:
    """Where a text comes from: the name of a document or chunk is a digest."""
    return chip(atom.source) if atom.origin == "ingested" and atom.source else None


def history(result: History) -> str:
    """A row for each version, the newest last."""
    versions = result.items[-ROWS:]
    left = len(result.items) - len(versions)
    return page(
        counted(len(result.items), "version") if result.items else "there are no such versions",
        table(("entry", "recorded", "by", "value", "holds"), [_version(one) for one in versions]),
        footer(
            f"… {left:,} older: .to_df() has all" if left else "",
            "there are older ones: --limit, or --as-of" if result.more else "",
            *result.remarks,
        ),
    )


def _version(version: Version) -> list[Child]:
    held: Child = None
    if version.atom is not None and (version.atom.valid_from or version.atom.valid_to):
        held = [when(version.atom.valid_from), " to ", when(version.atom.valid_to)]
    if version.taken_back_by is not None:
        held = ["never: undone by entry ", str(version.taken_back_by)]
    said: Child = _tombstoned(version.reason)
    if version.atom is not None:
        said = stored(version.atom.value)
    elif version.forgotten_by is not None:
        said = [badge("forgotten", "bad"), h("span", f"by entry {version.forgotten_by}", css="ss-faint")]
    return [str(version.seq), when(version.recorded_at), h("bdi", version.actor or ""), said, held]


def diff(result: Diff) -> str:
    """A row for each change, with what was said before and after."""
    return page(
        counted(len(result.items), "change") if result.items else "nothing changed",
        table(("change", "name", "before", "after"), [_change(one) for one in result.items[:ROWS]]),
        footer(_more(len(result.items))),
        beside=f"after entry {result.start}, up to entry {result.stop}",
    )


def _change(change: Change) -> list[Child]:
    before, after = change.said_before, change.said_after
    return [
        badge(change.kind.replace("_", " "), _KINDS.get(change.kind, "bad")),
        name(change.name) if change.name else h("span", "(forgotten)", css="ss-faint"),
        None if before is None else h("span", stored(before), css="ss-before" if after is not None else ""),
        None if after is None else stored(after),
    ]


def edges(result: Edges) -> str:
    """A row for each edge."""
    rows = [[edge_line(one, result.titles), _window(one), when(one.recorded_at)] for one in result.items[:ROWS]]
    return page(
        counted(len(result.items), "edge") if result.items else "it has no such edges",
        table(("edge", "holds", "recorded"), rows),
        footer(_more(len(result.items)), "there are more: --offset" if result.more else ""),
    )


def edge_line(edge: Edge, titles: Mapping[str, str]) -> Markup:
    """An edge in a line."""
    loose = badge("dangling", "plain") if edge.dangling else None
    kind = h("span", " —", h("bdi", edge.label or edge.type), "→ ", css="ss-faint")
    return h("span", name(edge.source, titles), kind, name(edge.target, titles), " ", loose)


def _window(edge: Edge) -> Child:
    return [[when(one.start), " to ", when(one.end), " "] for one in edge.windows] or None
