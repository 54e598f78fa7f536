"""The verb train: learn a sequence on someone's word. It is logged, and weighs as one session of several passes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from substrate.engine.intake import read_end
from substrate.engine.observing import domain_of, find_items
from substrate.engine.reading import is_live, name_of
from substrate.errors import InputError, SchemaInvalid, TooLarge
from substrate.kv.api import ReadTransaction
from substrate.learned import Trained
from substrate.limits import LIMITS
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.model import Refused
from substrate.views.sessions import HOLE, Heard, draft_training

__all__ = ["train"]

_MOST: Final = 3


def train(  # noqa: PLR0913
    log: Log,
    atoms: Iterable[str],
    passes: int,
    *,
    objective: str,
    domain: str | None,
    session: str | None,
    actor: str | None,
    after: bytes | None,
) -> Trained:
    """See `Memory.train`. `after` is what was accessed last."""
    if isinstance(atoms, str | bytes) or not isinstance(atoms, Iterable):
        raise SchemaInvalid("atoms is a list of names or ids: put a single one into brackets")
    if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
        raise InputError(f"passes is a whole number from 1 to {_MOST}")
    names = [read_end(name, "an atom") for name in islice(atoms, LIMITS["checkpoint_items"] + 1)]
    if len(names) > LIMITS["checkpoint_items"]:
        raise TooLarge("atoms", len(names), LIMITS["checkpoint_items"], "names")
    if not names:
        raise InputError("nothing to train: give the names of atoms, in the order in which they are needed")
    weight = min(passes, _MOST)
    skipped: list[Refused] = []
    learnt: list[str] = []

    def plan(transaction: ReadTransaction, _: int) -> Decision:
        found = [item for item in find_items(transaction, names, "atoms", skipped) if item != HOLE]
        learnt.extend(name_of(transaction, item) or item.hex() for item in found)
        of = domain_of(transaction, domain)
        if not found:
            return Decision()
        alone = after if len(found) == 1 and after != found[0] and _is_there(transaction, after) else None
        return Decision([draft_training(Heard(tuple(found), 0, of, objective, weight, session, actor, after=alone))])

    appended = log.decide(plan)
    return Trained(
        tuple(learnt),
        weight,
        appended.seqs[0] if appended.seqs else -1,
        objective or None,
        domain,
        tuple(skipped),
        passes if passes > _MOST else None,
    )


def _is_there(transaction: ReadTransaction, subject: bytes | None) -> bool:
    """Whether an atom is in use: it may have been taken out of it since it was accessed."""
    return subject is not None and is_live(transaction, subject, None)
