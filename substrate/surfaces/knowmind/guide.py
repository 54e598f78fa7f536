"""What an agent is told about this surface. Constants: nothing that is stored ever becomes a part of them."""

from __future__ import annotations

from typing import Final

__all__ = ["GUIDE", "INSTRUCTIONS"]

GUIDE: Final = """\
# A team's memory

- `knowmind.recall` answers a question from what the team has stored. `hops` also follows relations.
- `knowmind.recall_at_time` answers as things held at `as_of`. `known_at` asks what the store knew then.
- `knowmind.store_memory` saves one statement, `knowmind.upload_document` a longer text in sections.
- `knowmind.update_fact` replaces a memory from now on. The old one stays in the history, and both can be proven.
- `knowmind.link` states a relation between two memories, `knowmind.unlink` takes it back.
"""

INSTRUCTIONS: Final = (
    ("knowmind.recall", "Call knowmind.recall before you answer a question about the team's work."),
    ("knowmind.store_memory", "Store what the user would want to know next month, one statement a call."),
    ("knowmind.update_fact", "When something changed, call knowmind.update_fact, so that the past stays answerable."),
)
"""Each with the tool that it is about."""
