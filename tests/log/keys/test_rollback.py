"""Row 18: a store that was rolled back, forked or cloned is noticed at first contact, by the signer and by any pin."""

from __future__ import annotations

import random
import shutil
import threading
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

from substrate.codec import draft_put
from substrate.errors import Denied, ProofInvalid, RolledBack, StoreDamaged
from substrate.log import heads as heads_module
from substrate.log.copies.behind import Remembered
from substrate.log.keys.keyring import Keyring
from substrate.log.log import Log, open_log
from substrate.proof.head import Pin, SignedHead
from substrate.proof.verify import Verifier
from tests.scale import PATIENCE_S, rounds


def grow(log: Log, label: str, batches: int) -> list[Pin]:
    pins = []
    for i in range(batches):
        log.append([draft_put(f"v1.fact.{label}_{i}_{j}", label) for j in range(i % 3 + 1)])
        pins.append(log.pin())
    return pins


def fork(tmp_path: Path, seed: int) -> tuple[list[Pin], list[Pin], list[Pin], Path, Path]:
    """Two stores with a common beginning: pins of that, of the one, of the other; each store has a home of its own."""
    rng = random.Random(seed)
    one, two = tmp_path / f"one{seed}", tmp_path / f"two{seed}"
    with open_log(one / "store", home=one / "home") as log:
        common = grow(log, "common", rng.randint(1, 6))
    shutil.copytree(one, two)
    with open_log(one / "store", home=one / "home") as log:
        left = grow(log, "left", rng.randint(1, 5))
    with open_log(two / "store", home=two / "home") as log:
        right = grow(log, "right", rng.randint(1, 5))
    return common, left, right, one, two


def split_views_are_noticed(tmp_path: Path, seed: int) -> None:
    common, left, right, one, two = fork(tmp_path, seed)
    with open_log(one / "store", home=one / "home", read_only=True) as log:
        for pin in [*common, *left]:
            log.check_pin(pin)
            verifier = Verifier(pin=str(pin))
            assert verifier.verify(log.prove("v1.fact.common_0_0", since=pin).to_json()).trusted
        for pin in right:
            with pytest.raises(RolledBack) as caught:
                log.check_pin(pin)
            assert str(pin.head.size) in str(caught.value).replace(",", "")
            assert pin.head.root.hex()[:16] in str(caught.value)
            assert str(log.head().head.size) in str(caught.value).replace(",", "")
            with pytest.raises(RolledBack):
                log.prove("v1.fact.common_0_0", since=pin)
        # Nor can the other history's bundles, connected to what the two share, pass for this one's pin.
        with open_log(two / "store", home=two / "home", read_only=True) as other:
            foreign = other.prove("v1.fact.common_0_0", since=common[-1]).to_json()
        with pytest.raises(ProofInvalid):
            Verifier(pin=str(left[-1])).verify(foreign)


@pytest.mark.soak
def test_whoever_holds_a_pin_past_the_fork_notices_it(tmp_path: Path) -> None:
    for seed in range(rounds(10, 100)):
        split_views_are_noticed(tmp_path, seed)


def test_a_pin_check_that_looks_at_sizes_only_would_miss_the_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads_module, "check_contains", lambda *_: None)
    with pytest.raises(pytest.fail.Exception):
        split_views_are_noticed(tmp_path, 1)


@pytest.mark.soak
def test_an_older_data_file_is_noticed_at_open_and_refused_by_the_signer(tmp_path: Path) -> None:
    for seed in range(rounds(10, 100)):
        rng = random.Random(seed)
        store, home = tmp_path / f"store{seed}", tmp_path / "home"
        with open_log(store, home=home) as log:
            grow(log, "old", rng.randint(1, 4))
        data = next(store.glob("env.*/data.mdb"))
        older = data.read_bytes()
        with open_log(store, home=home) as log:
            grow(log, "new", rng.randint(1, 4))
            newest = log.head().head
        data.write_bytes(older)
        for read_only in (False, True):
            with open_log(store, home=home, read_only=read_only) as log:
                behind = log.behind()
                assert behind is not None
                assert (behind.known_size, behind.known_root) == (newest.size, newest.root.hex())
                assert behind.ahead == behind.store == str(store)
                with pytest.raises(RolledBack if not read_only else Denied):
                    log.append([draft_put("v1.fact.next", "1")])
                with pytest.raises(RolledBack, match="which was rolled back since"):
                    log.prove("v1.fact.old_0_0")


