"""The verb search, with the real model where meaning counts."""

from __future__ import annotations

import copy
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.clock import ManualClock
from substrate.kv.lmdb.transactions import Reading
from substrate.log.tables import PLACES
from substrate.memory import Memory
from substrate.values.hits import Hit
from substrate.values.times import from_microseconds

Reopen = Callable[..., Memory]
NOTES = [
    "v1.fact.payment_provider = Stripe",
    "v1.fact.database = Billing data is kept in PostgreSQL",
    "v1.procedure.release = Run the test suite, build the wheel, then push a tag",
    "v1.preference.tone = Answer briefly and without jargon",
    "v1.fact.office = The team sits in Lisbon, near the river",
]


def names(memory: Memory, query: str, **options: object) -> list[str]:
    return [hit.name for hit in memory.search(query, **options)]  # type: ignore[arg-type]


@pytest.fixture
def meaning(reopen: Reopen, cache: Path) -> Memory:
    """A store with the real model, which embeds when it is told to."""
    assert cache.exists()
    return reopen(background=False)


# -- by words ----------------------------------------------------------------------------------------------------------


def test_a_write_is_found_at_the_next_search_by_every_handle(memory: Memory, reopen: Reopen) -> None:
    other = reopen()
    memory.checkpoint(["v1.fact.a = the heron nests"])
    assert names(memory, "heron") == ["v1.fact.a"]
    assert names(other, "heron") == ["v1.fact.a"]
    other.checkpoint(["v1.fact.b = a second heron"])
    assert set(names(memory, "heron")) == {"v1.fact.a", "v1.fact.b"}


def test_a_write_of_another_process_is_found_and_both_agree_at_the_same_seq(
    memory: Memory, store: Path, home: Path
) -> None:
    memory.checkpoint([f"v1.fact.n{i} = heron {'wading ' * (i % 5)}" for i in range(30)])
    memory.search("heron")
    script = (
        "import json, sys, substrate\n"
        "with substrate.open(sys.argv[1], home=sys.argv[2]) as memory:\n"
        "    memory.checkpoint(['v1.fact.other = heron wading far away'])\n"
        "    found = memory.search('wading heron', limit=50)\n"
        "    print(json.dumps([found.seq, [[hit.name, hit.score] for hit in found]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(store), str(home)], check=True, capture_output=True, text=True
    )
    seq, theirs = json.loads(done.stdout)
    found = memory.search("wading heron", limit=50)
    assert found.seq == seq
    assert [[hit.name, hit.score] for hit in found] == theirs
    assert "v1.fact.other" in [hit.name for hit in found]


def test_a_hit_says_why(memory: Memory) -> None:
    memory.checkpoint(NOTES)
    (hit, *_) = memory.search("where is Billing data")
    assert hit.name == "v1.fact.database"
    assert hit.matched == ("Billing", "data")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["Billing", "data"]
    assert hit.parts["words"] > 0
    assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-3)
    assert hit.seq == memory.head().head.size - 1
    assert "words" in repr(hit)


def test_without_a_model_it_is_said_that_words_were_searched(memory: Memory) -> None:
    memory.checkpoint(NOTES)
    found = memory.search("billing")
    assert found.meaning
    assert [hit.name for hit in found] == ["v1.fact.database"]


