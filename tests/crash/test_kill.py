"""Rows 1, 2 and 6: SIGKILL in mid-write, in a compaction, a rebuild, a key rotation, in the first open after a crash.

Killing leaves the page cache alive, so this says nothing about flushing: `test_power.py` does.
To replay a failure: SUBSTRATE_SEED=<the seed it printed>.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

import substrate
from tests.crash.children import PATIENCE_S, Child, Worker
from tests.scale import rounds

SEED = int(os.environ.get("SUBSTRATE_SEED", "1"))
WINDOW_S = 0.05
CRASHES_PER_STORE = 10

Said = dict[str, Any]


def kill(store: Path, home: Path, deed: str, rng: random.Random, *, after: str) -> list[Said]:
    """Start a writer, kill it 0 to 50 ms after its first line `after`, and return all that it said."""
    child = Child("tests.crash.writer", str(store), str(home), deed, str(rng.getrandbits(32)))
    said: list[Said] = []
    while not said or said[-1]["deed"] != after:
        line = child.line(monotonic() + PATIENCE_S)
        if line is None:
            child.end(kill=False)
            pytest.fail(f"the writer ended before it came to {after!r}")
        said.append(json.loads(line))
    lines = child.lines(monotonic() + rng.uniform(0, WINDOW_S))
    lines += child.end(kill=True)
    return said + [json.loads(line) for line in lines]


class Crashes:
    """One store that is crashed again and again, and remembers everything that was ever acknowledged."""

    def __init__(self, folder: Path, seed: str) -> None:
        self.seed = seed
        self.store, self.home = folder / "store", folder / "home"
        self.rng = random.Random(seed)
        self.told: list[tuple[int, str]] = []
        self.keys: list[str] = []

    def kill(self, deed: str, *, after: str) -> list[Said]:
        said = kill(self.store, self.home, deed, self.rng, after=after)
        for line in said:
            if "size" in line:
                self.told.append((line["size"], line["root"]))
            if line.get("key") and line["key"] not in self.keys:
                self.keys.append(line["key"])
        return said

    def examine(self, worker: Worker) -> dict[str, Any]:
        question = {"store": str(self.store), "home": str(self.home), "told": self.told, "keys": self.keys}
        answer = worker.ask(question)
        if "size" in answer:
            self.told.append((answer["size"], answer["root"]))
        return answer

    def must_be_sound(self, faults: list[str]) -> None:
        assert not faults, f"SUBSTRATE_SEED={SEED} ({self.seed}), {len(self.told)} acknowledgements: {faults}"

    def must_pass_fsck(self) -> None:
        report = substrate.fsck(self.store, home=self.home)
        self.must_be_sound([] if report.ok else [str(report.damage)])


def parts(folder: Path, deed: str, count: int) -> Iterator[Crashes]:
    """So many crashes, on stores that are crashed ten times each; the last crash is followed by a real fsck."""
    for start in range(0, count, CRASHES_PER_STORE):
        below = folder / str(start)
        below.mkdir()
        crashes = Crashes(below, f"{deed} {SEED} {start}")
        for _ in range(min(CRASHES_PER_STORE, count - start)):
            yield crashes
        crashes.must_pass_fsck()


@pytest.fixture
def survivor() -> Iterator[Worker]:
    with Worker("tests.crash.survivor") as worker:
        yield worker


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_killed_writer_loses_nothing_acknowledged_and_leaves_no_partial_batch(
    part: int, tmp_path: Path, survivor: Worker
) -> None:
    for crashes in parts(tmp_path, f"append {part}", rounds(10, 100)):
        crashes.kill("append", after="append")
        crashes.must_be_sound(crashes.examine(survivor)["faults"])


@pytest.mark.soak
def test_a_kill_in_a_compaction_leaves_the_old_store_or_the_new_one(tmp_path: Path, survivor: Worker) -> None:
    last = set()
    for crashes in parts(tmp_path, "compact", rounds(10, 100)):
        last.add(crashes.kill("compact", after="compacting")[-1]["deed"])
        crashes.must_be_sound(crashes.examine(survivor)["faults"])
    assert "compacting" in last, "no kill came in the middle of a compaction"


@pytest.mark.soak
def test_a_kill_in_a_rebuild_leaves_the_old_store_or_the_new_one(tmp_path: Path, survivor: Worker) -> None:
    last = set()
    for crashes in parts(tmp_path, "rebuild", rounds(10, 100)):
        last.add(crashes.kill("rebuild", after="rebuilding")[-1]["deed"])
        crashes.must_be_sound(crashes.examine(survivor)["faults"])
    assert "rebuilding" in last, "no kill came in the middle of a rebuild"


@pytest.mark.soak
def test_a_kill_in_a_rotation_leaves_the_old_key_or_the_new_one_in_force_and_at_hand(
    tmp_path: Path, survivor: Worker
) -> None:
    last = set()
    for crashes in parts(tmp_path, "rotate", rounds(10, 100)):
        last.add(crashes.kill("rotate", after="rotating")[-1]["deed"])
        crashes.must_be_sound(crashes.examine(survivor)["faults"])
    assert "rotating" in last, "no kill came in the middle of a rotation"


@pytest.mark.soak
@pytest.mark.parametrize("part", range(2))
def test_a_kill_in_the_first_open_after_a_kill_changes_nothing(part: int, tmp_path: Path, survivor: Worker) -> None:
    for crashes in parts(tmp_path, f"compound {part}", rounds(10, 100)):
        crashes.kill(crashes.rng.choice(["append", "compact", "rebuild", "rotate"]), after="append")
        crashes.kill("append", after="opening")
        crashes.must_be_sound(crashes.examine(survivor)["faults"])


@pytest.mark.soak
def test_a_store_whose_creation_was_killed_can_be_opened_and_written(tmp_path: Path, survivor: Worker) -> None:
    for number in range(rounds(10, 100)):
        crashes = Crashes(tmp_path / str(number), f"create {SEED} {number}")
        crashes.store.parent.mkdir()
        crashes.kill("append", after="opening")
        crashes.must_be_sound(crashes.examine(survivor)["faults"])


@pytest.mark.parametrize(
    ("twin", "after", "fault"),
    [
        ("append-early", "append", "was acknowledged"),
        ("append-split", "append", "batch lacks"),
        ("rebuild-in-place", "rebuilding", "StoreDamaged"),
    ],
)
def test_a_broken_writer_is_found_out(twin: str, after: str, fault: str, tmp_path: Path, survivor: Worker) -> None:
    for attempt in range(40):
        crashes = Crashes(tmp_path / str(attempt), f"{twin} {SEED} {attempt}")
        crashes.store.parent.mkdir()
        crashes.kill(twin, after=after)
        if any(fault in line for line in crashes.examine(survivor)["faults"]):
            return
    pytest.fail(f"SUBSTRATE_SEED={SEED}: 40 kills did not show the fault")
