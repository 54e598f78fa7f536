"""A store folder that comes from somebody else: links, pipes and second names in every place that we open.

Every place where a store has a file or a folder is given a link to a victim, one after the other, and every kind of
verb is called on it. `harm` says what became of the victim: nothing may. The broken twins are the same calls with one
check taken out, and `harm` must find each of them out.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lmdb
import pytest

import substrate
from substrate import files, foreign_files
from substrate.errors import Denied, InputError, SubstrateError
from substrate.kv.lmdb import folder as store_folder
from substrate.kv.lmdb import locks
from substrate.kv.open import open_store
from substrate.log.copies.check import check_store
from substrate.log.keys.keyring import Keyring
from substrate.log.tables import ENTRIES, TABLES
from substrate.memory import Memory
from substrate.server.clients import Clients
from substrate.server.launch import Launch
from substrate.views.catalogue import VIEWS
from substrate.views.nearest import generation, index
from tests.scale import PATIENCE_S

NAME = "v1.fact.provider"
GENERATION = f"{'ab' * 8}-{1:016x}-00000000.generation"
LIVE = ["env.0001", "env.0001/data.mdb", "env.0001/lock.mdb", "CURRENT", "writer.lock", "gate.lock"]
"""Without these nobody can read."""
ALONE = ["ORIGIN", "BACKUP", "nearest", "nearest/publish.lock"]
"""Of these, some verbs refuse one and would not come to the next."""
TOGETHER = [
    "env.9997",
    "env.9998/data.mdb",
    "env.9999/lock.mdb",
    "CURRENT.new",
    "CREATING",
    "unfinished",
    "embed.lock",
    f"nearest/{GENERATION}",
    f"nearest/.{GENERATION}.new",
    f".ORIGIN.{os.getpid()}.new",
]
"""Of these, none is in the way."""


@dataclass(frozen=True)
class Scene:
    """A store of somebody, and beside it what it has no business with."""

    top: Path

    @property
    def store(self) -> Path:
        return self.top / "store"

    @property
    def home(self) -> Path:
        return self.top / "home"

    @property
    def victim(self) -> Path:
        return self.top / "victim"

    def open(self, *, read_only: bool = False) -> Memory:
        return substrate.open(self.store, home=self.home, read_only=read_only, create=False, background=False)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scene = Scene(tmp_path_factory.mktemp("template"))
    with substrate.open(scene.store, home=scene.home, model="none", background=False) as memory:
        memory.checkpoint([f"{NAME} = Stripe", "v1.fact.currency = EUR"])
        memory.forget("v1.fact.currency")  # so that the live environment is not the first one
    shutil.move(scene.store / "env.0002", scene.store / "env.0001")
    (scene.store / "CURRENT").write_text("substrate 1 env.0001\n", encoding="ascii")
    (scene.store / "nearest").mkdir(exist_ok=True)
    # What a link leads to is the most tempting there is: an environment that could be opened, and would be written to.
    shutil.copytree(scene.store / "env.0001", scene.victim / "env")
    (scene.victim / "letter").write_bytes(b"dear" * 5000)
    (scene.victim / "letter").chmod(0o644)
    return scene.top


@pytest.fixture
def scene(template: Path, tmp_path: Path) -> Scene:
    shutil.copytree(template, tmp_path / "scene")
    return Scene(tmp_path / "scene")


def put(scene: Scene, place: str, kind: str) -> None:
    """Put a link into a place of the store; as it was before, if it is there already."""
    at = scene.store / place
    if at.is_symlink() or (at.exists() and not at.is_dir()):
        at.unlink()
    elif at.is_dir():
        shutil.rmtree(at)
    at.parent.mkdir(exist_ok=True)
    target = {"data.mdb": "env/data.mdb", "env.0001": "env", "env.9997": "env", "nearest": "env", "unfinished": "env"}
    victim = scene.victim / target.get(at.name, "letter")
    match kind:
        case "link":
            at.symlink_to(victim)
        case "dangling link":
            at.symlink_to(scene.victim / "nothing yet")
        case "hard link":
            if victim.is_file():  # a folder has one name
                at.hardlink_to(victim)
        case "pipe":
            os.mkfifo(at)
        case "folder":
            at.mkdir()


State = dict[str, tuple[int, int, bytes]]


def state(folder: Path) -> State:
    """Every name, mode and byte below a folder."""
    found: State = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_size, content)
    return found


# -- the verbs, one or more of each kind ------------------------------------------------------------------------------


def _read(scene: Scene) -> None:
    with scene.open(read_only=True) as memory:
        memory.access(NAME)
        memory.list()
        memory.search("stripe")
        memory.prove(NAME)
        memory.stats()


def _backup(scene: Scene) -> None:
    with scene.open(read_only=True) as memory:
        memory.backup(scene.top / "backup")


def _restore(scene: Scene) -> None:
    substrate.restore(scene.store, scene.top / "restored", home=scene.home)


def _fsck(scene: Scene) -> None:
    check_store(scene.store, home=scene.home, views=VIEWS)


def _write(scene: Scene) -> None:
    with scene.open() as memory:
        memory.search("stripe")
        memory.checkpoint([f"{NAME} = Adyen"])
        memory.train([NAME])


def _forget(scene: Scene) -> None:
    with scene.open() as memory:
        memory.forget(NAME)


def _compact(scene: Scene) -> None:
    with scene.open() as memory:
        memory.compact()


def _rebuild(scene: Scene) -> None:
    substrate.rebuild(scene.store, home=scene.home)


def _mcp(scene: Scene) -> None:
    with Clients(Launch(scene.store)) as clients:
        clients.named("agent", "atoms").memory.checkpoint([f"{NAME} = Mollie"])


def _create(scene: Scene) -> None:
    """A folder in which nobody has made a store yet, but for one thing that is there already."""
    for path in scene.store.iterdir():
        if path.name != "CREATING":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    substrate.open(scene.store, home=scene.top / "other home", background=False).close()


READS: dict[str, Callable[[Scene], None]] = {"read": _read, "backup": _backup, "restore": _restore, "fsck": _fsck}
WRITES: dict[str, Callable[[Scene], None]] = {
    "write": _write,
    "forget": _forget,
    "compact": _compact,
    "rebuild": _rebuild,
    "mcp": _mcp,
}
VERBS = {**READS, **WRITES}


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SUBSTRATE_MODEL", "none")
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "fresh" / "home"))  # where `harm` calls the verbs


def harm(scene: Scene, kind: str, *places: str, verbs: dict[str, Callable[[Scene], None]] = VERBS) -> dict[str, str]:
    """What the verbs did to the victim, each on a store as it was, and what they raised that is none of our errors."""
    wrong = {}
    fresh = scene.top.with_name("fresh")
    for verb, call in verbs.items():
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(scene.top, fresh)
        one = Scene(fresh)
        for place in places:
            put(one, place, kind)
        before = state(one.victim)
        try:
            call(one)
        except SubstrateError:
            pass
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            wrong[verb] = repr(error)
        if state(one.victim) != before:
            wrong[verb] = "the victim was changed"
    return wrong


# -- links in every place ---------------------------------------------------------------------------------------------


EACH = pytest.mark.parametrize("places", [*((place,) for place in (*LIVE, *ALONE)), TOGETHER], ids=lambda it: it[0])
FEW = {"read": _read, "write": _write, "forget": _forget}


@EACH
def test_whatever_is_a_link_leads_nowhere(scene: Scene, places: list[str]) -> None:
    assert harm(scene, "link", *places) == {}
    assert harm(scene, "dangling link", *places, verbs=FEW) == {}


@EACH
def test_a_second_name_of_another_file_is_not_written_through(scene: Scene, places: list[str]) -> None:
    assert harm(scene, "hard link", *places, verbs=FEW) == {}


@EACH
def test_a_pipe_or_a_folder_in_its_place_keeps_nobody_waiting(scene: Scene, places: list[str]) -> None:
    assert harm(scene, "pipe", *places, verbs=FEW) == {}
    assert harm(scene, "folder", *places, verbs={"write": _write}) == {}


def test_a_device_is_not_read(scene: Scene) -> None:
    (scene.store / "ORIGIN").unlink()
    try:
        os.mknod(scene.store / "ORIGIN", stat.S_IFCHR | 0o600, Path("/dev/zero").stat().st_rdev)
    except PermissionError:
        pytest.skip("only root can make a device")
    for verb in VERBS.values():
        with pytest.raises(Denied, match="ORIGIN is a device"):
            verb(scene)


@pytest.mark.parametrize("place", LIVE)
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_a_store_lives_by_is_refused_by_name_and_with_what_to_do(scene: Scene, place: str, kind: str) -> None:
    put(scene, place, kind)
    for read_only in (True, False):
        with pytest.raises(Denied, match="no store has in that place") as refused:
            scene.open(read_only=read_only)
        assert str(scene.store / place) in str(refused.value)
        assert f"rm {scene.store / place}" in str(refused.value)


@pytest.mark.parametrize("kind", ["link", "dangling link", "hard link", "pipe", "folder"])
def test_a_store_is_made_beside_a_link_and_not_behind_it(scene: Scene, kind: str) -> None:
    assert harm(scene, kind, "CREATING", verbs={"create": _create}) == {}


def test_leftovers_that_are_links_go_and_the_store_is_used(scene: Scene) -> None:
    for place in ("env.9997", "CREATING", "CURRENT.new"):
        put(scene, place, "link")
    before = state(scene.victim)
    _write(scene)
    assert sorted(path.name for path in scene.store.iterdir() if path.is_symlink()) == []
    assert state(scene.victim) == before


def test_vectors_are_neither_made_nor_removed_behind_a_link(scene: Scene) -> None:
    put(scene, "nearest", "link")
    _read(scene)
    with pytest.raises(Denied, match="nearest is a symbolic link"):
        scene.open()
    (scene.store / "nearest").unlink()
    _write(scene)


# -- the same with one check taken out --------------------------------------------------------------------------------


def _follow(path: Path, flags: int = os.O_RDONLY, *, folder: int | None = None) -> int:
    del folder
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def _cut_through(path: Path) -> None:
    with suppress(OSError):
        os.truncate(path, 0)


def _overwrite(path: Path, mode: int = 0o600) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)


def _nothing(*_: object) -> None:
    return


TWINS: dict[str, tuple[list[object], str, object, str, str]] = {
    "debris cut through a link": ([store_folder], "cut", _cut_through, "env.9999/data.mdb", "link"),
    "debris cut behind a linked folder": ([store_folder], "cut", _cut_through, "env.9997", "link"),
    "debris cut under its other name": ([store_folder], "cut", _cut_through, "env.9999/data.mdb", "hard link"),
    "a pointer written through a link": ([store_folder], "make_file", _overwrite, "CREATING", "link"),
    "a lock file made behind a link": ([locks], "open_file", _follow, "writer.lock", "dangling link"),
    "readers listed behind a link": ([foreign_files], "_refuse_odd", _nothing, "env.0001/lock.mdb", "link"),
    "data written under its other name": ([store_folder], "refuse_foreign", _nothing, "env.0001/data.mdb", "hard link"),
    "vectors locked behind a link": ([files], "open_file", _follow, "nearest/publish.lock", "dangling link"),
    "vectors removed behind a link": ([generation, index], "is_folder", Path.is_dir, "nearest", "link"),
}


@pytest.mark.parametrize("twin", TWINS)
def test_a_twin_that_leaves_out_one_check_is_found_out(
    scene: Scene, twin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules, name, broken, place, kind = TWINS[twin]
    for module in modules:
        monkeypatch.setattr(module, name, broken)
    verbs = {"create": _create} if place == "CREATING" else {"write": _write, "forget": _forget}
    assert harm(scene, kind, place, verbs=verbs) != {}


# -- LMDB opens by name -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", ["looks again", "does not, a broken twin"])
def test_a_file_that_is_exchanged_while_it_is_opened_is_noticed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, check: str
) -> None:
    right = lmdb.open

    def exchange(path: str, **options: Any) -> Any:
        if path == str(scene.store / "env.0001"):
            put(scene, "env.0001/data.mdb", "link")
        return right(path, **options)

    monkeypatch.setattr(lmdb, "open", exchange)
    if check != "looks again":
        monkeypatch.setattr(store_folder.Examined, "refuse_exchanged", _nothing)
        scene.open(read_only=True).close()
        return
    with pytest.raises(Denied, match="was exchanged while it was being opened"):
        scene.open(read_only=True)


# -- copies by hard links ---------------------------------------------------------------------------------------------


@pytest.fixture
def twin(scene: Scene) -> Scene:
    """A copy of the store by hard links."""
    twin = Scene(scene.top.with_name("twin"))
    shutil.copytree(scene.home, twin.home)
    subprocess.run(["cp", "-al", scene.store, twin.store], check=True, timeout=PATIENCE_S)
    return twin


def test_of_a_copy_by_hard_links_and_its_original_neither_is_changed_by_a_forget(scene: Scene, twin: Scene) -> None:
    before = state(twin.store)
    for verb in WRITES.values():
        with pytest.raises(Denied, match="has a second name"):
            verb(scene)
    for verb in READS.values():
        verb(scene)
        verb(twin)
    assert state(twin.store) == before


def test_the_command_that_is_printed_gives_a_store_files_of_its_own(scene: Scene, twin: Scene) -> None:
    with pytest.raises(Denied) as refused:
        scene.open()
    command = str(refused.value).partition("type: ")[2]
    subprocess.run(command, shell=True, check=True, timeout=PATIENCE_S)  # noqa: S602 - what a person does with it
    _forget(scene)
    assert check_store(twin.store, views=VIEWS).ok
    with twin.open(read_only=True) as memory:
        assert memory.access(NAME).value == "Stripe"


def test_a_copy_by_hard_links_that_is_made_of_an_open_store_ends_its_writing(scene: Scene) -> None:
    with scene.open() as memory:
        memory.checkpoint([f"{NAME} = Adyen"])
        copy = scene.top / "copy"
        subprocess.run(["cp", "-al", scene.store, copy], check=True, timeout=PATIENCE_S)
        before = state(copy)
        for write in (lambda: memory.forget(NAME), lambda: memory.checkpoint([f"{NAME} = Mollie"])):
            with pytest.raises(Denied, match="has a second name"):
                write()
        assert memory.access(NAME).value == "Adyen"
        assert state(copy) == before
        shutil.rmtree(copy)
        memory.checkpoint([f"{NAME} = Mollie"])


# -- other users ------------------------------------------------------------------------------------------------------

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")


@contextmanager
def as_nobody() -> Iterator[None]:
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def shown(scene: Scene) -> Iterator[Scene]:
    """The scene in a place that every user can get to."""
    top = Path(tempfile.mkdtemp())
    shutil.copytree(scene.top, top / "scene")
    top.chmod(0o755)
    (top / "scene").chmod(0o755)
    _read(scene)  # so that all is loaded that another user could not load
    yield Scene(top / "scene")
    shutil.rmtree(top)


def give(top: Path, user: int) -> None:
    for path in (top, *top.rglob("*")):
        os.chown(path, user, -1, follow_symlinks=False)


@needs_root
def test_a_store_of_another_user_is_read_and_not_written(shown: Scene) -> None:
    give(shown.store, NOBODY)
    before = state(shown.store / "env.0001")["data.mdb"]
    for verb in WRITES.values():
        with pytest.raises(Denied, match="belongs to another user") as refused:
            verb(shown)
    assert f"substrate restore {shown.store} --store {shown.store}.own" in str(refused.value)
    for verb in READS.values():
        verb(shown)
    assert state(shown.store / "env.0001")["data.mdb"] == before
    substrate.restore(shown.store, shown.top / "store.own", home=shown.home)
    shutil.rmtree(shown.store)
    (shown.top / "store.own").rename(shown.store)
    _write(shown)


@needs_root
def test_one_foreign_file_is_enough(shown: Scene) -> None:
    for place in ("env.0001/data.mdb", "env.0001/lock.mdb", "env.0001", "."):
        os.chown(shown.store / place, NOBODY, -1)
        with pytest.raises(Denied, match="belongs to another user"):
            shown.open()
        os.chown(shown.store / place, 0, -1)
    shown.open().close()


@needs_root
@pytest.mark.parametrize("readers", ["listed", "not listed"])
def test_an_auditor_leaves_nothing_in_anothers_folder(shown: Scene, readers: str) -> None:
    give(shown.store, NOBODY)
    if readers == "not listed":
        (shown.store / "env.0001" / "lock.mdb").unlink()
    names = sorted(state(shown.store))
    _read(shown)
    assert sorted(state(shown.store)) == names


@needs_root
@pytest.mark.parametrize("readers", ["listed", "not listed"])
def test_read_only_files_in_read_only_folders_are_read(shown: Scene, readers: str) -> None:
    if readers == "not listed":  # as in a backup
        (shown.store / "env.0001" / "lock.mdb").unlink()
    for path in (shown.store, *shown.store.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = state(shown.store)
    home = shown.top / "no home"
    with as_nobody(), substrate.open(shown.store, home=home, read_only=True, background=False) as memory:
        assert memory.access(NAME).value == "Stripe"
        assert [hit.name for hit in memory.search("stripe")] == [NAME]
        with pytest.raises(Denied):
            substrate.open(shown.store, home=home)
    assert state(shown.store) == before


@needs_root
def test_who_cannot_list_itself_as_a_reader_keeps_writers_out_meanwhile(shown: Scene) -> None:
    """The owner writes, and somebody without rights reads: pages must not be used again under the reader."""
    for path in (shown.store, *shown.store.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with as_nobody():
        reader = open_store(shown.store, list(TABLES), read_only=True, create=False)
    with reader.read() as transaction:
        count = transaction.count(ENTRIES)
        late = "import sys; from substrate.kv.open import open_store\n"
        late += "store = open_store(sys.argv[1], ['x'], create=False, wait_s=0.3)\n"
        late += "with store.write() as transaction: transaction.put('x', b'k', b'v')"
        writer = subprocess.run(
            [sys.executable, "-c", late, str(shown.store)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Busy: another writer holds the store" in writer.stderr
        assert transaction.count(ENTRIES) == count
    with pytest.raises(Denied, match="close the store everywhere in this process"):
        shown.open()  # through the same gate, it would take its own lock away
    reader.close()
    _write(shown)


# -- a home of one's own ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o277, 0o777])
def test_the_home_is_private_whatever_the_mask_is(tmp_path: Path, mask: int) -> None:
    home = tmp_path / "above" / "home"
    old = os.umask(mask)
    try:
        files.make_folder(Keyring(home, "origin").folder)
    finally:
        os.umask(old)
    made = [home.parent, home, *home.rglob("*")]
    assert len(made) == 4
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in made} == {0o700}


def test_a_store_made_under_an_open_mask_has_a_private_home(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False) as memory:
            memory.checkpoint([f"{NAME} = Stripe"])
    finally:
        os.umask(old)
    for path in (tmp_path / "home", *(tmp_path / "home").rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


# -- bad places for a copy --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place",
    [
        "/proc/no",
        "/dev/null",
        "/dev/null/no",
        "{top}/loop",
        "{top}/letter/no",
        "{top}/" + "x" * 300,
        "no\0no",
        "\udcff",
    ],
)
def test_a_bad_place_for_a_copy_is_said_to_be_one_and_the_store_is_not_blamed(scene: Scene, place: str) -> None:
    (scene.top / "loop").symlink_to(scene.top / "loop")
    (scene.top / "letter").write_text("dear", encoding="ascii")
    target = place.format(top=scene.top)
    with scene.open() as memory, pytest.raises((InputError, Denied), match=r"give (another|an empty)") as refused:
        memory.backup(target)
    assert "fsck" not in str(refused.value)
    with pytest.raises((InputError, Denied), match="give another") as refused:
        substrate.restore(scene.store, target, home=scene.home)
    assert "fsck" not in str(refused.value)
    assert (scene.top / "letter").read_text(encoding="ascii") == "dear"
