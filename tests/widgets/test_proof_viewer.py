"""The proof viewer without a page: what it says and draws for every state of an atom, then and now."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from substrate.memory import Memory, open_memory
from substrate.proof.bundle import Bundle
from substrate.proof.verify import Verifier
from substrate_widgets import ProofViewer, link

A, GONE, ERASED = "v1.fact.a", "v1.fact.gone", "v1.fact.erased"


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.checkpoint([f"{A} = one", f"{GONE} = x", f"{ERASED} = y"])  # entries 1, 2, 3
    memory.checkpoint([f"{A} = two"], tombstones=[GONE])  # entries 4, 5
    memory.forget(ERASED)  # entry 6
    return memory


@pytest.fixture
def viewer(told: Memory) -> Iterator[ProofViewer]:
    viewer = ProofViewer(told, selected=A)
    assert viewer.wait()
    yield viewer
    viewer.close()


def ask(viewer: ProofViewer, **traits: object) -> ProofViewer:
    for name, value in traits.items():
        setattr(viewer, name, value)
    assert viewer.wait()
    return viewer


def red(viewer: ProofViewer) -> list[str]:
    return [node["id"] for node in viewer.nodes if node["red"]]


@pytest.mark.parametrize(
    ("name", "claim", "words"),
    [
        (A, "current", "is current: entry 4 of 7 says it"),
        (GONE, "tombstoned", "is out of use: entry 5 of 7 took it out"),
        (ERASED, "forgotten", "was forgotten: entry 6 of 7 erased it for good"),
        ("v1.fact.never", "absent", "was never in this store of 7 entries"),
    ],
)
def test_every_state_of_an_atom_has_a_proof_with_words(viewer: ProofViewer, name: str, claim: str, words: str) -> None:
    ask(viewer, selected=name)
    assert viewer.verdict["claim"] == claim
    assert words in viewer.verdict["words"]
    assert viewer.problem == ""
    assert red(viewer) == []
    assert Verifier(key=viewer.verdict["key"]).verify(viewer.proof, claim=claim, name=name).trusted


def test_a_changed_byte_is_rejected_with_the_verifiers_reason_and_restored(viewer: ProofViewer) -> None:
    honest = viewer.proof
    for part in [part["id"] for part in viewer.parts]:
        ask(viewer, changed=part)
        assert viewer.verdict["ok"] is False
        assert viewer.verdict["words"].startswith(viewer.verdict["reason"] + ": ")
        assert red(viewer)[0] == part
        assert viewer.proof != honest
    assert "is now" in viewer.verdict["change"]
    ask(viewer, changed="")
    assert viewer.verdict["ok"]
    assert (viewer.proof, red(viewer)) == (honest, [])


def test_as_of_then_the_version_in_force_then_is_shown_to_be_recorded(viewer: ProofViewer) -> None:
    ask(viewer, as_of=3)
    assert viewer.verdict["claim"] == "recorded"
    assert "Entry 1 of 7 is recorded" in viewer.verdict["words"]
    assert "That it is current is not claimed" in viewer.verdict["words"]
    assert json.loads(json.loads(viewer.proof)["atom"]["body"])["value"] == "one"
    assert not any(node["id"].startswith("map") for node in viewer.nodes)
    assert "tombstone that" in ask(viewer, selected=GONE, as_of=6).verdict["words"]
    assert "the forgetting of the value of" in ask(viewer, selected=ERASED, as_of=4).verdict["words"]
    ask(viewer, selected=A, as_of=0)
    assert viewer.verdict["ok"] is None
    assert "cannot be proven" in viewer.verdict["words"]
    assert viewer.nodes == []
    assert ask(viewer, as_of=None).verdict["claim"] == "current"


def test_another_atom_is_shown_unchanged(viewer: ProofViewer) -> None:
    ask(viewer, changed="body")
    ask(viewer, selected=GONE)
    assert viewer.changed == ""
    assert viewer.verdict["ok"]


def test_a_name_that_is_none_is_told_and_nothing_of_the_last_proof_stays(viewer: ProofViewer) -> None:
    ask(viewer, selected="not a name")
    assert "v1." in viewer.problem
    assert (viewer.nodes, viewer.proof, viewer.verdict) == ([], "", {})
    ask(viewer, selected="")
    assert (viewer.problem, viewer.nodes) == ("", [])
    assert ask(viewer, selected=A).verdict["ok"]


def test_what_others_write_is_followed(viewer: ProofViewer, told: Memory) -> None:
    told.checkpoint([f"{A} = three"])
    viewer._moved(told.head().head.size)  # what the pulse would say within half a second
    assert viewer.wait()
    assert "entry 7 of 8" in viewer.verdict["words"]


def test_linked_viewers_look_at_the_same_atom_and_time(viewer: ProofViewer, told: Memory) -> None:
    other = ProofViewer(told)
    link(viewer, other)
    assert other.wait()
    assert other.verdict["claim"] == "current"
    other.as_of = 2
    assert viewer.wait()
    assert viewer.verdict["claim"] == "recorded"
    other.close()


def test_a_large_value_is_cut_in_the_page_and_still_proven(told: Memory) -> None:
    told.checkpoint([{"name": A, "value": "x" * 1_000_000}])
    viewer = ProofViewer(told, selected=A)
    assert viewer.wait()
    assert viewer.verdict["ok"]
    assert viewer.proof == ""
    assert len(json.dumps(viewer.nodes)) < 60_000
    assert "1,000,0" in next(node["text"] for node in viewer.nodes if node["id"] == "body")
    viewer.close()


def test_of_a_large_value_that_is_changed_only_the_beginning_goes_into_the_page(told: Memory) -> None:
    told.checkpoint([{"name": A, "value": "x" * (1 << 20)}])
    viewer = ProofViewer(told, selected=A)
    ask(viewer, changed="body")
    assert viewer.verdict["ok"] is False
    body = next(node for node in viewer.nodes if node["id"] == "body")
    assert "bytes in all)" in body["was"]
    assert len(json.dumps(viewer.get_state())) < 100_000
    viewer.close()


def altered(folder: Path, part: Callable[[Bundle], bytes]) -> Memory:
    """A store with 300 atoms, closed, of which a byte was then changed in its file; opened again."""
    with open_memory(folder / "store", home=folder / "home") as memory:
        memory.checkpoint([f"v1.fact.n{number} = number {number}" for number in range(300)])
        wanted = part(memory.prove("v1.fact.n3"))
    (file,) = (folder / "store").rglob("data.mdb")
    data = file.read_bytes()
    assert wanted in data
    file.write_bytes(data.replace(wanted, wanted[:10] + bytes([wanted[10] ^ 1]) + wanted[11:]))
    return open_memory(folder / "store", home=folder / "home")


def _log_sibling(bundle: Bundle) -> bytes:
    assert bundle.entry is not None
    return bundle.entry.path[3]


def _entry(bundle: Bundle) -> bytes:
    assert bundle.entry is not None
    return bundle.entry.data


def _record(bundle: Bundle) -> bytes:
    assert bundle.map is not None
    assert bundle.map.record is not None
    return bundle.map.record


@pytest.mark.parametrize(
    ("part", "reason", "reds"),
    [
        (_log_sibling, "root_mismatch", {"log.8", "head", "signed"}),
        (_entry, "root_mismatch", {"log.8", "record", "map_leaf", "map_root", "head", "signed"}),
        (_record, "map_root_mismatch", {"map_root", "head", "signed"}),
    ],
)
def test_a_store_of_which_the_file_was_altered_is_rejected_and_red_up_to_the_signature(
    tmp_path: Path, part: Callable[[Bundle], bytes], reason: str, reds: set[str]
) -> None:
    with altered(tmp_path, part) as memory:
        viewer = ProofViewer(memory, selected="v1.fact.n3")
        assert viewer.wait()
        assert (viewer.verdict["headline"], viewer.verdict["reason"]) == ("Rejected", reason)
        assert {identity for identity in red(viewer) if not identity.startswith("map.")} == reds
        assert not any(node["good"] for node in viewer.nodes)
        assert viewer.parts == [], "there is no true proof to change a byte of"
        ask(viewer, changed="body")
        assert viewer.verdict["reason"] == reason
        ask(viewer, selected="v1.fact.absent", changed="")
        assert [node["good"] for node in viewer.nodes if node["good"]] == ([True] if viewer.verdict["ok"] else [])
        viewer.close()


def test_a_body_that_was_altered_in_the_file_is_rejected_though_there_is_nothing_to_draw(tmp_path: Path) -> None:
    def salt(bundle: Bundle) -> bytes:
        assert bundle.opening is not None
        return bundle.opening.salt

    with altered(tmp_path, salt) as memory:
        viewer = ProofViewer(memory, selected="v1.fact.n3")
        assert viewer.wait()
        assert viewer.verdict["ok"] is False
        assert "not the one the entry commits to" in viewer.verdict["words"]
        assert (viewer.nodes, viewer.proof) == ([], "")
        viewer.close()


def test_only_what_the_verifier_accepts_is_good(viewer: ProofViewer) -> None:
    assert [node["id"] for node in viewer.nodes if node["good"]] == ["signed"]
    for part in [part["id"] for part in viewer.parts]:
        ask(viewer, changed=part)
        assert not any(node["good"] for node in viewer.nodes), part
