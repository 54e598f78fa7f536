"""Stored text in which nothing is hidden: what is not seen, or turns the text around it, is shown by its number."""

from __future__ import annotations

import re

from substrate.blanks import BLANK

__all__ = ["visible"]

# The same characters as in the widgets' shared/page.js; a test compares the two.
_UNSEEN = re.compile(
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    "\\ufeff\\ufff9-\\ufffb\\U000e0000-\\U000e007f\\ud800-\\udfff]|" + BLANK.pattern
)


def visible(text: str) -> str:
    """The text with each such character as its number: ‹202E›. Half of a surrogate pair is one, too."""  # noqa: RUF002 - as in the page
    return _UNSEEN.sub(lambda found: f"‹{ord(found[0]):04X}›", text)  # noqa: RUF001
