"""The verb train: learn a sequence on someone's word. It is logged, and weighs as one session of several passes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from substrate.atoms.domains import domain_of
from substrate.atoms.links import is_live
from substrate.atoms.resolve import name_of, read_end
from substrate.errors import InputError, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.learn.write_sessions import find_items
from substrate.limits import LIMITS, check_size
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.messages import ATOMS, Arg
from substrate.values.predictions import Trained
from substrate.values.saved import Refused
from substrate.views.learned.sessions import HOLE, Heard, draft_training

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
        raise SchemaInvalid(Arg("atoms"), " is a list of names or ids: put a single one into brackets")
    if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
        raise InputError(Arg("passes"), f" is a whole number from 1 to {_MOST}")
    names = [read_end(name, "an atom") for name in islice(atoms, LIMITS["checkpoint_items"] + 1)]
    check_size(Arg("atoms"), len(names), "checkpoint_items", "names")
    if not names:
        raise InputError("nothing to train: give the names of ", ATOMS, ", in the order in which they are needed")
    weight = min(passes, _MOST)
    skipped: list[Refused] = []
    learnt: list[str] = []

    def plan(transaction: ReadTransaction, _: int) -> Decision:
        found = [item for item in find_items(transaction, names, Arg("atoms"), skipped) if item != HOLE]
        learnt.extend(name_of(transaction, item) or item.hex() for item in found)
        of = domain_of(transaction, domain)
        if not found:
            return Decision()
        # It may have been taken out of use since it was accessed.
        alone = (
            after
            if len(found) == 1 and after != found[0] and after is not None and is_live(transaction, after, None)
            else None
        )
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
