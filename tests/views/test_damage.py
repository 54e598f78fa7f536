"""Promise 8: whatever happens to a generation's file, what is found is what the vectors of record say."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from substrate.errors import StoreDamaged
from substrate.views.nearest import generation as generations
from substrate.views.nearest.generation import Generation, peek
from substrate.views.nearest.index import NearestIndex
from tests.scale import rounds
from tests.views.vectored import SPACE, Vectored, assert_same, draw

DIMENSIONS = 16
ROWS = 400


@pytest.fixture
def vectored(open_vectored: Callable[..., Vectored]) -> Vectored:
    store = open_vectored(dimensions=DIMENSIONS, seal_from=100)
    store.put(list(draw(1, ROWS, DIMENSIONS)))
    return store


@pytest.fixture
def foreign(open_vectored: Callable[..., Vectored]) -> bytes:
    """The generation of another store, in which everything else is the same."""
    store = open_vectored("other", dimensions=DIMENSIONS, seal_from=100)
    store.put(list(draw(2, ROWS, DIMENSIONS)))
    path = store.seal()
    assert path is not None
    return path.read_bytes()


def flip(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def check(store: Vectored, seed: int) -> Any:
    """Asks in many ways; all answers are right. The view that was asked."""
    with store.log.snapshot() as transaction:
        nearest = store.index.at(transaction, SPACE, DIMENSIONS, store.size())
        for i in range(4):
            query = draw(100 * seed + i, 1, DIMENSIONS)[0]
            mask = None if i % 2 else np.random.default_rng(i).random(ROWS + 50) < (0.9, 0.02)[i // 2]
            assert_same(nearest.search(query, 10, mask), store.plain(query, mask), 10)
        whole = store.plain(query)
        scores = nearest.scores(query, np.arange(ROWS + 60))
        assert_same(nearest.search(query, ROWS), whole, ROWS)
        for seq, score in enumerate(scores.tolist()):
            assert np.isnan(score) if seq not in whole else abs(whole[seq] - score) < 2e-3
    return nearest


@pytest.mark.no_cover
@pytest.mark.soak
def test_damage_of_any_kind_is_refused_and_answers_stay_right(vectored: Vectored, foreign: bytes) -> None:
    path = vectored.seal()
    assert path is not None
    older = path.read_bytes()
    vectored.put(list(draw(3, 120, DIMENSIONS)))
    vectored.forget([5, 6, 7])
    path = vectored.seal()
    assert path is not None
    whole = path.read_bytes()
    vectored.put(list(draw(4, 20, DIMENSIONS)))
    chance = random.Random(1)
    kinds: list[Callable[[], bytes]] = [
        lambda: flip(whole, chance),
        lambda: flip(flip(whole, chance), chance),
        lambda: whole[: chance.randrange(len(whole))],
        lambda: whole + bytes(chance.randrange(1, 9000)),
        lambda: foreign,
        lambda: older,
        lambda: whole[: 8192 + 32 * chance.randrange(ROWS)] + chance.randbytes(4096) + whole[8192 + 4096 + 32 * 100 :],
        lambda: b"",
        lambda: chance.randbytes(len(whole)),
    ]
    refused = 0
    for i in range(rounds(24, 5000)):
        damaged = kinds[i % len(kinds)]()
        while_open = i % 3 == 0
        path.unlink(missing_ok=True)
        if while_open:  # in place, under a process that has it open
            path.write_bytes(whole)
        vectored.index = NearestIndex(vectored.path, read_only=False, seal_from=100)
        if while_open:
            vectored.at()
            with path.open("r+b") as file:
                file.truncate(len(damaged))
                file.write(damaged)
        else:
            path.write_bytes(damaged)
        nearest = check(vectored, i)
        if damaged not in (whole, older):
            refused += nearest.note is not None
    assert refused > rounds(24, 5000) // 3


def test_every_byte_of_a_small_file_counts(vectored: Vectored) -> None:
    """All but the padding of the header."""
    path = vectored.seal()
    assert path is not None
    whole = path.read_bytes()
    end = len(whole[:8192].rstrip(b"\x00"))
    chance = random.Random(2)
    for at in [
        0,
        25,
        60,
        end - 1,
        8192,
        8193,
        len(whole) - 1,
        *(chance.randrange(8192, len(whole)) for _ in range(30)),
    ]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        vectored.index = NearestIndex(vectored.path, read_only=False, seal_from=100)
        assert check(vectored, at).note is not None


def test_a_refused_generation_is_made_anew(vectored: Vectored) -> None:
    path = vectored.seal()
    assert path is not None
    path.write_bytes(flip(path.read_bytes()[:-1], random.Random(1)))
    vectored.index.close()
    vectored.index = NearestIndex(vectored.path, read_only=False, seal_from=100)
    assert "refused" in (vectored.at().note or "")
    new = vectored.seal()
    assert new not in {None, path}
    assert not path.exists()
    assert check(vectored, 1).note is None


def test_damage_that_is_met_after_the_snapshot_is_a_typed_error_once(vectored: Vectored) -> None:
    path = vectored.seal()
    assert path is not None
    nearest = vectored.at()  # its snapshot is over
    with path.open("r+b") as file:
        file.truncate(100)
    with pytest.raises(StoreDamaged, match="search again"):
        nearest.search(draw(1, 1, DIMENSIONS)[0], 5)
    check(vectored, 1)


def test_a_generation_of_another_space_under_this_name_is_refused(vectored: Vectored) -> None:
    rows = dict(zip(range(1, ROWS + 1), draw(7, ROWS, DIMENSIONS), strict=True))
    vectored.embed(rows, b"space  2")
    path = vectored.index.seal(vectored.log.snapshot, b"space  2", DIMENSIONS)
    assert path is not None
    path.rename(path.with_name(path.name.replace(b"space  2".hex(), SPACE.hex())))
    assert "another space" in (check(vectored, 1).note or "")


def test_a_store_that_went_back_leaves_later_generations_alone(vectored: Vectored, tmp_path: Path) -> None:
    vectored.log.backup(tmp_path / "copy")
    vectored.put(list(draw(8, 200, DIMENSIONS)))
    path = vectored.seal()
    assert path is not None
    (tmp_path / "copy" / "nearest").mkdir()
    shutil.copy(path, tmp_path / "copy" / "nearest")
    back = Vectored(tmp_path / "copy", tmp_path / "elsewhere", DIMENSIONS, 100, read_only=True)
    try:
        assert check(back, 1)._sealed is None
    finally:
        back.close()


# -- broken twins: without its check, each kind of damage would give a wrong answer ----------------------------------


def test_twin_without_row_sums_answers_wrongly(vectored: Vectored, monkeypatch: pytest.MonkeyPatch) -> None:
    path = vectored.seal()
    assert path is not None
    data = bytearray(path.read_bytes())
    at = peek(path).sections["vectors"][0]
    data[at : at + 32 * ROWS] = data[at + 32 : at + 32 * ROWS] + data[at : at + 32]  # every row in the next one's place
    path.write_bytes(data)
    vectored.index = NearestIndex(vectored.path, read_only=False, seal_from=100)
    check(vectored, 1)
    monkeypatch.setattr(generations, "row_sums", lambda rows: np.zeros(len(rows), np.uint64))
    monkeypatch.setattr(Generation, "rows", lambda self, places: self._vectors[places])
    vectored.index = NearestIndex(vectored.path, read_only=False, seal_from=100)
    with pytest.raises(AssertionError):
        check(vectored, 1)


def test_twin_that_does_not_ask_which_log_it_is_answers_wrongly(
    vectored: Vectored, foreign: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = vectored.seal()
    assert path is not None
    path.write_bytes(foreign)
    vectored.index = NearestIndex(vectored.path, read_only=False, seal_from=100)
    check(vectored, 1)
    monkeypatch.setattr("substrate.views.nearest.space.is_foreign", lambda *_: False)
    vectored.index = NearestIndex(vectored.path, read_only=False, seal_from=100)
    with pytest.raises(AssertionError):
        check(vectored, 1)


def test_twin_that_does_not_look_for_what_was_forgotten_finds_it(
    vectored: Vectored, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectored.seal()
    vectored.forget([5, 6, 7])
    check(vectored, 1)
    monkeypatch.setattr("substrate.views.nearest.space.erased_between", lambda *_: set())
    vectored.index = NearestIndex(vectored.path, read_only=False, seal_from=100)
    with pytest.raises(AssertionError):
        check(vectored, 1)
