"""The verb replace: from a moment on another value takes the place of what an atom says, as one checkpoint."""

from __future__ import annotations

import pytest

from substrate.atoms.moments import Time
from substrate.errors import Conflict, InputError, NotFound, SchemaInvalid
from substrate.log.log import Log
from substrate.memory import Memory
from substrate.save import replace as module

BEFORE, AT, AFTER = "2021-03-01", "2021-04-01", "2021-05-01"


@pytest.fixture
def price(memory: Memory) -> Memory:
    memory.checkpoint(
        [{"name": "v1.fact.price", "value": "price 10", "tags": ["sales"], "source": "list", "origin": "user"}]
    )
    return memory


def found(memory: Memory, valid_at: str | None) -> set[str]:
    """What list, search and access find at a time: the same."""
    listed = {atom.name for atom in memory.list(valid_at=valid_at)}
    assert {hit.name for hit in memory.search("price", valid_at=valid_at)} == listed
    for name in listed:
        assert memory.access(name, valid_at=valid_at).name == name
    return listed


def test_before_the_moment_the_old_one_is_found_and_from_it_on_the_new_one(price: Memory) -> None:
    saved = price.replace("v1.fact.price", "v1.fact.price_2026", "price 12", at=AT, reason="inflation", source="mail")
    assert saved.recorded == ("v1.fact.price", "v1.fact.price_2026")
    assert len(saved.seqs) == 3
    assert found(price, BEFORE) == {"v1.fact.price"}
    assert found(price, AT) == found(price, AFTER) == found(price, None) == {"v1.fact.price_2026"}
    with pytest.raises(NotFound, match="did not hold"):
        price.access("v1.fact.price", valid_at=AT)
    old = price.access("v1.fact.price").atom
    assert (old.value, old.tags, old.source, old.origin) == ("price 10", ("sales",), "list", "user")
    assert old.superseded_by == ("v1.fact.price_2026",)
    (edge,) = price.edges("v1.fact.price", type="supersedes")
    assert (edge.attrs, edge.cited, len(edge.windows)) == ({"reason": "inflation"}, "mail", 1)
    assert price.access("v1.fact.price_2026").atom.source == "mail"


def test_a_chain_of_replacements_answers_each_time_with_one(price: Memory) -> None:
    months = ["2021-02-01", "2021-04-01", "2021-06-01"]
    names = ["v1.fact.price"]
    for place, month in enumerate(months):
        names.append(f"v1.fact.price_{place}")
        price.replace(names[place], names[-1], f"price {20 + place}", at=month)
    for name, time in zip(names, ["2021-01-01", "2021-03-01", "2021-05-01", "2021-07-01"], strict=True):
        assert found(price, time) == {name}
    assert found(price, None) == {names[-1]}


def test_under_the_same_name_it_is_a_version_that_holds_from_then_on(price: Memory) -> None:
    for new, value, at in ((None, "price 11", AT), ("v1.fact.price", "price 12", AFTER)):
        price.replace("v1.fact.price", new, value, at=at, reason="inflation")
    values = [price.access("v1.fact.price", valid_at=time).value for time in (BEFORE, AT, AFTER, None)]
    assert values == ["price 10", "price 11", "price 12", "price 12"]
    assert not price.edges("v1.fact.price")
    assert price.access("v1.fact.price").atom.attrs == {"reason": "inflation"}
    with pytest.raises(InputError, match="says that already"):
        price.replace("v1.fact.price", None, "price 12")


def test_a_name_that_is_out_of_use_can_take_the_place(price: Memory) -> None:
    price.checkpoint(["v1.fact.was_once = price 8"])
    price.checkpoint(tombstones=["v1.fact.was_once"])
    price.replace("v1.fact.price", "v1.fact.was_once", "price 12", at=AT)
    assert found(price, BEFORE) == {"v1.fact.price", "v1.fact.was_once"}  # which was taken out of use much later
    assert found(price, AFTER) == found(price, None) == {"v1.fact.was_once"}


