"""Promise 19, of generations: when a forget is through, no file holds the vector; whoever else is at work."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import numpy as np
import pytest

from substrate.errors import Busy
from substrate.log.append import Decision
from substrate.memory import Memory, open_memory
from substrate.views.nearest import generation as generations
from substrate.views.nearest import seal as sealing
from substrate.views.nearest.index import NearestIndex
from substrate.views.vectors import keep_vectors
from tests.scale import rounds
from tests.views.vectored import SPACE, Vectored, assert_same, draw

DIMENSIONS = 16
ROWS = 400
QUERY = draw(99, 1, DIMENSIONS)[0]
CANARY = draw(77, 1, DIMENSIONS)[0]


@pytest.fixture
def vectored(open_vectored: Callable[..., Vectored]) -> Vectored:
    store = open_vectored(dimensions=DIMENSIONS, seal_from=100)
    store.put(list(draw(1, ROWS, DIMENSIONS)))
    return store


def held(folder: Path) -> list[str]:
    """The files of nearest vectors in which the canary's bytes are."""
    needle = np.asarray(CANARY, "<f2").tobytes()
    return [path.name for path in (folder / "nearest").iterdir() if needle in path.read_bytes()]


def test_a_generation_with_what_was_forgotten_goes_and_others_stay(vectored: Vectored) -> None:
    (canary,) = vectored.put([CANARY])
    first = vectored.seal()
    assert held(vectored.path)
    (later,) = vectored.put([QUERY])
    vectored.forget([later])
    assert vectored.erase() == 0
    assert first is not None
    assert first.exists()
    vectored.forget([canary])
    assert vectored.erase() == 1
    assert vectored.erase() == 0
    assert held(vectored.path) == []
    assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)
    vectored.index.close()
    assert vectored.seal() is not None
    assert held(vectored.path) == []
    assert_same(vectored.at().search(CANARY, 10), vectored.plain(CANARY), 10)


def test_who_has_a_generation_that_was_erased_makes_the_next_and_takes_it_up(
    open_vectored: Callable[..., Vectored], vectored: Vectored
) -> None:
    other = open_vectored(dimensions=DIMENSIONS, seal_from=100)
    for _ in range(5):  # names are drawn: the next may sort before or behind
        vectored.seal()
        first: Any = vectored.at()
        assert other.at()._sealed is not None  # type: ignore[attr-defined]
        (gone, *_) = vectored.at().search(QUERY, 1)[0].tolist()
        vectored.forget([gone])
        assert vectored.erase() == 1
        assert vectored.at()._sealed is first._sealed  # type: ignore[attr-defined]
        assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)
        new = vectored.seal()
        for handle in (vectored, other):
            nearest: Any = handle.at()
            assert nearest._sealed.generation.path == new
            assert len(nearest._dead) == 0
            assert_same(nearest.search(QUERY, 10), vectored.plain(QUERY), 10)


def test_an_older_generation_is_not_taken_up_by_who_has_gone_further(vectored: Vectored) -> None:
    path = vectored.seal()
    assert path is not None
    older = path.read_bytes()
    vectored.put(list(draw(5, 150, DIMENSIONS)))
    vectored.seal()
    vectored.at()
    for newer in (vectored.path / "nearest").glob("*.generation"):
        newer.unlink()
    path.write_bytes(older)
    assert_same(vectored.at().search(QUERY, 500), vectored.plain(QUERY), 500)


def test_what_cannot_be_read_or_is_unfinished_is_erased(vectored: Vectored) -> None:
    path = vectored.seal()
    assert path is not None
    path.with_name("00-broken.generation").write_bytes(b"?")
    path.with_name(".x.generation.new").write_bytes(b"?")
    assert vectored.erase() == 2
    assert path.exists()


def during(action: Callable[[], object]) -> Callable[[int, int], None]:
    """A progress that does something, once, when all rows have been read."""
    done: list[bool] = []

    def progress(now: int, total: int) -> None:
        if 2 * now >= total and not done:
            done.append(True)
            action()

    return progress


def test_a_builder_that_read_it_before_it_was_forgotten_does_not_publish(vectored: Vectored) -> None:
    (canary,) = vectored.put([CANARY])
    progress = during(lambda: vectored.forget([canary]))
    assert vectored.index.seal(vectored.log.snapshot, SPACE, DIMENSIONS, progress) is None
    assert held(vectored.path) == []
    assert vectored.seal() is not None


def test_twin_that_does_not_look_again_publishes_what_was_forgotten(
    vectored: Vectored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "erased_between", lambda *_: set())
    (canary,) = vectored.put([CANARY])
    progress = during(lambda: vectored.forget([canary]))
    assert vectored.index.seal(vectored.log.snapshot, SPACE, DIMENSIONS, progress) is not None
    assert held(vectored.path)


def test_what_is_being_written_is_erased_and_not_published(vectored: Vectored) -> None:
    (canary,) = vectored.put([CANARY])
    seen: list[list[str]] = []

    def forget() -> None:
        vectored.forget([canary])
        seen.append(held(vectored.path))
        vectored.erase()
        seen.append(held(vectored.path))

    assert vectored.index.seal(vectored.log.snapshot, SPACE, DIMENSIONS, during(forget)) is None
    assert [len(files) for files in seen] == [1, 0]
    assert held(vectored.path) == []


