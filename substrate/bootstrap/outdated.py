"""Which of the atoms in conflict are settled by time: a newer one says otherwise of the same thing.

Which of several is the newest is worked out as a search does (`search/statements/order.py`), of the open conflicts that
were found when atoms were recorded. So the newest is known also where it does not match the objective itself. It is
the later word of two only if it was said later: two statements of one checkpoint stay in conflict. So does what a
person said and an agent contradicts, and what somebody confirmed to be a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from substrate.atoms.bodies import bodies_of
from substrate.conflicts.detect import Clash
from substrate.search.columns.documents import Documents
from substrate.search.statements.order import Statement, denies, joined, newness, outdated_in
from substrate.snapshot import Snapshot
from substrate.views.atoms import LatestVersions
from substrate.views.claims import claims_of

__all__ = ["Outdated"]

_INGESTED: Final = "ingested"


class Outdated:
    """Of atoms in conflict, which newer one to show first. Each is looked at once."""

    def __init__(
        self,
        snapshot: Snapshot,
        documents: Documents,
        latest: LatestVersions,
        clashes_of: Callable[[bytes], Sequence[Clash]],
    ) -> None:
        """`clashes_of`: the open conflicts of an atom."""
        self._snapshot = snapshot
        self._documents = documents
        self._latest = latest
        self._clashes_of = clashes_of
        self._stated: dict[bytes, Statement | None] = {}
        self._later: dict[bytes, Sequence[bytes]] = {}
        self._newest: dict[bytes, bytes | None] = {}

    def newest(self, subject: bytes) -> bytes | None:
        """The atom that says now what this one said; None if none does, or nobody can tell."""
        path = [subject]  # a chain of changes may be long, and each is newer than the one before it
        while path[-1] not in self._newest and (later := self._outdating(path[-1])):
            path.append(later[0])
        last = self._newest.setdefault(path[-1], None) or path[-1]
        for one in reversed(path[:-1]):
            self._newest[one] = None if self._says_the_same(one, last) else self._telling(one, last)
        return self._newest[subject]

    def _outdating(self, subject: bytes) -> Sequence[bytes]:
        """Those that take the place of an atom, of those that it is in conflict with; the newest first."""
        if subject not in self._later:
            self._later[subject] = self._look_at(subject)
        return self._later[subject]

    def _look_at(self, subject: bytes) -> Sequence[bytes]:
        clashes = [clash for clash in self._clashes_of(subject) if not clash.confirmed]
        others = [clash.second if clash.first == subject else clash.first for clash in clashes]
        one, *against = self._statements([subject, *others])
        if one is None:
            return ()
        pairs = [(one, other) for other in against if other is not None and self._is_later(one, other)]
        for group in joined(self._snapshot, self._documents, pairs):
            later = group[: group.index(one)]
            newer = outdated_in(self._snapshot, [*later, one], lambda this, _: this is one).newer
            if one.seq in newer:
                seqs = [other.seq for other in later]
                return [other.subject for other in later[seqs.index(newer[one.seq]) :]]
        return ()

    def _statements(self, subjects: Sequence[bytes]) -> list[Statement | None]:
        missing = {subject: self._latest.of(subject) for subject in subjects if subject not in self._stated}
        known = [version for version in missing.values() if version is not None]
        self._stated.update(dict.fromkeys(missing))
        bodies = bodies_of(self._snapshot.transaction, [version.seq for version in known])
        for version, body in zip(known, bodies, strict=True):
            if body is not None and body.damage is None:
                self._stated[version.subject] = Statement(version.seq, version.seq, version.subject, body.members)
        return [self._stated[subject] for subject in subjects]

    def _is_later(self, one: Statement, other: Statement) -> bool:
        """Whether one of the two is the later word of the same kind: of people and agents, or of text by others."""
        if (one.said.get("origin") == _INGESTED) != (other.said.get("origin") == _INGESTED):
            return False
        times = [newness(self._snapshot, self._documents, each)[:2] for each in (one, other)]
        return times[0] != times[1]

    def _says_the_same(self, subject: bytes, other: bytes) -> bool:
        one, last = self._statements([subject, other])
        return one is not None and last is not None and one.said.get("value") == last.said.get("value")

    def _telling(self, subject: bytes, last: bytes) -> bytes:
        """The last one; if that only denies an older value, what else takes the place of this one and is in force."""
        if not self._denies(last):
            return last
        others = (other for other in self._outdating(subject) if not self._outdating(other))
        return next((other for other in others if not self._denies(other)), last)

    def _denies(self, subject: bytes) -> bool:
        (held,) = claims_of(self._snapshot.transaction, [subject])
        return held is not None and denies(held.claim)
