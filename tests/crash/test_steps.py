"""Row 2 at fixed points: the process ends right before each step towards the disk, one after the other."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

import pytest

import substrate
from substrate.codec import draft_put
from substrate.log.log import open_log
from tests.crash.children import Worker

NAME = "v1.fact.old"


def specimen(folder: Path) -> tuple[dict[str, object], str]:
    """A store with two keys behind it: what a question about it asks, and a proof that was made under the first."""
    store, home = folder / "store", folder / "home"
    with open_log(store, home=home) as log:
        first = str(log.key())
        log.append([draft_put(NAME, "old 0 1 ")])
        proof = log.prove(NAME).to_json()
        log.rotate_key()
        log.append([draft_put(f"v1.fact.n{i}", f"many {i} 200 ") for i in range(200)])
        head = log.head().head
        told = [[head.size, head.root.hex()]]
        return {"told": told, "keys": [first, str(log.key())]}, proof


def every_stop(deed: str, tmp_path: Path) -> dict[str, list[str]]:
    """For each step of `deed`: what is wrong with the store if the process ended right before it."""
    found: dict[str, list[str]] = {}
    question: dict[str, object] = {"told": [], "keys": []}
    original = tmp_path / "original"
    if deed != "create":
        question, _ = specimen(original)
    else:
        original.mkdir()
    with Worker("tests.crash.steps") as steps, Worker("tests.crash.survivor") as survivor:
        for stop in count(1):
            copy = tmp_path / str(stop)
            shutil.copytree(original, copy)
            place = {"store": str(copy / "store"), "home": str(copy / "home")}
            answer = steps.ask({"deed": deed, "stop": stop, **place})
            assert "error" not in answer, f"{deed} up to step {stop}: {answer['error']}"
            if answer["step"] is None:
                return found
            found[f"{stop} {answer['step']}"] = survivor.ask({**question, **place})["faults"]
            shutil.rmtree(copy)
    raise AssertionError("unreachable")


@pytest.mark.parametrize(
    ("deed", "least"), [("create", 15), ("append", 2), ("compact", 10), ("rebuild", 40), ("rotate", 8)]
)
def test_wherever_it_stops_the_store_is_the_old_one_or_the_new_one_and_can_be_written(
    deed: str, least: int, tmp_path: Path
) -> None:
    found = every_stop(deed, tmp_path)
    assert {step: faults for step, faults in found.items() if faults} == {}
    assert len(found) >= least, f"only {len(found)} steps were seen: {list(found)}"


def test_proofs_from_before_a_rotation_stay_valid_under_the_old_key(tmp_path: Path) -> None:
    question, proof = specimen(tmp_path)
    verdict = substrate.Verifier(key=question["keys"][0]).verify(proof)
    assert (verdict.claim, verdict.trusted, verdict.seq) == ("current", True, 1)


@pytest.mark.parametrize(
    ("twin", "fault"),
    [("rotate-unstaged", "Denied"), ("compact-hastily", "StoreDamaged")],
)
def test_a_rotation_or_compaction_in_the_wrong_order_is_found_out(twin: str, fault: str, tmp_path: Path) -> None:
    found = every_stop(twin, tmp_path)
    assert any(line.startswith(fault) for faults in found.values() for line in faults)
