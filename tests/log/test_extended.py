"""Consistency between any two heads: for who kept the older one, a bundle up to the newer one, not the newest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.codec import draft_put
from substrate.errors import InputError, NotFound, ProofInvalid, SchemaInvalid
from substrate.log.copies.restore import restore
from substrate.log.log import Log, open_log
from substrate.proof.head import Pin
from substrate.proof.verify import Verifier
from tests.proof import script
from tests.scale import rounds

verify_proof = script.load()


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Log, list[int]]:
    """A log of 40 heads of one to three entries, its key rotated four times; and the sizes of the heads."""
    folder = tmp_path_factory.mktemp("grown")
    log = open_log(folder / "store", home=folder / "home")
    sizes = [1]
    for number in range(40):
        if number % 10 == 5:
            log.rotate_key()
        else:
            log.append([draft_put(f"v1.fact.n{number}.{each}", "x") for each in range(1 + number % 3)])
        sizes.append(log.head().head.size)
    return log, sizes


@pytest.mark.no_cover
@settings(max_examples=rounds(10, 800))
@given(st.integers(0, 40), st.integers(0, 40))
def test_the_log_at_any_head_is_shown_to_contain_that_at_any_earlier_one(
    grown: tuple[Log, list[int]], one: int, other: int
) -> None:
    log, sizes = grown
    since, until = sizes[min(one, other)], sizes[max(one, other)]
    pin = log.pin(since)
    assert pin.head.size == since
    assert Pin.parse(str(pin)) == pin, "signed by the key that it names"
    text = log.prove_extended(pin, until=until).to_json()
    verdict = Verifier(pin=pin).verify(text, claim="extended")
    assert verdict.trusted
    assert (verdict.head, verdict.since and verdict.since.size) == (log.pin(until).head, since)
    told = verify_proof.verify(text, pin_text=str(pin))
    assert (told.trust, told.head.size, told.since.size) == ("pin", until, since)


@pytest.mark.no_cover
@settings(max_examples=rounds(4, 300))
@given(st.integers(0, 39), st.data())
def test_a_bundle_with_another_byte_or_another_past_is_rejected(
    grown: tuple[Log, list[int]], one: int, data: st.DataObject
) -> None:
    """The broken twin: what the test above accepts must not be all there is."""
    log, sizes = grown
    pin = log.pin(sizes[one])
    until = data.draw(st.sampled_from(sizes[one + 1 :]))
    bundle = log.prove_extended(pin, until=until)
    assert bundle.since is not None
    broken = []
    if bundle.since.path:
        at = data.draw(st.integers(0, len(bundle.since.path) - 1))
        path = [bytes([node[0] ^ 1]) + node[1:] if i == at else node for i, node in enumerate(bundle.since.path)]
        broken.append(replace(bundle, since=replace(bundle.since, path=path)))
    broken.append(replace(bundle, since=replace(bundle.since, root=bytes([1]) * 32)))
    broken.append(replace(bundle, since=replace(bundle.since, size=bundle.since.size + 1)))
    if bundle.rotations and bundle.rotations[-1].head != bundle.head:  # a head that rotates is signed by both keys
        broken.append(replace(bundle, rotations=bundle.rotations[1:]))
    for wrong in broken:
        with pytest.raises(ProofInvalid):
            Verifier(pin=pin).verify(wrong.to_json())
        with pytest.raises(verify_proof.Rejected):
            verify_proof.verify(wrong.to_json(), pin_text=str(pin))


def test_a_size_at_which_nothing_was_signed_or_before_the_pin_is_refused(grown: tuple[Log, list[int]]) -> None:
    log, sizes = grown
    between = next(size for size in range(1, 80) if size not in sizes)
    with pytest.raises(NotFound, match=f"no head was signed at size {between}"):
        log.pin(between)
    with pytest.raises(NotFound, match=f"no head was signed at size {between}"):
        log.prove_extended(log.pin(1), until=between)
    with pytest.raises(InputError, match="older than the pin"):
        log.prove_extended(log.pin(sizes[5]), until=sizes[4])
    for wrong in (0, -1, True, "4", 2**63):
        with pytest.raises(SchemaInvalid, match="size of a head"):
            log.pin(wrong)  # type: ignore[arg-type]
        with pytest.raises(SchemaInvalid, match="size of a head"):
            log.prove_extended(log.pin(1), until=wrong)  # type: ignore[arg-type]


def test_two_heads_of_before_a_restore_are_joined_and_none_across_it(
    tmp_path: Path, home: Path, reopen: Callable[..., Log]
) -> None:
    log = reopen()
    log.append([draft_put("v1.fact.a", "1")])
    log.rotate_key()
    log.append([draft_put("v1.fact.a", "2")])
    log.backup(tmp_path / "backup")
    log.append([draft_put("v1.fact.a", "3")])
    log.close()
    restore(tmp_path / "backup", tmp_path / "again", home=home, views=())
    with open_log(tmp_path / "again", home=home) as again:
        pin = again.pin(2)
        assert Verifier(pin=pin).verify(again.prove_extended(pin, until=4).to_json()).trusted
        with pytest.raises(InputError, match="restored under a new origin"):
            again.prove_extended(pin, until=5)
        assert again.prove_extended(again.pin(5), until=5).claim == "extended"
