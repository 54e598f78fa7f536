"""What the front matter of a Markdown file says; what cannot be read is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.documents.formats.front_matter import Fields, find_front_matter
from substrate.documents.formats.markdown import read_markdown
from substrate.limits import LIMITS


def fields(block: str) -> Fields:
    found = find_front_matter(f"---\n{block}\n---\nText.\n")
    assert found is not None
    return found.fields


def test_fields_that_mean_something_are_told_from_the_others() -> None:
    said = fields(
        "Title: The harbour\ntags: [ships, '#sea', 2024]\ntag: port\naliases: [Hafen]\nalias: Quay, Pier\n"
        "created: 2024-05-01 10:30\nrating: 4.5\nopen: true\ngone: ~\nanswer: no\nzip: 01234\nlist: [1, {a: b}]"
    )
    assert said.title == "The harbour"
    assert said.tags == ("ships", "sea", "2024", "port")
    assert said.aliases == ("Hafen", "Quay", "Pier")
    assert said.occurred_at == "2024-05-01 10:30"
    assert said.rest == {
        "rating": 4.5,
        "open": True,
        "gone": None,
        "answer": "no",
        "zip": "01234",
        "list": [1, {"a": "b"}],
    }
    assert said.dropped == ()


@pytest.mark.parametrize("written", ["ships, sea", "ships sea", "'#ships #sea'", "[ships, sea, ships, '']"])
def test_tags_are_a_list_or_a_text(written: str) -> None:
    assert fields(f"tags: {written}").tags == ("ships", "sea")


def test_what_is_no_time_and_what_is_no_tag_stays_as_it_is() -> None:
    said = fields("date: next week\ntags: {a: b}\ntitle: [x]\ncreated: 2024-13-01")
    assert (said.occurred_at, said.tags, said.title) == (None, (), None)
    assert said.rest == {"date": "next week", "tags": {"a": "b"}, "title": ["x"], "created": "2024-13-01"}


def test_a_title_has_no_control_characters_and_one_line() -> None:
    assert fields(r'title: "a\x1b[31m\n\tb\x7f c"').title == "a [31m b c"
    assert fields(r'title: "\x1b"').title is None


@pytest.mark.parametrize(
    "block",
    [
        "a: &x [1, 2]\nb: *x",  # an alias may stand for gigabytes
        "a: &x 1",
        "a: " + "[" * 1000 + "]" * 1000,
        "a:\n" + "\n".join(" " * i + "- a:" for i in range(1, 500)),
        "a: [1",
        "just a text",
        "- a\n- list",
        "? [a]\n: b",
        'a: "\\0"',
        'a: "\\ud800"',
        "a: \x01",
        "long: " + "x" * 70_000,
        "",
    ],
)
def test_what_cannot_be_read_is_no_front_matter_and_the_text_stays(block: str) -> None:
    text = f"---\n{block}\n---\n# Heading\n"
    assert find_front_matter(text) is None
    if "\x00" not in text:
        assert read_markdown(text.encode()).text == text


def test_too_many_tags_and_too_large_fields_are_named() -> None:
    block = "tags: [" + ", ".join(f"t{i}" for i in range(5000)) + "]\nlarge: " + "x" * 20_000 + "\nsmall: 1"
    said = fields(block)
    assert len(said.tags) == LIMITS["tags"]
    assert said.rest == {"small": 1}
    assert said.dropped == ("tags", "large")
    assert fields("tags: [ok, " + "x" * 101 + "]").tags == ("ok",)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_headings_are_those_of_the_text_behind_it(end: str, mark: str) -> None:
    text = f"{mark}---{end}title: Named{end}---{end}Intro{end}{end}# One{end}more{end}"
    read = read_markdown(text.encode())
    assert (read.text, read.title, read.exact) == (text, "Named", True)
    assert [section.start for section in read.sections] == [text.index("# One")]
    assert read_markdown(text.replace("title: Named", "a: b").encode()).title == "One"


@pytest.mark.parametrize("text", ["", "---", "---\n", "--- \nno end", "-- -\na: b\n---\n", "\n---\na: b\n---\n"])
def test_a_text_without_two_lines_of_dashes_at_its_top_has_none(text: str) -> None:
    assert find_front_matter(text) is None


@given(st.text(max_size=200))
def test_no_front_matter_makes_it_fail(block: str) -> None:
    found = find_front_matter(f"---\n{block}\n---\n")
    assert found is None or all(len(tag) <= LIMITS["tag_characters"] for tag in found.fields.tags)
