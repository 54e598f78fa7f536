"""The verbs that care for a store: forget, encrypt, unlock, stats, tier, fsck, rebuild, compact."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

import substrate
from substrate.cli.answer import Answer, Facts, Table
from substrate.cli.exits import Exit
from substrate.cli.output import Output
from substrate.cli.stores import missing_store_explained, passphrase, reading, store_path, writing
from substrate.commands import calls
from substrate.commands.verbs.care import check_one_selection
from substrate.errors import InputError
from substrate.text.quote import in_quotes

if TYPE_CHECKING:
    from substrate.values.review.encryption import Encrypted
    from substrate.values.saved import Forgot

__all__ = ["compact", "encrypt", "forget", "fsck", "rebuild", "stats", "tier", "unlock"]

_NAMED = 20
"""How many of what stays after a forget are named; `--json` has all."""


# -- forget ------------------------------------------------------------------------------------------------------


def forget(given: Namespace, output: Output) -> Answer:
    """Erase atoms, after a count and a question."""
    check_one_selection(given)
    if given.dry_run or not given.yes:
        with reading(given) as memory:
            counted = calls.forget(memory, given, dry_run=True)
            would = _forgot(counted, (), calls.named_in_question(memory, given, counted))
        if given.dry_run:
            return would
        if not output.can_ask:
            output.show(would)
            raise InputError("nothing was erased. Repeat with --yes to erase the above")
        output.show(would)
        if not output.agreed("Forgetting is for good: no history, no backup of this store's own, no undo."):
            return Answer(hints=("nothing was forgotten",), exit=Exit.INTERRUPTED)
    with writing(given) as memory, output.progress("forgetting") as progress:
        done = calls.forget(memory, given, dry_run=False, progress=progress)
    hints = ["older backups and exports still hold it: delete them yourself"]
    if not done.compacted:
        hints.append(
            "the bytes are still in the store's file, because other processes were reading: run substrate compact"
        )
    return _forgot(done, tuple(hints))


def _forgot(forgot: Forgot, hints: tuple[str, ...], named: Sequence[str] = ()) -> Answer:
    facts = [
        ("would forget atoms" if forgot.dry_run else "forgot atoms", forgot.atoms),
        ("versions", forgot.versions),
        ("edges", forgot.edges),
        ("traces", forgot.traces),
        ("sessions", forgot.sessions or None),
        ("trainings", forgot.trainings or None),
        ("models", forgot.models or None),
        *(("tombstoned", in_quotes(name)) for name in forgot.tombstoned),
        *(("still named in the recorded code of", in_quotes(name)) for name in forgot.mentioned_by),
        *(("stays", f"{in_quotes(name)}: {reason}") for name, reason in list(forgot.kept.items())[:_NAMED]),
        ("more stay", len(forgot.kept) - _NAMED if len(forgot.kept) > _NAMED else None),
        *(("still in the vault", in_quotes(path)) for path in forgot.vault_notes),
        *(("to be erased", name) for name in named),
        ("forget entries", calls.in_ranges(forgot.seqs) or None),
    ]
    partial = not (forgot.dry_run or forgot.compacted)
    return Answer(
        forgot.to_dict(),
        (Facts(facts, "doubt" if partial or forgot.dry_run else "good"),),
        hints,
        is_report=not forgot.dry_run,
        exit=Exit.PARTIAL if partial else Exit.OK,
    )


# -- encrypt, unlock ---------------------------------------------------------------------------------------------


def encrypt(given: Namespace, output: Output) -> Answer:
    """Encrypt a domain, after a count and a question."""
    if given.dry_run or not given.yes:
        with reading(given) as memory:
            would = memory.encrypt(given.domain, dry_run=True)
        if given.dry_run:
            return _encrypted(would)
        if would.atoms or would.dropped:
            output.show(_encrypted(would))
            if not output.can_ask:
                raise InputError("nothing was encrypted. Repeat with --yes to encrypt the above")
            if not output.agreed("The text is forgotten for good; without the passphrase nobody can read it again."):
                return Answer(hints=("nothing was encrypted",), exit=Exit.INTERRUPTED)
    secret = passphrase(given, given.domain, new=True)
    with writing(given) as memory, output.progress("encrypting") as progress:
        done = memory.encrypt(given.domain, secret, progress=progress)
    hints = [f"to read or save its atoms, give --unlock {given.domain} to any verb"]
    if done.atoms or done.dropped:
        hints.append("older backups and exports still hold the text: delete them yourself")
    if not done.compacted:
        hints.append("the text is still in the store's file, because other processes read: run substrate compact")
    return _encrypted(done, tuple(hints))


def _encrypted(encrypted: Encrypted, hints: tuple[str, ...] = ()) -> Answer:
    facts = [
        ("would encrypt" if encrypted.dry_run else "encrypted", encrypted.domain),
        ("atoms", encrypted.atoms),
        ("atoms out of use, forgotten", encrypted.dropped or None),
        ("versions as text, forgotten", encrypted.versions),
        ("edges", encrypted.edges),
    ]
    partial = not (encrypted.dry_run or encrypted.compacted)
    return Answer(
        encrypted.to_dict(),
        (Facts(facts, "doubt" if partial or encrypted.dry_run else "good"),),
        hints,
        is_report=not encrypted.dry_run,
        exit=Exit.PARTIAL if partial else Exit.OK,
    )


def unlock(given: Namespace, _: Output) -> Answer:
    """Test the passphrase of a domain, and count what it opens."""
    with reading(given) as memory:
        found = memory.unlock(given.domain, passphrase(given, given.domain))
    facts = [("the passphrase is right", found.domain), ("atoms", found.atoms), ("refused", found.refused or None)]
    facts += [("also saved as text", in_quotes(name)) for name in found.clashes]
    hint = f"nothing stays unlocked after a command: give --unlock {given.domain} to the verb that needs it"
    return Answer(found.to_dict(), (Facts(facts, "good"),), (hint,), is_report=True)


# -- stats, tier, fsck, rebuild, compact -------------------------------------------------------------------------


def stats(given: Namespace, _: Output) -> Answer:
    """Print how much the store holds."""
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


def tier(given: Namespace, _: Output) -> Answer:
    """Show the tiers of domains, or set one."""
    with (reading if given.tier is None else writing)(given) as memory:
        found = calls.tier(memory, given)
    rows = [(one.domain, one.tier, one.max_tokens) for one in found]
    hints = () if rows else ("there are no domains yet",)
    return Answer(found.to_dict(), (Table(("=domain", "=tier", "=tokens per recall"), rows),) if rows else (), hints)


def fsck(given: Namespace, output: Output) -> Answer:
    """Check the whole store."""
    path = store_path(given)
    with output.progress("checking") as progress, missing_store_explained(given):
        report = substrate.fsck(path, progress=progress)
    document = {"store": str(path), "ok": report.ok, "entries": report.entries, "heads": report.heads}
    if report.damage is None:
        facts = [("no damage", path), ("entries", report.entries), ("heads", report.heads)]
        return Answer({**document, "damage": None}, (Facts(facts, "good"),), is_report=True)
    if report.behind:
        # Nothing is broken, so nothing is to be rebuilt: what to type is in the message.
        facts = [("behind", report.damage), ("entries", report.entries), ("heads", report.heads)]
        document = {**document, "damage": report.damage, "behind": True}
        return Answer(document, (Facts(facts, "bad"),), is_report=True, exit=Exit.ROLLED_BACK)
    facts = [("damage", report.damage), ("store", path)]
    if report.misfit:  # its writer can write on; whoever takes a copy of it over cannot
        hint = "while this entry exists, no copy of this store can be restored or imported"
    elif report.damage.endswith("restore the store from a backup") and "rebuild" not in report.damage:
        hint = "do not write to this store"
    else:
        hint = "do not write to this store. Run substrate rebuild; if that does not repair it, restore a backup"
    return Answer(
        {**document, "damage": report.damage},
        (Facts(facts, "bad"),),
        (hint,),
        is_report=True,
        exit=Exit.REJECTED,
    )


def rebuild(given: Namespace, output: Output) -> Answer:
    """Rebuild the derived tables."""
    # Not through an open store: what is to be mended may be what keeps it from being opened.
    with output.progress("rebuilding") as progress, missing_store_explained(given):
        substrate.rebuild(store_path(given), progress=progress)
    with reading(given) as memory:
        size = memory.head().head.size
    return Answer(
        {"rebuilt": True, "entries": size}, (Facts([("rebuilt", f"from {size:,} entries")], "good"),), is_report=True
    )


def compact(given: Namespace, output: Output) -> Answer:
    """Rewrite the store's file."""
    with writing(given) as memory, output.progress("compacting"):
        memory.compact()
        size = memory.stats().bytes
    return Answer(
        {"compacted": True, "bytes": size}, (Facts([("compacted", f"to {size:,} bytes")], "good"),), is_report=True
    )