def test_what_is_to_come_leaves_the_old_one_in_use_until_then(price: Memory) -> None:
    price.replace("v1.fact.price", "v1.fact.later", "price 99", at="9000-01-01", tags=["plan"])
    assert "v1.fact.price" in found(price, None)  # a read without valid_at shows what is known, also of the future
    assert found(price, AFTER) == {"v1.fact.price"}
    assert found(price, "9001-01-01") == {"v1.fact.later"}
    assert price.access("v1.fact.later").atom.tags == ("plan",)
    with pytest.raises(Conflict, match=r"superseded already, by v1\.fact\.later"):
        price.replace("v1.fact.price", "v1.fact.other", "price 98", at="9000-01-01")


def test_what_cannot_be_replaced_is_refused_and_nothing_is_written(price: Memory) -> None:
    price.checkpoint([{"name": "v1.fact.begun", "value": "1", "valid_from": AT}, "v1.fact.gone = 1"], edges=[])
    price.checkpoint(tombstones=["v1.fact.gone"])
    size = price.head().head.size
    refused: list[tuple[str, Time, type[Exception]]] = [
        ("v1.fact.nowhere", AT, NotFound),
        ("v1.fact.gone", AT, NotFound),
        ("v1.fact.begun", AT, InputError),
        ("v1.fact.begun", BEFORE, InputError),
        ("v1.fact.price", "soon", SchemaInvalid),
    ]
    for name, at, error in refused:
        with pytest.raises(error):
            price.replace(name, "v1.fact.new", "2", at=at)
    with pytest.raises(SchemaInvalid, match="valid_from cannot be given"):
        price.replace("v1.fact.price", "v1.fact.new", "2", valid_from=AT)
    assert price.head().head.size == size


@pytest.mark.parametrize(
    "meanwhile", ["another replaces it", "it is superseded", "it is changed", "the new name is taken"]
)
def test_a_writer_who_is_faster_makes_it_a_conflict(
    price: Memory, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    def faster(*_: object, **__: object) -> object:
        monkeypatch.undo()
        match meanwhile:
            case "another replaces it":
                price.replace("v1.fact.price", "v1.fact.theirs", "price 11", at=AT)
            case "it is superseded":
                triple = {"source": "v1.fact.theirs", "type": "supersedes", "target": "v1.fact.price"}
                price.checkpoint(["v1.fact.theirs = price 11"], edges=[triple])
            case "it is changed":
                price.checkpoint(["v1.fact.price = price 11"])
            case _:
                price.checkpoint(["v1.fact.ours = price 13"])
        size.append(price.head().head.size)
        return real(*_, **__)  # type: ignore[arg-type]

    size: list[int] = []
    real = module.checkpoint
    monkeypatch.setattr(module, "checkpoint", faster)
    with pytest.raises(Conflict):
        price.replace("v1.fact.price", "v1.fact.ours", "price 12", at=AT)
    assert price.head().head.size == size[0]


def test_a_replacement_that_does_not_look_under_the_lock_is_caught(
    price: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin: a `supersedes` edge alone changes no version, so `expect` does not see it."""
    real = module.checkpoint

    def blind(log: Log, *given: object, **options: object) -> object:
        triple = {"source": "v1.fact.theirs", "type": "supersedes", "target": "v1.fact.price"}
        monkeypatch.undo()
        price.checkpoint(["v1.fact.theirs = price 11"], edges=[triple])
        return real(log, *given, **{**options, "check": None})  # type: ignore[arg-type]

    monkeypatch.setattr(module, "checkpoint", blind)
    price.replace("v1.fact.price", "v1.fact.ours", "price 12", at=AT)
    assert found(price, None) == {"v1.fact.ours", "v1.fact.theirs"}


def test_a_read_of_the_old_one_at_a_later_time_names_what_holds_then(price: Memory) -> None:
    price.replace("v1.fact.price", "v1.fact.price_2026", "12 EUR", at=AT)
    with pytest.raises(NotFound, match=r"it did not hold at \S+, v1.fact.price_2026 did in its place"):
        price.access("v1.fact.price", valid_at=AFTER)
