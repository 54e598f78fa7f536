"""The token of a server: shown once, kept as a hash, replaced when it is lost."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from substrate.cli import main
from substrate.cli.exits import Exit
from substrate.errors import Denied, StoreDamaged
from substrate.server.http.tokens import BearerToken
from tests.server.over_http import Ended, begin, while_serving

SHOWN = re.compile("shown this once and kept nowhere: ([A-Za-z0-9_-]{43})\n")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUBSTRATE_STORE", raising=False)
    return tmp_path / "home"


@pytest.fixture
def bearer(tmp_path: Path) -> BearerToken:
    return BearerToken(tmp_path / "home", tmp_path / "store")


def bytes_under(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def visited(*words: str, tokens: list[str]) -> tuple[Ended, list[int]]:
    """What a server says that is started so, and what it answers to each of these tokens."""
    statuses: list[int] = []
    ended = while_serving(*words, do=lambda url: statuses.extend(begin(url, token) for token in tokens))
    return ended, statuses


def test_a_token_is_shown_at_the_first_start_alone_and_holds_until_a_new_one_is_made(home: Path) -> None:
    shown: list[str] = []
    first, _ = visited(tokens=[])
    shown += SHOWN.findall(first.err)
    assert len(shown) == 1
    assert "Authorization: Bearer" in first.err

    again, statuses = visited(tokens=[*shown, "wrong"])
    assert SHOWN.findall(again.err) == []
    assert shown[0] not in again.err
    assert "--new-token" in again.err, "who has lost it is told what to do"
    assert statuses == [200, 401]

    last, _ = visited("--new-token", "--quiet", tokens=[])
    shown += SHOWN.findall(last.err)
    assert len(set(shown)) == 2
    _, statuses = visited(tokens=shown)
    assert statuses == [401, 200]

    kept = bytes_under(home.parent)
    assert kept
    assert not any(token.encode() in kept for token in shown)


def test_the_probe_for_tokens_in_clear_finds_one(home: Path, bearer: BearerToken) -> None:
    token = bearer.make()
    assert token.encode() not in bytes_under(home)
    (home / "tokens" / "note").write_text(f"x{token}x", encoding="ascii")
    assert token.encode() in bytes_under(home)


def test_its_file_is_the_users_alone(home: Path, bearer: BearerToken) -> None:
    bearer.make()
    (file,) = (home / "tokens").iterdir()
    assert file == bearer.path
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert re.fullmatch("[0-9a-f]{64}\n", file.read_text(encoding="ascii"))


def test_a_token_replaced_is_void_at_once_in_every_server(bearer: BearerToken, tmp_path: Path) -> None:
    running = BearerToken(tmp_path / "home", tmp_path / "store")
    old = bearer.make()
    assert running.accepts(old)
    new = bearer.make()
    assert (running.accepts(old), running.accepts(new)) == (False, True)


def test_each_store_has_a_token_of_its_own_however_its_path_is_said(bearer: BearerToken, tmp_path: Path) -> None:
    token = bearer.make()
    other = BearerToken(tmp_path / "home", tmp_path / "other")
    assert not other.is_made()
    assert not other.accepts(token)
    (tmp_path / "link").symlink_to(tmp_path / "store")
    for same in ("link", "other/../store"):
        assert BearerToken(tmp_path / "home", tmp_path / same).accepts(token)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_refused(
    home: Path, mode: int, bearer: BearerToken, capfd: pytest.CaptureFixture[str]
) -> None:
    bearer = BearerToken(home, home.parent / "substrate-store")
    token = bearer.make()
    bearer.path.chmod(mode)
    with pytest.raises(Denied, match="--new-token"):
        bearer.accepts(token)
    assert main(["mcp", "--http", "--port", "0"]) == Exit.DENIED
    assert "others can write" in capfd.readouterr().err
    ended, statuses = visited("--new-token", tokens=[token])
    assert statuses == [401]
    assert SHOWN.findall(ended.err)
    assert stat.S_IMODE(bearer.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", [b"", b"\xff" * 64, b"0" * 63, b"0" * 65, b"G" * 64, b"0" * 1000])
def test_a_damaged_file_lets_nobody_in(bearer: BearerToken, damage: bytes) -> None:
    token = bearer.make()
    bearer.path.write_bytes(damage)
    with pytest.raises(StoreDamaged, match="--new-token"):
        bearer.accepts(token)
    assert bearer.accepts(bearer.make())


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder", encoding="ascii")
    with pytest.raises(Denied, match="SUBSTRATE_HOME"):
        BearerToken(tmp_path / "home", tmp_path / "store").make()
    with pytest.raises(Denied, match="cannot be read"):
        BearerToken(tmp_path / "home", tmp_path / "store").is_made()


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_file_that_goes_bad_while_a_server_runs_ends_access_and_is_logged(
    bearer: BearerToken, caplog: pytest.LogCaptureFixture
) -> None:
    token = bearer.make()
    found = await bearer.verify_token(token)
    assert found is not None
    assert token not in found.client_id
    bearer.path.chmod(0o666)
    assert await bearer.verify_token(token) is None
    assert "--new-token" in caplog.text
    assert token not in caplog.text
    bearer.path.unlink()
    assert await bearer.verify_token(token) is None
