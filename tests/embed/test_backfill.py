"""Vectors follow the log: at a call, in the background, through kills."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import substrate
from substrate.embed import backfill, background
from substrate.embed import pending as windows
from substrate.embed.embedder import Embedder
from substrate.embed.load import load
from substrate.errors import Denied, HeadMoved, ModelUnavailable, StoreDamaged
from substrate.log.tables import ENTRIES, seq_key
from substrate.memory import Memory
from substrate.proof.entry import Kind
from substrate.views.models import model_in_force
from substrate.views.vectors import embedded_upto, vectors_between
from tests.embed.embedded import ATOMS, Reopen, fill, rows_of, searched, vector_of
from tests.scale import PATIENCE_S


@pytest.fixture
def tiny(made: Path, cache: Path) -> Path:
    """A small model, in force for the settings."""
    assert cache.exists()
    return made / "models" / "tiny-mean"


@pytest.fixture
def memory(reopen: Reopen, tiny: Path) -> Memory:
    """A store that embeds with the tiny model, when it is told to."""
    return reopen(model=tiny, background=False)


# -- at a call -------------------------------------------------------------------------------------------------------


def test_index_embeds_every_version_once_and_names_the_model_in_the_log(memory: Memory, tiny: Path) -> None:
    memory.checkpoint(ATOMS)
    memory.checkpoint(["v1.fact.payment_provider = Adyen"])
    size = memory.head().head.size
    done = memory.index()
    assert (done.embedded, done.pieces, done.model, done.upto) == (4, 4, "tiny-mean", size)
    assert memory.model().state == ""  # the work is over
    assert memory.index().embedded == 0
    embedder = load(tiny)
    rows = rows_of(memory)
    assert [seq for seq, _ in rows] == [1, 2, 3, 4]
    assert {space for _, space in rows} == {embedder.space}
    vector = np.frombuffer(rows[1, embedder.space], "<f2").astype(np.float32)
    assert vector @ embedder.embed_query("payment provider: Stripe") > 0.999
    with memory._store.log.snapshot() as transaction:
        model = model_in_force(transaction)
    assert model is not None
    assert model[1:] == ("tiny-mean", embedder.digest, 32, embedder.space)
    assert memory._store.log.entry(model.seq).entry.kind is Kind.MODEL
    assert b"/" not in memory._store.log.entry(model.seq).opening.body, "no path of anybody's is kept"  # type: ignore[union-attr]
    assert memory.head().head.size == size + 1


def test_what_gets_no_vector_does_not_wait_for_one(memory: Memory) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    memory.checkpoint([{"name": "v1.entity.d.ada", "value": "Ada", "origin": "ingested"}])
    assert memory.model().waiting == 0
    done = memory.index()
    assert (done.embedded, done.upto, memory.model().waiting) == (0, memory.head().head.size, 0)


@pytest.mark.parametrize("left", [None, b"", b"\x01"])
def test_versions_whose_entry_is_lost_are_told_and_not_passed_over(memory: Memory, left: bytes | None) -> None:
    memory.checkpoint(ATOMS)
    with memory._store.log._store.write() as transaction:
        if left is None:
            transaction.delete(ENTRIES, seq_key(1))
        else:
            transaction.put(ENTRIES, seq_key(1), left)
        space = b"0" * 16
        with pytest.raises(StoreDamaged, match="entry 1 is"):
            windows.next_window(transaction, space)


def test_a_store_without_versions_gets_no_entry(memory: Memory) -> None:
    assert memory.index().embedded == 0
    assert memory.head().head.size == 1
    assert searched(memory) is None
    assert memory.model().model == ""


def test_a_long_text_has_a_vector_for_each_piece(memory: Memory, tiny: Path) -> None:
    long = "word after word " * 40
    memory.checkpoint([f"v1.document.long = {long}"])
    done = memory.index()
    pieces = load(tiny).pieces(f"long: {long.strip()}")
    assert (done.embedded, done.pieces) == (1, len(pieces))
    assert len(pieces) > 3
    (row,) = rows_of(memory).values()
    assert len(row) == 2 * 32 * len(pieces)


def test_windows_are_written_one_by_one_and_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "WINDOW", 10)
    fill(memory, 25)
    seen: list[tuple[int, int]] = []
    memory.index(lambda done, total: seen.append((done, total)))
    assert seen == [(10, 25), (20, 25), (25, 25)]


def test_on_a_slow_machine_windows_are_small_so_an_interruption_loses_little(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "_WINDOW_S", 0.0)  # each window takes too long
    fill(memory, 70)

    def interrupt(done: int, _total: int) -> None:
        if done >= 67:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.index(interrupt)
    assert memory.model().waiting == 70 - 67
    assert memory.index().embedded == 70 - 67


@pytest.mark.parametrize(
    ("count", "seconds", "size"), [(64, 1.0, 192), (64, 0.0, 256), (512, 0.5, 512), (200, 30.0, 20), (1, 60.0, 1)]
)
def test_the_next_window_fits_the_speed_of_the_last(count: int, seconds: float, size: int) -> None:
    assert backfill._next_size(count, seconds) == size


def test_what_is_saved_while_a_window_is_embedded_waits_for_others_of_its_kind(memory: Memory) -> None:
    memory.checkpoint(ATOMS)

    def save_more(done: int, _total: int) -> None:
        memory.checkpoint([f"v1.fact.late_{done} = saved while others were embedded"])

    first = memory.index(save_more)
    assert first.embedded == len(ATOMS), "one by one, a burst of saves takes twice the CPU of a window"
    assert memory.index().embedded == 1, "and nothing is lost"


def test_the_default_model_is_used_if_nobody_says_another(reopen: Reopen, cache: Path) -> None:
    memory = reopen(background=False)
    memory.checkpoint(ATOMS)
    assert memory.index().model == "all-MiniLM-L6-v2"
    assert memory.model().dimensions == 384
    query = vector_of(memory, "who handles our payments?")
    assert query.vector is not None
    assert (query.dimensions, query.why) == (384, "")
    with memory._store.log.snapshot() as transaction:
        assert embedded_upto(transaction, query.space) == 4
        found = {
            seq: float(np.frombuffer(row, "<f2").astype(np.float32) @ query.vector)
            for seq, row in vectors_between(transaction, query.space)
        }
    assert max(found, key=lambda seq: found[seq]) == 1
    best = memory.search("who handles our money?", wait=60)[0]
    assert best.name == "v1.fact.payment_provider"
    assert best.parts["meaning"] > 0
    assert cache.exists()


def test_what_only_reads_embeds_nothing_and_still_knows_the_vector_of_a_query(memory: Memory, reopen: Reopen) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    reader = reopen(read_only=True)
    with pytest.raises(Denied, match="open it for writing"):
        reader.index()
    with pytest.raises(Denied):
        reader.use_model("all-MiniLM-L6-v2")
    assert vector_of(reader, "payment").vector is not None
    assert reader.model().waiting == 0


def test_without_vectors_or_model_the_reason_is_said(memory: Memory, reopen: Reopen) -> None:
    assert "nothing is embedded yet" in vector_of(memory, "x").why
    memory.checkpoint(ATOMS)
    memory.index()
    none = reopen(model="none")
    assert "semantic search is off" in vector_of(none, "x").why


def test_a_model_that_is_not_here_is_said_and_saving_goes_on(reopen: Reopen, cache: Path) -> None:
    memory = reopen(model="nobody/has-this", background=False)
    memory.checkpoint(ATOMS)
    with pytest.raises(ModelUnavailable, match="Substrate downloads none"):
        memory.index()
    with pytest.raises(ModelUnavailable):
        memory.use_model("nobody/has-this-either")
    assert memory.access("v1.fact.pet").atom.value == "a dog called Rex"
    assert memory.model().waiting == 3
    assert cache.exists()


def test_a_store_whose_model_is_not_here_says_so(
    memory: Memory, reopen: Reopen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    monkeypatch.setenv("SUBSTRATE_CACHE", str(tmp_path / "elsewhere"))
    other = reopen(background=False)
    why = vector_of(other, "x").why
    assert "this store's vectors are of the model tiny-mean" in why
    assert "SUBSTRATE_MODEL" in why


# -- in the background -----------------------------------------------------------------------------------------------


def wait_until(true: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_what_is_saved_is_embedded_in_the_background(
    reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "QUIET_S", 0.01)
    memory = reopen(model=tiny)
    assert memory._store.follower._worker._thread is None, "nothing to do, no thread"
    memory.checkpoint(ATOMS)
    wait_until(lambda: len(rows_of(memory)) == 3)
    memory.checkpoint(["v1.fact.pet = a cat"])
    wait_until(lambda: len(rows_of(memory)) == 4)
    memory.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "substrate-embed"]


def test_what_another_process_left_is_embedded_when_the_store_is_opened(
    memory: Memory, reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "QUIET_S", 0.01)
    memory.checkpoint(ATOMS)
    again = reopen(model=tiny)
    wait_until(lambda: len(rows_of(again)) == 3)


def test_what_others_wrote_is_embedded_when_a_search_sees_it_also_after_the_thread_went_to_rest(
    memory: Memory, reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "QUIET_S", 0.01)
    monkeypatch.setattr(background, "IDLE_S", 0.05)
    memory.checkpoint(ATOMS)
    again = reopen(model=tiny)
    wait_until(lambda: len(rows_of(again)) == 3)
    wait_until(lambda: not any(thread.name == "substrate-embed" for thread in threading.enumerate()))
    memory.checkpoint(["v1.fact.pet = a cat"])
    assert again.search("cat").lag == 1
    wait_until(lambda: len(rows_of(again)) == 4)


def test_a_writer_who_expects_a_head_does_not_mind_the_entry_that_names_the_model(memory: Memory) -> None:
    memory.checkpoint(ATOMS)
    expected = memory.head()
    memory.index()
    assert memory.head().head.size == expected.head.size + 1
    memory.checkpoint(["v1.fact.pet = a cat"], expect=expected)
    with pytest.raises(HeadMoved):
        memory.checkpoint(["v1.fact.pet = a bird"], expect=expected)


def test_an_error_in_the_background_is_kept_and_told(
    reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(background, "QUIET_S", 0.01)
    monkeypatch.setattr(Embedder, "embed_pieces", lambda *_: 1 / 0)
    memory = reopen(model=tiny)
    memory.checkpoint(ATOMS)
    wait_until(lambda: "ZeroDivisionError" in memory.model().state)
    wait_until(lambda: "vectors are behind" in caplog.text)
    assert memory.checkpoint(["v1.fact.pet = a cat"]).recorded


def test_closing_does_not_wait_for_a_window(reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "QUIET_S", 0.0)
    begun = threading.Event()

    def endless(_: Embedder, __: list[str], progress: Callable[[int, int], None]) -> list[object]:
        while True:
            begun.set()
            time.sleep(0.01)
            progress(0, 1)

    monkeypatch.setattr(Embedder, "embed_pieces", endless)
    memory = reopen(model=tiny)
    memory.checkpoint(ATOMS)
    assert begun.wait(PATIENCE_S)
    assert memory.checkpoint(["v1.fact.pet = a cat"]).recorded, "and nobody waits for it"
    memory.close()  # or it would never end


def test_a_short_script_ends_without_loading_a_model(tmp_path: Path, tiny: Path) -> None:
    code = """
