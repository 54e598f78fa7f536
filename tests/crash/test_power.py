"""Row 5: the power fails at any moment of a recorded session; what is found after must hold all that was acknowledged.

A child's writes are recorded with strace, played back on the disk of `power.py`, and cut off at every sync and at
random moments. Each state found is opened, checked and written to by `survivor.py`, in a process of its own.
To replay a failure: SUBSTRATE_SEED=<the seed it printed>.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.crash.children import Child, Died, Worker
from tests.crash.power import ALL_THERE, Disk, State, states
from tests.crash.power_writer import CANARY
from tests.crash.trace import STRACE, Event, Said, read_trace
from tests.scale import EXPLORES, SEED, rounds

PARTS = 2
STEP = PARTS if EXPLORES else 2 * PARTS
"""The power fails after every event of the recorded sessions in `make soak`, and after one in two of them here."""


@dataclass(frozen=True)
class Session:
    """A recorded run: the folder as it was at the end, and all that led to it."""

    folder: Path
    events: Sequence[Event]

    def said(self, events: int) -> list[dict[str, Any]]:
        """What was acknowledged by the first so many events."""
        return [json.loads(event.line) for event in self.events[:events] if isinstance(event, Said)]


def record(tmp_path: Path, seed: str, *twin: str) -> Session:
    require_strace()
    folder, trace = tmp_path / "run", tmp_path / "trace"
    folder.mkdir()
    arguments = (str(folder / "store"), str(folder / "home"), seed, *twin)
    child = Child("tests.crash.power_writer", *arguments, before=(*STRACE, "-o", str(trace)))
    child.end(kill=False)
    with trace.open() as lines:
        session = Session(folder, read_trace(lines, str(folder)))
    trace.unlink()
    assert len(session.said(len(session.events))) > 40
    return session


def require_strace() -> None:
    if shutil.which("strace"):
        return
    if {"CI", "REQUIRE_STRACE"} & os.environ.keys() or (sys.platform == "linux" and os.getuid() == 0):
        pytest.fail("strace is missing, so the power-failure test cannot run: make strace, or apt-get install strace")
    pytest.skip("the power-failure test needs strace")


def faults(session: Session, found: Iterator[State], tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """For each state: when the power failed, and what is wrong with what is found."""
    heads = [[said["size"], said["root"]] for said in session.said(len(session.events))]
    with Worker("tests.crash.survivor") as survivor:
        for state in found:
            folder = tmp_path / "found"
            state.lay_out(folder)
            said = session.said(state.events)
            question = {
                "store": str(folder / "store"),
                "home": str(folder / "home"),
                "told": [[line["size"], line["root"]] for line in said],
                "keys": sorted({line["key"] for line in said}),
                "gone": CANARY if any(line["deed"] == "compact" for line in said) else None,
            }
            try:
                answer = survivor.ask(question)
            except Died as died:
                answer = {"faults": [str(died)]}
            if said and "size" in answer and [answer["size"], answer["root"]] not in heads:
                answer["faults"].append(f"the head of size {answer['size']} was never signed")
            shutil.rmtree(folder)
            moment = f"event {state.events} of {len(session.events)}, after {said[-1]['deed'] if said else 'nothing'}"
            yield moment, answer["faults"]


def test_the_trace_plays_back_to_the_real_files_byte_for_byte(tmp_path: Path) -> None:
    session = record(tmp_path, f"power {SEED}")
    disk = Disk()
    for event in session.events:
        disk.play(event)
    real = {
        str(path.relative_to(session.folder)): None if path.is_dir() else path.read_bytes()
        for path in session.folder.rglob("*")
    }
    played = disk.left(ALL_THERE)
    assert played.keys() == real.keys()
    # lock.mdb is written through a mapping, which strace cannot see. LMDB makes it anew when nobody has it open.
    differing = [path for path in real if real[path] != played[path] and not path.endswith("/lock.mdb")]
    assert differing == []
    assert sum(len(data or b"") for data in real.values()) > 100_000


@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_a_power_failure_leaves_holds_all_that_was_acknowledged(part: int, tmp_path: Path) -> None:
    seed = f"power {SEED} {part}"
    session = record(tmp_path, seed)
    found = states(session.events, slice(part, None, STEP), rounds(8, 1000), random.Random(seed))
    wrong = {moment: faulty for moment, faulty in faults(session, found, tmp_path) if faulty}
    assert not wrong, f"SUBSTRATE_SEED={SEED}: {len(wrong)} states are damaged: {json.dumps(wrong, indent=1)}"


@pytest.mark.parametrize("twin", ["no-sync", "no-names"])
def test_a_store_that_does_not_flush_is_found_out(twin: str, tmp_path: Path) -> None:
    session = record(tmp_path, f"{twin} {SEED}", twin)
    for attempt in range(10):
        found = states(session.events, slice(0, 0), 40, random.Random(f"{SEED} {attempt}"))
        lines = [line for _, faulty in faults(session, found, tmp_path) for line in faulty]
        if any("was acknowledged" in line for line in lines):
            return
    pytest.fail(f"SUBSTRATE_SEED={SEED}: nothing acknowledged was lost in 400 states")
