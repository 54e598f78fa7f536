"""What is read of each format."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from substrate.documents.formats.catalogue import SUFFIXES, media_type_of, read_document
from substrate.documents.formats.extracted import Extracted
from substrate.errors import SchemaInvalid


def read(name: str, text: str) -> Extracted:
    media_type = media_type_of(name)
    assert media_type is not None
    return read_document(text.encode(), media_type)


def headings(found: Extracted) -> list[tuple[str, int]]:
    return [(found.text[start:].splitlines()[0], depth) for start, depth in found.sections]


def test_the_name_says_the_format_and_capitals_do_not_matter() -> None:
    assert media_type_of("README.MD") == "text/markdown"
    assert media_type_of("a.tar.gz") is None
    assert media_type_of(".md") is None
    assert media_type_of("md") is None


def test_text_formats_are_the_file_itself() -> None:
    for name in ("a.md", "a.txt", "a.rst"):
        text = "\ufeffTitle\r\n=====\r\n\r\nNo last newline: größer"
        assert (read(name, text).text, read(name, text).exact) == (text, True)


def test_restructured_text_has_its_sections_by_their_underlines() -> None:
    text = "=====\nTitle\n=====\n\nOne\n---\n\ntext\n\nTwo\n---\n\nThree\n~~~~~\n\nnot\n-\n"
    found = read("a.rst", text)
    assert headings(found) == [("=====", 1), ("One", 2), ("Two", 2), ("Three", 3)]
    assert found.title == "Title"


def test_html_is_the_text_that_is_seen() -> None:
    page = """<!doctype html><html><head><title> The page </title><style>p {color: red}</style></head>
    <body><script>alert("no")</script><h1>Heads &amp; tails</h1><p>One <b>bold</b>
    word.</p><ul><li>first<li>second</ul><pre>  kept\n    as it is</pre><h2>More</h2>
    <svg><text>no</text></svg><template>no</template><table><tr><td>a<td>b</table>end"""
    found = read("a.html", page)
    assert found.text == (
        "# Heads & tails\n\nOne bold word.\n\n- first\n\n- second\n\n"
        "  kept\n    as it is\n\n## More\n\na\n\nb\n\nend\n\n"
    )
    assert headings(found) == [("# Heads & tails", 1), ("## More", 2)]
    assert (found.title, found.exact) == ("The page", False)


@pytest.mark.parametrize("page", ["<" * 50_000, "<p>" * 50_000, "&" * 50_000, "</div>" * 9_000, "<!--", "<a b='"])
def test_html_of_any_shape_is_read(page: str) -> None:
    assert read("a.html", page).exact is False


@pytest.mark.parametrize(
    "piece", ["<a ", '<a "', "<a=", "<a/", "<!--", "<![", "<!a", "</", "<?", "<title>a<b>", """<a b='">"""]
)
def test_a_page_takes_as_long_as_it_is(piece: str) -> None:
    """Each of these stops the parser of the standard library, or has it look at the rest anew each time: for hours."""
    assert read("a.html", f"<p>seen</p>{piece * 100_000}").text.startswith("seen\n\n")


def test_elements_that_are_never_closed_are_not_looked_through_for_each_end() -> None:
    assert read("a.html", f"<p>seen</p>{'<svg>' * 80_000}{'</b>' * 80_000}no").text == "seen\n\n"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("1 < 2 <3 </ x>4", "1 < 2 <3 4"),
        ("<a title='a>b' c=\"d>e\" f='>'>in</a>", "in"),
        ("<a b='>one</a>", "one"),
        ("a<!-->b<!--->c<!-- > -- -->d<![CDATA[e]]>f<?g?>h", "abcdfh"),
        ("a<script>if (1</2) '</p>' </SCRIPT >b<style></styles></style>c", "abc"),
        ("a<script>never closed<p>no", "a"),
        ("a<!-- never closed", "a"),
        ("a<p never='closed", "a"),
        ("<svg/>a<svg><svg></svg>no</svg>b", "ab"),
        ("&lt;b&gt; &amp;amp;", "<b> &amp;"),
    ],
)
def test_what_is_markup_is_decided_as_browsers_do(page: str, text: str) -> None:
    assert read("a.html", page).text == f"{text}\n\n"


def test_a_notebook_is_its_cells() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {"cell_type": "code", "source": "print('```')", "outputs": [{"text": "not this"}]},
        {"cell_type": "code", "source": []},
        {"cell_type": "raw", "source": "raw"},
    ]
    found = read("a.ipynb", json.dumps({"nbformat": 4, "cells": cells}))
    assert found.text == "# Title\nwords\n\n````\nprint('```')\n````\n\nraw\n\n"
    assert [depth for _, depth in found.sections] == [1, 7, 7]
    assert found.title == "Title"


def test_a_cell_of_nothing_but_ticks_is_fenced_by_one_more() -> None:
    ticks = "`" * 1_000_000
    found = read("a.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": ticks}]}))
    assert found.text == f"`{ticks}\n{ticks}\n`{ticks}\n\n"


def test_headings_are_found_in_one_look_at_a_line() -> None:
    text = "## Title ##\n" + f"# a{' ' * 990}x\n" * 2_000
    found = read("a.md", text)
    assert (len(found.sections), found.title) == (2_001, "a x")


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"cells": 1}', '{"cells": [1]}', '{"cells": [{"source": [1]}]}', "[" * 100_000]
)
def test_what_is_no_notebook_is_refused(text: str) -> None:
    with pytest.raises(SchemaInvalid):
        read("a.ipynb", text)


@pytest.mark.parametrize(
    "said", [r'{"cells": [{"source": "\ud800"}]}', r'{"cells": [{"source": "\u0000"}]}'], ids=["surrogate", "NUL"]
)
def test_a_cell_that_is_no_text_is_refused(said: str) -> None:
    with pytest.raises(SchemaInvalid):
        read("a.ipynb", said)


@pytest.mark.parametrize("name", sorted(set(SUFFIXES) - {".pdf"}))
@pytest.mark.parametrize("data", ["größer".encode("latin-1"), b"a\x00b", b"\xff\xfea\x00", b"\xed\xa0\x80"])
def test_what_is_not_utf_8_is_refused_in_every_format(name: str, data: bytes) -> None:
    with pytest.raises(SchemaInvalid, match=r"UTF-8|NUL"):
        read_document(data, SUFFIXES[name])


@pytest.mark.parametrize("name", ["a.md", "a.rst"])
def test_a_file_of_empty_lines_is_read_in_a_few_times_its_own_size(name: str) -> None:
    """Half a megabyte of newlines took 74 MB, so these would take 15."""
    tracemalloc.start()
    try:
        assert read(name, "\n" * 100_000).sections == ()
        assert tracemalloc.get_traced_memory()[1] < 1_500_000
    finally:
        tracemalloc.stop()


def test_of_very_many_headings_so_many_are_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("markdown", "restructured"):
        monkeypatch.setattr(f"substrate.documents.formats.{module}.MOST_SECTIONS", 3)
    assert len(read("a.md", "# a\n" * 10).sections) == 3
    assert len(read("a.rst", "a\n=\n\n" * 10).sections) <= 3
    assert len(read("a.rst", "aa\n==\n\n" * 10).sections) == 3


def test_headings_are_found_whatever_ends_a_line_and_before_a_byte_order_mark() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = end.join(
            ("\ufeff# One", "", "Two", "---", "", "x" * 1001, "===", "```", "# code", "```", "## Three", "===")
        )
        assert [depth for _, depth in read("a.md", text).sections] == [1, 2, 2], end
