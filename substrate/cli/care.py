"""The verbs that care for a store: forget, stats, fsck, rebuild, compact."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

import substrate
from substrate.cli.answer import Answer, Facts
from substrate.cli.exits import Exit
from substrate.cli.inputs import parse_seqs
from substrate.cli.output import Output
from substrate.cli.stores import missing_store_explained, reading, store_path, writing
from substrate.cli.verb import Example, Verb, argument, flag, option
from substrate.errors import InputError

if TYPE_CHECKING:
    from substrate.engine.memory import Memory
    from substrate.engine.progress import Progress
    from substrate.model import Forgot

__all__ = ["COMPACT", "FORGET", "FSCK", "REBUILD", "STATS"]


# -- forget ------------------------------------------------------------------------------------------------------


def _forget(given: Namespace, output: Output) -> Answer:
    by = [bool(given.names), *(getattr(given, name) is not None for name in ("source", "actor", "session", "seqs"))]
    if sum(by) != 1:
        raise InputError("say what to forget, by one of: NAME ..., --source, --actor, --session, --seqs")
    if given.dry_run or not given.yes:
        with reading(given) as memory:
            would = _forgot(_call(memory, given, dry_run=True), ())
        if given.dry_run:
            return would
        if not output.can_ask:
            output.show(would)
            raise InputError("nothing was forgotten yet: what was printed is what would be. To do it, say --yes")
        output.show(would)
        if not output.agreed("Forgetting is for good: no history, no backup of this store's own, no undo."):
            return Answer(hints=("nothing was forgotten",), exit=Exit.INTERRUPTED)
    with writing(given) as memory, output.progress("forgetting") as progress:
        done = _call(memory, given, progress=progress)
    hints = ["backups and exports made before still hold it; they are yours to delete"]
    if not done.compacted:
        hints.append("the bytes are still in the store's file, since others were reading: run substrate compact")
    return _forgot(done, tuple(hints))


def _call(memory: Memory, given: Namespace, *, dry_run: bool = False, progress: Progress | None = None) -> Forgot:
    return memory.forget(
        given.names,
        source=given.source,
        actor=given.actor,
        session=given.session,
        seqs=given.seqs,
        dry_run=dry_run,
        progress=progress,
    )


def _forgot(forgot: Forgot, hints: tuple[str, ...]) -> Answer:
    facts = [
        ("would forget atoms" if forgot.dry_run else "forgot atoms", forgot.atoms),
        ("versions", forgot.versions),
        ("edges", forgot.edges),
        ("traces", forgot.traces),
        ("sessions", forgot.sessions or None),
        ("trainings", forgot.trainings or None),
        *(("tombstoned", name) for name in forgot.tombstoned),
        *(("still named in the recorded code of", name) for name in forgot.mentioned_by),
        ("forget entries", ", ".join(map(str, forgot.seqs)) or None),
    ]
    partial = not (forgot.dry_run or forgot.compacted)
    return Answer(
        forgot.to_dict(),
        (Facts(facts, "doubt" if partial or forgot.dry_run else "good"),),
        hints,
        is_report=not forgot.dry_run,
        exit=Exit.PARTIAL if partial else Exit.OK,
    )


FORGET = Verb(
    "forget",
    "care",
    "Erase atoms for good, and provably so.",
    "By name, everything of an atom goes: all versions, its edges, what was learnt from its use. By source, actor, "
    "session or seqs, the versions and edges that match go. Without --yes it only counts, and then asks if there is a "
    "terminal. The log keeps that something was there and that it was forgotten; all other proofs stay valid. To take "
    "an atom out of use and keep its history, use checkpoint --tombstone instead. Exit code 12: forgotten, but "
    "readers kept the file from being rewritten; run compact later.",
    (
        Example('substrate checkpoint "v1.fact.home_address = 1 Main Street" --source form', "something to forget"),
        Example("substrate forget --source form --dry-run", "counts, and changes nothing"),
        Example("substrate forget v1.fact.home_address --yes", "erases it"),
        Example(
            "substrate access v1.fact.home_address --proof forgotten.json", "gone; the proof says so", Exit.FORGOTTEN
        ),
    ),
    (
        argument("names", "names or ids of atoms", metavar="NAME", nargs="*", default=(), complete="name"),
        option("--source", metavar="TEXT", help="what came from this source"),
        option("--actor", metavar="TEXT", help="what this actor said"),
        option("--session", metavar="TEXT", help="what was said in this session"),
        option("--seqs", metavar="START:STOP", parse=parse_seqs, help="what these entries said, STOP not included"),
        flag("--dry-run", help="count, and change nothing"),
        flag("--yes", help="do it, without asking"),
    ),
    _forget,
)


# -- stats, fsck, rebuild, compact -------------------------------------------------------------------------------


def _stats(given: Namespace, _: Output) -> Answer:
    with reading(given) as memory:
        stats = memory.stats()
    types = sorted(stats.types.items(), key=lambda item: (-item[1], item[0]))
    facts = [
        ("store", store_path(given)),
        ("origin", stats.origin),
        ("atoms", stats.atoms),
        *((f"of type {name}", count) for name, count in types),
        ("tombstoned", stats.tombstoned),
        ("forgotten", stats.forgotten),
        ("edges", stats.edges),
        ("dangling", stats.dangling),
        ("sessions learnt", stats.sessions),
        ("trainings learnt", stats.trainings),
        ("entries", stats.entries),
        ("heads", stats.heads),
        ("bytes", stats.bytes),
    ]
    return Answer({"store": str(store_path(given)), "types": {}, **stats.to_dict()}, (Facts(facts),))


STATS = Verb(
    "stats",
    "care",
    "Show how much the store holds.",
    "Atoms in use, out of use and forgotten, edges, entries, bytes, the atoms of each type, and how many sessions and "
    "trainings were learnt.",
    (Example("substrate stats", "the numbers"), Example("substrate stats --json", "the same for programs")),
    (),
    _stats,
)


def _fsck(given: Namespace, output: Output) -> Answer:
    path = store_path(given)
    with output.progress("checking") as progress, missing_store_explained(given):
        report = substrate.fsck(path, progress=progress)
    document = {"store": str(path), "ok": report.ok, "entries": report.entries, "heads": report.heads}
    if report.damage is None:
        facts = [("no damage", path), ("entries", report.entries), ("heads", report.heads)]
        return Answer({**document, "damage": None}, (Facts(facts, "good"),), is_report=True)
    facts = [("damage", report.damage), ("store", path)]
    return Answer(
        {**document, "damage": report.damage},
        (Facts(facts, "bad"),),
        ("do not write to it; if substrate rebuild does not mend it, restore a backup",),
        is_report=True,
        exit=Exit.REJECTED,
    )


FSCK = Verb(
    "fsck",
    "care",
    "Check everything in the store against the log and its signatures.",
    "Whatever follows from the log is worked out anew and compared; the first damage is named. Nothing is changed. "
    "What it cannot see is a log that its key-holder wrote anew as a whole: pins show that.",
    (
        Example("substrate fsck", "exit code 0: no damage; 1: damage"),
        Example("substrate fsck --quiet && echo sound", "for scripts"),
    ),
    (),
    _fsck,
)


def _rebuild(given: Namespace, output: Output) -> Answer:
    # Not through an open store: what is to be mended may be what keeps it from being opened.
    with output.progress("rebuilding") as progress, missing_store_explained(given):
        substrate.rebuild(store_path(given), progress=progress)
    with reading(given) as memory:
        size = memory.head().head.size
    return Answer(
        {"rebuilt": True, "entries": size}, (Facts([("rebuilt", f"from {size:,} entries")], "good"),), is_report=True
    )


REBUILD = Verb(
    "rebuild",
    "care",
    "Make every table that follows from the log anew.",
    "It is made beside the store and put in its place when it is whole; others go on reading meanwhile. It mends what "
    "is wrong in such a table, even if the store cannot be opened because of it; not what is wrong in the log itself.",
    (Example("substrate rebuild", "makes them anew"), Example("substrate rebuild --json", "the same for programs")),
    (),
    _rebuild,
)


def _compact(given: Namespace, output: Output) -> Answer:
    with writing(given) as memory, output.progress("compacting"):
        memory.compact()
        size = memory.stats().bytes
    return Answer(
        {"compacted": True, "bytes": size}, (Facts([("compacted", f"to {size:,} bytes")], "good"),), is_report=True
    )


COMPACT = Verb(
    "compact",
    "care",
    "Rewrite the store's file without what is free in it.",
    "What was erased is gone from the file after it. forget does it by itself, unless readers did not let go in time.",
    (Example("substrate compact", "rewrites the file"), Example("substrate compact --json", "the same for programs")),
    (),
    _compact,
)
