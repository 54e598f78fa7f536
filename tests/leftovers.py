"""Whether a text is left anywhere in a folder, in the ways in which it could be written down."""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Iterable
from pathlib import Path

__all__ = ["spellings", "traces_of"]


def spellings(text: str) -> dict[str, bytes]:
    """The bytes to look for. In base64 a text looks different at each of three offsets; its inner part is enough."""
    data = text.encode()
    found = {
        "utf-8": data,
        "utf-16-le": text.encode("utf-16-le"),
        "utf-16-be": text.encode("utf-16-be"),
        "utf-8, NFD": unicodedata.normalize("NFD", text).encode(),
        "hex": data.hex().encode(),
        "HEX": data.hex().upper().encode(),
        "json": json.dumps(text).strip('"').encode(),
        "reversed": data[::-1],
    }
    for offset in range(3):
        whole = base64.b64encode(bytes(offset) + data)
        found[f"base64 at {offset}"] = whole[(0, 2, 3)[offset] : -4]
    return {how: spelled for how, spelled in found.items() if len(spelled) > 3}


def traces_of(text: str | Iterable[str], folder: Path) -> list[str]:
    """`file: spelling` of everything in the folder that holds the text, or one of the texts."""
    texts = [text] if isinstance(text, str) else list(text)
    sought = [item for text in texts for item in spellings(text).items()]
    found = []
    for path in sorted(folder.rglob("*")):
        data = str(path).encode() + (path.read_bytes() if path.is_file() else b"")
        found += [f"{path.relative_to(folder)}: {how}" for how, spelled in sought if spelled in data]
    return found
