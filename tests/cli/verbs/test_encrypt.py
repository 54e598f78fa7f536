"""encrypt, unlock and --unlock on the command line: the passphrase comes from a terminal or a file."""

from __future__ import annotations

from getpass import GetPassWarning
from pathlib import Path

import pytest

from substrate.commands.passphrase import read_passphrase
from substrate.errors import InputError
from tests.cli.run import Commands

MEMBER = ["--edge", "v1.fact.allergy member_of v1.domain.health"]


@pytest.fixture
def secret(run: Commands, tmp_path: Path) -> list[str]:
    run.ok("checkpoint", "v1.domain.health = my body")
    path = tmp_path / "passphrase"
    path.write_text("correct horse\n", encoding="utf-8")
    return ["--passphrase-file", str(path)]


def test_a_domain_is_encrypted_and_read_by_one_command(run: Commands, secret: list[str], tmp_path: Path) -> None:
    run.ok("checkpoint", "v1.fact.allergy = Penicillin gives me a rash", *MEMBER)
    assert "would encrypt" in run.ok("encrypt", "health", "--dry-run").out
    refused = run("encrypt", "health", *secret)
    assert refused.code == 2
    assert "Repeat with --yes" in refused.err
    assert "older backups and exports" in run.ok("encrypt", "health", "--yes", *secret).err
    assert "Penicillin" not in run.ok("search", "penicillin").out
    locked = run("access", "v1.fact.allergy")
    assert "erased for good, unless it was encrypted: then read it with --unlock DOMAIN" in locked.err
    assert "Penicillin" in run.ok("search", "penicillin", "--unlock", "health", *secret).out
    proof = ["prove", "v1.fact.allergy", "-o", "proof.json", "--disclose", "version.key"]
    run.ok(*proof, "--unlock", "health", *secret)
    assert len((Path.cwd() / "version.key").read_text(encoding="utf-8")) == 65
    assert "needs the NAME" in run("prove", "--entry", "1", "--disclose", "version.key").err
    told = run.ok("unlock", "health", *secret)
    assert "the passphrase is right" in told.out
    assert "nothing stays unlocked" in told.err
    locked = run("checkpoint", "v1.fact.dose = Twenty", "--edge", "v1.fact.dose member_of v1.domain.health")
    assert "v1.domain.health is encrypted and locked. To unlock it, use --unlock health" in locked.err
    (tmp_path / "wrong").write_text("horse", encoding="utf-8")
    wrong = run("list", "--unlock", "health", "--passphrase-file", str(tmp_path / "wrong"))
    assert (wrong.code, "the passphrase is wrong" in wrong.err) == (9, True)
    assert "leave out --unlock" in run("mcp", "--unlock", "health").err
    assert "--unlock had no effect" in run.ok("completion", "bash", "--unlock", "health").err


def test_without_a_terminal_and_a_file_nobody_is_asked(run: Commands, secret: list[str]) -> None:
    del secret
    asked = run("encrypt", "health")
    assert asked.code == 2
    assert "give --passphrase-file FILE" in asked.err


@pytest.mark.parametrize("words", [("remember", "Greta sold the kayak"), ("ingest", "."), ("import", "notes.csv")])
def test_what_saves_as_text_takes_no_unlocked_domain(run: Commands, words: tuple[str, str]) -> None:
    refused = run(*words, "--unlock", "diary")
    assert (refused.code, f"{words[0]} saves as text" in refused.err) == (2, True)


@pytest.mark.parametrize("error", [GetPassWarning("shown"), NotImplementedError("no input here"), EOFError()])
def test_where_a_passphrase_cannot_be_typed_unseen_a_file_is_asked_for(error: Exception) -> None:
    def ask(_: str) -> str:
        raise error

    with pytest.raises(InputError, match="give --passphrase-file FILE"):
        read_passphrase(None, ask, "health")


def test_an_encrypted_atom_can_be_edited(run: Commands, secret: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    run.ok("encrypt", "health", "--yes", *secret)
    unlock = ["--unlock", "health", *secret]
    run.ok("checkpoint", "v1.fact.allergy = Penicillin", *MEMBER, *unlock)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "sed -i s/Penicillin/Amoxicillin/")
    run.ok("edit", "v1.fact.allergy", *unlock)
    assert "Amoxicillin" in run.ok("access", "v1.fact.allergy", *unlock).out
    assert "to take this undo back: substrate undo --unlock health" in run.ok("undo", *unlock).err
