"""The tags and texts of an HTML page, in one pass. Pure.

The parser of the standard library begins anew behind each `<` that leads nowhere, and stops at some declarations with
an AssertionError. Pages come from anybody. Here every step goes on behind what it has looked at, or ends the page: the
time grows with the length of the page, not faster, and any text is a page.

What is not closed when the page ends (a tag, a comment, a script) is no text that is seen, as in browsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final, NamedTuple

__all__ = ["Tag", "read_tags"]

_NAME: Final = re.compile(r"</?([A-Za-z][^\s/>]*+)")
_REST: Final = re.compile(r"""(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])*+>""")
"""What follows the name of a tag: a `>` in the quotes of a value does not end it."""
_RAW: Final = {tag: re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE) for tag in ("script", "style")}
"""In these nothing is a tag but their own end."""
_COMMENT: Final = re.compile(r"<!---?>|<!--")


class Tag(NamedTuple):
    """A tag in lower case, or a text without a tag."""

    name: str = ""
    text: str = ""
    closes: bool = False
    """`</b>`"""
    is_empty: bool = False
    """`<b/>`"""


def read_tags(page: str) -> Iterator[Tag]:
    """All of a page, in order; of comments and declarations nothing."""
    begin = at = 0
    while (sign := page.find("<", at)) >= 0:
        stop = _end_of(page, sign)
        if stop == sign:  # it is no markup
            at = sign + 1
            continue
        if sign > begin:
            yield Tag(text=unescape(page[begin:sign]))
        if stop < 0:
            return
        name = _NAME.match(page, sign)
        if name is not None:
            tag = Tag(name[1].lower(), "", page[sign + 1] == "/", page[stop - 2] == "/")
            yield tag
            raw = None if tag.closes or tag.is_empty else _RAW.get(tag.name)
            found = None if raw is None else raw.search(page, stop)
            if raw is not None and found is None:
                return
            stop = stop if found is None else found.start()
        begin = at = stop
    if begin < len(page):
        yield Tag(text=unescape(page[begin:]))


def _end_of(page: str, sign: int) -> int:
    """Behind the markup that begins at this `<`; the place itself if none does; -1 if it has no end."""
    name = _NAME.match(page, sign)
    if name is not None:
        rest = _REST.match(page, name.end())
        return -1 if rest is None else rest.end()
    comment = _COMMENT.match(page, sign)
    if comment is not None:
        if comment[0].endswith(">"):
            return comment.end()
        end = page.find("-->", comment.end())
        return -1 if end < 0 else end + len("-->")
    if page[sign + 1 : sign + 2] not in ("!", "?", "/"):
        return sign
    return page.find(">", sign) + 1 or -1
