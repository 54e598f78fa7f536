"""Five hundred files of every kind come back to the byte."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from substrate.memory import Memory, open_memory
from tests.cli.run import PROGRAM
from tests.documents.test_ingest import paragraphs
from tests.scale import SEED, rounds

ODD: dict[str, bytes] = {
    "crlf.md": b"# A\r\n\r\nWindows\r\n" * 500,
    "no_last_newline.txt": b"one\ntwo",
    "line_of_1_mb.txt": b"abc def " * 65_536 + bytes(random.Random(SEED).choices(b"abcdefghijkl", k=512 * 1024)),
    "empty.md": b"",
    "mark.txt": b"\xef\xbb\xbfwith a byte order mark",
    "cjk_3_mb.txt": "".join(chr(0x4E00 + i % 500) for i in range(1024 * 1024)).encode(),
    "old_mac.txt": b"one\rtwo\r" * 1000,
    "spaces.txt": b" \t\r\n\x0b\x0c\x1c" * 1000,
    "accents.txt": ("e" + "\u0301" * 3).encode() * 2000,
    "joined.txt": "\U0001f469\u200d\U0001f680".encode() * 1000,
    "separators.rst": "a\u2028b\u2029c\x85d".encode() * 1000,
    "newline.md": b"\n",
}


def write(folder: Path, count: int) -> dict[str, bytes]:
    rng = random.Random(SEED)
    files = dict(ODD)
    for i in range(count - len(files)):
        end = rng.choice(("\n", "\r\n", ""))
        text = paragraphs(rng.randrange(6), f"{i}-").replace("\n", rng.choice(("\n", "\r\n"))) + f"# {i}{end}"
        files[f"{i % 7}/{i}{rng.choice(('.md', '.txt', '.rst'))}"] = text.encode()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return files


@pytest.mark.slow
@pytest.mark.soak
def test_every_file_of_a_folder_comes_back_to_the_byte(memory: Memory, tmp_path: Path) -> None:
    files = write(tmp_path / "docs", rounds(500, 5000))
    ingested = memory.ingest(tmp_path / "docs", domain="handbook")
    assert ingested.failed == ()
    assert {str(item.source).removeprefix("docs/") for item in ingested} == set(files)
    for item in ingested:
        document = memory.document(item.name)
        assert document.exact
        assert document.text.encode() == files[str(item.source).removeprefix("docs/")], item.source
    assert memory.ingest(tmp_path / "docs", domain="handbook").recorded == 0


@pytest.mark.slow
def test_a_document_in_a_pipe_is_the_file(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", str(home))
    small = ["crlf.md", "no_last_newline.txt", "empty.md", "mark.txt"]
    (tmp_path / "docs").mkdir()
    for name in small:
        (tmp_path / "docs" / name).write_bytes(ODD[name])
    with open_memory(tmp_path / "store", home=home) as memory:
        items = memory.ingest(tmp_path / "docs").items
    assert len(items) == len(small)
    for item in items:
        command = f'"{PROGRAM}" document {item.id} --store store | cmp - "{item.source}"'
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"], cwd=tmp_path, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), item.source
