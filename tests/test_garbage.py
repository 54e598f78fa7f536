"""While documents are taken in, the collector of cyclic garbage rests; afterwards it is as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

import substrate
from substrate.documents import write
from substrate.errors import InputError
from substrate.garbage import uncollected


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    was = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was else gc.disable)()


def test_the_collector_rests_inside_and_goes_on_behind() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_lets_it_go_on() -> None:
    with pytest.raises(InputError), uncollected():
        raise InputError("no")
    assert gc.isenabled()


def test_who_has_it_off_keeps_it_off() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()


def test_blocks_of_two_threads_that_overlap_leave_it_as_it_was() -> None:
    first, second = uncollected(), uncollected()
    first.__enter__()
    other = Thread(target=second.__enter__)
    other.start()
    other.join()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_an_ingest_pauses_it_and_a_refused_one_lets_it_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    save = write.checkpoint

    def watched(*given: object, **options: object) -> object:
        seen.append(gc.isenabled())
        return save(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(write, "checkpoint", watched)
    with substrate.open(tmp_path / "store", home=tmp_path / "home", model="none", background=False) as memory:
        memory.ingest("# Terms\n\nAda Lovelace wrote them.", source="terms")
        with pytest.raises(InputError):
            memory.ingest("The token is ghp_" + "x7Kq" * 9, source="secret")
    assert seen
    assert not any(seen)
    assert gc.isenabled()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of more files than are read together."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(70):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nNothing but page {number}.\n")
    return folder


def test_documents_that_wait_to_be_written_keep_it_away_and_an_error_lets_it_go_on(
    tmp_path: Path, folder: Path
) -> None:
    seen: list[bool] = []

    def watched(_: int, __: int) -> None:
        seen.append(gc.isenabled())
        if len(seen) == 68:
            raise KeyboardInterrupt

    with substrate.open(tmp_path / "store", home=tmp_path / "home", model="none", background=False) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.ingest(folder, progress=watched)
        assert gc.isenabled()
    assert seen
    assert not any(seen)


def test_documents_that_wait_for_long_let_it_go_on(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "_PAUSE_S", -1.0)
    seen: list[bool] = []
    with substrate.open(tmp_path / "store", home=tmp_path / "home", model="none", background=False) as memory:
        memory.ingest(folder, progress=lambda *_: seen.append(gc.isenabled()))
    assert (seen[0], seen[-1]) == (False, True)
