"""Keys and the high-water mark, which live outside the store."""

from __future__ import annotations

import fcntl
import tempfile
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.errors import Busy, Denied, InputError, StoreDamaged, SubstrateError
from substrate.log.keys import highwater
from substrate.log.keys.highwater import HighWater, Mark
from substrate.log.keys.keyring import Keyring
from substrate.proof.note import Signer, generate_signer
from tests.scale import rounds

ROOT = bytes(range(32))


def installed(tmp_path: Path, origin: str = "origin") -> tuple[Keyring, Signer]:
    keyring = Keyring(tmp_path / "home", origin)
    return keyring, keyring.install(origin, tmp_path / "store")


def test_a_key_file_is_for_its_owner_only(tmp_path: Path) -> None:
    keyring, signer = installed(tmp_path)
    path = keyring.folder / "signing.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert keyring.folder.stat().st_mode & 0o777 == 0o700
    assert keyring.signer(signer.key).key == signer.key
    path.chmod(0o640)
    with pytest.raises(Denied, match="chmod 600"):
        keyring.signer(signer.key)


def test_a_missing_foreign_or_damaged_key_says_what_to_do(tmp_path: Path) -> None:
    keyring, signer = installed(tmp_path)
    with pytest.raises(Denied, match="is not the one this log is signed with"):
        keyring.signer(generate_signer("origin").key)
    path = keyring.folder / "signing.key"
    secret = path.read_text(encoding="utf-8")
    path.write_text(secret[:-9] + "AAAAAAA=\n", encoding="utf-8")
    with pytest.raises(StoreDamaged, match="restore it from a backup") as caught:
        keyring.signer(signer.key)
    assert secret[-20:-10] not in str(caught.value)
    path.unlink()
    with pytest.raises(Denied, match="set SUBSTRATE_HOME"):
        keyring.signer(signer.key)


def test_a_key_folder_inside_the_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must not lie inside the store"):
        Keyring(tmp_path / "store" / "home", "x").install("x", tmp_path / "store")


def test_a_key_that_a_dead_creation_left_is_taken_up_but_never_another_logs(tmp_path: Path) -> None:
    keyring, signer = installed(tmp_path)
    assert keyring.install("origin", tmp_path / "store").key == signer.key
    keyring.high_water.raise_to(Mark(1, ROOT, ROOT))
    with pytest.raises(InputError, match="another store has the origin"):
        keyring.install("origin", tmp_path / "store")
    assert keyring.signer(signer.key).key == signer.key


def test_a_key_file_that_is_no_text_is_damage_and_not_shown(tmp_path: Path) -> None:
    keyring, signer = installed(tmp_path)
    (keyring.folder / "signing.key").write_bytes(b"\xff" * 40)
    with pytest.raises(StoreDamaged, match="restore it from a backup"):
        keyring.signer(signer.key)


def test_trouble_with_the_key_folder_comes_as_errors_of_ours(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be", encoding="ascii")
    with pytest.raises(SubstrateError):
        Keyring(tmp_path / "home", "x").install("x", tmp_path / "store")
    with pytest.raises(SubstrateError):
        Keyring(tmp_path / "home", "x").high_water.raise_to(Mark(1, ROOT, ROOT))


def test_a_mark_that_someone_holds_is_waited_for_only_so_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = HighWater(tmp_path / "high-water")
    mark.raise_to(Mark(1, ROOT, ROOT))
    monkeypatch.setattr(highwater, "_LOCK_SECONDS", 0.05)
    with (tmp_path / "high-water").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Busy):
            mark.raise_to(Mark(2, ROOT, ROOT))


@pytest.mark.parametrize("origin", ["..", "a/b/../../../etc", "example.org/team"])
def test_no_origin_leads_out_of_the_key_folder(tmp_path: Path, origin: str) -> None:
    assert Keyring(tmp_path, origin).folder.parent == tmp_path / "keys"


def test_a_rotation_that_the_log_has_is_finished_and_one_that_it_has_not_is_dropped(tmp_path: Path) -> None:
    keyring, old = installed(tmp_path)
    new = generate_signer("origin")
    keyring.stage(new)
    keyring.settle(old.key)
    assert keyring.signer(old.key).key == old.key
    keyring.stage(new)
    keyring.settle(new.key)
    keyring.settle(new.key)
    assert keyring.signer(new.key).key == new.key
    assert sorted(path.name for path in keyring.folder.iterdir()) == ["signing.key"]


def test_the_mark_rises_and_never_falls(tmp_path: Path) -> None:
    mark = HighWater(tmp_path / "high-water")
    assert mark.read() is None
    mark.sync()
    for size in (1, 5, 3, 9, 9, 8):
        mark.raise_to(Mark(size, bytes([size]) * 32, ROOT))
    mark.sync()
    assert HighWater(tmp_path / "high-water").read() == Mark(9, bytes([9]) * 32, ROOT)


@given(st.integers(0, 8191), st.integers(1, 255), st.integers(0, 8191))
@settings(max_examples=rounds(100, 6000))
def test_whatever_a_crash_leaves_of_one_slot_the_other_is_whole(start: int, garbage: int, length: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "high-water"
        mark = HighWater(file)
        mark.raise_to(Mark(1, ROOT, ROOT))
        mark.raise_to(Mark(2, ROOT, ROOT))
        data = bytearray(file.read_bytes())
        low, high = 4096 + start // 2, min(8192, 4096 + start // 2 + length)
        data[low:high] = bytes([garbage]) * (high - low)
        file.write_bytes(data)
        assert mark.read() in (Mark(1, ROOT, ROOT), Mark(2, ROOT, ROOT))


@pytest.mark.parametrize("left", [b"garbage", b"", b"\0" * 8192], ids=["garbage", "nothing", "zeros"])
def test_a_mark_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "high-water"
    path.write_bytes(left)
    with pytest.raises(StoreDamaged, match="could not be noticed"):
        HighWater(path).read()
    with pytest.raises(StoreDamaged, match="could not be noticed"):
        HighWater(path).raise_to(Mark(9, ROOT, ROOT))
    assert path.read_bytes() == left


def test_a_mark_says_which_store_raised_it_and_an_earlier_program_reads_it_as_before(tmp_path: Path) -> None:
    store = tmp_path / "a store\nwith a 'name' of \u00e9"
    mark = HighWater(tmp_path / "high-water")
    mark.raise_to(Mark(1, ROOT, ROOT, store))
    read = mark.read()
    assert read is not None
    assert (read, read.store) == (Mark(1, ROOT, ROOT), store)
    # What an earlier program looks at is the first line of a slot: five words, the last a digest of the others.
    words = (tmp_path / "high-water").read_bytes().partition(b"\n")[0].decode().split()
    assert words[:2] == ["substrate-high-water", "1"]
    assert sha256(" ".join(words[:-1]).encode()).hexdigest() == words[-1]


def test_a_path_that_has_no_room_or_was_damaged_is_left_out_of_the_mark(tmp_path: Path) -> None:
    mark = HighWater(tmp_path / "high-water")
    mark.raise_to(Mark(1, ROOT, ROOT, Path("/" + "\u00e9" * 4000)))
    assert mark.read() == Mark(1, ROOT, ROOT)
    mark.raise_to(Mark(2, ROOT, ROOT, Path("/right")))
    data = (tmp_path / "high-water").read_bytes()
    (tmp_path / "high-water").write_bytes(data.replace(b"/right", b"/wrong"))
    read = mark.read()
    assert read is not None
    assert (read.size, read.store) == (2, None)
