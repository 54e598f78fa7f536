"""The verbs that judge: which atoms contradict each other, and which of the two is right. `Memory` has them."""

from __future__ import annotations

from collections.abc import Mapping

from substrate.engine.batch import Batch
from substrate.engine.chains import SUPERSEDES
from substrate.engine.checkpoint import checkpoint
from substrate.engine.conflicts import CONSISTENT, conflicts_of, list_conflicts
from substrate.engine.reading import moments_of, resolve
from substrate.errors import InputError, NotFound, SchemaInvalid, TooLarge
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import Conflicts, Name, Saved
from substrate.proof.encoding import Json

__all__ = ["Judging"]


class Judging:
    """What an open store holds against itself."""

    _log: Log
    _actor: str | None
    _session_name: str | None

    def conflicts(self, name: Name | None = None, *, limit: int = 100, offset: int = 0) -> Conflicts:
        """Open conflicts: atoms in use of which not both can be right, those that came up last first.

        With `name`, those of this atom. They are found when an atom is recorded (docs/conflicts.md says which are found
        and which are not); a conflict ends when one of the two gets another value, is tombstoned, forgotten or
        superseded, or when it is resolved. `limit` is at most 1,000. NotFound if there is no such atom.
        """
        for field, number in (("limit", limit), ("offset", offset)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 0:
                raise SchemaInvalid(f"{field} must be a whole number from 0 on")
        if limit > LIMITS["list_items"]:
            raise TooLarge("limit", limit, LIMITS["list_items"], "conflicts")
        with self._log.snapshot() as transaction:
            moments = moments_of(transaction, self._log.clock, None, None)
            return list_conflicts(transaction, name, moments, limit=limit, offset=offset)

    def resolve(  # noqa: PLR0913
        self,
        first: Name,
        second: Name,
        *,
        keep: Name | None = None,
        reason: str | None = None,
        actor: str | None = None,
        expect: Mapping[str, int] | None = None,
    ) -> Saved:
        """Settle the conflict of two atoms, by an edge that the log keeps with who stated it.

        With `keep`, one of the two, it supersedes the other. Without, both are right: `consistent_with` is stated, and
        the two are no conflict as long as that is not taken back and both say what they say now. NotFound if the two
        are not in conflict; InputError if `keep` is neither; Conflict if another writer changed one of them meanwhile.
        `expect`, {name: seq}, are the versions that were judged, for one who looked at them before.
        """
        with self._log.snapshot() as transaction:
            moments = moments_of(transaction, self._log.clock, None, None)
            one, other = resolve(transaction, first), resolve(transaction, second)
            clashes = conflicts_of(transaction, one.subject, moments)
            if one.subject == other.subject or all(other.subject not in clash[:2] for clash in clashes):
                raise NotFound(f"there is no open conflict between {first} and {second}: see conflicts()")
            kept = None if keep is None else resolve(transaction, keep)
        source, target = (other, one) if kept is not None and kept.subject == other.subject else (one, other)
        if kept is not None and kept.subject not in (one.subject, other.subject):
            raise InputError("keep must be one of the two")
        attrs: dict[str, Json] = {"resolved": [one.seq, other.seq]}
        if reason is not None:
            attrs["reason"] = reason
        edge = {
            "source": source.name,
            "type": CONSISTENT if kept is None else SUPERSEDES,
            "target": target.name,
            "attrs": attrs,
        }
        return checkpoint(
            self._log,
            Batch(edges=(edge,)),
            expect={row.name: row.seq for row in (one, other) if row.name is not None} | dict(expect or {}),
            said={"actor": actor or self._actor, "origin": None, "session": self._session_name, "source": None},
        )
