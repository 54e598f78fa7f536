"""Row 22: one canonical name for all its spellings, values back to the character, no length that breaks a key."""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from substrate.errors import InputError, ItemsRefused, NameInvalid, NotFound
from substrate.limits import LIMITS
from substrate.memory import Memory, open_memory
from tests.old_names import import_atoms
from tests.scale import rounds

FORBIDDEN_IN_NAMES = [*map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)), "\ud800", "\udfff"]
SURROGATES = ["\ud800", "\udbff", "\udc00", "\udfff", "a\ud83d", "\ude00\ud83d"]
STRANGE = [
    "\x00",
    "a\x00b",
    "\u200b\u200d\u2060\ufeff",
    "\u202eabc\u202c\u2066\u2069",
    "\U0001f469\u200d\U0001f52c\U0010ffff\ufffe\uffff",
    "e\u0301\u00e9\u1100\u1161\uac00\u212b\u00c5",
    "ıİßẞſKΣσςﬁ",  # noqa: RUF001 - the point of it
    "\r\n\n\r\t\v\f\x1b[2J\x7f\x85\u2028\u2029",
    "  leading and trailing  ",
    " = ",
    "\\u0000\\\"'",
    "Раураl",  # noqa: RUF001
]
names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=60).filter(
    lambda rest: rest.strip(" .") == rest and rest.strip() == rest and unicodedata.normalize("NFC", rest).strip() != ""
)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=120)


@pytest.fixture(scope="module")
def shared() -> Iterator[Memory]:
    """One store for thousands of texts."""
    with tempfile.TemporaryDirectory() as folder, open_memory(Path(folder, "s"), home=Path(folder, "h")) as memory:
        yield memory


def in_bulk(examples: int) -> Any:
    return settings(max_examples=examples, suppress_health_check=list(HealthCheck))


@pytest.mark.no_cover
@pytest.mark.soak
@given(st.lists(st.tuples(names, texts), min_size=10, max_size=10))
@in_bulk(rounds(16, 5000))
def test_names_and_values_come_back_as_they_were(shared: Memory, items: list[tuple[str, str]]) -> None:
    spelled = [(unicodedata.normalize("NFC", f"v1.fact.{rest}"), value) for rest, value in items]
    kept = {name: value for name, value in spelled if len(name.encode()) <= LIMITS["name_bytes"]}
    saved = import_atoms(shared, kept)
    assert {*saved.recorded, *saved.confirmed} == set(kept)
    for name, value in kept.items():
        for spelling in {name, *(unicodedata.normalize(form, name) for form in ("NFC", "NFD"))}:
            found = shared.access(spelling)
            assert (found.name, found.value) == (name, value)
            assert shared.list(spelling, limit=1).items[0].name == name


@pytest.mark.parametrize("text", STRANGE, ids=ascii)
def test_a_strange_value_comes_back_to_the_character(memory: Memory, text: str) -> None:
    fields = {
        "source": f"s{text}e",
        "tags": [f"t{text}e"],
        "entities": [f"t{text}e"],
        "attrs": {text: [text, {"k": text}]},
    }
    memory.checkpoint([{"name": "v1.fact.a", "value": text, **fields}])
    atom = memory.access("v1.fact.a").atom
    assert (atom.value, atom.source, atom.tags, atom.entities, atom.attrs) == (
        text,
        f"s{text}e",
        (f"t{text}e",),
        (f"t{text}e",),
        {text: [text, {"k": text}]},
    )


@pytest.mark.parametrize("where", ["name", "value", "tags", "entities", "attrs", "source", "actor", "session"])
def test_a_lone_surrogate_is_refused_everywhere(memory: Memory, where: str) -> None:
    before = memory.head()
    for text in SURROGATES:
        lists: dict[str, object] = {
            "name": f"v1.fact.{text}",
            "tags": [text],
            "entities": [text],
            "attrs": {"a": [text]},
        }
        with pytest.raises(ItemsRefused) as raised:
            memory.checkpoint([{"name": "v1.fact.a", "value": "x", where: lists.get(where, text)}])
        assert [item.item for item in raised.value.refused] == ["atoms[0]"], ascii(text)
        str(raised.value).encode()  # a message can be shown
    assert memory.head() == before
    assert len(memory.list()) == 0


@pytest.mark.parametrize("where", ["actor", "session", "source"])
def test_a_lone_surrogate_said_of_a_whole_checkpoint_is_refused(memory: Memory, where: str) -> None:
    before = memory.head()
    with pytest.raises(InputError):
        memory.checkpoint(["v1.fact.a = x"], **{where: "\ud800"})  # type: ignore[arg-type]
    assert memory.head() == before


@pytest.mark.parametrize("where", ["type", "label", "cited", "attrs", "target"])
def test_a_lone_surrogate_in_an_edge_is_refused(memory: Memory, where: str) -> None:
    value: object = {"attrs": {"\ud800": 1}, "target": "v1.fact.\ud800"}.get(where, "\ud800")
    edge = {"source": "v1.fact.a", "type": "likes", "target": "v1.fact.b", where: value}
    with pytest.raises(ItemsRefused) as raised:
        memory.checkpoint(edges=[edge])
    assert [item.item for item in raised.value.refused] == ["edges[0]"]


