"""Tending: what texts and sessions support is stated, once, by one gardener at a time, and can be undone."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import substrate
from substrate.errors import Busy, InputError, NotFound
from substrate.garden.lease import is_leased, lease
from substrate.memory import Memory
from substrate.values.review.garden import Tended
from substrate.values.saved import Undone

E = "v1.entity.docs."
STATED = {
    (E + "hydramem", "uses", E + "lancedb"),
    (E + "night gardener", "depends_on", E + "hydramem"),
    (E + "marta silva", "works_for", E + "acme corp"),
    (E + "acme corp", "owns", E + "hydramem"),
}
QUESTIONS = ("who owns HydraMem", "LanceDB vectors", "Marta Silva", "the night gardener")


def tended(memory: Memory, domain: str = "docs", **options: object) -> Tended:
    done = memory.tend(domain, **options)  # type: ignore[arg-type]
    assert isinstance(done, Tended)
    return done


def edges_of(memory: Memory, domain: str = "docs") -> set[tuple[str, str, str]]:
    return {(edge.source, edge.type, edge.target) for edge in memory.entity_map(domain)}


def found(memory: Memory) -> str:
    """What searches answer, to the byte; but for the size of the log when it was asked."""
    asked = [(question, prefix, hops) for question in QUESTIONS for prefix in ("", E) for hops in (0, 2)]
    answers = [memory.search(question, prefix=prefix, hops=hops).to_dict() for question, prefix, hops in asked]
    for answer in answers:
        assert answer.pop("seq")
        for hit in answer["items"]:  # type: ignore[attr-defined]
            assert hit.pop("seq")
    return json.dumps(answers, sort_keys=True, default=str)


def test_a_chunk_of_a_megabyte_without_a_full_stop_is_read_as_far_as_it_is_vetted(garden: Memory) -> None:
    """It was taken apart for each two of its names and each type of relation: that took minutes."""
    names = ["HydraMem", "LanceDB", "NetworkX", "Night Gardener", "Acme Corp", "Marta Silva"]
    text = f"{' '.join(names)} uses owns stores needs writes blocks " * 12_000
    garden.ingest([{"text": text[:1_000_000], "entities": names}], source="long.md", domain="docs")
    assert tended(garden).accepted == len(STATED)
    assert edges_of(garden) == STATED


def test_a_chunk_that_lists_a_name_nobody_can_see_keeps_no_gardener_from_work(garden: Memory) -> None:
    garden.checkpoint([{"name": "v1.chunk.docs.odd.1", "value": "HydraMem", "entities": ["\u3164", "HydraMem"]}])
    assert edges_of(garden) == set()
    assert tended(garden).accepted == len(STATED)
    assert garden.prune("docs").edges == len(STATED)


def test_what_sentences_state_becomes_edges_that_cite_their_chunk_and_what_they_deny_or_ask_does_not(
    garden: Memory,
) -> None:
    done = tended(garden)
    assert edges_of(garden) == STATED
    assert (done.run, done.accepted, done.accepted + done.rejected) == (1, 4, done.proposed)
    (edge,) = garden.edges(E + "marta silva")
    assert (edge.actor, edge.session) == ("tend", "tend:1")
    assert edge.cited is not None
    assert "Marta Silva works for Acme Corp" in garden.access(edge.cited).atom.value
    assert edge.attrs["verifier"]["verdict"] == "accepted"  # type: ignore[index,call-overload]
    assert len(garden.verify(garden.prove_entry(edge.seq).to_json()).head.root)


def test_a_run_decides_as_vet_does_of_each_relation_by_the_chunks_in_use_that_mention_both_by_any_name(
    garden: Memory,
) -> None:
    garden.checkpoint([{"name": E + "hydramem", "value": "HydraMem", "attrs": {"aliases": ["Hydra Memory"]}}])
    garden.ingest("Hydra Memory does not use LanceDB. Acme Corp replaces Marta Silva.", source="late.md", domain="docs")
    looked = tended(garden, dry_run=True)
    for one in looked:
        decided = [garden.vet(one.source, one.type, one.target, domain="docs", confidence=sure) for sure in (0.8, 0.9)]
        assert (one.verdict, one.reason, one.level, one.score, one.cited) in [
            (vetted.verdict, vetted.reason, vetted.level, vetted.score, vetted.cited) for vetted in decided
        ]
    assert {one.verdict for one in looked} > {"accepted"}


def test_a_second_run_adds_nothing_and_what_a_person_took_back_stays_out(garden: Memory) -> None:
    tended(garden)
    size = garden.head().head.size
    again = tended(garden)
    assert (again.accepted, again.seqs, again.run, garden.head().head.size) == (0, None, 2, size)
    (edge,) = garden.edges(E + "marta silva")
    garden.checkpoint(unedges=[edge.id])
    assert tended(garden).accepted == 0
    assert not garden.edges(E + "marta silva")


def test_undo_restores_search_results_byte_for_byte_and_a_run_is_undone_once(garden: Memory) -> None:
    before = found(garden)
    done = tended(garden)
    assert found(garden) != before
    told = garden.tend(undo=done.run, dry_run=True)
    assert isinstance(told, Undone)
    assert (len(told.unedged), told.seqs) == (4, None)
    undone = garden.tend(undo=done.run, actor="ada")
    assert isinstance(undone, Undone)
    assert found(garden) == before
    assert edges_of(garden) == set()
    with pytest.raises(InputError, match="run 1 was undone already"):
        garden.tend(undo=1)
    assert tended(garden).accepted == 0
    with pytest.raises(NotFound, match="there is no run 9: give one from the list of runs"):
        garden.tend(undo=9)
    with pytest.raises(NotFound, match="run 2 changed nothing"):
        garden.tend(undo=2)


def test_what_others_changed_since_is_left_alone_by_an_undo(garden: Memory) -> None:
    tended(garden)
    ends = {"source": E + "marta silva", "type": "works_for", "target": E + "acme corp"}
    garden.checkpoint(edges=[{**ends, "confidence": 1.0}], actor="ada")
    garden.tend(undo=1)
    assert edges_of(garden) == {(E + "marta silva", "works_for", E + "acme corp")}


def test_what_a_person_states_again_as_it_is_stays_when_the_run_is_undone_or_its_chunk_goes(garden: Memory) -> None:
    tended(garden)
    ends = {"source": E + "marta silva", "type": "works_for", "target": E + "acme corp"}
    garden.checkpoint(edges=[ends], actor="ada")
    assert garden.edges(E + "marta silva")[0].confirmed_at is not None
    garden.tend(undo=1)
    assert edges_of(garden) == {tuple(ends.values())}
    garden.ingest("Nothing is said of anybody.", source="page-1.md", domain="docs")
    assert tended(garden).unedged == ()
    assert edges_of(garden) == {tuple(ends.values())}


def test_what_a_person_states_again_while_the_gardener_is_at_work_stays(garden: Memory) -> None:
    tended(garden)
    garden.ingest("Nothing is said of anybody.", source="page-1.md", domain="docs")
    ends = {"source": E + "marta silva", "type": "works_for", "target": E + "acme corp"}
    (own,) = garden.edges(E + "marta silva")
    unfounded = tended(garden, dry_run=True).unedged
    assert own.id in unfounded

    def meanwhile(done: int, total: int) -> None:
        if done == total:
            writer = threading.Thread(target=lambda: garden.checkpoint(edges=[ends], actor="ada"))
            writer.start()
            writer.join()

    assert set(tended(garden, progress=meanwhile).unedged) == {*unfounded} - {own.id}
    assert [edge.id for edge in garden.edges(E + "marta silva")] == [own.id]


@pytest.mark.parametrize("is_said_again", [True, False])
def test_a_surface_takes_back_an_edge_of_a_gardener_unless_somebody_stated_it_since(
    garden: Memory, *, is_said_again: bool
) -> None:
    tended(garden)
    if is_said_again:
        garden.checkpoint(edges=[dict(zip(("source", "type", "target"), edge, strict=True)) for edge in STATED])
    suspects = garden.client("mcp:hydramem:agent").prune("docs", threshold=0, dry_run=False)
    assert [one.removed for one in suspects] == [not is_said_again]
    assert len(edges_of(garden)) == 3 + is_said_again


def test_two_sessions_that_accessed_both_suggest_a_relation_and_one_does_not(garden: Memory) -> None:
    for name in ("one", "two"):
        with garden.session(name=name):
            for entity in ("networkx", "lancedb"):
                garden.access(E + entity)
    with garden.session(name="three"):
        garden.access(E + "networkx")
        garden.access(E + "night gardener")
    done = tended(garden)
    assert (done.sessions, done.sessions_used, done.entries, done.entries_used) == (3, 2, 6, 4)
    assert done.entries_filtered == 2
    (related,) = [one for one in done if one.type == "related_to"]
    assert ({related.source, related.target}, related.sessions) == ({E + "networkx", E + "lancedb"}, 2)
    assert related.verdict == "accepted"


def test_only_entities_that_this_surface_made_and_nothing_mentions_are_tombstoned_and_an_undo_revives_them(
    garden: Memory,
) -> None:
    own, other = garden.client("mcp:hydramem:agent"), garden.client("mcp:atoms:agent")
    for client, name in ((own, "lonely"), (other, "another's"), (garden, "a person's")):
        client.checkpoint([f"{E}{name} = {name.title()}"])
    own.checkpoint([f"{E}joined = Joined"], edges=[{"source": f"{E}joined", "type": "uses", "target": E + "lancedb"}])
    own.checkpoint([f"{E}noted = Noted", {"name": "v1.note.a", "value": "of it", "entities": ["Noted"]}])
    assert tended(garden, dry_run=True).tombstoned == ()
    done = tended(own)
    assert done.tombstoned == (E + "lonely",)
    assert not [one for one in own.entities("docs") if one.name == "Lonely"]
    undone = own.tend(undo=done.run)
    assert isinstance(undone, Undone)
    assert undone.revived == (E + "lonely",)
    assert garden.access(E + "lonely").atom.actor == "mcp:hydramem:agent"


def test_what_is_told_is_what_was_recorded_if_others_write_meanwhile(garden: Memory) -> None:
    own = garden.client("mcp:hydramem:agent")
    own.checkpoint([f"{E}lonely = Lonely", f"{E}alone = Alone"])
    stated = {"source": E + "marta silva", "type": "works_for", "target": E + "acme corp"}

    def meanwhile(done: int, total: int) -> None:
        if done == total:
            note = {"name": "v1.note.a", "value": "of it", "entities": ["Lonely"]}
            writer = threading.Thread(target=lambda: garden.checkpoint([note], edges=[stated]))
            writer.start()
            writer.join()

    done = tended(own, progress=meanwhile)
    assert done.tombstoned == (E + "alone",)
    assert (len(done), done.accepted) == (done.proposed, 3)
    assert (E + "marta silva", "works_for") not in {(one.source, one.type) for one in done}


def test_more_than_one_run_can_state_comes_with_the_next(garden: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("substrate.garden.tend._MOST", 3)
    assert [tended(garden).accepted for _ in range(3)] == [3, 1, 0]
    assert edges_of(garden) == STATED


def test_an_edge_of_a_gardener_goes_with_the_chunk_that_it_cites(garden: Memory) -> None:
    tended(garden)
    (edge,) = garden.edges(E + "marta silva")
    garden.ingest("The Night Gardener depends on HydraMem.", source="page-1.md", domain="docs")
    done = tended(garden)
    assert done.unedged == (edge.id,)
    assert not garden.edges(E + "marta silva")


def test_a_second_gardener_is_refused_and_the_lease_ends_with_the_first(garden: Memory, store: Path) -> None:
    assert not garden.tending().is_running
    with lease(store):
        assert garden.tending().is_running
        with pytest.raises(Busy, match="another gardener tends this store"):
            garden.tend("docs")
        with pytest.raises(Busy):
            garden.tend(undo=1)
        assert tended(garden, dry_run=True).accepted == 4
    assert not is_leased(store)
    assert tended(garden).accepted == 4


def test_of_gardeners_at_once_one_states_and_the_others_are_busy_or_add_nothing(garden: Memory) -> None:
    outcomes: list[object] = []

    def work() -> None:
        try:
            outcomes.append(tended(garden).accepted)
        except Busy:
            outcomes.append("busy")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(4) == 1
    assert set(outcomes) <= {4, 0, "busy"}
    assert edges_of(garden) == STATED


def test_tending_lists_runs_with_their_entries_and_counts_and_holds_no_text(garden: Memory) -> None:
    tended(garden)
    garden.tend("elsewhere")
    garden.tend(undo=1)
    listed = garden.tending()
    assert [(one.run, one.undone) for one in listed] == [(2, False), (1, True)]
    assert [one.run for one in garden.tending("docs")] == [1]
    first = listed[-1]
    assert (first.proposed, first.accepted) == (garden.tending("docs").proposed, 4)
    assert first.seqs is not None
    changes = garden.diff(first.seqs.start - 1, first.seqs.stop - 1)
    assert [change.kind for change in changes] == ["edge_added"] * 4
    assert listed.runs == 2


def test_progress_is_told_and_a_read_only_store_can_look(garden: Memory, store: Path, home: Path) -> None:
    told: list[tuple[int, int]] = []
    tended(garden, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (5, 5)
    garden.close()
    with substrate.open(store, home=home, read_only=True, model="none") as looking:
        assert looking.tending().runs == 1
        assert tended(looking, dry_run=True).accepted == 0
        assert len(looking.prune("docs")) == 0
