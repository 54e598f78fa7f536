"""Links in Markdown: which there are, and which document of the folder they lead to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.documents.links import MOST, Linked, Targets, find_links

SOURCES = ("v/index.md", "v/a/note.md", "v/b/note.md", "v/b/deep/Über uns.md", "v/b/deep/v1.2.md", "v/b/page.html")


def targets(text: str) -> list[str]:
    return [link.target for link in find_links(text)[0]]


def leads(text: str, own: str = "v/index.md") -> Linked:
    return Targets(SOURCES).resolve(own, find_links(text)[0])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[Note]] and [[Note]]", ["Note"]),
        ("[[Note|shown]] [[Other#part|x]] [[Third#^block]]", ["Note", "Other", "Third"]),
        ("![[Note]] ![[picture.png]] ![[v1.2 notes]]", ["Note", "v1.2 notes"]),
        ("| [[Note\\|in a table]] |", ["Note"]),
        ("[[#here]] [[]] [[ ]]", []),
        ('[a](b.md) [c](d/e%20f.md#g) [h](<i j.md> "title") [k](l(1).md)', ["b.md", "d/e%20f.md", "i j.md", "l(1).md"]),
        ("[a](https://x.org/b.md) [c](javascript:d.md) [e](//x.org/f.md) [g](mailto:h.md)", []),
        ("![a](b.png) [c](d.zip) [e](#part) [f](no suffix.md", []),
        ("`[[code]]` ``a ` [[code]]`` [[text]] ` [[open]]", ["text", "open"]),
        ("` not\n\nclosed ` [[text]]", ["text"]),
        ("```\n[[code]]\n``` x\n[[code]]\n```\n[[text]]", ["text"]),
        ("- a\n    ~~~py\n    [[code]]\n    ~~~\n- [[text]]\n````\n```\n[[never closed]]", ["text"]),
        ("[[a\nb]] [[a\x00b]] [[" + "x" * 100_000 + "]]", ["a\x00b"]),
    ],
)
def test_links_stand_in_brackets_and_not_in_code(text: str, found: list[str]) -> None:
    assert targets(text) == found


@pytest.mark.parametrize(
    ("text", "own", "source"),
    [
        ("[[NOTE]]", "v/index.md", "v/a/note.md"),  # of two the first by its path
        ("[[note]]", "v/b/page.md", "v/b/note.md"),  # beside it
        ("[[b/note]]", "v/index.md", "v/b/note.md"),
        ("[[/b/note.md]]", "v/a/note.md", "v/b/note.md"),
        ("[[deep/u\u0308ber UNS]]", "v/a/note.md", "v/b/deep/Über uns.md"),
        ("[[v1.2]]", "v/index.md", "v/b/deep/v1.2.md"),
        ("[[page.html]]", "v/index.md", "v/b/page.html"),
        ("[x](../index.md)", "v/a/note.md", "v/index.md"),
        ("[x](deep/%C3%9Cber%20uns.md?q#h)", "v/b/note.md", "v/b/deep/Über uns.md"),
        ("[x](/b/./deep/../note.md)", "v/a/note.md", "v/b/note.md"),
        ("[x](A/Note.md)", "v/index.md", "v/a/note.md"),
    ],
)
def test_a_link_leads_to_the_document_that_it_means(text: str, own: str, source: str) -> None:
    assert leads(text, own) == Linked((source,))


@pytest.mark.parametrize(
    "text",
    ["[[page]]", "[[../a/note]]", "[x](../../../../etc/passwd.md)", "[x](../w/note.md)", "[[x/note]]", "[x](note.md)"],
)
def test_a_link_that_leads_to_none_of_them_is_told(text: str) -> None:
    assert leads(text) == Linked((), tuple(targets(text)))


def test_a_link_to_itself_is_none() -> None:
    assert leads("[[index]] [me](index.md)") == Linked(())


def test_so_many_links_are_looked_at_and_the_others_counted() -> None:
    links, more = find_links(" ".join(f"[[n{i}]]" for i in range(MOST + 7)))
    assert (len(links), more) == (MOST, 7)
    linked = Targets(SOURCES).resolve("v/index.md", links, more)
    assert (len(linked.unresolved), linked.more) == (100, MOST - 100 + 7)


@pytest.mark.parametrize(
    "part",
    ["[[", "[[a", "](", "](a", "](<", "`", "` ``", "```\n", "> ", "[[a|", "](a(", " \n", "~~~\n`", "[[" + "a" * 999],
)
def test_links_are_found_in_time_that_grows_with_the_text(part: str) -> None:
    """A text of which each part begins something that never ends: a way that goes back for each takes hours."""
    assert len(find_links(part * (300_000 // len(part)))[0]) <= MOST


@given(st.text(alphabet="[]()`~|#\\!ab.md/\n ", max_size=80))
def test_no_text_makes_it_fail_and_links_lead_to_given_sources_only(text: str) -> None:
    linked = Targets(SOURCES).resolve("v/a/note.md", find_links(text)[0])
    assert set(linked.sources) <= set(SOURCES)
