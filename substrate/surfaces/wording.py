"""What the engine says, in words that an agent can act on: with the arguments of its tools, and what it can do. Pure.

The engine speaks to people who write Python. An agent has neither `allow_secrets` nor `index()`, and calls `as_of`
asOf.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["for_agents"]

_WORDS: Final = {
    "as_of": "asOf",
    "valid_at": "validAt",
    "max_tokens": "maxTokens",
    "evidence_threshold": "evidenceThreshold",
    "high_impact": "highImpact",
    "all_domains": "allDomains",
    "tombstones": "tombstone",
    "unedges": "unedge",
}
_WORD: Final = re.compile(rf"(?<![\w.])({'|'.join(_WORDS)})(?![\w.])")
_SAYINGS: Final = {
    "; or, if it is none, set allow_secrets": "; if it is none, the user can save it with `substrate checkpoint`",
    "nothing is embedded yet: index() embeds what there is": "what was saved is not prepared yet: ask again soon",
    "; index() embeds what there is": "; ask again soon",
}


def for_agents(message: str) -> str:
    """The message, in the words of the tools."""
    for saying, other in _SAYINGS.items():
        message = message.replace(saying, other)
    return _WORD.sub(lambda found: _WORDS[found[1]], message)
