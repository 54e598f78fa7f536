"""What is left when a process is killed, or the disk is full: nothing that holds a text which was forgotten since."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from substrate.errors import InputError
from substrate.kv.lmdb import folder
from substrate.kv.open import scratch_store
from substrate.log.copies.check import check_store
from substrate.memory import Memory
from substrate.moving import past
from substrate.views.catalogue import VIEWS
from tests.kv.processes import ROOT
from tests.leftovers import traces_of

CANARY = "canary-in-a-coal-mine"

# Each is stopped in the middle of its work, says so, and waits to be killed.
STOP = """
import os, signal, sys
from pathlib import Path
store, home, target = map(Path, sys.argv[1:4])
def stop(*_):
    print("in the middle", flush=True)
    signal.pause()
"""
FSCK = """
from substrate.log.copies import check
from substrate.log.tables import POSTINGS
from substrate.views.catalogue import VIEWS
right = check._Check._scan
def scan(self, table):
    if table == POSTINGS:
        stop()
    return right(self, table)
check._Check._scan = scan
"""
DEEDS = {
    "fsck": FSCK + "check.check_store(store, views=VIEWS)",
    "restore": FSCK + "from substrate.care.copies import restore; restore(store, target / 'new', home=home)",
    "rebuild": (
        "from substrate.log.copies.behind import Remembered; Remembered.check = stop\n"
        "from substrate.care.copies import rebuild; rebuild(store, home=home)"
    ),
    "export": "import substrate; substrate.open(store, home=home).export(target / 'all', full=True, progress=stop)",
    "compact": (
        "from substrate.kv.lmdb.compaction import _Compaction; _Compaction._catch_up = stop\n"
        "import substrate; substrate.open(store, home=home).compact()"
    ),
}
"""The tables that a replay makes are there, filled, when each of these is stopped."""


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Where temporary files go, and where results would."""
    made = {name: tmp_path / name for name in ("temporary", "target")}
    for path in made.values():
        path.mkdir()
    return made


def killed_in_the_middle(deed: str, signum: signal.Signals, store: Path, home: Path, places: dict[str, Path]) -> None:
    environment = {**os.environ, "TMPDIR": str(places["temporary"])}
    command = [sys.executable, "-c", STOP + DEEDS[deed], str(store), str(home), str(places["target"])]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "in the middle\n"
        child.send_signal(signum)


@pytest.mark.parametrize(
    "killed",
    [*((deed, signal.SIGKILL) for deed in DEEDS), ("fsck", signal.SIGTERM)],
    ids=lambda killed: f"{killed[0]}-{killed[1].name}",
)
def test_what_was_killed_leaves_no_text_behind(
    reopen: Callable[..., Memory], store: Path, home: Path, places: dict[str, Path], killed: tuple[str, signal.Signals]
) -> None:
    memory = reopen()
    memory.checkpoint([f"v1.fact.secret = {CANARY}", "v1.fact.other = stays"])
    memory.close()
    killed_in_the_middle(*killed, store, home, places)
    for path in places.values():
        assert list(path.iterdir()) == []
    memory = reopen()  # the next open removes what lies in the store's own folder
    assert not folder.debris(store, folder.live(store))
    assert memory.forget("v1.fact.secret").compacted
    assert traces_of(CANARY, store) == []
    assert memory.access("v1.fact.other").value == "stays"


