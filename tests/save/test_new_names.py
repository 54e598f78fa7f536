"""A name that first appears holds no syntax of other languages and nothing unseen; names from before stay valid."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import substrate
from substrate.errors import Forgotten, ItemsRefused, NameInvalid
from substrate.memory import Memory
from substrate.names import check_name, check_new_name, escape_part, escape_rest, unescape_rest

OLD = [
    "v1.fact.a{x}",
    "v1.fact.$x",
    "v1.fact.`x`",
    'v1.fact."x"',
    "v1.fact.a\\b",
    "v1.fact.a\u202eb",
    "v1.fact.a\u200bb",
    "v1.fact.a\u2800b",
    "v1.fact.a\u3000b",
]
GOOD = [
    "v1.fact.bob's größe",
    "v1.fact.日本 (EU)",
    "v1.fact.می‌خواهم",
    "v1.fact.👨‍👩‍👧",
    "v1.fact.50% of #1; a/b?",
    "v1.fact.नमस्ते",
]


def imported(memory: Memory, *lines: dict[str, object]) -> None:
    memory.import_lines(StringIO("\n".join(map(json.dumps, lines))))


@pytest.mark.parametrize("name", OLD)
def test_a_new_name_with_syntax_or_unseen_characters_is_refused_and_another_offered(memory: Memory, name: str) -> None:
    assert check_name(name) == name
    with pytest.raises(NameInvalid, match=r"a new name cannot hold .* Use v1\.fact\."):
        check_new_name(name)
    for save in (
        lambda: memory.checkpoint([{"name": name, "value": "x"}]),
        lambda: memory.checkpoint(edges=[{"source": "v1.fact.a", "type": "is", "target": name}]),
        lambda: memory.checkpoint(edges=[{"source": name, "type": "is", "target": "v1.fact.a"}]),
    ):
        with pytest.raises(ItemsRefused, match="a new name cannot hold"):
            save()
    assert memory.stats().entries == 1
    assert memory.stats().dangling == 0


@pytest.mark.parametrize("name", GOOD)
def test_letters_of_all_scripts_apostrophes_and_spaces_stay(memory: Memory, name: str) -> None:
    memory.checkpoint([{"name": name, "value": "x"}])
    assert memory.access(name).atom.name == name


def test_a_name_that_is_there_is_used_as_ever(memory: Memory, tmp_path: Path) -> None:
    name, awaited = "v1.fact.a{x}", "v1.fact.$later"
    edge: dict[str, object] = {"source": name, "type": "is", "target": awaited}
    imported(memory, {"kind": "put", "name": name, "value": "1"}, {"kind": "edge", **edge})
    assert memory.checkpoint([{"name": name, "value": "2"}]).recorded == (name,)
    assert memory.checkpoint(edges=[{**edge, "type": "needs"}]).dangling == (awaited,)
    assert memory.checkpoint([{"name": awaited, "value": "here"}]).recorded == (awaited,)  # edges wait for it
    assert memory.verify(memory.prove(name)).name == name
    memory.checkpoint(tombstones=[name])
    assert memory.checkpoint([{"name": name, "value": "3"}]).recorded == (name,)
    memory.export(tmp_path / "plain.jsonl")
    with substrate.open(tmp_path / "second") as second:
        assert set(second.import_lines(tmp_path / "plain.jsonl").recorded) == {name, awaited}
    memory.forget([name])
    with pytest.raises(Forgotten):
        memory.access(name)
    with pytest.raises(ItemsRefused, match="a new name cannot hold"):
        memory.checkpoint([{"name": name, "value": "4"}])


def test_of_a_batch_the_others_are_saved_if_that_is_asked_for(memory: Memory) -> None:
    saved = memory.checkpoint(
        ["v1.fact.$x = 1", "v1.fact.y = 2", "v1.fact.$x = 3"],
        edges=[{"source": "v1.fact.y", "type": "is", "target": "v1.fact.$x"}],
        partial=True,
    )
    assert saved.recorded == ("v1.fact.y",)
    assert [refused.item for refused in saved.refused] == ["atoms[0]", "atoms[2]", "edges[0]"]
    assert memory.stats().edges == 0


@given(st.text(st.characters(), min_size=1, max_size=12))
@example("50%{x}")
@example("%7B")
@example(" .a. ")
@example("e\u0301")
@example("\u061c\u200d")
@example("\ud800")
def test_any_text_can_be_a_part_of_a_new_name_and_is_given_back(text: str) -> None:
    name = "v1.entity." + escape_rest(text)
    assert check_new_name(name) == name
    assert unescape_rest(escape_rest(text)) == text


@given(st.text(st.characters(), min_size=1, max_size=12), st.text(st.characters(), min_size=1, max_size=12))
@example("a.b", "c")
@example("a", "b.c")
@example(".", ".")
@example("\u0915", "\u200d")
def test_a_name_of_two_escaped_parts_can_be_read_in_one_way_only(domain: str, text: str) -> None:
    name = f"v1.entity.{escape_part(domain)}.{escape_rest(text)}"
    assert check_new_name(name) == name
    part, _, rest = name.removeprefix("v1.entity.").partition(".")
    assert (unescape_rest(part), unescape_rest(rest)) == (domain, text)


@pytest.mark.parametrize("twin", [str, lambda text: text.replace("{", "%7B").replace("}", "%7D")], ids=["none", "some"])
def test_an_escape_that_leaves_something_out_would_be_caught(twin: Callable[[str], str]) -> None:
    """The broken twins: one is refused, the other gives one name to two texts."""
    texts = ["{", "%7B"]
    with pytest.raises((NameInvalid, AssertionError)):
        assert len({check_new_name("v1.entity." + twin(text)) for text in texts}) == len(texts)
