"""Vectors follow the log: at a call, in the background, through kills, other models, forgetting and damage."""

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
from substrate.codec import draft_other
from substrate.embed.embedder import Embedder
from substrate.embed.loading import load
from substrate.engine import embedding, windows
from substrate.engine.meaning import Meaning, QueryVector
from substrate.engine.memory import Memory
from substrate.errors import Denied, HeadMoved, ModelUnavailable
from substrate.log.append import Decision
from substrate.log.tables import BODIES, EMBEDDED, VECTORS, read_seq, seq_key
from substrate.proof.entry import Kind
from substrate.views import vectors as vector_tables
from substrate.views.models import model_in_force, model_searched
from substrate.views.vectors import embedded_upto, vectors_between

Reopen = Callable[..., Memory]
ATOMS = ["v1.fact.payment_provider = Stripe", "v1.fact.pet = a dog called Rex", "v1.goal.launch = In March"]


@pytest.fixture
def tiny(made: Path, cache: Path) -> Path:
    """A small model, in force for the settings."""
    assert cache.exists()
    return made / "models" / "tiny-mean"


@pytest.fixture
def memory(reopen: Reopen, tiny: Path) -> Memory:
    """A store that embeds with the tiny model, when it is told to."""
    return reopen(model=tiny, background=False)


def rows_of(memory: Memory) -> dict[tuple[int, bytes], bytes]:
    with memory._log.snapshot() as transaction:
        return {(read_seq(key[:8]), key[8:]): row for key, row in transaction.scan(VECTORS)}


def spaces_of(memory: Memory) -> dict[bytes, int]:
    with memory._log.snapshot() as transaction:
        return {space: read_seq(row) for space, row in transaction.scan(EMBEDDED)}


def searched(memory: Memory) -> tuple[bytes, int] | None:
    with memory._log.snapshot() as transaction:
        model = model_searched(transaction)
        return None if model is None else (model.space, embedded_upto(transaction, model.space))


def vector_of(memory: Memory, text: str) -> QueryVector:
    return Meaning(memory._log, memory._models).embed(text, wait_s=60)


def fill(memory: Memory, count: int) -> None:
    memory.checkpoint([f"v1.fact.number_{i} = the value of {i}" for i in range(count)])


# -- at a call -------------------------------------------------------------------------------------------------------


def test_index_embeds_every_version_once_and_names_the_model_in_the_log(memory: Memory, tiny: Path) -> None:
    memory.checkpoint(ATOMS)
    memory.checkpoint(["v1.fact.payment_provider = Adyen"])
    size = memory.head().head.size
    done = memory.index()
    assert (done.embedded, done.pieces, done.model, done.upto) == (4, 4, "tiny-mean", size)
    assert memory.index().embedded == 0
    embedder = load(tiny)
    rows = rows_of(memory)
    assert [seq for seq, _ in rows] == [1, 2, 3, 4]
    assert {space for _, space in rows} == {embedder.space}
    vector = np.frombuffer(rows[1, embedder.space], "<f2").astype(np.float32)
    assert vector @ embedder.embed_query("payment provider: Stripe") > 0.999
    with memory._log.snapshot() as transaction:
        model = model_in_force(transaction)
    assert model is not None
    assert model[1:] == ("tiny-mean", embedder.digest, 32, embedder.space)
    assert memory._log.entry(model.seq).entry.kind is Kind.MODEL
    assert b"/" not in memory._log.entry(model.seq).opening.body, "no path of anybody's is kept"  # type: ignore[union-attr]
    assert memory.head().head.size == size + 1


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
    monkeypatch.setattr(windows, "_WINDOW", 10)
    fill(memory, 25)
    seen: list[tuple[int, int]] = []
    memory.index(lambda done, total: seen.append((done, total)))
    assert seen == [(10, 25), (20, 25), (25, 25)]


def test_the_default_model_is_used_if_nobody_says_another(reopen: Reopen, cache: Path) -> None:
    memory = reopen(background=False)
    memory.checkpoint(ATOMS)
    assert memory.index().model == "all-MiniLM-L6-v2"
    assert memory.model().dimensions == 384
    query = vector_of(memory, "who handles our payments?")
    assert query.vector is not None
    assert (query.dimensions, query.why) == (384, "")
    with memory._log.snapshot() as transaction:
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
    assert "no model is wanted" in vector_of(none, "x").why