def test_a_folder_that_is_killed_with_its_maker_is_found(tmp_path: Path) -> None:
    """The broken twin: a temporary folder stays, with what was replayed into it."""
    program = (
        "import os, sys, tempfile\nfrom pathlib import Path\nfrom substrate.kv.open import open_store\n"
        "with tempfile.TemporaryDirectory(dir=sys.argv[1]) as scratch:\n"
        "    store = open_store(Path(scratch) / 'view', ['words'])\n"
        "    with store.write() as transaction:\n"
        f"        transaction.put('words', b'k', {CANARY.encode()!r})\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=False)
    assert traces_of(CANARY, tmp_path)


def test_scratch_tables_have_no_name_and_keep_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with scratch_store(["one", "two"]) as scratch:
        assert list(tmp_path.iterdir()) == []
        with scratch.write() as transaction:
            transaction.extend("one", [(b"a", b"1"), (b"b", b"2")])
            transaction.put("two", b"c", b"3")
            transaction.delete("one", b"a")
            assert not transaction.grow()
        with suppress(LookupError), scratch.write() as transaction:
            transaction.put("one", b"lost", b"")
            raise LookupError
        with scratch.read() as found:
            assert list(found.scan("one")) == [(b"b", b"2")]
            assert found.get("two", b"c") == b"3"
        assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_leaves_no_part_of_an_export(memory: Memory, store: Path, tmp_path: Path) -> None:
    memory.checkpoint([{"name": f"v1.fact.n{number}", "value": CANARY * 100} for number in range(20)])
    memory.close()
    target = tmp_path / "target"
    target.mkdir()
    program = (
        "import resource, sys, substrate\nfrom substrate.errors import DiskFull\n"
        "memory = substrate.open(sys.argv[1], read_only=True)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "for full in (False, True):\n"
        "    try:\n"
        "        memory.export(sys.argv[2], full=full)\n"
        "    except DiskFull:\n"
        "        print('full')\n"
    )
    command = [sys.executable, "-c", program, str(store), str(target / "all.jsonl")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("full\nfull\n", 0), done.stderr
    assert list(target.iterdir()) == []


def test_an_export_is_only_its_owners_and_overwrites_nothing(memory: Memory, tmp_path: Path) -> None:
    memory.checkpoint(["v1.fact.a = b"])
    memory.export(tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "absent")
    for there in ("all.jsonl", "link"):
        before = (tmp_path / "all.jsonl").read_bytes()
        with pytest.raises(InputError, match="is there already"):
            memory.export(tmp_path / there)
        assert (tmp_path / "all.jsonl").read_bytes() == before
    assert not (tmp_path / "absent").exists()


def exported(memory: Memory) -> list[str]:
    memory.checkpoint([f"v1.fact.n{number} = {number}" for number in range(5)])
    file = io.StringIO()
    memory.export(file)
    return file.getvalue().splitlines()


CUTS: dict[str, Callable[[list[str]], list[str]]] = {
    "without its last line": lambda lines: lines[:-1],
    "in the middle": lambda lines: lines[:3],
    "after the header": lambda lines: lines[:1],
    "without a line in between": lambda lines: [*lines[:2], *lines[3:]],
    "with a line twice": lambda lines: [*lines[:2], *lines[1:]],
    "before another one": lambda lines: [*lines[:3], *lines],
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("source", ["file", "stream"])
def test_an_export_that_was_cut_is_noticed_before_anything_is_saved(
    memory: Memory, tmp_path: Path, cut: str, source: str
) -> None:
    lines = CUTS[cut](exported(memory))
    size = memory.head().head.size
    path = tmp_path / "cut.jsonl"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"not complete.*nothing was saved.*remove line 1"):
        memory.import_lines(path if source == "file" else io.StringIO(path.read_text()))
    assert memory.head().head.size == size


def test_exports_of_earlier_versions_and_several_in_one_file_are_taken(memory: Memory) -> None:
    lines = exported(memory)
    header = json.loads(lines[0])
    del header["counted"]
    memory.import_lines(io.StringIO("\n".join([json.dumps(header), *lines[1:-1]])))
    memory.import_lines(io.StringIO("\n".join(lines[1:3])))  # as the message says: without line 1
    memory.import_lines(io.StringIO("\n\n".join([*lines, *lines])))


def test_an_import_that_stops_in_the_middle_of_a_stream_says_what_is_saved(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "_PORTION", 1)
    lines = [{"substrate": 1, "kind": "plain", "entries": 1, "counted": True}]
    lines += [{"kind": "put", "name": "v1.fact.a", "value": "1"}, {"kind": "tombstone", "name": "v1.fact.a"}]
    with pytest.raises(InputError, match="lines up to 2 are saved"):
        memory.import_lines(io.StringIO("\n".join(map(json.dumps, lines))))


def test_a_check_makes_nothing_in_the_store_it_looks_at(memory: Memory, store: Path) -> None:
    """So a store on a read-only disk can be checked."""

    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in store.rglob("*") if path.is_file() and path.name != "lock.mdb"}

    memory.checkpoint(["v1.fact.a = b"])
    memory.close()
    before = everything()
    assert check_store(store, views=VIEWS).ok
    assert everything() == before
