"""Characters that show nothing although Unicode counts them among letters and marks: a text can hide in them.

Selectors choose between forms of the character before them. 256 of them make a byte each, so that a run of selectors
spells any text, unseen. Two are common, and are left alone where one stands by itself: they choose between the forms of
an emoji, one in colour and one as text.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["BLANK"]

_SELECTORS = r"\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_FILLERS = r"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
"""A joiner that joins nothing, Hangul fillers, and vowels of Khmer that are inherent."""

BLANK: Final = re.compile(
    rf"[{_FILLERS}\u180b-\u180d\u180f\ufe00-\ufe0d\U000e0100-\U000e01ef]|(?<=[{_SELECTORS}])[\ufe0e\ufe0f]"
)
"""One such character. It looks at the one before it, so it must be given the whole text."""