def test_what_was_superseded_tombstoned_or_forgotten_is_not_found(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.{name} = heron" for name in "abcd"])
    memory.checkpoint(
        ["v1.fact.b = stork"],
        tombstones=["v1.fact.c"],
        edges=[{"source": "v1.fact.b", "type": "supersedes", "target": "v1.fact.d"}],
    )
    # The edge leads from what was superseded to what took its place: that is found, whatever it says.
    assert names(memory, "heron") == ["v1.fact.a", "v1.fact.b"]
    memory.forget("v1.fact.a")
    assert names(memory, "heron") == ["v1.fact.b"]


def test_a_search_as_of_then_is_the_search_of_then(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint(["v1.fact.a = heron", "v1.fact.b = heron too"])
    before = memory.search("heron")
    moment = memory.head()
    clock.advance(60_000_000)
    memory.checkpoint(["v1.fact.a = stork", "v1.fact.c = heron again"], tombstones=["v1.fact.b"])
    after = memory.search("heron", as_of=moment)
    assert [(hit.atom.name, hit.atom.seq, hit.score) for hit in after] == [
        (hit.atom.name, hit.atom.seq, hit.score) for hit in before
    ]
    assert names(memory, "heron") == ["v1.fact.c"]


def test_valid_at_finds_what_held_then(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.fact.a", "value": "heron", "valid_from": "2024-01-01", "valid_to": "2025-01-01"}])
    assert names(memory, "heron", valid_at="2024-06-01") == ["v1.fact.a"]
    assert names(memory, "heron", valid_at="2025-06-01") == []


def test_recency_does_not_hide_an_old_better_match_among_many_new_ones(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint(["v1.fact.old = the quarterly heron census was postponed"])
    clock.advance(10**15)
    for start in range(0, 3000, 1000):
        memory.checkpoint([f"v1.fact.new{i} = heron number {i}" for i in range(start, start + 1000)])
    assert names(memory, "quarterly heron census", limit=1) == ["v1.fact.old"]


def test_the_same_text_is_shown_once_by_its_newest_and_again_behind_all_others(
    memory: Memory, clock: ManualClock
) -> None:
    for i in range(3):
        memory.checkpoint([f"v1.note.n{i} = the heron was late"])
        clock.advance(60_000_000)
    memory.checkpoint(["v1.note.other = another heron came later, and stayed for the winter"])
    assert names(memory, "heron late") == ["v1.note.n2", "v1.note.other", "v1.note.n1", "v1.note.n0"]


def test_two_things_with_the_same_value_are_two_answers(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint(["v1.fact.alice_city = Berlin"])
    clock.advance(60_000_000)
    memory.checkpoint(["v1.fact.bob_city = Berlin", *(f"v1.fact.filler{i} = something else {i}" for i in range(20))])
    assert names(memory, "alice city")[:2] == ["v1.fact.alice_city", "v1.fact.bob_city"]


def test_a_superseded_copy_does_not_stand_in_the_way_of_a_live_one(memory: Memory) -> None:
    memory.checkpoint(["v1.note.n1 = the heron census", "v1.note.n2 = the heron census", "v1.note.n3 = something else"])
    memory.checkpoint(
        [f"v1.fact.f{i} = heron number {i}" for i in range(20)],
        edges=[{"source": "v1.note.n3", "type": "supersedes", "target": "v1.note.n2"}],
    )
    assert names(memory, "the heron census")[0] == "v1.note.n1"


def test_pages_are_cut_from_one_order_however_deep(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.item{i} = red {'fish ' * (i % 7)} {i}" for i in range(600)])
    pages = [hit.name for start in range(0, 600, 50) for hit in memory.search("red fish", limit=50, offset=start)]
    assert len(pages) == len(set(pages)) == 600
    assert not memory.search("red fish", limit=50, offset=600).items


def test_of_many_that_fit_alike_the_newest_is_among_those_looked_at(memory: Memory, clock: ManualClock) -> None:
    for start in range(0, 600, 100):
        memory.checkpoint([f"v1.note.n{i} = status report e{i}" for i in range(start, start + 100)])
        clock.advance(60_000_000)
    assert names(memory, "latest status report")[0] in {f"v1.note.n{i}" for i in range(500, 600)}


def test_edges_and_confirmations_of_later_do_not_change_a_search_as_of_then(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint(
        ["v1.fact.a = the heron census", "v1.fact.b = forty thousand", "v1.fact.c = heron"],
        edges=[{"source": "v1.fact.a", "type": "depends_on", "target": "v1.fact.b"}],
    )
    before = memory.search("heron census")
    moment = memory.head()
    clock.advance(60_000_000)
    memory.checkpoint(
        ["v1.fact.c = heron", "v1.fact.b = fifty thousand", "v1.fact.d = unrelated"],
        edges=[{"source": "v1.fact.a", "type": "likes", "target": "v1.fact.d"}],
        unedges=[{"source": "v1.fact.a", "type": "depends_on", "target": "v1.fact.b"}],
    )
    after = memory.search("heron census", as_of=moment)
    assert [(hit.name, hit.atom.seq, hit.score, dict(hit.parts)) for hit in after] == [
        (hit.name, hit.atom.seq, hit.score, dict(hit.parts)) for hit in before
    ]
    assert [hit.name for hit in memory.search("heron census")] == ["v1.fact.a", "v1.fact.c", "v1.fact.d"]


def test_a_time_that_is_not_meant_orders_and_does_not_hide(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.fact.a", "value": "a heron was seen", "occurred_at": "2026-01-01"}])
    assert names(memory, "heron in May 2020") == ["v1.fact.a"]


def test_a_snippet_of_a_text_of_one_letter_words_takes_no_time(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.a = {'a b ' * 50_000}"])
    assert len(memory.search("b").items[0].snippet) < 300


def test_a_hit_has_its_passage_whoever_looks_at_it_first(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = We pay with Stripe"])

    def hit() -> Hit:
        return memory.search("stripe").items[0]

    seen = hit()
    assert (seen.snippet, seen.marks) == ("We pay with Stripe", ((12, 18),))
    assert hit() == seen
    assert hit().marks == seen.marks
    assert pickle.loads(pickle.dumps(hit())) == copy.copy(hit()) == replace(hit(), score=seen.score) == seen  # noqa: S301
    assert hit().to_dict() == seen.to_dict()
    assert not hasattr(hit(), "passage")


# -- neighbours and edges ----------------------------------------------------------------------------------------------


def test_the_turn_beside_a_hit_is_found_with_it(memory: Memory, clock: ManualClock) -> None:
    begin = from_microseconds(clock.now())
    turns = ["Did you see the heron census?", "Yes, it was wonderful.", "What else is new?"]
    memory.checkpoint(["v1.conversation.one = a chat"])
    memory.checkpoint(
        [
            {
                "name": f"v1.turn.t{i}",
                "value": text,
                "parent": "v1.conversation.one",
                "position": i,
                "occurred_at": begin + timedelta(seconds=20 * i),
            }
            for i, text in enumerate(turns)
        ]
    )
    found = memory.search("heron census", type="turn")
    assert [hit.name for hit in found] == ["v1.turn.t0", "v1.turn.t1"]
    assert found.items[1].parts["neighbours"] > 0


@pytest.mark.parametrize(
    "positions",
    [(0, 1, 2), (999, 1000, 1001), (1000, 2000, 3000), (1999, 2000, 2001), (64, 2000, 9000), (0, 1000, 1500)],
)
def test_the_parts_beside_a_hit_are_found_however_far_apart_they_stand(
    memory: Memory, clock: ManualClock, positions: tuple[int, ...]
) -> None:
    said = from_microseconds(clock.now())
    texts = ["Did you see it?", "the heron census", "It was wonderful."]
    memory.checkpoint(["v1.whole.one = a whole", "v1.whole.two = another"])
    memory.checkpoint(
        [
            {
                "name": f"v1.{whole}.p{at}",
                "value": text,
                "parent": f"v1.whole.{whole}",
                "position": at,
                "occurred_at": said,
            }
            for whole, words in (("two", ["", "", ""]), ("one", texts))
            for at, text in zip(positions, words, strict=True)
            if text
        ]
    )
    found = memory.search("heron census", type="one")
    assert {hit.name: "neighbours" in hit.parts for hit in found} == {
        f"v1.one.p{at}": at != positions[1] for at in positions
    }


@pytest.mark.parametrize("position", [1000, 1001, 2000])
def test_few_rows_are_read_to_find_the_turns_beside_a_hit_at_any_position(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, position: int
) -> None:
    """A turn may stand where chunks of documents do: these are 1,000 apart, and turns are one apart."""
    turns = [
        {"name": f"v1.turn.t{at}", "value": f"word{at}", "parent": "v1.whole.one", "position": at} for at in range(2002)
    ]
    memory.checkpoint(["v1.whole.one = a whole"])
    for begin in range(0, len(turns), 1000):
        memory.checkpoint(turns[begin : begin + 1000])
    memory.search("nothing")
    right, read = Reading.scan, [0]

    def scan(self: Any, table: str, *given: Any, **options: Any) -> Any:
        for item in right(self, table, *given, **options):
            read[0] += table == PLACES
            yield item

    with monkeypatch.context() as patch:
        patch.setattr(Reading, "scan", scan)
        found = memory.search(f"word{position}")
    assert {hit.name for hit in found} == {f"v1.turn.t{at}" for at in (position - 1, position, position + 1)}
    assert 3 <= read[0] <= 24


def test_what_an_edge_leads_to_from_a_hit_is_found_with_it(memory: Memory) -> None:
    memory.checkpoint(
        ["v1.fact.census = the heron census", "v1.fact.budget = forty thousand"],
        edges=[{"source": "v1.fact.census", "type": "depends_on", "target": "v1.fact.budget"}],
    )
    found = memory.search("heron census")
    assert [hit.name for hit in found] == ["v1.fact.census", "v1.fact.budget"]
    assert found.items[1].parts == {"edges": pytest.approx(found.items[1].score, abs=1e-3)}


def test_the_same_data_ranks_alike_in_two_stores_though_their_ids_differ(tmp_path: Path) -> None:
    """A hub has more edges than are followed: which ones must not hang on ids, which each store draws for itself."""
    parts = [f"v1.part.p{number}" for number in range(60)]
    found = []
    for store in ("one", "another"):
        with substrate.open(tmp_path / store, clock=ManualClock(), background=False) as memory:
            memory.checkpoint(
                ["v1.hub.engine = The engine", *(f"{part} = x" for part in parts)],
                edges=[{"source": "v1.hub.engine", "type": "contains", "target": part} for part in parts],
            )
            found.append(names(memory, "engine", limit=40))
    assert found[0] == found[1]
    assert set(found[0]) == {"v1.hub.engine", *parts[-20:]}, "those that were stated last"


# -- by meaning --------------------------------------------------------------------------------------------------------


def test_what_shares_no_word_with_the_question_is_found_by_meaning(meaning: Memory) -> None:
    meaning.checkpoint(NOTES)
    assert meaning.search("how do we ship a new version", wait=60).meaning  # nothing is embedded yet
    meaning.index()
    found = meaning.search("how do we ship a new version", wait=60)
    assert found.meaning == ""
    assert found.lag == 0
    assert found.items[0].name == "v1.procedure.release"
    assert found.items[0].parts["meaning"] > 0
    assert names(meaning, "Which city do the colleagues work in?")[0] == "v1.fact.office"


def test_until_a_version_is_embedded_its_words_find_it_and_the_lag_is_told(meaning: Memory) -> None:
    meaning.checkpoint(NOTES)
    meaning.index()
    meaning.checkpoint(["v1.fact.pet = The office dog is called Rex"])
    found = meaning.search("Rex the dog", wait=60)
    assert found.lag == 1
    assert found.items[0].name == "v1.fact.pet"
    assert found.items[0].lag == 1


def test_a_passage_at_the_end_of_a_long_value_is_found_by_meaning(meaning: Memory) -> None:
    filler = "The committee discussed the agenda and approved the minutes of the meeting. " * 120
    meaning.checkpoint([*NOTES, f"v1.fact.minutes = {filler} Finally, a puppy was adopted by the cleaning staff."])
    meaning.checkpoint([f"v1.fact.noise{i} = the committee met in room {i}" for i in range(20)])
    meaning.index()
    assert names(meaning, "Who took in a young animal?", wait=60)[0] == "v1.fact.minutes"


def test_a_reader_searches_by_meaning_and_writes_nothing(meaning: Memory, reopen: Reopen, store: Path) -> None:
    meaning.checkpoint(NOTES)
    meaning.index()
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*") if path.is_file() and path.name != "lock.mdb"}
    reader = reopen(read_only=True)
    assert names(reader, "how do we ship a new version", wait=60)[0] == "v1.procedure.release"
    after = {path: path.stat().st_mtime_ns for path in store.rglob("*") if path.is_file() and path.name != "lock.mdb"}
    assert after == before


def test_what_was_forgotten_is_not_found_by_meaning(meaning: Memory) -> None:
    meaning.checkpoint(NOTES)
    meaning.index()
    assert "v1.procedure.release" in names(meaning, "how do we ship a new version", wait=60)
    meaning.forget("v1.procedure.release")
    assert "v1.procedure.release" not in names(meaning, "how do we ship a new version")


def test_searches_of_many_threads_while_others_write_find_what_was_there(meaning: Memory) -> None:
    meaning.checkpoint(NOTES)
    meaning.index()
    meaning.search("warm", wait=60)
    failures: list[BaseException] = []

    def reader() -> None:
        try:
            for _ in range(15):
                assert names(meaning, "how do we ship a new version")[0] == "v1.procedure.release"
        except BaseException as error:  # noqa: BLE001 - told by the main thread
            failures.append(error)

    threads = [threading.Thread(target=reader) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(10):
        meaning.checkpoint([f"v1.fact.later{i} = unrelated note {i} about the weather"])
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_search_by_meaning_opens_no_socket_and_loads_no_torch(cache: Path, tmp_path: Path) -> None:
    script = (
        "import socket, sys\n"
        "def refuse(*_, **__): raise AssertionError('a socket was opened')\n"
        "socket.socket = refuse\n"
        "socket.create_connection = refuse\n"
        "import substrate\n"
        "with substrate.open(sys.argv[1] + '/store', home=sys.argv[1] + '/home', background=False) as memory:\n"
        "    memory.checkpoint(['v1.procedure.release = Run the tests, build the wheel, push a tag'])\n"
        "    memory.index()\n"
        "    found = memory.search('how do we ship a new version', wait=60)\n"
        "    assert found.meaning == '', found.meaning\n"
        "    assert found.items[0].name == 'v1.procedure.release'\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    assert cache.exists()
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace shows what native code does; Linux only")
def test_no_native_code_reaches_for_the_network_either(cache: Path, tmp_path: Path) -> None:
    script = (
        "import sys, substrate\n"
        "with substrate.open(sys.argv[1] + '/store', home=sys.argv[1] + '/home', background=False) as memory:\n"
        "    memory.checkpoint(['v1.procedure.release = Run the tests, build the wheel, push a tag'])\n"
        "    memory.index()\n"
        "    assert memory.search('how do we ship a new version', wait=60).items\n"
    )
    assert cache.exists()
    trace = tmp_path / "trace"
    environment = {**os.environ, "HOME": str(tmp_path)}
    command = ["strace", "-f", "-o", str(trace), "-e", "trace=network", sys.executable, "-c", script, str(tmp_path)]
    subprocess.run(command, check=True, env=environment)
    reached = [line for line in trace.read_text().splitlines() if "AF_INET" in line]
    assert reached == []
    assert not list(tmp_path.rglob("*onnxruntime*"))  # where it would queue what it tells


@pytest.mark.parametrize("asked", ["bisect_left", "BISECT_LEFT", " v1.note.bisect.bisect_left "])
def test_an_atom_whose_name_is_what_was_typed_comes_first(memory: Memory, asked: str) -> None:
    others = [f"v1.note.n{at} = bisect_left bisect_left of bisect, bisect_left again {at}" for at in range(6)]
    memory.checkpoint(["v1.note.bisect.bisect_left = Return the index where to insert item x in list a.", *others])
    found = memory.search(asked)
    assert found[0].name == "v1.note.bisect.bisect_left"
    assert len(found) > 1
    assert sum(found[0].parts.values()) == pytest.approx(found[0].score, abs=1e-3)
    # The twin: a question that only has the name in it is ranked as ever.
    assert memory.search("again bisect_left")[0].name != "v1.note.bisect.bisect_left"