def forget_between_look_and_name(vectored: Vectored, monkeypatch: pytest.MonkeyPatch, wait: float) -> None:
    """Someone forgets and erases when the builder has looked for the last time, and before its file has its name."""
    (canary,) = vectored.put([CANARY])
    publish = generations.Draft.publish
    forgetting: list[Thread] = []

    def forget() -> None:
        vectored.forget([canary])
        vectored.erase()

    def then_forget(self: Any, is_clean: Callable[[Any], bool]) -> Path | None:
        def clean(ids: Any) -> bool:
            verdict = is_clean(ids)
            forgetting.append(Thread(target=forget))
            forgetting[0].start()
            forgetting[0].join(wait)
            return verdict

        return publish(self, clean)

    monkeypatch.setattr(generations.Draft, "publish", then_forget)
    vectored.seal()
    forgetting[0].join()


def test_who_forgets_after_the_last_look_removes_what_was_published(
    vectored: Vectored, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_between_look_and_name(vectored, monkeypatch, 0.3)
    assert held(vectored.path) == []


def test_twin_without_the_lock_leaves_it(vectored: Vectored, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def unlocked(*_: Any) -> Iterator[None]:
        yield

    monkeypatch.setattr(generations, "_locked", unlocked)
    monkeypatch.setattr(generations, "_unfinished", lambda _: [])
    forget_between_look_and_name(vectored, monkeypatch, 5)
    assert held(vectored.path)


def test_vectors_that_are_thrown_away_meanwhile_are_not_sealed(vectored: Vectored) -> None:
    progress = during(vectored.throw_away)
    assert vectored.index.seal(vectored.log.snapshot, SPACE, DIMENSIONS, progress) is None
    assert not list((vectored.path / "nearest").glob("*.generation"))


def test_builders_at_the_same_time_make_one_generation(open_vectored: Callable[..., Vectored]) -> None:
    handles = [open_vectored(dimensions=DIMENSIONS, seal_from=100) for _ in range(4)]
    handles[0].put(list(draw(1, ROWS, DIMENSIONS)))
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda handle: handle.seal(), handles))
    assert len([path for path in paths if path is not None]) == 1
    for handle in handles:
        assert_same(handle.at().search(QUERY, 10), handle.plain(QUERY), 10)
        assert handle.at()._sealed is not None  # type: ignore[attr-defined]


@pytest.mark.soak
def test_a_builder_that_is_killed_leaves_nothing_that_lasts(vectored: Vectored, tmp_path: Path) -> None:
    chance = random.Random(1)
    for _ in range(rounds(5, 500)):
        arguments = [str(vectored.path), str(tmp_path / "home"), str(DIMENSIONS)]
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.views.nearest.sealer", *arguments], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        with child.stdout:
            assert child.stdout.readline() == b"ready\n"
            sleep(chance.uniform(0, 0.05))  # somewhere in its work, which is the point
            child.kill()
            child.wait()
        vectored.index.close()
        assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)
        for path in (vectored.path / "nearest").glob("*.generation"):
            path.unlink()
        vectored.index.close()
        assert vectored.seal() is not None
        assert not list((vectored.path / "nearest").glob(".*"))
        assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)


# -- the verb forget -------------------------------------------------------------------------------------------------


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path / "store", home=tmp_path / "home") as opened:
        yield opened


def seal_canary(memory: Memory) -> Path:
    """A generation with the canary for v1.fact.canary."""
    log = memory._store.log
    for name in ["canary", *(f"n{i}" for i in range(150))]:
        memory.checkpoint([f"v1.fact.{name} = {name}"])
    rows = [CANARY, *draw(3, 150, DIMENSIONS)]
    vectors = {seq: np.asarray(row, "<f2").tobytes() for seq, row in enumerate(rows, 1)}
    log.decide(lambda now, _: Decision((), list(keep_vectors(now, SPACE, vectors, 151))))
    path = NearestIndex(log.path, read_only=False, seal_from=100).seal(log.snapshot, SPACE, DIMENSIONS)
    assert path is not None
    assert held(log.path)
    return log.path


def test_forget_erases_generations(memory: Memory) -> None:
    folder = seal_canary(memory)
    assert memory.forget("v1.fact.canary").compacted
    assert held(folder) == []


def test_what_a_forget_could_not_erase_is_owed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = seal_canary(memory)

    def busy(*_: Any) -> int:
        raise Busy("another process is at it")

    with monkeypatch.context() as patched:
        patched.setattr("substrate.forget.compaction.erase_forgotten", busy)
        assert not memory.forget("v1.fact.canary").compacted
    assert held(folder)
    assert memory.stats().compaction_owed
    memory.compact()
    assert held(folder) == []
    assert not memory.stats().compaction_owed


def test_who_cannot_get_the_lock_says_busy(vectored: Vectored) -> None:
    vectored.seal()
    with generations._locked(vectored.path / "nearest", "publish.lock"), pytest.raises(Busy):  # noqa: SIM117
        with generations._locked(vectored.path / "nearest", "publish.lock", 0.05):
            pass


def test_a_compaction_alone_keeps_generations(memory: Memory) -> None:
    folder = seal_canary(memory)
    memory.compact()
    assert held(folder)
