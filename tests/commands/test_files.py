"""Texts from files and to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from substrate.commands.files import is_text, read_key, read_text, write_text
from substrate.errors import Denied, InputError


def test_a_text_that_is_not_utf8_or_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="is not UTF-8 at byte 3"):
        read_text(str(tmp_path / "latin"), "the proof")
    with pytest.raises(InputError, match="cannot be read"):
        read_text(str(tmp_path / "nowhere"), "the proof")
    assert (is_text("café"), is_text("caf\udce9"), is_text("a\0")) == (True, False, False)


def test_a_key_is_given_as_such_or_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "auditor.key").write_text("origin+1234+abc\n", encoding="utf-8")
    assert read_key("origin+1234+abc") == read_key(str(tmp_path / "auditor.key")) == "origin+1234+abc"


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises((Denied, InputError), match="the proof cannot be written to"):
        write_text(str(tmp_path / "no" / "such" / "folder"), "x", "the proof")
