"""The verb that erases: forget."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.errors import InputError
from substrate.notebook.desk import Desk
from substrate.notebook.given import seqs
from substrate.notebook.verb import argument, verb
from substrate.notebook.wording import counted

if TYPE_CHECKING:
    from substrate.engine.memory import Memory
    from substrate.model import Forgot

__all__ = ["forget"]


@verb("forget", "care", "%memory forget v1.fact.home_address", "%memory forget --source form --dry-run")
@argument("names", nargs="*", metavar="NAME", complete="name", help="names or ids of atoms")
@argument("--source", metavar="TEXT", help="what came from this source")
@argument("--actor", metavar="TEXT", help="what this actor said")
@argument("--session", metavar="TEXT", help="what was said in this session")
@argument("--seqs", metavar="START:STOP", type=seqs, help="what these entries said, STOP not included")
@argument("--dry-run", action="store_true", help="count, and change nothing")
@argument("--yes", action="store_true", help="do it, without asking")
def forget(desk: Desk, given: Namespace, _: str | None) -> Forgot | None:
    """Erase atoms for good, and provably so. It asks first.

    By name everything of an atom goes: versions, edges, what was learnt from its use. The log keeps that something was
    there. Backups and exports made before still hold it. To take an atom out of use and keep its history, write
    `%memory checkpoint - NAME`.
    """
    by = [bool(given.names), *(getattr(given, name) is not None for name in ("source", "actor", "session", "seqs"))]
    if sum(by) != 1:
        raise InputError("say what to forget, by one of: NAME ..., --source, --actor, --session, --seqs")
    memory = desk.memory()
    if given.dry_run:
        return _call(memory, given, dry_run=True)
    if not given.yes and not desk.agreed(_question(_call(memory, given, dry_run=True))):
        desk.say("nothing was forgotten")
        return None
    return _call(memory, given, dry_run=False)


def _call(memory: Memory, given: Namespace, *, dry_run: bool) -> Forgot:
    return memory.forget(
        given.names,
        source=given.source,
        actor=given.actor,
        session=given.session,
        seqs=given.seqs,
        dry_run=dry_run,
    )


def _question(would: Forgot) -> str:
    counts = {
        "atom": would.atoms,
        "version": would.versions,
        "edge": would.edges,
        "trace": would.traces,
        "session": would.sessions,
        "training": would.trainings,
    }
    said = ", ".join(counted(count, what) for what, count in counts.items() if count)
    left = (
        f" {counted(len(would.tombstoned), 'more atom goes', 'more atoms go')} out of use." if would.tombstoned else ""
    )
    named = ", ".join(would.mentioned_by)
    stays = f" In the recorded code of {named} the name stays: forget that too if it must go." if named else ""
    return f"This erases for good: {said}.{left}{stays} There is no undo."
