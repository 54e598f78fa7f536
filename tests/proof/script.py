"""The standalone verifier `examples/verify_proof.py`, loaded as a module."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).parents[2] / "examples" / "verify_proof.py"


def load() -> ModuleType:
    """A fresh copy of the module, so that a test may break it without harm to the others."""
    spec = importlib.util.spec_from_file_location("verify_proof", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
