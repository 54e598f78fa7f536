"""What an agent is told about this surface. Constants: nothing that is stored ever becomes a part of them."""

from __future__ import annotations

from typing import Final

__all__ = ["GUIDE", "INSTRUCTIONS"]

GUIDE: Final = """\
# Engrams

- `recall` answers a question from all engrams, or from `graphs`. Each hit has a `chunkId` and a `sourceId`.
- `remember` saves a text into an engram that exists. Give `target_engram` by its name. If the name is not exact, the
  user picks; if your client cannot ask, the text waits for them. Do not retry with another name.
- `correct` works out a correction and shows a diff. Nothing is changed before `apply`. A correction waits ten minutes.
- `forget` erases for good, after the user's yes.
- `stats` lists the engrams. Only a person creates an engram.
"""

INSTRUCTIONS: Final = (
    ("recall", "Call recall before you answer a question about the user's work."),
    ("remember", "An error of remember that lists engrams is a question to the user: tell them, and do not retry."),
    ("correct", "Show the diff of correct to the user before you call apply."),
)
"""Each with the tool that it is about."""
