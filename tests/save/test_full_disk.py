"""Row 9, seen from above: no room is a typed error, nothing is lost or half done, and reading goes on."""

from __future__ import annotations

import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from substrate.errors import Full, MapFull
from substrate.kv.open import open_store
from substrate.log import log as log_module
from substrate.log.copies.check import check_store
from substrate.memory import Memory, open_memory
from substrate.views.catalogue import VIEWS
from tests.kv.processes import ROOT
from tests.kv.test_full import needs_mount
from tests.save.full import check_all, fill
from tests.scale import rounds


def run(scenario: str, path: Path, mount: str = "") -> None:
    """The scenario in a process of its own; with `mount`, a shell command, in a space of mounts of its own."""
    command = [sys.executable, "-m", "tests.save.full", scenario, str(path)]
    if mount:
        command = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh", *command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def with_map(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(log_module, "open_store", partial(open_store, map_limit=size))


def test_a_full_map_is_typed_and_loses_nothing_and_a_larger_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, home = tmp_path / "store", tmp_path / "home"
    with_map(monkeypatch, 2 << 20)
    with open_memory(store, home=home) as memory:
        saved = fill(memory, MapFull)
        assert len(saved) > 5
    with open_memory(store, home=home) as memory:
        check_all(memory, saved)
    with_map(monkeypatch, 1 << 30)
    with open_memory(store, home=home) as memory:
        check_all(memory, saved)
        memory.checkpoint(["v1.fact.zz = v1.fact.zz"])
        check_all(memory, [*saved, "v1.fact.zz"])
    assert check_store(store, home=home, views=VIEWS).damage is None


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(rounds(2, 200)))
def test_whatever_a_full_map_strikes_is_done_wholly_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Checkpoints of random sizes and kinds, until each kind was refused; each time the store is as before."""
    rng = random.Random(seed)
    store, home = tmp_path / "store", tmp_path / "home"
    with_map(monkeypatch, (1 << 20) + rng.randrange(64) * 4096)
    with open_memory(store, home=home) as memory:
        refusals = 0
        for number in range(3000):
            before, known = memory.head(), everything(memory)
            try:
                write_something(memory, rng, number)
            except Full:
                refusals += 1
                assert memory.head() == before
                assert everything(memory) == known
            if refusals == 5:
                break
        assert refusals == 5
        last = everything(memory)
    with_map(monkeypatch, 1 << 30)
    with open_memory(store, home=home) as memory:
        assert everything(memory) == last
        write_something(memory, rng, 9999)
    assert check_store(store, home=home, views=VIEWS).damage is None


def write_something(memory: Memory, rng: random.Random, number: int) -> None:
    name = f"v1.fact.n{number % 7}"
    atoms = [f"{name} = {number} {'x' * rng.randrange(60_000)}"]
    edges = [{"source": name, "type": "t", "target": f"v1.fact.n{rng.randrange(7)}", "attrs": {"at": number}}]
    match rng.randrange(4):
        case 0:
            memory.checkpoint(atoms)
        case 1:
            memory.checkpoint(atoms, edges=edges)
        case 2:
            memory.checkpoint([f"v1.fact.m{number}_{i} = x" for i in range(rng.randrange(1, 40))])
        case 3:
            memory.checkpoint([*atoms, *atoms], partial=True)


def everything(memory: Memory) -> object:
    listing = memory.list(limit=1000, tombstoned=True, superseded=True)
    return listing.items, [memory.edges(f"v1.fact.n{i}").items for i in range(7) if f"v1.fact.n{i}" in names(listing)]


def names(listing: object) -> set[str]:
    return {atom.name for atom in listing}  # type: ignore[attr-defined]


@needs_mount
@pytest.mark.parametrize(("scenario", "size"), [("full_disk", "8m"), ("full_disk_at_every_size", "3500k")])
def test_a_full_disk(tmp_path: Path, scenario: str, size: str) -> None:
    run(scenario, tmp_path, f"mount -t tmpfs -o size={size} none {tmp_path}")


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path) -> None:
    run("file_size_limit", tmp_path)
