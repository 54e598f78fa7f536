"""What fades and what stays: touch, fading, due, sweep, promote."""

from __future__ import annotations

from dataclasses import replace

from substrate.commands.command import Command, Example, flag, option
from substrate.commands.options import AS_OF, NAME, NAMES, OFFSET, limit
from substrate.commands.readers import number

__all__ = ["DUE", "FADING", "PROMOTE", "SWEEP", "TOUCH"]

MODELS = ("power_law", "exponential", "two_component")
ORDERS = ("faded", "present", "recent", "due")
STATUSES = ("active", "promoted", "archived", "all")

TOUCH = Command(
    "touch",
    "fade",
    "Say that atoms were used, so that they fade later.",
    "Each touch is kept with its time, so scores of any past moment stay exact. It counts as an access.",
    (
        Example("substrate touch v1.fact.currency", "its score before and after"),
        Example("substrate touch v1.fact.currency v1.decision.ledger --boost", "and makes both stronger"),
        Example("%memory touch v1.fact.currency --boost"),
    ),
    (NAMES, flag("--boost", help="also make them stronger, by 0.1 up to 2")),
    as_agent=False,
)

FADING = Command(
    "fading",
    "fade",
    "Show how far atoms have faded, or choose how they fade.",
    "The score of an atom falls with the time since it was last touched. It rises with its touches and its strength. "
    "With --model or --half-life, the choice holds for the whole store and for everyone who has it open.",
    (
        Example("substrate fading --limit 5", "the five that have faded most"),
        Example("substrate fading v1.fact.currency --json", "one atom, for programs"),
        Example("substrate fading --model power_law --half-life 3d", "chooses how atoms of this store fade"),
        Example("%memory fading --order present"),
        Example("%memory fading --model exponential --half-life 36h"),
    ),
    (
        NAMES,
        option("--model", metavar="MODEL", choices=MODELS, help="choose the model of the store"),
        option("--half-life", metavar="TIME", help="choose after how long a score is half: 3d, 36h, 90m"),
        option("--status", metavar="STATUS", choices=STATUSES, help="only these (default: active and promoted)"),
        option("--order", metavar="ORDER", choices=ORDERS, default="faded", help="which come first (default: faded)"),
        AS_OF,
        limit(20, most=1000),
        OFFSET,
    ),
)

DUE = Command(
    "due",
    "fade",
    "List atoms that a review helps most now.",
    "Their score is between 0.15 and 0.35: they are about to fade. Touch the ones that still matter.",
    (
        Example("substrate due", "the most helpful review first"),
        Example("substrate due --limit 5 --json", "at most five, as JSON"),
        Example("%memory due --limit 5"),
    ),
    (limit(20, most=1000), OFFSET),
)

SWEEP = Command(
    "sweep",
    "fade",
    "Take faded notes out of use. Nothing is erased.",
    "Only notes that agents saved through the surface cortexgraph, with a score below 0.05, and never promoted ones. "
    "Their history stays. Without --yes it only shows what would go.",
    (
        Example("substrate sweep", "shows what would go"),
        Example("substrate sweep --archive --yes", "puts them away; fading --status archived lists them"),
        Example("%memory sweep"),
    ),
    (
        flag("--archive", help="put them away: they are still listed by that status"),
        option("--limit", metavar="N", read=number, help="maximum number of notes, up to 10,000"),
        flag("--yes", help="do it"),
    ),
)

PROMOTE = Command(
    "promote",
    "fade",
    "Keep a note for good: write it to a vault as Markdown.",
    "The note goes into the folder `promoted` of the vault, such as an Obsidian vault. No file there is replaced. "
    "Without NAME, every note of the surface cortexgraph that is worth it is promoted. A promoted note is never swept.",
    (
        Example("substrate promote v1.fact.currency --vault . --force", "writes one note below this folder"),
        Example("substrate promote --vault . --dry-run", "shows which notes are worth it"),
        Example("%memory promote --vault . --dry-run"),
    ),
    (
        replace(NAME, nargs="?"),
        option("--vault", metavar="FOLDER", complete="folder", help="the folder of the vault"),
        flag("--force", help="also if it is not worth it yet"),
        flag("--dry-run", help="show, and change nothing"),
    ),
)
