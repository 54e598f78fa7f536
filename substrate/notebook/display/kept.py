"""What was saved, forgotten, proven, and what contradicts; the store itself. As HTML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from substrate.notebook.display.markup import Child, badge, facts, footer, h, name, stored, table, when
from substrate.notebook.display.style import page
from substrate.notebook.wording import counted

if TYPE_CHECKING:
    from substrate.engine.memory import Memory
    from substrate.model import Conflicts, Forgot, Saved
    from substrate.notebook.status import Status
    from substrate.proof.bundle import Bundle
    from substrate.proof.head import Head, Pin
    from substrate.proof.note import VerifierKey
    from substrate.proof.verify import Verdict

__all__ = ["bundle", "conflicts", "forgot", "key", "memory", "pin", "saved", "status", "verdict"]

_SHOWN = 20


def saved(result: Saved) -> str:
    """What became of each item."""
    groups = {
        "recorded": result.recorded,
        "said again": result.confirmed,
        "out of use": result.tombstoned,
        "not there yet": result.dangling,
    }
    changed = len(result.recorded) + len(result.tombstoned) + len(result.edges) + len(result.unedged)
    edges = [f"{len(result.edges):,} stated"] if result.edges else []
    edges += [f"{len(result.unedged):,} taken back"] if result.unedged else []
    clashes: Child = [
        h("div", badge("conflict"), name(one.first), " / ", name(one.second), ": ", h("bdi", one.reason))
        for one in result.conflicts[:_SHOWN]
    ]
    refused: Child = [
        h("div", badge("refused", "bad"), h("bdi", f"{one.item}: {one.reason}")) for one in result.refused
    ]
    return page(
        f"saved {counted(changed, 'change')}" if changed else "nothing new: it was said before",
        facts({**{word: _names(names) for word, names in groups.items()}, "edges": ", ".join(edges)}),
        clashes,
        refused,
        footer("to settle a conflict: %memory resolve FIRST SECOND [--keep NAME]" if result.conflicts else ""),
        beside=f"log of {counted(result.head.head.size, 'entry', 'entries')}, root {result.head.head.root.hex()[:12]}",
    )


def _names(names: tuple[str, ...]) -> Child:
    if not names:
        return None
    more = f" … and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return [[[", " if at else "", name(one)] for at, one in enumerate(names[:_SHOWN])], more]


def forgot(result: Forgot) -> str:
    """What was erased, or would be."""
    counts = ("atoms", "versions", "edges", "traces", "sessions", "trainings")
    lasts = "backups and exports made before still hold it; they are yours to delete"
    owed = "the bytes are still in the store's file, since others were reading: memory.compact() takes them out"
    found = any(getattr(result, word) for word in counts) or result.tombstoned
    done = "would be erased" if result.dry_run else "erased for good"
    return page(
        done if found else "there is nothing to erase",
        facts(
            {
                **{word: f"{getattr(result, word):,}" for word in counts if getattr(result, word)},
                "out of use": _names(result.tombstoned),
                "still named in the code of": _names(result.mentioned_by),
                "forget entries": ", ".join(map(str, result.seqs[:_SHOWN])),
            }
        ),
        footer("" if result.dry_run else lasts, owed if not (result.dry_run or result.compacted) else ""),
        beside=badge("dry run", "plain") if result.dry_run else None,
    )


def conflicts(result: Conflicts) -> str:
    """Pairs that contradict each other, side by side."""
    rows = [
        [
            [h("div", name(one.first.name)), stored(one.first.value)],
            [h("div", name(one.second.name)), stored(one.second.value)],
            h("bdi", one.reason),
            when(one.found_at),
        ]
        for one in result.items[:_SHOWN]
    ]
    left = len(result.items) - _SHOWN
    return page(
        counted(len(result.items), "open conflict") if result.items else "there are no open conflicts",
        table(("first", "second", "why", "found"), rows),
        footer(
            f"… {left:,} more: .to_df() has all" if left > 0 else "",
            "there is more: --offset" if result.more else "",
            "to settle one: %memory resolve FIRST SECOND [--keep NAME]" if result.items else "",
        ),
    )


# -- the store ---------------------------------------------------------------------------------------------------------


def status(result: Status) -> str:
    """Which store, by whom, and how much it holds."""
    return page("status", facts({label: h("bdi", said) for label, said in result.facts()}))


def memory(result: Memory) -> str:
    """An open store: how much it holds, if it still is open."""
    from substrate.errors import SubstrateError  # noqa: PLC0415 - only here

    try:
        stats = result.stats()
    except SubstrateError as error:
        return page("a store", h("div", h("bdi", str(error))))
    types = ", ".join(f"{count:,} {word}" for word, count in sorted(stats.types.items(), key=lambda one: -one[1]))
    return page(
        "an open store",
        facts(
            {
                "folder": h("bdi", str(result)[len("<Memory ") : -1]),
                "atoms": f"{stats.atoms:,}" + (f": {types}" if types else ""),
                "edges": f"{stats.edges:,}",
                "log": f"{counted(stats.entries, 'entry', 'entries')}, origin {stats.origin}",
            }
        ),
        footer("to begin: %memory checkpoint v1.fact.x = what you know" if not stats.atoms else ""),
    )


# -- proofs ------------------------------------------------------------------------------------------------------------


def bundle(result: Bundle) -> str:
    """What is claimed, and by what it is shown."""
    origin, size = [*result.head.split("\n"), ""][:2]
    proven = result.entry
    return page(
        [badge(f"proof: {result.claim}", "plain"), name(result.name) if result.name is not None else None],
        facts(
            {
                "value": _value(None if result.opening is None else result.opening.body.decode("utf-8", "replace")),
                "entry": f"{proven.seq}, {counted(len(proven.path), 'hash', 'hashes')} to the root" if proven else None,
                "map": f"{counted(len(result.map.path), 'hash', 'hashes')} to the root" if result.map else None,
                "since": f"size {result.since.size:,}" if result.since else None,
                "head": f"{origin} at size {size}",
            }
        ),
        footer("a claim, not checked yet: %memory verify _", "the file's text: str(_)"),
    )


def verdict(result: Verdict) -> str:
    """What was established, and on whose word."""
    word = badge("verified", "good") if result.trusted else badge("consistent, origin untrusted")
    return page(
        [word, f"{result.claim} ", name(result.name) if result.name is not None else None],
        facts(
            {
                "value": _value(result.body),
                "entry": None if result.seq is None else str(result.seq),
                "contains": None if result.since is None else f"the first {result.since.size:,} entries, unchanged",
                "head": _head(result.head),
            }
        ),
        footer("" if result.trusted else "anyone could have made it: give --key or --pin"),
    )


def pin(result: Pin) -> str:
    """A head to be kept."""
    said = {"head": _head(result.head), "key": h("bdi", str(result.key), css="ss-name")}
    return page("pin", facts(said), footer("keep it where the store's owner cannot change it: str(_), or -o FILE"))


def key(result: VerifierKey) -> str:
    """A key, to be copied."""
    return page("verifier key", h("div", h("bdi", str(result), css="ss-name")))


def _head(head: Head) -> Child:
    root = h("span", head.root.hex()[:16], css="ss-name", title=head.root.hex())
    return [h("bdi", head.origin), f" at size {head.size:,}, root ", root]


def _value(body: str | None) -> Child:
    """The value in a body; None if there is none. What cannot be read is not shown: a proof may be of anyone."""
    try:
        said = json.loads(body) if body is not None else None
    except (ValueError, RecursionError):
        return None
    value = said.get("value") if isinstance(said, dict) else None
    return stored(value) if isinstance(value, str) else None
