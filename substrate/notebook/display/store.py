"""The store itself, as HTML: a memory, and its status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.notebook.display.markup import ROWS, Markup, badge, facts, footer, h, stored, table
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from substrate.memory import Memory
    from substrate.notebook.status import Status
    from substrate.policy import DomainTiers
    from substrate.values.review.encryption import Encrypted, Locked, Unlocked

__all__ = ["encryption", "memory", "status", "tiers"]


def status(result: Status) -> str:
    """Which store, by whom, and how much it holds."""
    return page("status", facts({label: h("bdi", said) for label, said in result.facts()}))


def encryption(result: Encrypted | Unlocked | Locked) -> str:
    """What became of encrypted domains."""
    said = result.to_dict()
    domains = [*getattr(result, "domains", ()), *([said["domain"]] if "domain" in said else [])]
    clashes = getattr(result, "clashes", ())
    counts = {word: f"{count:,}" for word, count in said.items() if type(count) is int and count}
    beside = badge("dry run", "plain") if said.get("dry_run") else None
    return page(
        type(result).__name__.lower(),
        facts({"domain": _names(domains), **counts, **({"also saved as text": _names(clashes)} if clashes else {})}),
        beside=beside,
    )


def _names(listed: Iterable[object]) -> list[Markup]:
    return [h("div", h("bdi", str(name))) for name in listed]


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
                "folder": h("bdi", str(result.to_dict()["store"])),
                **({} if stats.behind is None else {"behind": h("bdi", str(stats.behind))}),
                "atoms": f"{stats.atoms:,}" + (f": {types}" if types else ""),
                "edges": f"{stats.edges:,}",
                "log": f"{counted(stats.entries, 'entry', 'entries')}, origin {stats.origin}",
            }
        ),
        footer("to begin: %memory checkpoint v1.fact.x = what you know" if not stats.atoms else ""),
    )


def tiers(result: DomainTiers) -> str:
    """Domains with their tiers."""
    rows = [
        [stored(one.domain), stored(one.tier), "" if one.max_tokens is None else f"{one.max_tokens:,}"]
        for one in result.items[:ROWS]
    ]
    left = len(result.items) - ROWS
    return page(
        counted(len(result.items), "domain") if result.items else "there are no domains yet",
        table(("domain", "tier", "tokens per recall"), rows),
        footer(f"… {left:,} more: .to_df() has all" if left > 0 else ""),
    )
