"""A foreign log is data: bodies that are signed and make no sense are refused, reported, and hurt no neighbour."""

from __future__ import annotations

import io
import random
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import pytest

from substrate.codec import draft_forget, draft_other
from substrate.errors import NotFound, StoreDamaged, SubstrateError
from substrate.log.copies.check import Report, check_store
from substrate.log.copies.rebuild import rebuild_store
from substrate.log.copies.restore import restore
from substrate.log.log import open_log
from substrate.memory import Memory, open_memory
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.views.catalogue import CHECKS, VIEWS
from tests.hostile.foreign_logs import (
    CANARY,
    NOT_ATOMS,
    SOUND,
    Verb,
    bent_line,
    checking_nothing,
    damaged_entry,
    damaged_store,
    open_read_only,
    store_with,
    store_with_long_name,
    take_in,
    write_log,
)
from tests.scale import SEED, rounds

PAGES: dict[str, Verb] = {
    "list": lambda memory: memory.list(tombstoned=True, superseded=True, count=True).to_dict(),
    "list then": lambda memory: memory.list(as_of=12).to_dict(),
    "list valid": lambda memory: memory.list(valid_at="2024-01-01").to_dict(),
    "search": lambda memory: memory.search("payments way").to_dict(),
    "search before": lambda memory: memory.search("what was the way of payments before?").to_dict(),
    "recent": lambda memory: memory.recent().to_dict(),
    "diff": lambda memory: memory.diff(0).to_dict(),
    "bootstrap": lambda memory: memory.bootstrap("payments").to_dict(),
    "context": lambda memory: memory.context(SOUND, depth=3).to_dict(),
    "search further": lambda memory: memory.search("payments way", hops=3).to_dict(),
    "search by pagerank": lambda memory: memory.search("payments way", hops=3, walk="pagerank").to_dict(),
    "path": lambda memory: [memory.path(SOUND, edge.target_id).to_dict() for edge in memory.edges(SOUND)][:3],
    "associate": lambda memory: memory.associate(SOUND).to_dict(),
    "edges": lambda memory: memory.edges(SOUND).to_dict(),
    "history": lambda memory: memory.history(SOUND).to_dict(),
    "access": lambda memory: memory.access(SOUND, proof=True).to_dict(),
    "predict": lambda memory: memory.predict(SOUND).to_dict(),
    "around": lambda memory: memory.around(SOUND).to_dict(),
    "conflicts": lambda memory: memory.conflicts().to_dict(),
    "stale": lambda memory: memory.stale().to_dict(),
    "heads": lambda memory: memory.heads().to_dict(),
    "growth": lambda memory: memory.growth().to_dict(),
    "stats": lambda memory: memory.stats().to_dict(),
    "matrix": lambda memory: memory.transition_matrix(),
    "export": lambda memory: memory.export(io.StringIO()),
    "export full": lambda memory: memory.export(io.StringIO(), full=True),
    "shown": lambda memory: (repr(memory.list()), memory.list()._repr_html_(), memory.search("payments")._repr_html_()),
}


def of_one(memory: Memory, name: str) -> list[Callable[[], object]]:
    """What is asked of an atom that may be damaged."""
    return [
        lambda: memory.access(name),
        lambda: memory.access(name, proof="." in name),
        lambda: memory.history(name).to_dict(),
        lambda: memory.context(name).to_dict(),
        lambda: memory.edges(name).to_dict(),
        lambda: memory.predict(name).to_dict(),
        lambda: memory.weigh([name]),
        lambda: memory.conflicts(name).to_dict(),
    ]


def read_all(folder: Path) -> list[str]:
    """What went wrong when all verbs were asked: errors without a type, and pages that were not answered."""
    faults = []
    with open_read_only(folder) as memory:
        for verb, ask in PAGES.items():
            try:
                ask(memory)
            except Exception as error:  # noqa: BLE001 - each is a fault
                faults.append(f"{verb}: {error!r}")
        try:
            ids = [atom.id for atom in memory.list(tombstoned=True, superseded=True)]
        except Exception as error:  # noqa: BLE001
            return [*faults, repr(error)]
        for name in ["v1.fact.n2", "v1.fact.n3", *ids[::3]]:
            for step in of_one(memory, name):
                try:
                    step()
                except SubstrateError:
                    pass
                except Exception as error:  # noqa: BLE001
                    faults.append(f"{name}: {error!r}")
    return faults