def test_of_two_clones_with_one_key_only_one_can_go_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_log(tmp_path / "one", home=home) as log:
        grow(log, "common", 2)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with open_log(tmp_path / "one", home=home) as one, open_log(tmp_path / "two", home=home) as two:
        one.append([draft_put("v1.fact.mine", "1")])
        before = str(two.head())
        with pytest.raises(RolledBack, match="is behind"):
            two.append([draft_put("v1.fact.theirs", "2")])
        assert str(two.head()) == before
        one.append([draft_put("v1.fact.mine", "2")])
    with open_log(tmp_path / "two", home=home) as two, pytest.raises(RolledBack):
        two.append([draft_put("v1.fact.theirs", "2")])


def test_a_log_ahead_of_its_mark_is_no_rollback(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_log(tmp_path / "store", home=home) as log:
        grow(log, "a", 2)
        mark = next(home.glob("keys/*/high-water"))
        lagging = mark.read_bytes()
        grow(log, "b", 2)
    mark.write_bytes(lagging)
    with open_log(tmp_path / "store", home=home) as log:
        grow(log, "c", 1)


def test_an_emptied_mark_lets_nobody_write_or_prove(tmp_path: Path) -> None:
    with open_log(tmp_path / "store", home=tmp_path / "home") as log:
        grow(log, "a", 1)
        log.append([draft_put("v1.fact.mine", "1")])
        next((tmp_path / "home").glob("keys/*/high-water")).write_bytes(b"")
        with pytest.raises(StoreDamaged, match="high-water mark"):
            log.append([draft_put("v1.fact.mine", "2")])
        with pytest.raises(StoreDamaged, match="high-water mark"):
            log.prove("v1.fact.mine")


def test_rows_of_two_histories_mixed_in_one_store_are_noticed(tmp_path: Path) -> None:
    *_, one, two = fork(tmp_path, 3)
    # The data file of the one under the home of the other: same origin, same key, another history.
    with open_log(one / "store", home=two / "home") as log, pytest.raises(RolledBack, match=r"forked|is behind"):
        log.append([draft_put("v1.fact.mine", "1")])


def test_a_pin_of_another_store_is_what_a_swapped_store_looks_like(tmp_path: Path) -> None:
    with (
        open_log(tmp_path / "a", home=tmp_path / "home") as a,
        open_log(tmp_path / "b", home=tmp_path / "home") as b,
        pytest.raises(RolledBack, match="the pin is of"),
    ):
        a.check_pin(b.pin())


def both_written_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_s: float) -> list[SignedHead]:
    """Two copies of one store, one key, appended to at the same moment; the heads that were signed.

    With the key locked, the second does not come as far as the first, which waits for it so long.
    """
    home = tmp_path / "home"
    with open_log(tmp_path / "store", home=home) as log:
        log.append([draft_put("v1.fact.a", "x")])
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    logs = [open_log(tmp_path / name, home=home) for name in ("store", "copy")]
    both = threading.Barrier(2)
    real = Remembered.check

    def check_and_wait(*arguments: Any) -> None:
        real(*arguments)
        with suppress(threading.BrokenBarrierError):
            both.wait(wait_s)

    monkeypatch.setattr(Remembered, "check", check_and_wait)
    heads: list[SignedHead] = []

    def write(log: Log, value: str) -> None:
        with suppress(RolledBack):
            heads.append(log.append([draft_put("v1.fact.a", value)]).head)

    threads = [threading.Thread(target=write, args=(log, str(number))) for number, log in enumerate(logs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for log in logs:
        log.close()
    return heads


def test_two_copies_written_to_at_the_same_moment_are_not_both_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(both_written_at_once(tmp_path, monkeypatch, 0.5)) == 1


def test_a_signer_that_does_not_lock_its_key_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Keyring, "alone", lambda _: nullcontext())
    heads = both_written_at_once(tmp_path, monkeypatch, PATIENCE_S)
    assert len({head.head.root for head in heads}) == 2
