"""What an agent is told about this surface. Constants: nothing that is stored ever becomes a part of them."""

from __future__ import annotations

from typing import Final

__all__ = ["GUIDE", "INSTRUCTIONS"]

GUIDE: Final = """\
# Proof, past and erasure

- `memory_history` shows what was known before: who wrote each version, and when. `asOf` asks what was known at a time,
  `validAt` what held then.
- `memory_verify` checks a proof against a key or a pin that the user kept outside the store. The store's own key is not
  independent of the store.
- `memory_forget` erases for good, every version and trace, and the log proves that. Only the user decides it, and is
  asked each time.
- `memory_status` tells how much there is, what contradicts each other, and what this server may do.
"""

INSTRUCTIONS: Final = (("memory_history", "memory_history shows earlier versions, memory_status the store itself."),)
"""Each with the tool that it is about."""