def attack(folder: Path, chance: random.Random) -> tuple[bool, list[str]]:
    """Write a log, import it as it is, and as the version before did. Whether it was refused, and what went wrong."""
    lines = write_log(folder, chance)
    refused, faults = False, []
    try:
        take_in(lines, folder)
    except SubstrateError:
        refused = True
        try:
            with checking_nothing():
                take_in(lines, folder, checks=False)
        except Exception:  # noqa: BLE001 - the version before did not take it either
            return True, []
    except Exception as error:  # noqa: BLE001
        return False, [f"import: {error!r}"]
    try:
        report = check_store(folder / "store", views=VIEWS, checks=CHECKS)
    except SubstrateError:
        pass
    else:
        if report.ok is refused:
            faults.append(f"import {'refused' if refused else 'took'} it, and fsck says {report.damage}")
    return refused, faults + read_all(folder)


@pytest.mark.soak
@pytest.mark.slow
def test_no_foreign_log_gives_an_error_without_a_type(tmp_path: Path) -> None:
    refused = 0
    for number in range(rounds(25, 10_000)):
        folder = tmp_path / "log"
        was_refused, faults = attack(folder, random.Random(f"{SEED} {number}"))
        refused += was_refused
        assert faults == [], f"log {number}"
        shutil.rmtree(folder)
    assert refused


def test_a_decoder_that_checks_nothing_is_found_out(tmp_path: Path) -> None:
    """The broken twin."""
    with checking_nothing():
        faults = (
            fault
            for number in range(14, 30)
            for fault in attack(tmp_path / str(number), random.Random(f"{SEED} {number}"))[1]
        )
        assert any("TypeError" in fault for fault in faults)


@pytest.mark.parametrize("name", ["v1.fact.bent", "v1.fact.be\nnt"])
def test_a_damaged_atom_is_marked_among_its_neighbours_and_refused_alone(name: str, tmp_path: Path) -> None:
    damaged_store(tmp_path, name)
    with open_read_only(tmp_path) as memory:
        bent, sound = sorted(memory.list(), key=lambda atom: atom.seq, reverse=True)
        assert (sound.name, sound.value, sound.damaged) == (SOUND, "payments", None)
        assert (bent.name, bent.value) == (name if name.isprintable() else bent.id, "")
        assert bent.damaged is not None
        assert [atom.name for atom in memory.bootstrap("payments").atoms] == [SOUND]
        with pytest.raises(StoreDamaged, match=r"does not fit the schema .* forget"):
            memory.access(bent.id)


def test_fsck_names_the_entry_and_what_is_wrong_and_a_rebuild_goes_on(tmp_path: Path) -> None:
    damaged_store(tmp_path)
    for _ in range(2):
        damage = check_store(tmp_path / "store", views=VIEWS, checks=CHECKS).damage
        assert "entry 2 (put of" in str(damage)
        assert "tags is not a list of texts" in str(damage)
        rebuild_store(tmp_path / "store", home=tmp_path / "home", views=VIEWS)


def test_a_damaged_backup_is_not_restored(tmp_path: Path) -> None:
    damaged_store(tmp_path)
    with pytest.raises(StoreDamaged, match="tags is not a list of texts"):
        restore(tmp_path / "store", tmp_path / "new", home=tmp_path / "home", views=VIEWS, checks=CHECKS)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("mend", ["forget", "checkpoint"])
def test_a_damaged_atom_can_be_erased_or_written_anew(mend: str, tmp_path: Path) -> None:
    damaged_store(tmp_path)
    with open_memory(tmp_path / "store", home=tmp_path / "home", model="none") as memory:
        if mend == "checkpoint":
            memory.checkpoint(["v1.fact.bent = payments"])
            assert memory.access("v1.fact.bent").value == "payments"
        memory.forget("v1.fact.bent")
    assert check_store(tmp_path / "store", views=VIEWS, checks=CHECKS).damage is None