import sys, substrate
memory = substrate.open(sys.argv[1], home=sys.argv[2], model=sys.argv[3])
memory.checkpoint(["v1.fact.x = y"])
if sys.argv[4] == "close":
    memory.close()
assert "numpy" not in sys.modules
"""
    for how in ("close", "leave"):
        command = [sys.executable, "-c", code, str(tmp_path / "store"), str(tmp_path / "home"), str(tiny), how]
        run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert (run.returncode, run.stderr) == (0, "")


# -- killed, or not alone --------------------------------------------------------------------------------------------

SLOW = """
import sys, time
from substrate.embed import pending as windows
from substrate.memory import open_memory
from substrate.embed.embedder import Embedder
windows.WINDOW = 8
real = Embedder.embed_pieces
def slow(*arguments):
    made = real(*arguments)
    print("window", flush=True)
    time.sleep(0.2)
    return made
Embedder.embed_pieces = slow
open_memory(sys.argv[1], home=sys.argv[2], model=sys.argv[3], background=False).index()
"""


def test_after_a_kill_it_goes_on_where_it_was(memory: Memory, store: Path, home: Path, tiny: Path) -> None:
    fill(memory, 40)
    command = [sys.executable, "-c", SLOW, str(store), str(home), str(tiny)]
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            child.stdout.readline()
            child.stdout.readline()
            child.send_signal(signal.SIGKILL)
    there = len(rows_of(memory))
    assert 8 <= there < 40
    assert there % 8 == 0
    assert memory.index().embedded == 40 - there
    assert len(rows_of(memory)) == 40
    assert substrate.fsck(store, home=home).ok


def test_two_processes_do_no_window_twice(memory: Memory, store: Path, home: Path, tiny: Path) -> None:
    fill(memory, 40)
    command = [sys.executable, "-c", SLOW, str(store), str(home), str(tiny)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    windows = [child.communicate(timeout=120)[0].count("window") for child in children]
    assert sum(windows) == 5
    assert len(rows_of(memory)) == 40


def test_the_choice_of_a_model_does_not_stand_in_the_way_of_an_undo(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = one"])
    memory.checkpoint(["v1.fact.b = two"])
    memory.index()
    assert memory.undo(dry_run=True).tombstoned == ("v1.fact.b",)
    assert memory.undo().tombstoned == ("v1.fact.b",)
    assert [atom.name for atom in memory.list()] == ["v1.fact.a"]
