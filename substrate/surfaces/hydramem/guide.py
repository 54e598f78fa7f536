"""What an agent is told about this surface. Constants: nothing that is stored ever becomes a part of them."""

from __future__ import annotations

from typing import Final

__all__ = ["GUIDE", "INSTRUCTIONS"]

GUIDE: Final = """\
# Documents, entities and relations that are checked

- `priming_context_tool` at the start of a turn; `hydra_search_tool` when that is not enough; `expand_context_tool` and
  `trace_path_tool` to follow what is connected. `get_full_document_tool` gives a document exactly as it came.
- Every tool takes an entity by its name, an alias or its id, in any case. A project is a space of its own.
- Relations are checked, without a language model: by what the graph says of both ends, and by what the text says. A
  verdict is accepted, rejected (the text denies it, or too little speaks for it) or unsupported (nothing decides).
- `as_of` asks what held at a time, in ISO 8601; a window begins with its first moment and ends before its last.
- Nothing is deleted for good: what is taken back stays in the history, and the user can bring it back.
"""

INSTRUCTIONS: Final = (
    ("priming_context_tool", "Call priming_context_tool at the start of a turn."),
    ("hydra_search_tool", "Search with hydra_search_tool before you say that you do not know."),
    ("remember", "Keep what the user tells you with remember."),
    (
        "ingest_prechunked",
        "If you read a document, give its chunks, entities and relations to ingest_prechunked; relations are checked.",
    ),
)
"""Each with the tool that it is about."""
