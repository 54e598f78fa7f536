"""Words of the store that are spelt like those of a query: offered where only words are searched."""

from __future__ import annotations

import pytest

from substrate.memory import Memory

ATOMS = [
    "v1.fact.limiter = The limiter allows forty requests",
    "v1.fact.provider = Our providers are Stripe and Adyen",
    "v1.fact.city = Überlingen am Bodensee",
]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.checkpoint(ATOMS)
    return memory


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("limitter", ("limiter",)),  # a letter too many
        ("provders", ("providers",)),  # one too few, and as it is written there
        ("adien bodensea", ("Adyen", "Bodensee")),
        ("überlinge", ("Überlingen",)),
        ("throttle", ()),  # nothing is spelt so
        ("limiter", ()),  # it is there
        ("li", ()),  # too short to be like anything
    ],
)
def test_words_that_are_spelt_alike_are_offered(filled: Memory, typed: str, offered: tuple[str, ...]) -> None:
    assert set(filled.search(typed).near) == set(offered)


def test_a_word_that_no_atom_in_use_has_is_not_offered(filled: Memory) -> None:
    filled.checkpoint(tombstones=["v1.fact.limiter"])
    assert filled.search("limitter").near == ()


def test_filters_hold_for_what_is_offered(filled: Memory) -> None:
    filled.checkpoint(["v1.note.trip = we took the gondola"])
    assert filled.search("gondolla", type="fact").near == ()
    assert filled.search("gondolla", type="note").near == ("gondola",)


def test_the_remarks_name_them(filled: Memory) -> None:
    assert filled.search("limitter").remarks[-1] == "words here that are spelt like yours: limiter"
