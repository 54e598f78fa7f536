"""Compare-and-set: what a writer expects to be so still when its append happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from substrate.errors import SchemaInvalid

__all__ = ["Expect"]


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
