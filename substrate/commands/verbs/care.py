"""Care for the store: forget, stats, fsck, rebuild, compact."""

from __future__ import annotations

from argparse import Namespace

from substrate.commands.command import Command, Example, Face, flag, option
from substrate.commands.options import NAMES
from substrate.commands.readers import seqs
from substrate.errors import InputError

__all__ = ["COMPACT", "FORGET", "FSCK", "REBUILD", "STATS", "check_one_selection"]


def check_one_selection(given: Namespace) -> None:
    """InputError unless what to forget is said in just one way."""
    words = ("whole", "source", "actor", "session", "seqs")
    if bool(given.names) + sum(getattr(given, word) is not None for word in words) != 1:
        raise InputError("say what to forget, by one of: NAME ..., --whole, --source, --actor, --session, --seqs")


FORGET = Command(
    "forget",
    "care",
    "Erase atoms for good, and provably so.",
    "By name, everything of an atom goes: all versions, its edges, what was learnt from its use. An edge goes by its "
    "id, and so does a damaged entry that fsck names. By source, actor, session or seqs, the versions and edges that "
    "match go. The log keeps that something was there and that it was forgotten; all other "
    "proofs stay valid. Backups and exports made before still hold it.",
    (
        Example('substrate checkpoint "v1.fact.home_address = 1 Main Street" --source form', "something to forget"),
        Example("substrate forget --source form --dry-run", "counts, and changes nothing"),
        Example("substrate forget v1.fact.home_address --yes", "erases it"),
        Example("substrate access v1.fact.home_address --proof forgotten.json", "gone; the proof says so", exit=5),
        Example("%memory forget v1.fact.home_address"),
        Example("%memory forget --source form --dry-run"),
    ),
    (
        NAMES,
        option("--whole", metavar="NAME", help="a document with all its chunks, in all versions", complete="name"),
        option("--source", metavar="TEXT", help="what came from this source"),
        option("--actor", metavar="TEXT", help="what this actor said"),
        option("--session", metavar="TEXT", help="what was said in this session"),
        option("--seqs", metavar="START:STOP", read=seqs, help="what these entries said, STOP not included"),
        flag("--dry-run", help="count, and change nothing"),
        flag("--yes", help="do it, without asking"),
    ),
    about_cli="Without --yes it only counts, and then asks if there is a terminal. To take an atom out of use and keep "
    "its history, use checkpoint --tombstone instead. Exit code 12: forgotten, but readers kept the file from being "
    "rewritten; run compact later.",
    about_notebook="It asks first. To take an atom out of use and keep its history, write `%memory checkpoint - NAME`.",
)

STATS = Command(
    "stats",
    "care",
    "Show how much the store holds.",
    "Atoms in use, out of use and forgotten, edges, entries, bytes, the atoms of each type, and how many sessions and "
    "trainings were learnt.",
    (Example("substrate stats", "the numbers"), Example("substrate stats --json", "the same for programs")),
    only=Face.CLI,
)

FSCK = Command(
    "fsck",
    "care",
    "Check everything in the store against the log and its signatures.",
    "Whatever follows from the log is worked out again and compared; the first damage is named. Nothing is changed. "
    "It cannot see that the holder of the key rewrote the whole log: pins show that.",
    (
        Example("substrate fsck", "exit code 0: no damage; 1: damage"),
        Example("substrate fsck --quiet && echo sound", "for scripts"),
    ),
    only=Face.CLI,
)

REBUILD = Command(
    "rebuild",
    "care",
    "Rebuild the derived tables from the log.",
    "The new tables are made beside the store and put in its place when they are whole; others go on reading "
    "meanwhile. This mends a derived table, even one that keeps the store from being opened. It does not mend the log.",
    (Example("substrate rebuild", "rebuilds them"), Example("substrate rebuild --json", "the same for programs")),
    only=Face.CLI,
)

COMPACT = Command(
    "compact",
    "care",
    "Rewrite the store's file without what is free in it.",
    "What was erased is gone from the file after it. forget does it by itself, unless readers did not let go in time.",
    (Example("substrate compact", "rewrites the file"), Example("substrate compact --json", "the same for programs")),
    only=Face.CLI,
)
