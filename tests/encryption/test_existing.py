"""encrypt of a domain that has atoms: all of it becomes ciphertext, no text stays, and a broken-off run goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from substrate.care.fsck import fsck
from substrate.ciphers import CIPHERTEXT
from substrate.memory import Memory, open_memory
from tests.encryption.canaries import ATOM, CANARIES, MEMBER, PASSPHRASE, found_in
from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[2]
NAME = str(ATOM["name"])
FILL = """
import os, signal, sys
from pathlib import Path
from substrate.memory import open_memory
from tests.encryption.canaries import PASSPHRASE

left = [int(sys.argv[2])]

def progress(done, total):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)

memory = open_memory(Path(sys.argv[1]) / "store", home=Path(sys.argv[1]) / "home", model="none")
memory.encrypt("health", PASSPHRASE, progress=progress)
"""


def fill(memory: Memory) -> None:
    """A domain with atoms, versions, a document in parts, edges inside and out of it, and one atom out of use."""
    said = {"actor": CANARIES["actor"], "session": CANARIES["session"]}
    memory.checkpoint(["v1.domain.health = my body", "v1.fact.weather = It rains"])
    memory.checkpoint([ATOM], edges=[MEMBER], **said)
    memory.checkpoint([{**ATOM, "value": f"first {ATOM['value']}"}])
    memory.checkpoint([ATOM])
    other = {"name": "v1.fact.dose", "value": f"Twenty of {CANARIES['value']}"}
    gone = {"name": "v1.fact.gone", "value": f"No more {CANARIES['value']}"}
    memory.checkpoint(
        [other, gone],
        edges=[
            {"source": "v1.fact.dose", "type": "member_of", "target": "v1.domain.health"},
            {"source": "v1.fact.gone", "type": "member_of", "target": "v1.domain.health"},
            {"source": "v1.fact.dose", "type": "depends_on", "target": NAME, "confidence": 0.7},
            {"source": "v1.fact.dose", "type": "references", "target": "v1.fact.weather", "attrs": {"x": "y"}},
        ],
    )
    memory.checkpoint(tombstones=["v1.fact.gone"])
    memory.ingest(f"# A page\n\nOn {CANARIES['value']}.\n\nAnd more of it.", domain="health", title=CANARIES["name"])
    with memory.session():
        memory.access(NAME)
        memory.access("v1.fact.dose")


def check(memory: Memory) -> None:
    """All that the domain says, it says still."""
    assert memory.access(NAME).value == ATOM["value"]
    assert memory.access(NAME).atom.tags == (CANARIES["tag"],)
    edges = {(edge.type, edge.target, edge.confidence) for edge in memory.edges("v1.fact.dose", direction="out")}
    assert edges == {
        ("member_of", "v1.domain.health", None),
        ("depends_on", NAME, 0.7),
        ("references", "v1.fact.weather", None),
    }
    (page,) = memory.list("v1.document.health.")
    assert CANARIES["value"] in memory.document(page.name).text
    assert {atom.name for atom in memory.list(domain="health")} >= {NAME, "v1.fact.dose", page.name}
    assert not memory.list("v1.fact.gone", tombstoned=True)


def plain(memory: Memory) -> list[str]:
    """The names that can be read without a key."""
    memory.lock()
    return [atom.name for atom in memory.list(tombstoned=True)]


def test_all_of_a_domain_is_encrypted_and_no_text_stays(tmp_path: Path) -> None:
    with open_memory(tmp_path / "store", home=tmp_path / "home") as memory:
        fill(memory)
        assert found_in(tmp_path) == set(CANARIES.values()), "the twin that must be caught"
        would = memory.encrypt("health", dry_run=True)
        assert (would.dry_run, would.dropped, would.edges) == (True, 1, 4)
        assert would.atoms == 2 + len(memory.list("v1.document.")) + len(memory.list("v1.chunk."))
        size = memory.head().head.size
        done = memory.encrypt("health", PASSPHRASE)
        assert (done.atoms, done.versions, done.edges, done.compacted) == (would.atoms, would.versions, 4, True)
        assert memory.head().head.size > size
        check(memory)
        assert memory.encrypt("health", PASSPHRASE).atoms == 0, "there is nothing left to do"
        check(memory)
        assert plain(memory) == ["v1.domain.health", "v1.fact.weather"]
        assert all(atom.value.startswith("ciphertext1:") for atom in memory.list(CIPHERTEXT))
    assert found_in(tmp_path) == set()
    assert fsck(tmp_path / "store", home=tmp_path / "home").ok


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_run_that_is_killed_goes_on(tmp_path: Path, step: int) -> None:
    """Killed when the key is written, when all is encrypted, and when the text is forgotten."""
    with open_memory(tmp_path / "store", home=tmp_path / "home") as memory:
        fill(memory)
    run = [sys.executable, "-c", FILL, str(tmp_path), str(step)]
    child = subprocess.run(run, cwd=ROOT, env=os.environ, timeout=PATIENCE_S, check=False)
    assert child.returncode == -9
    with open_memory(tmp_path / "store", home=tmp_path / "home") as memory:
        if step < 3:
            assert NAME in [atom.name for atom in memory.list()]
        memory.encrypt("health", PASSPHRASE)
        memory.compact()
        check(memory)
        assert plain(memory) == ["v1.domain.health", "v1.fact.weather"]
    assert found_in(tmp_path) == set()