def test_control_characters_and_surrogates_are_refused_in_names_and_the_message_can_be_shown(memory: Memory) -> None:
    """In one test: there are more than a hundred of them."""
    taken = []
    for character in FORBIDDEN_IN_NAMES:
        names = (f"v1.fact.a{character}b", f"v1.fact.{character}", f"v1.fact.a{character}")
        with pytest.raises(ItemsRefused) as raised:
            memory.checkpoint([{"name": name, "value": "x"} for name in names])
        str(raised.value).encode()
        if [refused.code for refused in raised.value.refused] != ["name_invalid"] * 3:  # type: ignore[attr-defined]
            taken.append(character)
        for name in names:
            with pytest.raises(NameInvalid):
                memory.access(name)
    assert list(map(ascii, taken)) == []


CLASSES = [
    ["é", "e\u0301"],
    ["가", "\u1100\u1161"],
    ["Å", "A\u030a", "\u212b"],
    ["ṩ", "s\u0323\u0307", "s\u0307\u0323", "ṣ\u0307", "ṡ\u0323"],
    ["Ω", "\u2126"],
    ["한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"],
]


@pytest.mark.parametrize("spellings", CLASSES, ids=ascii)
def test_all_spellings_of_one_name_are_one_atom(memory: Memory, spellings: list[str]) -> None:
    for value, spelling in enumerate(spellings):
        memory.checkpoint([f"v1.fact.{spelling} = {value}"])
    listed = memory.list()
    assert [atom.name for atom in listed] == [f"v1.fact.{spellings[0]}"]
    for spelling in spellings:
        assert memory.access(f"v1.fact.{spelling}").value == str(len(spellings) - 1)
        assert len(memory.history(f"v1.fact.{spelling}")) == len(spellings)
        assert memory.list(f"v1.fact.{spelling}").items == listed.items
        assert memory.prove(f"v1.fact.{spelling}").claim == "current"
    memory.checkpoint(tombstones=[f"v1.fact.{spellings[-1]}"])
    with pytest.raises(NotFound):
        memory.access(f"v1.fact.{spellings[0]}")


LOOKALIKES = [
    ["a", "A", "а", "ａ", "ᴀ"],  # noqa: RUF001 - the point of it
    ["ss", "ß", "SS"],
    ["fi", "ﬁ"],
    ["i", "ı", "I", "İ"],  # noqa: RUF001
    ["σ", "ς", "Σ"],  # noqa: RUF001
    ["k", "\u212a".lower() + "2", "K"],
    ["ab", "a\u200bb", "a\u200db", "a\u2060b", "a\ufeffb", "a\u00adb"],
    ["abc", "\u202eabc", "\u2066abc\u2069"],
    ["a b", "a\u00a0b", "a\u2003b", "a  b"],
    ["1", "١", "１", "¹"],  # noqa: RUF001
]


@pytest.mark.parametrize("rests", LOOKALIKES, ids=ascii)
def test_names_that_only_look_alike_are_different_atoms(memory: Memory, rests: list[str]) -> None:
    import_atoms(memory, {f"v1.fact.{rest}": ascii(rest) for rest in rests})
    assert [atom.name for atom in memory.list()] == sorted(f"v1.fact.{rest}" for rest in rests)
    for rest in rests:
        assert memory.access(f"v1.fact.{rest}").value == ascii(rest)


@pytest.mark.parametrize("character", ["n", "é", "語", "\U0001f511"])
@pytest.mark.parametrize("over", [-4, -1, 0, 1, 4])
def test_a_name_may_have_just_as_many_bytes_as_the_limit_says(memory: Memory, character: str, over: int) -> None:
    room = LIMITS["name_bytes"] + over - len("v1.fact.")
    width = len(character.encode())
    name = "v1.fact." + "x" * (room % width) + character * (room // width)
    assert len(name.encode()) == LIMITS["name_bytes"] + over
    if over > 0:
        with pytest.raises(ItemsRefused):
            memory.checkpoint([{"name": name, "value": "x"}])
        return
    memory.checkpoint([{"name": name, "value": "x"}], edges=[{"source": name, "type": "likes", "target": name}])
    assert memory.access(name).name == name
    assert memory.list(name).items[0].name == name
    assert len(memory.edges(name)) == 1
    memory.forget(name)
    assert [version.kind for version in memory.history(name)] == ["gap"]


def test_a_long_name_in_its_decomposed_spelling_is_measured_as_it_is_kept(memory: Memory) -> None:
    room = LIMITS["name_bytes"] - len("v1.fact.")
    memory.checkpoint([{"name": "v1.fact." + "e\u0301" * (room // 2), "value": "x"}])
    assert memory.list().items[0].name == "v1.fact." + "é" * (room // 2)


def test_a_list_is_in_the_order_of_code_points_and_pages_do_not_split_it(memory: Memory) -> None:
    rests = ["Z", "a", "z", "ä", "é", "ﬁ", "語", "\U0001f511", "\ue000", "\uffee", "\U00010000"]
    memory.checkpoint([{"name": f"v1.fact.{rest}", "value": "x"} for rest in rests])
    found, after = [], None
    while True:
        page = memory.list(limit=2, after=after)
        found += [atom.name for atom in page]
        after = page.next
        if after is None:
            break
    assert found == sorted(f"v1.fact.{rest}" for rest in rests)


@pytest.mark.parametrize("prefix", ["v1.fact.\U0010ffff", "v1.fact.\uffff", "v1.fact.ÿ", "v"])
def test_a_prefix_of_the_largest_characters_finds_what_begins_with_it(memory: Memory, prefix: str) -> None:
    names = ["v1.fact.\U0010ffff", "v1.fact.\U0010ffffa", "v1.fact.\uffffb", "v1.fact.ÿ", "v1.fact.ÿÿ", "v2.fact.a"]
    import_atoms(memory, dict.fromkeys(names, "x"))
    assert [atom.name for atom in memory.list(prefix)] == sorted(n for n in names if n.startswith(prefix))
