"""The verbs that care for a store: forget, encrypt, unlock, lock, tier."""

from __future__ import annotations

import getpass
from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.passphrase import read_passphrase
from substrate.commands.verbs.care import ENCRYPT, FORGET, LOCK, TIER, UNLOCK, check_one_selection
from substrate.notebook.spelling import counted
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace
from substrate.text.quote import in_quotes

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.policy import DomainTiers
    from substrate.values.review.encryption import Encrypted, Locked, Unlocked
    from substrate.values.saved import Forgot

__all__ = ["encrypt", "forget", "lock", "tier", "unlock"]


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


@verb(TIER)
def tier(workspace: Workspace, given: Namespace, _: str | None) -> DomainTiers:
    """The tiers of domains; one of them, after it is set."""
    return calls.tier(workspace.memory(), given)


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


@verb(ENCRYPT)
def encrypt(workspace: Workspace, given: Namespace, _: str | None) -> Encrypted | None:
    """Encrypt a domain, after a count and a question; None if the answer is no."""
    memory = workspace.memory()
    would = memory.encrypt(given.domain, dry_run=True)
    if given.dry_run:
        return would
    if (would.atoms or would.dropped) and not given.yes:
        said = f"{counted(would.atoms, 'atom')} and {counted(would.versions, 'version')} as text"
        if not workspace.agreed(f"This encrypts {would.domain}: {said} are forgotten for good. There is no undo."):
            workspace.say("nothing was encrypted")
            return None
    return memory.encrypt(given.domain, _passphrase(given, new=True))


@verb(UNLOCK)
def unlock(workspace: Workspace, given: Namespace, _: str | None) -> Unlocked:
    """Unlock a domain in this kernel."""
    return workspace.memory().unlock(given.domain, _passphrase(given))


@verb(LOCK)
def lock(workspace: Workspace, given: Namespace, _: str | None) -> Locked:
    """Lock one domain, or all."""
    return workspace.memory().lock(given.domain)


def _passphrase(given: Namespace, *, new: bool = False) -> str:
    # Looked up when it is called: a kernel puts its own function there, which asks in the notebook.
    return read_passphrase(given.passphrase_file, getpass.getpass, given.domain, new=new)
