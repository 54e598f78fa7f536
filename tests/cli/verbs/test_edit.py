"""The verb edit: a value in the person's own editor, and what is left of it afterwards."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.run import Commands

EVIL = ["$(touch PWNED) `touch PWNED` ; touch PWNED", "-rf --yes", "two\nlines\n\n", "a\r\nb", "\u202e {x} 'q' \"r\""]


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> object:
    """`editor(code)`: from now on EDITOR runs this Python code, with `path` as the file to edit."""
    script = tmp_path / "my editor's.py"

    def use(code: str) -> Path:
        seen = tmp_path / "seen.txt"
        script.write_text(
            "import os, sys\nfrom pathlib import Path\npath = Path(sys.argv[-1])\n"
            "modes = [os.stat(one).st_mode for one in (path, path.parent)]\n"
            f"Path({str(seen)!r}).write_text(repr((sys.argv[1:], *modes)))\n{code}\n"
        )
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} --flag")
        return seen

    return use


def test_an_edited_value_is_a_new_version_with_the_fields_it_had(store: Commands, editor: object) -> None:
    store.ok("checkpoint", "v1.fact.provider = Adyen", "--tag", "money", "--source", "mail", "--confidence", "0.5")
    seen = editor("path.write_text(path.read_text().replace('Adyen', 'Mollie') + chr(10))")  # type: ignore[operator]
    assert store.ok("edit", "v1.fact.provider").rows == [["recorded", "v1.fact.provider"]]
    said = store("access", "v1.fact.provider", "--json").json
    assert (said["value"], said["tags"], said["source"], said["confidence"]) == ("Mollie", ["money"], "mail", 0.5)
    arguments, mode, folder = eval(seen.read_text())  # noqa: S307 - what the script above wrote
    assert (arguments[0], stat.S_IMODE(mode), stat.S_IMODE(folder)) == ("--flag", 0o600, 0o700)
    assert not Path(arguments[-1]).parent.exists()


@pytest.mark.parametrize("text", EVIL)
def test_a_stored_text_reaches_the_editor_as_it_is_and_never_as_a_command(
    store: Commands, editor: object, text: str
) -> None:
    name = store.ok("remember", "--json", "--", text).json["name"]
    editor("path.write_bytes(path.read_bytes())")  # type: ignore[operator]
    ran = store.ok("edit", name)
    assert (ran.out, "unchanged" in ran.err) == ("", True)
    assert len(store.ok("history", name).rows) == 1
    assert not (store.folder / "PWNED").exists()


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("sys.exit(3)", "ended with code 3"),
        ("path.write_text(' ')", "the text is empty"),
        ("path.write_bytes(bytes([255]))", "no text in UTF-8"),
        ("path.unlink()", "no text in UTF-8"),
    ],
)
def test_what_the_editor_fails_to_give_saves_nothing(store: Commands, editor: object, code: str, why: str) -> None:
    editor(code)  # type: ignore[operator]
    ran = store("edit", "v1.fact.provider")
    assert (ran.code, why in ran.err) == (2, True), ran.err
    assert store("access", "v1.fact.provider").out == "Adyen\n"


def test_a_writer_who_was_faster_keeps_the_value_and_the_text_is_not_lost(
    store: Commands, editor: object, tmp_path: Path
) -> None:
    faster = [sys.executable, "-m", "substrate", "--store", str(tmp_path / "substrate-store"), "checkpoint"]
    editor(f"import subprocess\nsubprocess.run({[*faster, 'v1.fact.provider = faster']!r})\npath.write_text('mine')")  # type: ignore[operator]
    ran = store("edit", "v1.fact.provider")
    assert (ran.code, "mine" in ran.err) == (6, True), ran.err
    assert store("access", "v1.fact.provider").out == "faster\n"


def test_a_text_that_is_refused_is_not_lost(store: Commands, editor: object) -> None:
    editor("path.write_text('an hour of work\\n' + 'x' * 2**20)")  # type: ignore[operator]
    ran = store("edit", "v1.fact.provider")
    assert (ran.code, "an hour of work" in ran.err, "printed above" in ran.err) == (2, True, True)
    assert store("access", "v1.fact.provider").out == "Adyen\n"


@pytest.mark.parametrize("command", ["no-such-editor-anywhere", "'unclosed", " "])
def test_an_editor_that_cannot_be_started_is_told(
    store: Commands, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", command)
    ran = store("edit", "v1.fact.provider")
    assert (ran.code, "EDITOR" in ran.err) == (2, True)


def test_what_a_killed_editor_left_is_removed_by_the_next_edit_and_that_of_others_is_not(
    store: Commands, editor: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, running = (tmp_path / f"substrate-edit-{number}-x" for number in (ended.pid, os.getpid()))
    for folder in (left, running):
        folder.mkdir()
        (folder / "value.txt").write_text("a secret")
    (tmp_path / f"substrate-edit-{ended.pid}-y").symlink_to(running)
    store.ok("checkpoint", "v1.fact.provider = Adyen")
    editor("path.write_text('Mollie')")  # type: ignore[operator]
    store.ok("edit", "v1.fact.provider")
    assert not left.exists()
    assert (running / "value.txt").exists()