def is_in_file(folder: Path) -> bool:
    return any(CANARY.encode() in file.read_bytes() for file in (folder / "store").rglob("*") if file.is_file())


def check(folder: Path) -> Report:
    return check_store(folder / "store", home=folder / "home", views=VIEWS, checks=CHECKS)


def open_to_write(folder: Path) -> Memory:
    return open_memory(folder / "store", home=folder / "home", model="none", background=False)


@pytest.mark.parametrize("what", NOT_ATOMS)
def test_what_is_no_atom_and_damaged_is_erased_by_the_id_that_fsck_names(what: str, tmp_path: Path) -> None:
    damaged = store_with(tmp_path, damaged_entry(what))
    report = check(tmp_path)
    assert str(report.damage).endswith(f"substrate forget {damaged} erases it")
    assert report.misfit
    assert is_in_file(tmp_path)
    with open_to_write(tmp_path) as memory:
        would, done = memory.forget(str(damaged), dry_run=True), memory.forget(str(damaged))
        for forgot in (would, done):
            assert (forgot.atoms, forgot.edges + forgot.trainings + forgot.models) == (0, 1)
        assert memory.verify(memory.prove_entry(done.seqs[0])).claim == "recorded"
        with pytest.raises(NotFound):
            memory.forget(str(damaged))
    assert check(tmp_path).damage is None
    assert not is_in_file(tmp_path)
    rebuild_store(tmp_path / "store", home=tmp_path / "home", views=VIEWS)
    assert check(tmp_path).damage is None


def test_when_all_damaged_entries_are_erased_a_store_can_be_restored_and_cloned(tmp_path: Path) -> None:
    store_with(tmp_path, *map(damaged_entry, NOT_ATOMS))
    with open_to_write(tmp_path) as memory:
        for _ in NOT_ATOMS:
            advice = re.search(r"substrate forget (\S+) erases it", str(check(tmp_path).damage))
            assert advice is not None
            memory.forget(advice[1])
        lines = io.StringIO()
        memory.export(lines, full=True)
        memory.backup(tmp_path / "backup")
    restore(tmp_path / "backup", tmp_path / "restored", home=tmp_path / "home", views=VIEWS, checks=CHECKS)
    take_in(lines.getvalue().splitlines(keepends=True), tmp_path / "clone")
    for copy in (tmp_path / "restored", tmp_path / "clone" / "store"):
        assert check_store(copy, views=VIEWS, checks=CHECKS).damage is None


@pytest.mark.soak
def test_who_follows_the_advice_of_fsck_ends_with_a_sound_store_or_an_export(tmp_path: Path) -> None:
    erased = 0
    for number in range(rounds(6, 2_000)):
        folder = tmp_path / "log"
        lines = write_log(folder, random.Random(f"{SEED} advice {number}"))
        with suppress(Exception), checking_nothing():  # the version before did not take all of them either
            take_in(lines, folder, checks=False)
        if (folder / "store").exists():
            for _ in lines:
                damage = str(check_store(folder / "store", views=VIEWS).damage)
                advice = re.search(r"substrate forget (\S+) erases it", damage)
                if advice is None:
                    break
                with open_to_write(folder) as memory:
                    memory.forget(advice[1])
                erased += 1
            assert damage == "None" or "substrate export writes what is readable" in damage, f"log {number}: {damage}"
        shutil.rmtree(folder)
    assert erased


def test_a_damaged_statement_takes_the_sound_ones_of_its_edge_with_it(tmp_path: Path) -> None:
    sound = draft_other(Kind.EDGE, {"source": "aa" * 16, "type": "needs", "target": "bb" * 16, "label": CANARY})
    edge = store_with(tmp_path, sound)
    with open_log(tmp_path / "store", home=tmp_path / "home", views=VIEWS) as log:
        log.append([damaged_entry("an unedge of no type")._replace(subject=edge.bytes)])
    with open_to_write(tmp_path) as memory:
        assert memory.forget(str(edge)).edges == 1
        assert memory.stats().edges == 0
    assert check(tmp_path).damage is None
    assert not is_in_file(tmp_path)


