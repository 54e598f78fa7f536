"""Names that stores took before `check_new_name` was: an import still brings them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import StringIO

from substrate.memory import Memory
from substrate.values.saved import Saved

__all__ = ["import_atoms"]


def import_atoms(memory: Memory, values: Mapping[str, str]) -> Saved:
    """Let the store hold these names with these values."""
    lines = (json.dumps({"kind": "put", "name": name, "value": value}) for name, value in values.items())
    return memory.import_lines(StringIO("\n".join(lines)), allow_secrets=True)
