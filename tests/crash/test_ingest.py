"""SIGKILL amid the ingest of a folder: each document is whole, as it was or as it is now; and the next one goes on."""

from __future__ import annotations

import random
from pathlib import Path
from time import monotonic

import substrate
from substrate.memory import open_memory
from tests.crash.children import PATIENCE_S, Child
from tests.documents.test_ingest import paragraphs
from tests.scale import SEED, rounds

FILES = 10
WINDOW_S = 0.1


def write(folder: Path, version: int) -> None:
    """Every file, in another version: some paragraphs come and go, some stay."""
    folder.mkdir(exist_ok=True)
    for i in range(FILES):
        kept, new = paragraphs(3 + i % 5, f"{i}"), paragraphs(1 + (i + version) % 8, f"{i} {version}")
        (folder / f"{i}.md").write_text(f"# {i}\n\n{new}{kept}" if version % 2 else f"# {i}\n\n{kept}{new}")


class Crashed:
    """One folder and one store: ingested, and killed in the middle of it, again and again."""

    def __init__(self, path: Path, *twin: str) -> None:
        self.folder, self.store, self.home = path / "docs", path / "store", path / "home"
        self.rng = random.Random(SEED)
        open_memory(self.store, home=self.home, model="none").close()  # to be killed while it is made is not tried here
        self.memory = open_memory(self.store, home=self.home, read_only=True, model="none")
        self.child = Child("tests.crash.ingester", *map(str, (self.store, self.home, self.folder)), *twin, listens=True)
        self.window = WINDOW_S
        self.versions: dict[str, set[str]] = {f"docs/{i}.md": set() for i in range(FILES)}

    def ingest(self, *, kill: bool, after: int = 0) -> bool:
        """Ingest the folder, or begin to: killed at some time, or after so many checkpoints. Whether it ended."""
        for source, texts in self.versions.items():
            texts.add((self.folder.parent / source).read_text())
        when = f"#{after}" if after else str(self.rng.uniform(0, self.window))
        self.child.say(when if kill else "")
        line = self.child.line(monotonic() + PATIENCE_S)
        assert line is not None
        ended = int(line) == 0
        self.window = min(WINDOW_S * 4, max(self.window * (0.7 if ended else 1.2), 0.01))
        return ended

    def end(self) -> None:
        self.child.end(kill=True)
        self.memory.close()

    def faults(self) -> list[str]:
        """Documents that are not whole, or say what no version of their file said."""
        memory = self.memory
        found = [memory.document(atom.name) for atom in memory.list("v1.document.", limit=1000)]
        whole = [(one.source, one.exact and one.text in self.versions[str(one.source)]) for one in found]
        return [str(source) for source, is_whole in whole if not is_whole]


def test_documents_are_whole_whenever_an_ingest_is_killed(tmp_path: Path) -> None:
    crashed = Crashed(tmp_path)
    killed = 0
    try:
        for version in range(rounds(50, 1000)):
            write(crashed.folder, version)
            killed += not crashed.ingest(kill=True)
            assert crashed.faults() == [], f"SUBSTRATE_SEED={SEED}, version {version}"
        assert killed > 5
        assert crashed.ingest(kill=False)
        with open_memory(crashed.store, home=crashed.home, model="none") as memory:
            assert memory.ingest(crashed.folder, domain="d").recorded == 0
            for i in range(FILES):
                name = next(one.name for one in memory.ingest(crashed.folder / f"{i}.md", domain="d"))
                assert memory.document(name).text == (crashed.folder / f"{i}.md").read_text()
    finally:
        crashed.end()
    assert substrate.fsck(crashed.store, home=crashed.home).ok


def test_an_ingest_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    crashed = Crashed(tmp_path)
    try:
        write(crashed.folder, 0)
        assert not crashed.ingest(kill=True, after=3)
        with open_memory(crashed.store, home=crashed.home, model="none") as memory:
            again = [item.status for item in memory.ingest(crashed.folder, domain="d")]
            assert memory.ingest(crashed.folder, domain="d").recorded == 0
    finally:
        crashed.end()
    assert "kept" in again
    assert "new" in again


def test_twin_a_document_that_is_written_before_its_chunks_is_found_out(tmp_path: Path) -> None:
    crashed = Crashed(tmp_path, "early")
    try:
        write(crashed.folder, 0)
        assert crashed.ingest(kill=False)
        write(crashed.folder, 1)
        assert not crashed.ingest(kill=True, after=1)
        assert crashed.faults() != []
    finally:
        crashed.end()
