"""encrypt, unlock and lock: who has the passphrase reads and saves as ever, and nobody else finds anything."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from threading import Thread

import pytest

from substrate.care.copies import clone, restore
from substrate.care.fsck import fsck
from substrate.ciphers import CIPHERTEXT
from substrate.codec import Draft, draft_put
from substrate.errors import Conflict, Denied, HeadMoved, InputError, ItemsRefused, NotFound, StoreDamaged
from substrate.log.append import Decision
from substrate.log.tables import DOMAIN_KEYS
from substrate.memory import Memory, open_memory
from tests.encryption.canaries import PASSPHRASE

Reopen = Callable[..., Memory]
RASH = {"name": "v1.fact.allergy", "value": "Penicillin gives me a rash", "tags": ["body"], "entities": ["Penicillin"]}
DOSE = {"name": "v1.fact.dose", "value": "Twenty milligrams in the morning"}


def member(name: object, domain: str = "v1.domain.health") -> dict[str, object]:
    return {"source": name, "type": "member_of", "target": domain}


def save(memory: Memory, *atoms: dict[str, object]) -> None:
    memory.checkpoint(atoms, edges=[member(atom["name"]) for atom in atoms])


def append(memory: Memory, draft: Draft) -> None:
    """As a program that knows the log, and not what it may save."""
    memory._store.log.decide(lambda *_: Decision([draft], []))


def said(memory: Memory, name: str) -> list[str]:
    """The values of all versions."""
    return [version.atom.value for version in memory.history(name) if version.atom is not None]


@pytest.fixture
def health(memory: Memory) -> Iterator[Memory]:
    """A store with an encrypted domain of two atoms, unlocked; and an open atom."""
    memory.checkpoint(["v1.domain.health = my body", "v1.fact.weather = It rains in April"])
    memory.encrypt("health", PASSPHRASE)
    save(memory, RASH, DOSE)
    return memory


def test_an_unlocked_atom_reads_as_any_other(health: Memory) -> None:
    atom = health.access("v1.fact.allergy").atom
    assert (atom.value, atom.tags, atom.entities) == (RASH["value"], ("body",), ("Penicillin",))
    assert health.access(atom.id).name == "v1.fact.allergy"
    assert [one.name for one in health.list("v1.fact.")] == ["v1.fact.allergy", "v1.fact.dose", "v1.fact.weather"]
    assert [one.target for one in health.edges("v1.fact.dose")] == ["v1.domain.health"]


def test_a_search_finds_it_by_word_tag_type_prefix_and_domain(health: Memory) -> None:
    for filters in ({}, {"tags": "body"}, {"type": "fact"}, {"prefix": "v1.fact.all"}, {"domain": "health"}):
        assert health.search("penicillin rash", **filters)[0].name == "v1.fact.allergy"  # type: ignore[arg-type]
    assert [hit.name for hit in health.search("april rain")] == ["v1.fact.weather"]
    assert health.recent(entities="penicillin")[0].name == "v1.fact.allergy"
    assert "rash" in str(health.bootstrap("penicillin"))


def test_a_search_finds_what_is_new_after_a_session_was_judged(health: Memory) -> None:
    """Who judges a session reads what lies on disk: there it is encrypted."""
    save(health, {"name": "v1.fact.pill", "value": "Pills are taken at eight"})
    health.observe(["v1.fact.weather"], objective="look at the sky")
    assert [hit.name for hit in health.search("pills")][:1] == ["v1.fact.pill"]
    assert "Pills" in str(health.bootstrap("pills"))


def test_a_locked_atom_is_as_absent(health: Memory) -> None:
    ids = [atom.id for atom in health.list("v1.fact.")]
    assert health.lock().domains == ("v1.domain.health",)
    assert health.lock("health").domains == ()
    assert [atom.name for atom in health.list()] == ["v1.domain.health", "v1.fact.weather"]
    assert [hit.name for hit in health.search("penicillin rash milligrams rain")] == ["v1.fact.weather"]
    assert {hit.name for hit in health.recent()} == {"v1.domain.health", "v1.fact.weather"}
    assert "ciphertext" not in str(health.bootstrap("penicillin"))
    with pytest.raises(NotFound):
        health.access("v1.fact.allergy")
    assert health.stats().types["ciphertext"] == 2
    assert health.access(ids[0]).name.startswith(CIPHERTEXT)
    assert health.list(CIPHERTEXT)[0].value.startswith("ciphertext1:")


def test_an_agent_that_adds_to_a_persons_encrypted_words_does_not_make_them_its_own(health: Memory) -> None:
    item = {"name": "v1.fact.dose", "value": "Ten milligrams", "confidence": 0.9}
    health.checkpoint([item], origin="user")
    for field, origin in (({"tags": ["home"]}, "user"), ({"confidence": 0.1}, "agent")):
        health.checkpoint([{**item, **field}], origin="agent", actor="mcp:atoms:bot")
        atom = health.access("v1.fact.dose").atom
        assert (atom.origin, atom.tags) == (origin, ("home",))


@pytest.mark.usefixtures("health")
def test_unlock_needs_the_passphrase_and_an_encrypted_domain(reopen: Reopen) -> None:
    again = reopen()
    with pytest.raises(Denied, match="passphrase is wrong"):
        again.unlock("health", "correct horse")
    with pytest.raises(InputError, match="is empty"):
        again.unlock("health", "")
    with pytest.raises(InputError, match="is not encrypted"):
        again.unlock("v1.domain.weather", PASSPHRASE)
    with pytest.raises(NotFound, match="save it first"):
        again.encrypt("nowhere", PASSPHRASE)
    with pytest.raises(Denied, match="passphrase is wrong"):
        again.encrypt("health", "another one")
    found = again.unlock("health", PASSPHRASE)
    assert (found.domain, found.atoms, found.refused) == ("v1.domain.health", 2, 0)
    assert again.access("v1.fact.dose").value == DOSE["value"]


def test_saving_into_a_locked_domain_is_refused(health: Memory) -> None:
    health.lock()
    size = health.head().head.size
    for atoms, edges in (
        (["v1.fact.new = x"], [member("v1.fact.new")]),
        (["v1.fact.new = x"], [{"source": "v1.domain.health", "type": "has_member", "target": "v1.fact.new"}]),
        (["v1.entity.health.aspirin = Aspirin"], []),
        ([], [member("v1.fact.weather")]),
    ):
        with pytest.raises(ItemsRefused, match=r"v1\.domain\.health is encrypted and locked.*unlock\(\)"):
            health.checkpoint(atoms, edges=edges)  # type: ignore[arg-type]
    (failed,) = health.ingest("A text about aspirin.", domain="health", title="aspirin").failed
    assert failed.reason == "v1.domain.health is encrypted. To save there, use checkpoint()"
    assert health.head().head.size == size
    saved = health.checkpoint(["v1.fact.new = x", "v1.fact.ok = y"], edges=[member("v1.fact.new")], partial=True)
    assert (saved.recorded, len(saved.refused)) == (("v1.fact.ok",), 2)


def test_saving_into_an_unlocked_domain_encrypts_each_version(health: Memory) -> None:
    saved = health.checkpoint(["v1.fact.allergy = Nothing any more", DOSE])
    assert (saved.recorded, saved.confirmed) == (("v1.fact.allergy",), ("v1.fact.dose",))
    assert said(health, "v1.fact.allergy") == [RASH["value"], "Nothing any more"]
    health.checkpoint([{**DOSE, "tags": ["pill"]}])
    assert health.access("v1.fact.dose").atom.tags == ("pill",)
    health.checkpoint(["v1.fact.symptom = None since then"], edges=[member("v1.fact.symptom")])
    health.checkpoint(tombstones=["v1.fact.dose"])
    assert [atom.name for atom in health.list("v1.fact.")] == ["v1.fact.allergy", "v1.fact.symptom", "v1.fact.weather"]
    assert health.list("v1.fact.d", tombstoned=True)[0].tombstoned


def test_a_member_of_a_member_is_encrypted_too(health: Memory) -> None:
    health.checkpoint(
        ["v1.hub.pills = what I take", "v1.fact.aspirin = one a day"],
        edges=[member("v1.hub.pills"), member("v1.fact.aspirin", "v1.hub.pills")],
    )
    health.checkpoint(["v1.fact.zinc = two a day"], edges=[member("v1.fact.zinc", "v1.hub.pills")])
    assert {hit.name for hit in health.search("day", domain="health")} == {
        "v1.fact.aspirin",
        "v1.fact.zinc",
        "v1.hub.pills",
    }
    health.lock()
    assert not [atom.name for atom in health.list() if "zinc" in atom.name or "pills" in atom.name]


def test_text_never_slips_in_by_an_edge_a_name_or_a_field(health: Memory) -> None:
    with pytest.raises(ItemsRefused, match="Save the atom in the same checkpoint"):
        health.checkpoint(edges=[member("v1.fact.weather")])
    with pytest.raises(ItemsRefused, match="saved as text already"):
        health.checkpoint(["v1.fact.weather = It rains"], edges=[member("v1.fact.weather")])
    with pytest.raises(ItemsRefused, match="neither attrs nor a source"):
        health.checkpoint(edges=[{**member("v1.fact.dose"), "attrs": {"why": "secret"}}])
    with pytest.raises(ItemsRefused, match="neither reason nor time"):
        health.checkpoint(tombstones=[{"name": "v1.fact.dose", "reason": "secret"}])
    with pytest.raises(InputError, match="it is encrypted, and a proposal is not"):
        health.propose("another text", name=health.access("v1.fact.dose").atom.id)
    with pytest.raises(InputError, match="it is encrypted, and keeps its name"):
        health.rename(health.access("v1.fact.dose").atom.id, "v1.fact.other")
    with pytest.raises(InputError, match="forget it and its parts"):
        health.forget(whole="v1.fact.dose")
    with pytest.raises(InputError, match="encrypted domain, which keeps its name"):
        health.rename("v1.domain.health", "v1.domain.body")


def test_edges_between_encrypted_and_open_atoms_hold_in_both_states(health: Memory) -> None:
    health.checkpoint(edges=[{"source": "v1.fact.dose", "type": "depends_on", "target": "v1.fact.weather"}])
    assert [edge.source for edge in health.edges("v1.fact.weather")] == ["v1.fact.dose"]
    health.lock()
    assert next(edge.source for edge in health.edges("v1.fact.weather")).startswith(CIPHERTEXT)


def test_other_processes_follow_and_a_forgotten_domain_is_shredded(health: Memory, reopen: Reopen) -> None:
    other = reopen()
    other.unlock("health", PASSPHRASE)
    save(health, {"name": "v1.fact.pulse", "value": "Sixty at rest"})
    assert other.search("pulse at rest")[0].name == "v1.fact.pulse"
    save(other, {"name": "v1.fact.pulse", "value": "Seventy at rest"})
    assert said(health, "v1.fact.pulse") == ["Sixty at rest", "Seventy at rest"]
    assert health.stats().types["ciphertext"] == 3
    health.forget("v1.fact.pulse")
    assert not other.search("pulse at rest")
    health.forget("v1.domain.health")
    for memory in (health, other):
        assert not memory.search("penicillin rash")
        with pytest.raises(InputError, match="is not encrypted"):
            memory.unlock("health", PASSPHRASE)


def test_the_answers_of_an_unlocked_domain_are_those_of_an_open_one(tmp_path: Path) -> None:
    words = ["river", "stone", "lamp", "garden", "winter", "bread", "letter", "window", "music", "harbour"]
    atoms = [
        {"name": f"v1.fact.{a}_{b}", "value": f"The {a} of the {b} was {words[(i * 7) % 10]} number {i}", "tags": [b]}
        for i, (a, b) in enumerate((a, b) for a in words for b in words)
    ]
    asked = []
    for path, is_encrypted in ((tmp_path / "open", False), (tmp_path / "encrypted", True)):
        with open_memory(path, home=tmp_path / "home") as memory:
            memory.checkpoint(["v1.domain.health = my body", *(f"v1.note.{w} = a {w} of mine" for w in words)])
            if is_encrypted:
                memory.encrypt("health", PASSPHRASE)
            for at in range(0, 100, 40):
                save(memory, *atoms[at : at + 40])
                memory.checkpoint([f"v1.note.n{at} = the harbour in winter"])
            found = [
                [(hit.name, round(hit.score, 5)) for hit in memory.search(query, **more)]  # type: ignore[arg-type]
                for query in ("river stone", "harbour in winter", "lamp 17", "letters of the garden")
                for more in ({}, {"domain": "health"}, {"tags": "bread"}, {"type": "note"}, {"prefix": "v1.fact.l"})
            ]
            asked.append((found, [a.name for a in memory.list(limit=1000)], [h.name for h in memory.recent(limit=20)]))
    assert asked[0] == asked[1]


def test_it_opens_after_restore_clone_rebuild_and_key_rotation(health: Memory, tmp_path: Path, home: Path) -> None:
    health.rotate_key()
    save(health, {"name": "v1.fact.late", "value": "Under the new key"})
    health.rebuild()
    health.compact()
    backup, lines = tmp_path / "backup", tmp_path / "full.jsonl"
    health.backup(backup)
    health.export(lines, full=True)
    assert fsck(health.to_dict()["store"], home=home).ok  # type: ignore[arg-type]
    restore(backup, tmp_path / "restored", home=home)
    with lines.open(encoding="utf-8") as read:
        clone((line.rstrip("\n") for line in read), tmp_path / "cloned", home=tmp_path / "elsewhere")
    for path, keys in ((tmp_path / "restored", home), (tmp_path / "cloned", tmp_path / "elsewhere")):
        with open_memory(path, home=keys, read_only=True) as memory:
            assert not memory.search("penicillin")
            assert memory.unlock("health", PASSPHRASE).atoms == 3
            assert memory.search("penicillin")[0].name == "v1.fact.allergy"
            assert memory.access("v1.fact.late").value == "Under the new key"


def test_a_name_that_was_also_saved_as_text_is_told_and_forgotten_with_it(health: Memory) -> None:
    health.lock()
    health.checkpoint(["v1.fact.dose = Thirty, in clear"])
    assert health.unlock("health", PASSPHRASE).clashes == ("v1.fact.dose",)
    assert health.access("v1.fact.dose").value == DOSE["value"]
    assert health.forget("v1.fact.dose").atoms == 2
    assert [atom.name for atom in health.list("v1.fact.")] == ["v1.fact.allergy", "v1.fact.weather"]
    health.lock()
    assert [atom.name for atom in health.list("v1.fact.")] == ["v1.fact.weather"]
    assert health.unlock("health", PASSPHRASE).clashes == ()


@pytest.mark.parametrize("kind", ["swapped", "changed", "text"])
def test_a_ciphertext_that_does_not_open_is_told_as_damage_and_no_older_text_takes_its_place(
    health: Memory, kind: str
) -> None:
    dose = health.access("v1.fact.dose", predictions=0).atom.id
    health.lock()
    first, second = sorted(health.list(CIPHERTEXT), key=lambda atom: atom.id != dose)
    value = {"swapped": second.value, "changed": f"{first.value[:-8]}AAAAAAAA", "text": "Two hundred"}[kind]
    append(health, draft_put(first.name, value))
    found = health.unlock("health", PASSPHRASE)
    assert (found.atoms, found.refused) == (2, 1)
    with pytest.raises(StoreDamaged, match=r"v1\.fact\.dose does not fit the schema \(value is missing\)"):
        health.access("v1.fact.dose")
    listed = {atom.name: (atom.value, atom.damaged) for atom in health.list("v1.fact.")}
    assert listed["v1.fact.dose"] == ("", "value is missing")
    assert listed["v1.fact.allergy"] == (RASH["value"], None)
    assert said(health, "v1.fact.dose") == [DOSE["value"], ""]
    assert "v1.fact.dose" not in [hit.name for hit in health.search("twenty milligrams in the morning", limit=100)]
    save(health, {**DOSE, "value": "Thirty milligrams"})
    assert health.access("v1.fact.dose").value == "Thirty milligrams"


def test_a_proof_shows_the_ciphertext(health: Memory) -> None:
    found = health.access("v1.fact.allergy", proof=True)
    assert found.proof is not None
    verdict = health.verify(found.proof)
    assert verdict.claim == "current"
    assert verdict.name.startswith(CIPHERTEXT)
    assert "Penicillin" not in found.proof.to_json()
    assert health.verify(health.prove("v1.fact.allergy")).name == verdict.name
    past = health.access("v1.fact.allergy", as_of=found.atom.seq, proof=True)
    assert past.value == RASH["value"]
    assert past.proof is not None
    assert health.verify(past.proof).claim == "recorded"


def test_an_older_ciphertext_that_is_saved_again_is_refused(health: Memory) -> None:
    health.checkpoint([{**DOSE, "value": "Thirty milligrams"}])
    health.lock()
    opaque = next(one.name for one in health.list(CIPHERTEXT) if len(health.history(one.name)) > 1)
    older = said(health, opaque)[0]
    with pytest.raises(ItemsRefused, match="this names an encrypted atom"):
        health.checkpoint([{"name": opaque, "value": older}])


def test_a_ciphertext_that_somebody_brought_back_is_that_bodys_and_not_the_authors(health: Memory) -> None:
    """A program of before, or one with the signing key, can append it: then the history says who did."""
    health.lock()
    opaque = health.list(CIPHERTEXT)[0].name
    value = said(health, opaque)[0]
    append(health, draft_put(opaque, value, {"actor": "mallory"}))
    health.unlock("health", PASSPHRASE)
    name = next(one.name for one in health.list("v1.fact.") if one.actor == "mallory")
    assert [one.atom.actor for one in health.history(name) if one.atom is not None] == [None, "mallory"]
    assert len(set(said(health, name))) == 1


def test_an_edge_to_a_name_that_is_not_there_is_refused_since_the_name_could_be_read(health: Memory) -> None:
    edge = {"source": DOSE["name"], "type": "references", "target": "v1.fact.diagnosis"}
    with pytest.raises(ItemsRefused, match="its name would be readable"):
        health.checkpoint(edges=[edge])
    health.checkpoint([{"name": "v1.fact.diagnosis", "value": "none"}], edges=[edge])


@pytest.mark.parametrize("domain", ["health", "Health", "v1.domain.health"])
def test_a_proposal_for_an_encrypted_domain_is_refused_however_it_is_spelt(health: Memory, domain: str) -> None:
    with pytest.raises(InputError, match="encrypted, and a proposal is not"):
        health.propose("The rash came back", domain=domain)


def test_an_import_waits_until_the_domain_is_locked(health: Memory) -> None:
    lines = '{"kind":"put","name":"v1.fact.dose","value":"in clear"}\n'
    with pytest.raises(InputError, match="an import saves as text"):
        health.import_lines(io.StringIO(lines))
    health.lock()
    health.import_lines(io.StringIO(lines.replace("dose", "other")))
    assert health.access("v1.fact.other").value == "in clear"


def test_fsck_finds_a_key_that_cannot_be_read(health: Memory, home: Path) -> None:
    health._store.log.decide(
        lambda transaction, _: Decision((), [(DOMAIN_KEYS, next(transaction.scan(DOMAIN_KEYS))[0], b"{}")])
    )
    assert "the key of an encrypted domain cannot be read" in str(fsck(health._store.log.path, home=home).damage)


def test_what_a_writer_expects_is_asked_of_the_unlocked_atom(health: Memory) -> None:
    seq = health.access("v1.fact.dose").atom.seq
    for stale in (None, seq + 1):
        for name in ("v1.fact.dose", "v1.fact.other"):
            with pytest.raises(Conflict, match=rf"v1.fact.dose is at version {seq}, not "):
                health.checkpoint([f"{name} = Thirty"], expect={"v1.fact.dose": stale})
    health.checkpoint(["v1.fact.dose = Forty"], expect={"v1.fact.dose": seq, "v1.fact.other": None})
    assert health.access("v1.fact.dose").value == "Forty"
    with pytest.raises(Conflict, match=r"v1.fact.weather is at version \d+, not absent"):
        health.checkpoint(["v1.fact.weather = Snow"], expect={"v1.fact.weather": None})


def test_a_save_in_an_unlocked_domain_can_be_undone_and_repeated(health: Memory) -> None:
    save(health, {"name": "v1.fact.new", "value": "Fever"})
    assert health.undo(dry_run=True).tombstoned == ("v1.fact.new",)
    health.undo()
    with pytest.raises(NotFound):
        health.access("v1.fact.new")
    health.undo()
    assert health.access("v1.fact.new").value == "Fever"
    assert [one.target for one in health.edges("v1.fact.new")] == ["v1.domain.health"]
    health.checkpoint(["v1.fact.dose = Forty"])
    assert health.undo().restored == ("v1.fact.dose",)
    assert health.access("v1.fact.dose", valid_at="2020-01-01").value == DOSE["value"]
    doses = [{"name": "v1.fact.dose", "value": f"Dose {i}", "valid_from": f"201{i}-01-01"} for i in range(5)]
    health.checkpoint(doses)
    health.undo()
    assert health.search("dose", valid_at="2020-01-01")[0].value == DOSE["value"]
    assert not [hit for hit in health.search("which dose was it before?") if hit.value == "Dose 3"]
    health.checkpoint(tombstones=["v1.fact.allergy"])
    assert health.undo().revived == ("v1.fact.allergy",)
    assert health.access("v1.fact.allergy").atom.tags == ("body",)


def test_an_undo_of_a_state_that_others_have_passed_asks_to_repeat_it_and_not_to_unlock(
    health: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = health._store.log

    def go_on() -> None:
        save(health, {"name": "v1.fact.new", "value": "Later"})
        health.list()  # what is unlocked follows the log

    with log.snapshot() as earlier:
        other = Thread(target=go_on)
        other.start()
        other.join()
        with monkeypatch.context() as late:
            late.setattr(log, "snapshot", lambda: nullcontext(earlier))
            for dry_run in (True, False):
                with pytest.raises(HeadMoved, match="the log went on"):
                    health.undo(dry_run=dry_run)
    assert health.undo().tombstoned == ("v1.fact.new",)


def test_an_undo_of_what_is_encrypted_is_refused_alike_with_and_without_dry_run(health: Memory) -> None:
    health.lock("health")
    for dry_run in (True, False):
        with pytest.raises(InputError, match=r"changed an encrypted atom. To undo it, first use unlock"):
            health.undo(dry_run=dry_run)
    health.checkpoint(["v1.domain.mind = my mind"])
    health.encrypt("mind", PASSPHRASE)
    for dry_run in (True, False):
        with pytest.raises(InputError, match=r"recorded v1.domain.mind, which is encrypted since"):
            health.undo(dry_run=dry_run)


def test_verbs_that_take_text_only_say_so_of_an_unlocked_atom(health: Memory) -> None:
    for verb in (
        lambda: health.rename("v1.fact.dose", "v1.fact.other"),
        lambda: health.replace("v1.fact.dose", None, "Thirty"),
        lambda: health.propose("Thirty", name="v1.fact.dose"),
        lambda: health.touch("v1.fact.dose"),
        lambda: health.merge(["v1.fact.dose", "v1.fact.weather"]),
    ):
        with pytest.raises(InputError, match=r"v1.fact.dose is encrypted, and this works with text only. To change it"):
            verb()
    assert health.touch("v1.fact.weather")
