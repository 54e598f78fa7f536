"""SIGKILL while a store is made out of another one: it is not there, refused as unfinished, or whole; never half."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from time import monotonic

import pytest

from substrate.codec import draft_put
from substrate.errors import InputError, SubstrateError
from substrate.log.copies.check import check_store
from substrate.log.log import open_log
from tests.crash.care import export
from tests.crash.children import PATIENCE_S, Child, Died
from tests.scale import SEED, rounds

OPEN_S = 60.0


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A store of some hundred entries, as a folder and as lines."""
    with open_log(tmp_path / "store", home=tmp_path / "home") as log:
        for part in range(6):
            log.append([draft_put(f"v1.fact.n{part}_{i}", "x" * i * 40) for i in range(60)])
    export(tmp_path / "store", tmp_path / "home")
    return tmp_path / "store"


def state_of(target: Path, home: Path) -> str:
    """`nothing`, `unfinished`, `whole`; or in words what is wrong with it."""
    if not target.exists() or not any(target.iterdir()):
        return "nothing"
    began = monotonic()
    try:
        with open_log(target, home=home, read_only=True) as log:
            size = log.head().head.size
    except InputError as error:
        return "unfinished" if "not finished" in str(error) else f"refused in other words: {error}"
    except SubstrateError as error:
        return f"{type(error).__name__}: {error}"
    if monotonic() - began > OPEN_S:
        return "opening it takes too long"
    report = check_store(target, home=home)
    if report.damage is not None:
        return f"damage: {report.damage}"
    return "whole" if size in (361, 362) else f"it has {size} entries"


def kill(deed: str, source: Path, target: Path, rng: random.Random, window: float) -> str:
    """Start it, kill it within the window, and say what is there then."""
    home = source.parent / "home"
    child = Child("tests.crash.care", deed, str(source), str(home), str(target))
    assert child.line(monotonic() + PATIENCE_S) == "begins"
    child.lines(monotonic() + rng.uniform(0, window))
    with suppress(Died):  # it was done before
        child.end(kill=True)
    return state_of(target, home)


def duration(deed: str, source: Path, target: Path) -> float:
    """How long it takes when nobody kills it."""
    child = Child("tests.crash.care", deed, str(source), str(source.parent / "home"), str(target))
    child.line(monotonic() + PATIENCE_S)
    began = monotonic()
    child.end(kill=False)
    return monotonic() - began


def killed(deed: str, source: Path, folder: Path) -> Iterator[str]:
    """What is there after kill upon kill, of which more and more come in the middle of it, on whatever machine."""
    rng = random.Random(f"{deed} {SEED}")
    window = duration(deed, source, folder / "first")
    for number in count():
        target = folder / f"target{number}"
        state = kill(deed, source, target, rng, window)
        yield state
        window *= {"whole": 0.7, "nothing": 1.3}.get(state, 1.0)
        shutil.rmtree(target, ignore_errors=True)


@pytest.mark.soak
@pytest.mark.parametrize("deed", ["backup", "restore", "clone"])
def test_killed_at_any_moment_it_is_whole_or_recognisably_not(deed: str, source: Path, tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for number, state in enumerate(islice(killed(deed, source, tmp_path), rounds(60, 100)), 1):
        found[state] += 1
        if number >= rounds(4, 100) and found["unfinished"]:
            break
    assert set(found) <= {"nothing", "unfinished", "whole"}, found
    assert found["unfinished"], f"no kill came in the middle of it: {found}"
    assert state_of(source, tmp_path / "home") == "whole"


@pytest.mark.parametrize("twin", ["copy-in-place", "clone-in-place"])
def test_a_store_made_in_its_place_is_found_out(twin: str, source: Path, tmp_path: Path) -> None:
    assert any(state not in {"nothing", "unfinished", "whole"} for state in islice(killed(twin, source, tmp_path), 60))