def test_an_edge_that_a_foreign_forget_names_and_leaves_is_erased(tmp_path: Path) -> None:
    edge = store_with(tmp_path, damaged_entry("an edge of odd attrs"))
    with open_log(tmp_path / "store", home=tmp_path / "home", views=VIEWS) as log:
        log.append([draft_forget(bytes(16), [], edges=[edge.bytes])])
    with open_to_write(tmp_path) as memory:
        assert memory.forget(str(edge)).edges == 1
    assert check(tmp_path).damage is None
    assert not is_in_file(tmp_path)


@pytest.mark.parametrize("what", [what for what, (_, body) in NOT_ATOMS.items() if "actor" in body])
def test_who_forgets_by_actor_reaches_what_is_damaged(what: str, tmp_path: Path) -> None:
    store_with(tmp_path, damaged_entry(what))
    with open_to_write(tmp_path) as memory:
        memory.forget(actor="eve")
    assert check(tmp_path).damage is None
    assert not is_in_file(tmp_path)


def test_what_the_log_rests_on_is_not_erased_by_its_id(tmp_path: Path) -> None:
    space: dict[str, Json] = {"model": "m", "digest": "d", "dimensions": 4, "space": "ab" * 8}
    model = store_with(tmp_path, draft_other(Kind.MODEL, space))
    with open_to_write(tmp_path) as memory:
        key = memory._store.log.entry(0).entry.subject
        for kept in (model, UUID(bytes=key), UUID(int=7)):
            with pytest.raises(NotFound, match="nothing was forgotten"):
                memory.forget(str(kept))
    assert check(tmp_path).damage is None


@pytest.mark.parametrize("what", ["a forget", "a name that is too long for a row"])
def test_of_a_damaged_entry_that_must_stay_fsck_says_how_to_go_on_without_it(what: str, tmp_path: Path) -> None:
    if what == "a forget":
        store_with(tmp_path, draft_forget(bytes(16), [])._replace(body=b'{"edges":["x"],"erased":[]}'))
    else:
        store_with_long_name(tmp_path)
    damage = str(check(tmp_path).damage)
    assert damage.endswith("substrate export writes what is readable; import that into a new store")
    lines = io.StringIO()
    with open_read_only(tmp_path) as memory:
        memory.export(lines)
    with open_to_write(tmp_path / "new") as memory:
        memory.import_lines(io.StringIO(lines.getvalue()))
        assert memory.access(SOUND).value == "payments"
    assert check(tmp_path / "new").damage is None


def test_a_plain_export_says_which_entry_is_damaged_and_an_import_tells_of_it(tmp_path: Path) -> None:
    damaged_store(tmp_path)
    lines = io.StringIO()
    with open_read_only(tmp_path) as memory:
        memory.export(lines)
    assert '{"kind":"damaged","recorded_at":' in lines.getvalue()
    with open_memory(tmp_path / "new", home=tmp_path / "home", model="none") as memory:
        saved = memory.import_lines(io.StringIO(lines.getvalue()))
        assert [(one.item, one.code) for one in saved.refused] == [("line 3", "store_damaged")]
        assert [atom.name for atom in memory.list()] == [SOUND]


@pytest.mark.soak
def test_plain_lines_that_make_no_sense_are_refused_by_their_number(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with open_memory(tmp_path / "store", home=tmp_path / "home", model="none", background=False) as memory:
        for _ in range(rounds(60, 10_000)):
            text = bent_line(chance)
            said = "line 1"
            try:
                memory.import_lines(io.StringIO(text))
            except SubstrateError as error:
                said = str(error)
            assert "line 1" in said, text[:300]
        for verb in ("list", "search", "diff", "bootstrap", "export"):
            PAGES[verb](memory)
    assert check_store(tmp_path / "store", views=VIEWS, checks=CHECKS).damage is None
