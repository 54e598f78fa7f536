"""What rules read out of a transcript waits for a person: it has the tag `proposed` until one confirms it.

To confirm it makes a version without the tag, and without the doubt that went with it. Who declines it tombstones it.
An agent that says it again confirms nothing: it may have read it in the opening.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from substrate.atoms.bodies import require_body
from substrate.atoms.load import atom_of, damage_of
from substrate.atoms.resolve import resolve
from substrate.errors import InputError
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.proof.entry import Kind
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.place import Place
from substrate.snapshot import Snapshot
from substrate.text.quote import if_needed
from substrate.values.opening import PROPOSED
from substrate.values.saved import Saved

__all__ = ["confirm", "confirmed_fields"]

_DECLINED = "declined by a person"


def confirmed_fields(tags: Iterable[object]) -> dict[str, object]:
    """The fields that change when a person confirms what has these tags."""
    return {"tags": [tag for tag in tags if tag != PROPOSED], "confidence": None}


def confirm(
    log: Log,
    names: Sequence[str],
    decline: Sequence[str],
    *,
    said: Mapping[str, object],
    place: Place | None = None,
) -> Saved:
    """See `Memory.confirm`."""
    if not names and not decline:
        raise InputError("there is nothing to confirm: ", Arg("names"), " is empty")
    expect: dict[str, int | None] = {}
    with log.snapshot() as transaction:
        snapshot = Snapshot(transaction, None, None, log.clock.now())
        atoms = [_confirmed(snapshot, name, expect) for name in names]
        tombstones = [
            {"name": str(_confirmed(snapshot, name, expect)["name"]), "reason": _DECLINED} for name in decline
        ]
    # It was said before: what looks like a credential in it was looked at then.
    batch = Batch(atoms=tuple(atoms), tombstones=tuple(tombstones), place=place)
    return checkpoint(log, batch, expect=expect, said=said, allow_secrets=True)


def _confirmed(snapshot: Snapshot, name: str, expect: dict[str, int | None]) -> dict[str, object]:
    """The atom as it is saved when it is confirmed. InputError if it does not wait for that."""
    version = resolve(snapshot.transaction, name)
    is_used = version.kind is Kind.PUT
    atom = atom_of(snapshot, version, require_body(snapshot.transaction, version.seq)) if is_used else None
    if atom is not None and atom.damaged is not None:
        raise damage_of(atom)
    if atom is None or PROPOSED not in atom.tags:
        raise InputError(f"{if_needed(name)} does not wait to be confirmed: it lacks the tag {PROPOSED}")
    expect[atom.name] = atom.seq
    fields = {"session": atom.session} if atom.session else {}  # who forgets the session must not leave a copy
    return {**fields, "name": atom.name, "value": atom.value, "origin": "user", **confirmed_fields(atom.tags)}
