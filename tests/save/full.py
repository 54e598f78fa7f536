"""What runs where there is no room, in a process or a mount of its own: `python -m tests.save.full NAME PATH`."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from substrate.errors import DiskFull, Full
from substrate.log.copies.check import check_store
from substrate.memory import Memory, open_memory
from substrate.views.catalogue import VIEWS

__all__ = ["check_all", "fill"]


def fill(memory: Memory, kind: type[Full], size: int = 20_000) -> list[str]:
    """Save until there is no room; the names that were acknowledged. Reading works all the while."""
    saved: list[str] = []
    while True:
        name = f"v1.fact.n{len(saved):05}"
        before = memory.head()
        try:
            edges = [{"source": name, "type": "after", "target": saved[-1]}] if saved else []
            memory.checkpoint([f"{name} = {name * (size // len(name))}"], edges=edges)
        except kind:
            assert memory.head() == before
            check_all(memory, saved)
            return saved
        saved.append(name)
        assert len(saved) < 10_000, "never full"


def check_all(memory: Memory, saved: list[str]) -> None:
    """Everything that was acknowledged is there, and nothing else."""
    found: list[str] = []
    after = None
    while True:
        page = memory.list(limit=100, after=after)
        found += [atom.name for atom in page]
        after = page.next
        if after is None:
            break
    assert found == saved
    for name in saved[-3:]:
        assert memory.access(name, proof=True).value.startswith(name)
        assert [version.kind for version in memory.history(name)] == ["put"]
    chained = [name for name in saved if name.startswith("v1.fact.n")]
    if len(chained) > 1:
        assert [edge.target for edge in memory.edges(chained[-1], direction="out")] == [chained[-2]]
    assert memory.stats().atoms == len(saved)


def refill(memory: Memory, saved: list[str]) -> None:
    """Room came back: the store goes on."""
    memory.checkpoint(["v1.fact.zz = v1.fact.zz"])
    check_all(memory, [*saved, "v1.fact.zz"])
    memory.forget("v1.fact.zz")
    check_all(memory, saved)


def full_disk(path: Path) -> None:
    """The key folder is on the same small disk."""
    ballast = path / "ballast"
    ballast.write_bytes(bytes(3_000_000))
    memory = open_memory(path / "store", home=path / "home")
    saved = fill(memory, DiskFull)
    assert len(saved) > 10
    memory.close()
    memory = open_memory(path / "store", home=path / "home", read_only=True)
    check_all(memory, saved)
    memory.close()
    memory = open_memory(path / "store", home=path / "home")
    check_all(memory, saved)
    ballast.write_bytes(bytes(1_000_000))
    assert not memory.forget(saved.pop()).compacted  # there is room for the entry, and none for a copy of the file
    check_all(memory, saved)
    ballast.unlink()
    refill(memory, saved)
    memory.close()
    check(path)


def full_disk_at_every_size(path: Path) -> None:
    """Fill points that differ by one page; a small checkpoint may fit where a large one does not."""
    (path / "ballast").write_bytes(bytes(2_000_000))
    for spare in range(0, 9 * 4096, 4096):
        (path / "spare").write_bytes(bytes(spare + 1))
        memory = open_memory(path / "store", home=path / "home")
        saved = fill(memory, DiskFull, 40_000)
        more = fill_small(memory)
        memory.close()
        memory = open_memory(path / "store", home=path / "home")
        check_all(memory, sorted([*saved, *more]))
        memory.close()
        check(path)
        remove(path / "store")


def fill_small(memory: Memory) -> list[str]:
    saved: list[str] = []
    while True:
        try:
            memory.checkpoint([f"v1.fact.m{len(saved):05} = v1.fact.m{len(saved):05}"])
        except DiskFull:
            return saved
        saved.append(f"v1.fact.m{len(saved):05}")
        assert len(saved) < 10_000, "never full"


def file_size_limit(path: Path) -> None:
    """Where no small disk can be mounted: a limit on the size of files."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    memory = open_memory(path / "store", home=path / "home")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, resource.RLIM_INFINITY))
    saved = fill(memory, DiskFull)
    assert len(saved) > 5
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    refill(memory, saved)
    memory.close()
    check(path)


def check(path: Path) -> None:
    assert check_store(path / "store", home=path / "home", views=VIEWS).damage is None


def remove(folder: Path) -> None:
    for entry in sorted(folder.rglob("*"), reverse=True):
        entry.rmdir() if entry.is_dir() else entry.unlink()
    folder.rmdir()


SCENARIOS: dict[str, Callable[[Path], None]] = {
    scenario.__name__: scenario for scenario in (full_disk, full_disk_at_every_size, file_size_limit)
}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]](Path(sys.argv[2]))
