"""Compare-and-set: what a writer expects to be so still when its append happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from substrate.errors import Conflict, SchemaInvalid

__all__ = ["Expect", "version_conflict"]


@dataclass(frozen=True, slots=True)
class Expect:
    """What must still hold for an append to happen: the log's size and root, the version (seq) of each name.

    A version of None: the name is absent.
    """

    size: int | None = None
    root: bytes | None = None
    versions: Mapping[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """SchemaInvalid if size or a version is no whole number."""
        for number in (self.size, *self.versions.values()):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
                raise SchemaInvalid("expect: size and versions are whole numbers, or None for absent")


def version_conflict(name: str, version: int | None, wanted: int | None) -> Conflict:
    """The error for a name that is not at the version that was expected of it."""
    said = ["absent" if v is None else f"at version {v}" for v in (version, wanted)]
    return Conflict(f"{name} is {said[0]}, not {said[1]}: read again, then repeat")
