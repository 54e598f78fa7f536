"""What `%memory status` answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from substrate.notebook.spelling import counted
from substrate.notebook.stores import Stores
from substrate.result import Result
from substrate.values.saved import Stats

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Status", "status_of"]


@dataclass(frozen=True, slots=True, repr=False)
class Status(Result):
    """Which store is in use, by whom, and how much it holds."""

    store: str
    why: str
    """Why this store is the one."""
    actor: str
    session: str
    read_only: bool
    watching: bool
    """Whether what is accessed is learnt from."""
    model: str
    """By what is searched beside words; empty: by words only."""
    waiting: int
    """Versions that are not embedded yet."""
    conflicts: int
    """Open ones, up to 100."""
    stats: Stats

    def __repr__(self) -> str:
        return "\n".join(f"{label:<10} {said}" for label, said in self.facts())

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say, in the order in which one wants to know it."""
        stats = self.stats
        types = ", ".join(f"{count:,} {name}" for name, count in sorted(stats.types.items(), key=lambda one: -one[1]))
        by = f"words and meaning ({self.model})" if self.model else "words only"
        return [
            ("store", f"{self.store} ({self.why})"),
            ("actor", f"{self.actor}, session {self.session}"),
            ("access", _access(self)),
            ("atoms", f"{stats.atoms:,}" + (f": {types}" if types else "")),
            (
                "edges",
                f"{stats.edges:,}"
                + (f", to {counted(stats.dangling, 'name')} not there yet" if stats.dangling else ""),
            ),
            ("out of use", f"{stats.tombstoned:,} tombstoned, {stats.forgotten:,} forgotten"),
            ("conflicts", f"{self.conflicts:,} open"),
            ("learnt", f"{counted(stats.sessions, 'session')}, {counted(stats.trainings, 'training')}"),
            ("search", by + (f", {counted(self.waiting, 'version')} not embedded yet" if self.waiting else "")),
            ("log", f"{counted(stats.entries, 'entry', 'entries')}, {stats.bytes:,} bytes, origin {stats.origin}"),
        ]


def _access(status: Status) -> str:
    if status.stats.behind is not None:
        return f"read only; {status.stats.behind}"
    if status.read_only:
        return "read only; nothing is written or learned"
    return "the store learns from your accesses" if status.watching else "your accesses are not recorded"


def status_of(memory: Memory, stores: Stores) -> Status:
    """The status of the store in use."""
    path, why = stores.path()
    model = memory.model()
    return Status(
        store=str(path),
        why=why,
        actor=stores.working_as(),
        session=stores.session,
        read_only=stores.read_only,
        watching=memory.watching,
        model=model.model if model.upto >= 0 and model.dimensions else "",
        waiting=model.waiting if model.dimensions else 0,
        conflicts=len(memory.conflicts()),
        stats=memory.stats(),
    )
