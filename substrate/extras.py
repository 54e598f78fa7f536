"""What the small install leaves out: a part that needs more names the extra that brings it."""

from __future__ import annotations

from importlib.util import find_spec

from substrate.errors import InputError

__all__ = ["install", "require"]


def install(extra: str) -> str:
    """What to type to have an extra."""
    return f"pip install 'substrate-memory[{extra}]'"


def require(extra: str, what: str, *modules: str) -> None:
    """InputError if one of the modules is not installed. None of them is imported."""
    for module in modules:
        if find_spec(module) is None:
            raise InputError(f"{what} needs {module}, which is not installed. Type: {install(extra)}")
