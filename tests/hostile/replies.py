"""What may be in a reply of the server, whatever was asked: the judge of the hostile tests on tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from mcp.types import CallToolResult, TextContent

from substrate import errors

__all__ = ["CODES", "code_of", "faults", "text_of"]

ROOT = Path(__file__).parents[2]
INSIDE = ("Traceback", '.py", line', "site-packages", str(ROOT), sys.prefix, "pydantic.dev", " object at 0x")
"""What shows the inside of the program."""


def _codes(kind: type[errors.SubstrateError]) -> Iterator[str]:
    yield kind.code
    for narrower in kind.__subclasses__():
        yield from _codes(narrower)


CODES = frozenset({"arguments", "refused"}.union(*(_codes(kind) for kind in errors.SubstrateError.__subclasses__())))
"""Of the error tree, and of what is refused before our own code is reached. `bug` is none."""


def text_of(result: CallToolResult) -> str:
    """All text that a model could read of a reply."""
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    further = (result.structured_content, (result.meta or {}).get("error"))
    return "\n".join([*texts, *(json.dumps(said, ensure_ascii=False) for said in further)])


def code_of(result: CallToolResult) -> str | None:
    """The code of an error reply; None of one that is none."""
    said = (result.meta or {}).get("error", {})
    return said.get("code", "without a code") if result.is_error else None


def faults(result: CallToolResult, *, never: tuple[str, ...] = ()) -> list[str]:
    """What is wrong with a reply. `never` is what no error may quote, such as stored values.

    That a result fits the published output schema the SDK's client checks by itself.
    """
    code, text = code_of(result), text_of(result)
    found = [f"it shows {inside!r}" for inside in INSIDE if inside in text]
    if code is None:
        return found if result.structured_content is not None else [*found, "a result without structured content"]
    if code not in CODES:
        found.append(f"code {code!r}")
    found += [f"an error that quotes {secret!r}" for secret in never if secret in text]
    found += [] if len(text) < 100_000 else [f"an error of {len(text):,} characters"]
    return found
