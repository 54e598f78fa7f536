"""Rows 1, 2 and 6: SIGKILL in mid-write, in a compaction, a rebuild, a key rotation, in the first open after a crash.

Killing leaves the page cache alive, so this says nothing about flushing: `test_power.py` does.
To replay a failure: SUBSTRATE_SEED=<the seed it printed>.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

import substrate
from tests.crash.children import PATIENCE_S, Child, Worker
from tests.scale import SEED, rounds

WINDOW_S = 0.05
CRASHES_PER_STORE = 10

Said = dict[str, Any]


class Crashes:
    """One store that is crashed again and again, and remembers everything that was ever acknowledged."""

    def __init__(self, folder: Path, seed: str) -> None:
        self.seed = seed
        self.store, self.home = folder / "store", folder / "home"
        self.rng = random.Random(seed)
        self.window = WINDOW_S
        self.told: list[tuple[int, str]] = []
        self.keys: list[str] = []

    def kill(self, deed: str, *, after: str) -> list[Said]:
        """Start a writer, kill it soon after its first line `after`, and return all that it said."""
        child = Child("tests.crash.writer", str(self.store), str(self.home), deed, str(self.rng.getrandbits(32)))
        said: list[Said] = []
        while not said or said[-1]["deed"] != after:
            line = child.line(monotonic() + PATIENCE_S)
            if line is None:
                child.end(kill=False)
                pytest.fail(f"the writer ended before it came to {after!r}")
            said.append(json.loads(line))
        lines = child.lines(monotonic() + self.rng.uniform(0, self.window))
        lines += child.end(kill=True)
        said += [json.loads(line) for line in lines]
        # The next kill comes sooner if this one came too late, so that some come in the middle of it on any machine.
        self.window = min(WINDOW_S, self.window * (1.3 if said[-1]["deed"] == after else 0.7))
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
@pytest.mark.parametrize("part", range(2))
def test_a_killed_writer_loses_nothing_acknowledged_and_leaves_no_partial_batch(
    part: int, tmp_path: Path, survivor: Worker
) -> None:
    for crashes in parts(tmp_path, f"append {part}", rounds(5, 100)):
        crashes.kill("append", after="append")
        crashes.must_be_sound(crashes.examine(survivor)["faults"])


@pytest.mark.soak
@pytest.mark.parametrize(
    ("deed", "after"), [("compact", "compacting"), ("rebuild", "rebuilding"), ("rotate", "rotating")]
)
def test_a_kill_in_the_middle_leaves_the_old_store_or_the_new_one(
    deed: str, after: str, tmp_path: Path, survivor: Worker
) -> None:
    """Of a rotation: the old key or the new one, in force and at hand."""
    crashes, came = Crashes(tmp_path, f"{deed} {SEED}"), 0
    for number in range(rounds(60, 100)):
        came += crashes.kill(deed, after=after)[-1]["deed"] == after
        crashes.must_be_sound(crashes.examine(survivor)["faults"])
        if came and number >= rounds(4, 100):
            break
    crashes.must_pass_fsck()
    assert came, "no kill came in the middle of it"


@pytest.mark.soak
def test_a_kill_in_the_first_open_after_a_kill_changes_nothing(tmp_path: Path, survivor: Worker) -> None:
    for crashes in parts(tmp_path, "compound", rounds(5, 200)):
        crashes.kill(crashes.rng.choice(["append", "compact", "rebuild", "rotate"]), after="append")
        crashes.kill("append", after="opening")
        crashes.must_be_sound(crashes.examine(survivor)["faults"])


@pytest.mark.soak
def test_a_store_whose_creation_was_killed_can_be_opened_and_written(tmp_path: Path, survivor: Worker) -> None:
    for number in range(rounds(4, 100)):
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
    window = WINDOW_S
    for attempt in range(60):
        crashes = Crashes(tmp_path / str(attempt), f"{twin} {SEED} {attempt}")
        crashes.store.parent.mkdir()
        crashes.window = window
        crashes.kill(twin, after=after)
        if any(fault in line for line in crashes.examine(survivor)["faults"]):
            return
        window = crashes.window
    pytest.fail(f"SUBSTRATE_SEED={SEED}: 60 kills did not show the fault")
