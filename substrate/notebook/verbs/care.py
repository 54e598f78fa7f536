"""The verb that erases: forget."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.care import FORGET, check_one_selection
from substrate.notebook.spelling import counted
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace
from substrate.text.quote import in_quotes

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.saved import Forgot

__all__ = ["forget"]


@verb(FORGET)
def forget(workspace: Workspace, given: Namespace, _: str | None) -> Forgot | None:
    """Erase atoms, after a count and a question; None if the answer is no."""
    check_one_selection(given)
    memory = workspace.memory()
    if given.dry_run:
        return calls.forget(memory, given, dry_run=True)
    if not given.yes and not workspace.agreed(_question(memory, given)):
        workspace.say("nothing was forgotten")
        return None
    return calls.forget(memory, given, dry_run=False)


def _question(memory: Memory, given: Namespace) -> str:
    would = calls.forget(memory, given, dry_run=True)
    counts = {
        "atom": would.atoms,
        "version": would.versions,
        "edge": would.edges,
        "trace": would.traces,
        "session": would.sessions,
        "training": would.trainings,
        "model": would.models,
    }
    said = ", ".join(counted(count, what) for what, count in counts.items() if count)
    left = (
        f" {counted(len(would.tombstoned), 'more atom goes', 'more atoms go')} out of use." if would.tombstoned else ""
    )
    named = ", ".join(map(in_quotes, would.mentioned_by))
    erased = calls.named_in_question(memory, given, would)
    which = f" ({', '.join(erased)})" if erased else ""
    stays = f" In the recorded code of {named} the name stays: forget that too if it must go." if named else ""
    notes = ", ".join(map(in_quotes, would.vault_notes))
    vault = f" The vault keeps {notes}: delete that yourself if it must go." if notes else ""
    return f"This erases for good: {said}{which}.{left}{stays}{vault} There is no undo."
