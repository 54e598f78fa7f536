"""What surrounds atoms, and what is to be reviewed, as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from substrate.notebook.display.atoms import edge_line
from substrate.notebook.display.markup import (
    ROWS,
    Child,
    badge,
    bar,
    footer,
    h,
    name,
    stored,
    table,
)
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.values.relations import (
        Alike,
        Association,
        Associations,
        Context,
        Group,
        Groups,
        Merged,
        PathFound,
        Reached,
    )
    from substrate.values.review.stale import StaleAtoms

__all__ = ["associations", "context", "groups", "merged", "path", "stale"]

_ADVICE = {"merge": "good", "review": "warn", "keep": "plain"}


def associations(result: Associations) -> str:
    """Connections with score, both atoms and the reason."""
    rows = [_association(item) for item in result.items[:ROWS]]
    left = len(result.items) - ROWS
    return page(
        counted(len(result.items), "unexpected connection") if result.items else "no unexpected connection was found",
        table((), rows),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            "to accept one: memory.checkpoint(edges=[found[0].edge])" if result.items else "",
            result.meaning,
            *(f"{gone.name}: {gone.reason}" for gone in result.missing),
        ),
    )


def _association(item: Association) -> list[Child]:
    return [
        bar(item.score, f"{item.score:.2f}"),
        [
            h("div", name(item.source.name), " ~ ", name(item.target.name)),
            h("div", stored(item.target.value)),
            h("div", h("bdi", item.reason, css="ss-faint")),
        ],
    ]


def context(result: Context) -> str:
    """Atoms by distance, the edges between them, and what is used after them."""
    edges = [[edge_line(edge, result.titles)] for edge in result.items[:ROWS]]
    arcs = [[bar(arc.share, f"{arc.share:.0%}"), name(arc.source), "→", name(arc.target)] for arc in result.arcs[:ROWS]]
    left = len(result.items) - ROWS
    asked = sum(one.distance == 0 for one in result.atoms)
    return page(
        f"{counted(len(result.items), 'edge')} around {counted(asked, 'atom')}"
        if result.items
        else "no edges around it",
        table(("away", "atom", "value"), [_reached(atom, result.titles) for atom in result.atoms[:ROWS]]),
        h("div", "edges", css="ss-section") if edges else None,
        table((), edges),
        h("div", "used after", css="ss-section") if arcs else None,
        table((), arcs),
        footer(
            f"… {left:,} more edges: .to_df() has all" if left > 0 else "",
            f"… {len(result.atoms) - ROWS:,} more atoms: .atoms has all" if len(result.atoms) > ROWS else "",
            "there is more: --offset" if result.more else "",
            f"not all edges were followed of: {', '.join(result.cut)}" if result.cut else "",
            *(f"{gone.name}: {gone.reason}" for gone in result.missing),
        ),
    )


def path(result: PathFound) -> str:
    """The edges of a path in order, each from the atom it leaves, with the way it points."""
    rows = [
        [name(here), h("span", "→" if direction == "out" else "←", css="ss-faint"), h("bdi", edge.label or edge.type),
         name(there), "" if edge.confidence is None else f"{edge.confidence:.2f}"]
        for here, direction, edge, there in zip(
            result.atoms, result.directions, result.edges, result.atoms[1:], strict=False
        )
    ]  # fmt: skip
    length = result.length
    return page(
        "no path" if length is None else "the same atom" if length == 0 else f"a path of {counted(length, 'edge')}",
        table(("atom", "", "edge", "leads to", "confidence") if rows else (), rows),
        footer(*result.remarks),
        beside=[name(result.start), " and ", name(result.end)],
    )


def groups(result: Groups) -> str:
    """A card for each group: how alike its members are, what to do with them, and what they say; or pairs."""
    left = result.total - len(result.items) - len(result.pairs)
    what = "pair" if result.pairs else "group"
    shown = len(result.pairs or result.items)
    return page(
        f"{counted(shown, what)} of atoms that say nearly the same" if shown else "no two atoms are that much alike",
        [_group(one) for one in result.items[:ROWS]],
        table((), [_alike(pair) for pair in result.pairs[:ROWS]]),
        footer(
            f"{result.compared:,} atoms were compared",
            f"… {left:,} more: limit=" if left > 0 else "",
            "to see what a merge would say: memory.merge(groups[0].id, dry_run=True)" if result.items else "",
            result.meaning,
        ),
    )


def _group(group: Group) -> Child:
    return h(
        "div",
        h(
            "div",
            bar(group.cohesion, f"{group.cohesion:.2f}"),
            " ",
            badge(group.advice, _ADVICE[group.advice]),
            " ",
            h("span", f"{len(group.members)} atoms, group {group.id}", css="ss-faint"),
            " ",
            badge("by words", "plain") if group.by_words else None,
        ),
        table((), [[name(member.name), stored(member.value)] for member in group.members]),
        css="ss-card",
    )


def _alike(pair: Alike) -> list[Child]:
    return [
        bar(pair.similarity, f"{pair.similarity:.2f}"),
        [h("div", name(one.name), " ", stored(one.value)) for one in (pair.first, pair.second)],
    ]


def merged(result: Merged) -> str:
    """What the one atom says, or would say, and what it was made of."""
    done = "taken back" if result.taken_back else "would be merged" if result.dry_run else "merged"
    rows: list[list[Child]] = [[badge("is in use again" if result.taken_back else "made of", "plain"), name(one)]
                               for one in result.members]  # fmt: skip
    return page(
        f"{counted(len(result.members), 'atom')} {done}",
        None if result.taken_back else h("div", stored(result.value), css="ss-value"),
        table((), rows),
        footer(
            f"tags: {', '.join(result.tags)}" if result.tags else "",
            "" if result.dry_run or result.taken_back else f"to take it back: memory.merge({result.name!r}, back=True)",
        ),
        beside=[name(result.name)],
    )


def stale(result: StaleAtoms) -> str:
    """Atoms to be reviewed, each with what has changed under it."""
    rows = [
        [
            [h("div", name(one.name)), h("div", stored(one.atom.value))],
            [h("div", badge(because.change), h("bdi", because.reason)) for because in one.because],
        ]
        for one in result.items[:ROWS]
    ]
    left = len(result.items) - ROWS
    return page(
        f"{counted(len(result.items), 'atom')} to be reviewed" if result.items else "nothing is to be reviewed",
        table(("atom", "the changed dependencies"), rows),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            f"there is more: after={result.next!r}" if result.next else "",
            "to clear one, save it again, with the same or a new value" if result.items else "",
        ),
    )


def _reached(atom: Reached, titles: Mapping[str, str]) -> list[Child]:
    state = [badge(atom.absent, "plain")] if atom.absent else []
    state += [badge("superseded", "plain")] if atom.superseded_by else []
    state += [badge("to be reviewed")] if atom.stale else []
    return [str(atom.distance), name(atom.name, titles), [state, stored(atom.value)]]
