from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from substrate.cli.exits import Exit
from tests.cli.run import PROGRAM, Commands
from tests.scale import PATIENCE_S


@pytest.fixture
def folder(run: Commands) -> Path:
    docs = run.folder / "docs"
    docs.mkdir()
    (docs / "heads.md").write_text("# Heads\n\nA head is signed with Ed25519.\n")
    (docs / "crlf.txt").write_bytes(b"one\r\ntwo")
    return docs


def test_a_folder_is_taken_in_and_found_and_a_second_time_records_nothing(run: Commands, folder: Path) -> None:
    said = run.ok("ingest", str(folder), "--domain", "handbook", "--json").json
    assert (said["documents"], said["added"], said["domain"]) == (2, 2, "v1.domain.handbook")
    assert run.ok("ingest", str(folder), "--domain", "handbook", "--json").json["recorded"] == 0
    hit = run.ok("search", "how are heads signed", "--prefix", "v1.chunk.handbook.", "--json").json["items"][0]
    assert hit["atom"]["source"] == "docs/heads.md"
    shown = run.ok("search", "how are heads signed", "--prefix", "v1.chunk.handbook.").rows[0][2]
    assert shown.startswith("[docs/heads.md] # Heads")


def test_a_document_is_printed_to_the_byte(run: Commands, folder: Path) -> None:
    for item in run.ok("ingest", str(folder), "--json").json["items"]:
        data = (run.folder / item["source"]).read_bytes()
        assert run.ok("document", item["id"]).out.encode() == data
        run.ok("document", item["name"], "-o", "copy")
        assert (run.folder / "copy").read_bytes() == data
        said = run.ok("document", item["name"], "--json").json
        assert (said["text"].encode(), said["digest"]) == (data, item["digest"])


def test_the_report_names_what_is_new_and_what_was_not_taken(run: Commands, folder: Path) -> None:
    (folder / "latin.md").write_bytes(b"gr\xfc\xdfe")
    ran = run("ingest", str(folder))
    assert ran.code == Exit.PARTIAL
    labels = [row[0] for row in ran.rows]
    assert labels[:3] == ["new", "new", "not taken"]
    assert '"docs/latin.md"' in ran.rows[2][1]
    (folder / "latin.md").write_text("the key is AKIAIOSFODNN7EXAMPLQ")
    assert run("ingest", str(folder)).rows[0][1].endswith("to save it anyway, repeat with --allow-secrets")
    assert run.ok("which", "docs/heads.md").rows[0][0].startswith("v1.document.main.")
    assert ["entries recorded", "5"] in ran.rows  # two documents, two chunks, the domain


def test_the_report_names_files_that_are_gone_or_unknown_and_links_that_lead_nowhere(
    run: Commands, folder: Path
) -> None:
    (folder / "a.md").write_text("# A\n\nSee [b](b.md) and [c](nowhere.md).\n")
    (folder / "b.md").write_text("# B\n")
    (folder / "picture.xyz").write_bytes(b"x")
    would = run.ok("ingest", str(folder), "--dry-run", "--json").json["recorded"]
    ran = run.ok("ingest", str(folder))
    assert ["entries recorded", str(would)] in ran.rows
    assert ["leads to no document", '"nowhere.md" in "docs/a.md"'] in ran.rows
    assert ["of no known format", '"docs/picture.xyz"'] in ran.rows
    assert "substrate import FILE" not in ran.err
    (folder / "rules.csv").write_text("name,text\na,b\n")
    assert "substrate import FILE" in run.ok("ingest", str(folder)).err
    (folder / "b.md").unlink()
    shown = {row[0]: row[1] for row in run.ok("ingest", str(folder)).rows}
    assert shown["file is gone"].endswith(' "docs/b.md"')
    assert shown["links changed"].endswith(' "docs/a.md"')
    assert shown["chunks changed"] == "0"


def test_the_report_speaks_of_links_only_where_links_changed(run: Commands, folder: Path) -> None:
    run.ok("ingest", str(folder), "--no-entities")
    labels = [row[0] for row in run.ok("ingest", str(folder)).rows]  # names are looked for now: there are no links
    assert "changed" in labels
    assert "links changed" not in labels


def test_standard_input_is_a_text(run: Commands) -> None:
    name = run.ok("ingest", "-", "--title", "T", "--json", stdin="\ufeffA text\r\n").json["items"][0]["name"]
    assert run.ok("document", name).out == "\ufeffA text\r\n"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("",),
        ("nowhere.md",),
        ("docs", "--title", "T"),
        ("docs", "--watch", "--dry-run"),
        ("-", "--watch"),
        ("docs", "--every", "0"),
        ("docs", "--domain", "..."),
        ("../docs", "--root", "docs"),
        ("docs/link.md",),
    ],
)
def test_what_cannot_be_taken_makes_no_store(run: Commands, folder: Path, words: tuple[str, ...]) -> None:
    (folder / "link.md").symlink_to(folder / "heads.md")
    ran = run("ingest", *words, stdin="")
    assert ran.code in {Exit.USAGE, Exit.DENIED}
    assert not (run.folder / "substrate-store").exists()


def test_a_whole_document_is_forgotten(run: Commands, folder: Path) -> None:
    name = run.ok("ingest", str(folder / "heads.md"), "--json").json["items"][0]["name"]
    assert run("forget", "--whole", name).code == Exit.USAGE
    assert name in run("forget", "--whole", name, "--dry-run").out
    assert run.ok("forget", "--whole", name, "--yes", "--json").json["atoms"] == 2
    assert run("document", name).code == Exit.FORGOTTEN
    assert run("forget", "--whole", name, "--source", "x").code == Exit.USAGE


def test_a_document_with_a_forgotten_chunk_is_printed_in_part(run: Commands, folder: Path) -> None:
    name = run.ok("ingest", str(folder / "heads.md"), "--json").json["items"][0]["name"]
    run.ok("forget", run.ok("list", "v1.chunk.", "--names").out.strip(), "--yes")
    ran = run("document", name)
    assert (ran.code, ran.out) == (Exit.PARTIAL, "")
    assert "forgotten" in ran.err


@pytest.mark.slow
def test_watching_ends_cleanly_with_ctrl_c(run: Commands, folder: Path) -> None:
    command = [str(PROGRAM), "ingest", "docs", "--watch", "--every", "0.05", "--json"]
    child = subprocess.Popen(command, cwd=run.folder, env=os.environ.copy(), stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert '"added": 2' in child.stdout.readline()
        (folder / "heads.md").unlink()
        assert '"gone"' in child.stdout.readline()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=PATIENCE_S)
    finally:
        child.kill()
        child.wait()
    assert (child.returncode, out) == (Exit.OK, "{}\n")
