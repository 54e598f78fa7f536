"""encrypt that was broken off, or cannot be done: no text is saved meanwhile, and none is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from substrate.codec import Draft, draft_other, draft_put, draft_tombstone
from substrate.errors import Conflict, InputError, ItemsRefused, TooLarge
from substrate.log.append import Decision
from substrate.memory import Memory
from substrate.proof.entry import Kind
from tests.encryption.canaries import PASSPHRASE

MEMBER = {"source": "v1.note.a", "type": "member_of", "target": "v1.domain.health"}


class Stopped(Exception):
    """What a test breaks off with."""


def break_off(memory: Memory, step: int) -> None:
    """Stop when the key is written (1), or when all is encrypted and the text is there still (2)."""
    left = iter(range(step - 1, -1, -1))

    def progress(_: int, __: int) -> None:
        if not next(left):
            raise Stopped

    with pytest.raises(Stopped):
        memory.encrypt("health", PASSPHRASE, progress=progress)
    memory.lock()


def append(memory: Memory, *drafts: Draft) -> None:
    """As a program of before, which knows of no encrypted domains."""
    memory._store.log.decide(lambda *_: Decision(drafts, []))


def said(memory: Memory, name: str = "v1.note.a") -> list[str]:
    """The values of all versions, the oldest first."""
    return [version.atom.value for version in memory.history(name) if version.atom is not None]


def plain(memory: Memory) -> list[str]:
    """The names that can be read without a key."""
    memory.lock()
    names = [atom.name for atom in memory.list(tombstoned=True)]
    memory.unlock("health", PASSPHRASE)
    return names


@pytest.fixture
def health(memory: Memory) -> Iterator[Memory]:
    """A domain with one atom, as text; and an atom that is in none."""
    memory.checkpoint(["v1.domain.health = my body", "v1.fact.weather = It rains"])
    memory.checkpoint(["v1.note.a = FIRSTTEXT"], edges=[MEMBER])
    return memory


@pytest.mark.parametrize("step", [1, 2])
def test_while_it_is_unfinished_no_text_is_saved_to_an_atom_of_the_domain(health: Memory, step: int) -> None:
    break_off(health, step)
    size = health.head().head.size
    with pytest.raises(ItemsRefused, match=r"v1\.domain\.health is encrypted and locked"):
        health.checkpoint(["v1.note.a = SECONDTEXT"])
    assert health.head().head.size == size
    assert health.checkpoint(["v1.domain.health = my whole body", "v1.fact.weather = Sun"]).recorded


def test_unlocked_and_unfinished_it_says_to_finish(health: Memory) -> None:
    break_off(health, 1)
    health.unlock("health", PASSPHRASE)
    with pytest.raises(ItemsRefused, match=r"encrypted in part. To finish, use encrypt\(\)"):
        health.checkpoint(["v1.note.a = SECONDTEXT"])
    health.encrypt("health", PASSPHRASE)
    health.checkpoint(["v1.note.a = SECONDTEXT"])
    assert said(health) == ["FIRSTTEXT", "SECONDTEXT"]


def test_an_edge_that_waits_for_its_atom_counts_too(memory: Memory) -> None:
    memory.checkpoint(["v1.domain.health = my body"], edges=[MEMBER])
    memory.encrypt("health", PASSPHRASE)
    memory.lock()
    with pytest.raises(ItemsRefused, match="is encrypted and locked"):
        memory.checkpoint(["v1.note.a = FIRSTTEXT"])


def test_text_that_a_program_of_before_saved_meanwhile_becomes_the_next_versions(health: Memory) -> None:
    break_off(health, 2)
    append(health, draft_put("v1.note.a", "SECONDTEXT"))
    append(health, draft_put("v1.note.a", "THIRDTEXT", {"tags": ["late"]}))
    break_off(health, 2)
    health.encrypt("health", PASSPHRASE)
    assert said(health) == ["FIRSTTEXT", "SECONDTEXT", "THIRDTEXT"]
    assert health.access("v1.note.a").atom.tags == ("late",)
    assert plain(health) == ["v1.domain.health", "v1.fact.weather"]


def test_what_was_saved_encrypted_after_the_text_stays_current(health: Memory) -> None:
    break_off(health, 2)
    append(health, draft_put("v1.note.a", "SECONDTEXT"))
    health.unlock("health", PASSPHRASE)
    health.checkpoint(["v1.note.a = THIRDTEXT"])
    health.encrypt("health", PASSPHRASE)
    assert said(health) == ["FIRSTTEXT", "THIRDTEXT", "SECONDTEXT", "THIRDTEXT"]


def test_an_atom_that_went_out_of_use_as_text_is_out_of_use(health: Memory) -> None:
    break_off(health, 2)
    append(health, draft_put("v1.note.a", "SECONDTEXT"), draft_tombstone("v1.note.a"))
    health.encrypt("health", PASSPHRASE)
    (atom,) = health.list("v1.note.", tombstoned=True)
    assert atom.tombstoned
    assert said(health) == ["FIRSTTEXT", "SECONDTEXT"]


def test_an_edge_that_was_stated_meanwhile_is_kept_and_one_that_was_taken_back_is_not(health: Memory) -> None:
    health.checkpoint(edges=[{"source": "v1.note.a", "type": "depends_on", "target": "v1.fact.weather"}])
    break_off(health, 2)
    ends = [health.access(name).atom.id.replace("-", "") for name in ("v1.note.a", "v1.fact.weather")]
    edge = {"source": ends[0], "type": "references", "target": ends[1]}
    append(health, draft_other(Kind.EDGE, edge, subject=bytes(range(16))))
    health.unlock("health", PASSPHRASE)
    health.checkpoint(unedges=[{"source": "v1.note.a", "type": "depends_on", "target": "v1.fact.weather"}])
    break_off(health, 2)
    health.encrypt("health", PASSPHRASE)
    assert sorted(edge.type for edge in health.edges("v1.note.a")) == ["member_of", "references"]


def test_text_that_comes_between_encrypting_and_forgetting_is_left_and_told(health: Memory) -> None:
    def progress(done: int, _: int) -> None:
        if done and said(health)[-1] == "FIRSTTEXT" and not late:
            late.append(draft_put("v1.note.a", "SECONDTEXT"))
            append(health, *late)

    late: list[Draft] = []
    with pytest.raises(Conflict, match=r"v1\.note\.a was saved in v1\.domain\.health meanwhile"):
        health.encrypt("health", PASSPHRASE, progress=progress)
    health.encrypt("health", PASSPHRASE)
    assert said(health) == ["FIRSTTEXT", "SECONDTEXT"]
    assert plain(health) == ["v1.domain.health", "v1.fact.weather"]


def test_an_atom_that_is_too_large_as_ciphertext_is_named_before_anything_is_written(health: Memory) -> None:
    health.checkpoint([{"name": "v1.note.a", "value": "x" * 800_000}])
    size = health.head().head.size
    for dry_run in (True, False):
        with pytest.raises(TooLarge, match=r"v1\.note\.a as ciphertext has .*: save it in parts, or forget it"):
            health.encrypt("health", PASSPHRASE, dry_run=dry_run)
    assert health.head().head.size == size
    with pytest.raises(InputError, match="is not encrypted"):
        health.unlock("health", PASSPHRASE)
    health.checkpoint([{"name": "v1.note.a", "value": "x" * 785_000}])
    health.encrypt("health", PASSPHRASE)
    assert len(health.access("v1.note.a").value) == 785_000
