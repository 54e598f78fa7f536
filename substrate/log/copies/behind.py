"""A store that is behind its high-water mark: an older copy, one that was rolled back, or one that forked.

1. It opens, and every verb that reads answers. It is not written to: nothing is signed, learnt, upgraded or compacted.
2. No proof is made of what is current, tombstoned, forgotten or absent: an old state would pass for the latest. A proof
   that something was recorded, or that a log grew, names its head, and is as true as before. Of a fork, none is made:
   one key must not vouch for two histories.
3. The mark is read before the snapshot it is compared with: one that another process raises meanwhile would seem to be
   ahead of it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from substrate.errors import RolledBack, SubstrateError
from substrate.kv.api import ReadTransaction
from substrate.log.heads import departs, require_head, root_of
from substrate.log.keys.highwater import Mark
from substrate.log.keys.keyring import Keyring
from substrate.log.keys.origin import noted_origin
from substrate.settings import load_settings
from substrate.text.quote import as_word
from substrate.values.behind import Behind

__all__ = ["Remembered"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A store's folder, and the mark that this machine keeps of its log. Compare it with snapshots begun after it."""

    folder: Path
    keyring: Keyring
    mark: Mark | None

    @classmethod
    def of(cls, folder: Path, keyring: Keyring) -> Self:
        """What is remembered now. StoreDamaged if the mark is unreadable."""
        return cls(folder, keyring, keyring.high_water.read())

    def behind(self, transaction: ReadTransaction) -> Behind | None:
        """In which way the log of this snapshot is not the one that is remembered, or a later one; None if it is."""
        mark = self.mark
        if mark is None:
            return None
        head = require_head(transaction).head
        if not departs(transaction, head, mark):
            return None
        known = mark.store or self.keyring.known_store()
        # A mark without a place is of an earlier version: then the last to be opened for writing was not this one.
        ahead = None if known is None or (mark.store is None and known == self.folder) else known
        return Behind(
            store=str(self.folder),
            size=head.size,
            root=root_of(transaction, head, min(mark.size, head.size)).hex(),
            known_size=mark.size,
            known_root=mark.root.hex(),
            forked=mark.size <= head.size,
            ahead=None if ahead is None else str(ahead),
            is_there=ahead is not None and _holds(ahead, head.origin),
            command=_command(self.folder, self.keyring.home),
        )

    def check(self, transaction: ReadTransaction) -> None:
        """RolledBack if the log of this snapshot is behind what is remembered."""
        behind = self.behind(transaction)
        if behind is not None:
            raise RolledBack(str(behind))


def _holds(folder: Path, origin: str) -> bool:
    with suppress(SubstrateError):
        return noted_origin(folder) == origin
    return False


def _command(folder: Path, home: Path) -> str:
    """What to type, in any folder, to have a store of its own made of this one, beside it."""
    number, target = 1, folder.with_name(f"{folder.name}-restored")
    while target.exists() or target.is_symlink():
        number += 1
        target = folder.with_name(f"{folder.name}-restored-{number}")
    keys = "" if home == load_settings().home else f"SUBSTRATE_HOME={as_word(str(home))} "
    return f"{keys}substrate restore {as_word(str(folder))} --store {as_word(str(target))}"