def test_a_model_that_is_not_here_is_said_and_saving_goes_on(reopen: Reopen, cache: Path) -> None:
    memory = reopen(model="nobody/has-this", background=False)
    memory.checkpoint(ATOMS)
    with pytest.raises(ModelUnavailable, match="none is fetched from the network"):
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
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_what_is_saved_is_embedded_in_the_background(
    reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_QUIET_S", 0.01)
    memory = reopen(model=tiny)
    assert memory._follower._thread is None, "nothing to do, no thread"
    memory.checkpoint(ATOMS)
    wait_until(lambda: len(rows_of(memory)) == 3)
    memory.checkpoint(["v1.fact.pet = a cat"])
    wait_until(lambda: len(rows_of(memory)) == 4)
    memory.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "substrate-embed"]


def test_what_another_process_left_is_embedded_when_the_store_is_opened(
    memory: Memory, reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_QUIET_S", 0.01)
    memory.checkpoint(ATOMS)
    again = reopen(model=tiny)
    wait_until(lambda: len(rows_of(again)) == 3)


def test_what_others_wrote_is_embedded_when_a_search_sees_it_also_after_the_thread_went_to_rest(
    memory: Memory, reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_QUIET_S", 0.01)
    monkeypatch.setattr(embedding, "_IDLE_S", 0.05)
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
    monkeypatch.setattr(embedding, "_QUIET_S", 0.01)
    monkeypatch.setattr(Embedder, "embed_pieces", lambda *_: 1 / 0)
    memory = reopen(model=tiny)
    memory.checkpoint(ATOMS)
    wait_until(lambda: "ZeroDivisionError" in memory.model().state)
    assert "vectors are behind" in caplog.text
    assert memory.checkpoint(["v1.fact.pet = a cat"]).recorded


def test_closing_does_not_wait_for_a_window(reopen: Reopen, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_QUIET_S", 0.0)
    begun = threading.Event()

    def endless(_: Embedder, __: list[str], progress: Callable[[int, int], None]) -> list[object]:
        while True:
            begun.set()
            time.sleep(0.01)
            progress(0, 1)

    monkeypatch.setattr(Embedder, "embed_pieces", endless)
    memory = reopen(model=tiny)
    memory.checkpoint(ATOMS)
    assert begun.wait(60)
    before = time.monotonic()
    assert memory.checkpoint(["v1.fact.pet = a cat"]).recorded, "and nobody waits for it"
    memory.close()
    assert time.monotonic() - before < 5


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
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (run.returncode, run.stderr) == (0, "")


# -- killed, or not alone --------------------------------------------------------------------------------------------

SLOW = """
import sys, time
from substrate.engine import embedding, windows
from substrate.engine.memory import open_memory
from substrate.embed.embedder import Embedder
windows._WINDOW = 8
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


# -- another model ---------------------------------------------------------------------------------------------------


def test_until_another_model_is_done_the_old_space_is_searched_and_then_erased(  # noqa: PLR0913, PLR0917
    memory: Memory, made: Path, tiny: Path, store: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_WINDOW", 4)
    monkeypatch.setattr(embedding, "_PORTION", 3)
    fill(memory, 10)
    memory.index()
    old, new = load(tiny).space, load(made / "models" / "tiny-max").space
    upto = spaces_of(memory)[old]
    told = memory.use_model(made / "models" / "tiny-max")
    assert (told.model, told.waiting, told.searched) == ("tiny-max", 10, "tiny-mean")
    assert searched(memory) == (old, upto)
    seen: list[tuple[bytes, int]] = []

    def look(*_: int) -> None:
        now = searched(memory)
        assert now is not None
        seen.append(now)
        query = vector_of(memory, "the value of 3")
        assert query.vector is not None
        assert (query.space, len(query.vector)) == (now[0], 32 if now[0] == old else 16)

    done = memory.index(look)
    assert (done.embedded, done.model) == (10, "tiny-max")
    assert [space for space, _ in seen] == [old, old, new]
    assert {space for _, space in rows_of(memory)} == {new}
    assert list(spaces_of(memory)) == [new]
    assert memory.model().searched == ""
    assert substrate.fsck(store, home=home).ok


def test_the_same_model_again_changes_nothing(memory: Memory, tiny: Path) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    size = memory.head().head.size
    memory.use_model(tiny)
    assert memory.head().head.size == size


def test_a_switch_that_was_cut_off_goes_on_and_one_can_go_back(
    memory: Memory, reopen: Reopen, made: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_WINDOW", 4)
    fill(memory, 10)
    memory.index()
    before = rows_of(memory)
    old = load(tiny).space
    memory.use_model(made / "models" / "tiny-max")

    def cut_off(done: int, _: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.index(cut_off)
    assert len(rows_of(memory)) == 14
    memory.use_model(tiny)
    assert searched(memory) == (old, spaces_of(memory)[old])
    memory.index()
    assert rows_of(memory) == before, "what was begun of the other is erased"
    memory.use_model(made / "models" / "tiny-max")
    assert reopen(model=tiny, background=False).index().embedded == 10


def test_erasing_an_old_space_stops_if_it_is_chosen_again(
    memory: Memory, made: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_PORTION", 3)
    fill(memory, 10)
    memory.index()
    old = load(tiny).space
    memory.use_model(made / "models" / "tiny-max")
    follower = memory._follower
    with monkeypatch.context() as patch:
        patch.setattr(follower, "_clean", lambda: None)
        memory.index()
    after = follower._clean_some(old, b"")
    assert after is not None
    assert spaces_of(memory)[old] == 0, "from the first portion on it is known to be incomplete"
    memory.use_model(tiny)
    assert follower._clean_some(old, after) is None
    assert len([space for _, space in rows_of(memory) if space == old]) > 0
    memory.index()
    assert {space for _, space in rows_of(memory)} == {old}
    assert len(rows_of(memory)) == 10


def test_a_switch_is_completed_also_if_nothing_is_left_to_embed(memory: Memory, made: Path) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    memory.forget(["v1.fact.payment_provider", "v1.fact.pet", "v1.goal.launch"])
    memory.use_model(made / "models" / "tiny-max")
    memory.index()
    assert memory.model().searched == ""
    assert len(spaces_of(memory)) == 1


# -- forgetting ------------------------------------------------------------------------------------------------------


def test_vectors_of_what_is_forgotten_go_with_it(memory: Memory, store: Path, home: Path) -> None:
    memory.checkpoint(ATOMS)
    memory.checkpoint(["v1.fact.pet = a cat"])
    memory.index()
    bytes_of_it = [row for (seq, _), row in rows_of(memory).items() if seq in {2, 4}]
    memory.forget("v1.fact.pet")
    assert [seq for seq, _ in rows_of(memory)] == [1, 3]
    for path in store.rglob("data.mdb"):
        data = path.read_bytes()
        assert not any(row in data for row in bytes_of_it)
    assert memory.model().waiting == 0
    assert memory.index().embedded == 0
    assert substrate.fsck(store, home=home).ok


def test_forgetting_by_source_takes_the_vectors_of_those_versions(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.pet = a dog"], source="letter")
    memory.checkpoint(["v1.fact.pet = a cat"])
    memory.index()
    memory.forget(source="letter")
    assert [seq for seq, _ in rows_of(memory)] == [2]


def forget_while_embedding(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Embedder.embed_pieces

    def meanwhile(embedder: Embedder, texts: list[str], *more: object) -> object:
        made = real(embedder, texts, *more)  # type: ignore[arg-type]
        memory.forget("v1.fact.pet")
        return made

    monkeypatch.setattr(Embedder, "embed_pieces", meanwhile)
    memory.index()


def test_what_is_forgotten_while_it_is_embedded_gets_no_vectors(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, store: Path, home: Path
) -> None:
    memory.checkpoint(ATOMS)
    forget_while_embedding(memory, monkeypatch)
    assert [seq for seq, _ in rows_of(memory)] == [1, 3]
    assert substrate.fsck(store, home=home).ok


def test_the_twin_that_does_not_look_again_is_noticed(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, store: Path, home: Path
) -> None:
    def trusting(_: object, space: bytes, vectors: dict[int, bytes], upto: int) -> list[vector_tables.CacheRow]:
        rows: list[vector_tables.CacheRow] = [(VECTORS, seq_key(seq) + space, vectors[seq]) for seq in vectors]
        return [*rows, (EMBEDDED, space, seq_key(upto))]

    monkeypatch.setattr(embedding, "keep_vectors", trusting)
    memory.checkpoint(ATOMS)
    forget_while_embedding(memory, monkeypatch)
    assert [seq for seq, _ in rows_of(memory)] == [1, 2, 3]
    report = substrate.fsck(store, home=home)
    assert "has vectors of entry 2, which says nothing (any more)" in (report.damage or "")
    memory.rebuild()
    assert substrate.fsck(store, home=home).ok
    assert rows_of(memory) == {}


# -- damage ----------------------------------------------------------------------------------------------------------

Harm = Callable[[dict[tuple[int, bytes], bytes], bytes], list[tuple[str, bytes, bytes | None]]]
HARMS: dict[str, tuple[Harm, str]] = {
    "cut off": (lambda rows, space: [(VECTORS, seq_key(1) + space, rows[1, space][:-1])], "a wrong size"),
    "empty": (lambda _, space: [(VECTORS, seq_key(1) + space, b"")], "a wrong size"),
    "no vector": (
        lambda rows, space: [(VECTORS, seq_key(1) + space, b"\xff" * len(rows[1, space]))],
        "not of length 1",
    ),
    "of nobody": (lambda rows, space: [(VECTORS, seq_key(99) + space, rows[1, space])], "entry 99, which says nothing"),
    "of a key": (lambda rows, space: [(VECTORS, seq_key(0) + space, rows[1, space])], "entry 0, which says nothing"),
    "of no space": (lambda rows, space: [(VECTORS, seq_key(1) + b"x" * 8, rows[1, space])], "unknown space"),
    "missing": (lambda _, space: [(VECTORS, seq_key(2) + space, None)], "lacks those of entry 2"),
    "too far": (lambda _, space: [(EMBEDDED, space, seq_key(1000))], "a model or a seq that the log does not have"),
    "a strange space": (lambda _, __: [(EMBEDDED, b"y" * 8, seq_key(1))], "a model or a seq"),
    "no seq": (lambda _, space: [(EMBEDDED, space, b"12")], "a model or a seq"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_damage_is_told_with_the_remedy_which_works(memory: Memory, store: Path, home: Path, harm: str) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    (space,) = spaces_of(memory)
    before = rows_of(memory)
    damage, word = HARMS[harm]
    memory._log.decide(lambda _, __: Decision((), damage(before, space)))
    report = substrate.fsck(store, home=home)
    assert word in (report.damage or "")
    assert "substrate rebuild" in (report.damage or "")
    memory.rebuild()
    assert rows_of(memory) == {}
    assert substrate.fsck(store, home=home).ok
    assert memory.index().embedded == 3
    assert rows_of(memory) == before


def test_a_rebuild_keeps_sound_vectors_and_a_restore_does_not_care(
    memory: Memory, tmp_path: Path, home: Path, store: Path
) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    before = rows_of(memory)
    memory.rebuild()
    assert rows_of(memory) == before
    memory._log.decide(lambda _, __: Decision((), [(VECTORS, seq_key(1) + b"x" * 8, b"x")]))
    memory.backup(tmp_path / "backup")
    substrate.restore(tmp_path / "backup", tmp_path / "restored", home=home)
    substrate.rebuild(tmp_path / "restored", home=home)
    assert substrate.fsck(tmp_path / "restored", home=home).ok
    assert not substrate.fsck(store, home=home).ok


def test_a_log_that_says_nonsense_about_its_model_is_not_believed(memory: Memory) -> None:
    memory.checkpoint(ATOMS)
    for said in ({"model": 3}, {"model": "x", "digest": "..", "dimensions": 3, "space": "zz" * 8}):
        memory._log.append([draft_other(Kind.MODEL, said)])  # type: ignore[arg-type]
    assert memory.index().embedded == 3


def test_the_bodies_that_vectors_are_of_are_there(memory: Memory) -> None:
    memory.checkpoint(ATOMS)
    memory.index()
    with memory._log.snapshot() as transaction:
        (space,) = [at for at, _ in transaction.scan(EMBEDDED)]
        seqs = [seq for seq, _ in vectors_between(transaction, space)]
        assert all(transaction.get(BODIES, seq_key(seq)) is not None for seq in seqs)
        assert embedded_upto(transaction, space) == 4
