"""Every error this package raises on purpose, in one tree.

    SubstrateError                  code, retryable, a message that says what to do next
    ├── InputError                  the caller's argument is at fault; nothing was written
    │   ├── NameInvalid             not a name of the grammar in names.py
    │   ├── TooLarge                over a limit of limits.py; names the field, the size and the limit
    │   ├── SchemaInvalid           wrong type or shape
    │   ├── PathEscape              a path that leaves the folder it must stay in
    │   ├── SecretFound             it looks like a credential; says which kind and where, never the value
    │   └── ItemsRefused            items of a batch are at fault; `refused` names each, with its reason
    ├── NotFound                    no such atom, entry or head
    │   └── Forgotten               it was there and was erased for good; `proof` shows it
    ├── Denied                      the caller may not do this here (scope, read-only store, missing key)
    │   └── QuotaReached            the store has as many atoms as it may have
    ├── Conflict                    `expect` did not hold; nothing was written
    │   └── HeadMoved               another process appended first
    ├── Busy                        someone else holds the lock for longer than we wait; try again
    ├── Full                        no room; nothing was written, reading still works
    │   ├── MapFull                 the memory map is exhausted
    │   └── DiskFull                the file system is
    ├── ModelUnavailable            no model that turns text into vectors; search goes on by words
    ├── ProofInvalid                the verifier rejects; `reason` is a stable word, the message explains it
    └── StoreDamaged                stored bytes are not what the log says they must be
        ├── RolledBack              the store is behind, or forked from, a head it is known to have had
        ├── FormatTooNew            written by a later version of this package
        └── Unusable                this handle met an I/O error and must be reopened

A message is safe to show and to log: it never contains a body, a salt or a key.
"""

from __future__ import annotations

from typing import ClassVar

from substrate.messages import Message

__all__ = [
    "Busy",
    "Conflict",
    "Denied",
    "DiskFull",
    "Forgotten",
    "FormatTooNew",
    "Full",
    "HeadMoved",
    "InputError",
    "ItemsRefused",
    "MapFull",
    "ModelUnavailable",
    "NameInvalid",
    "NotFound",
    "PathEscape",
    "ProofInvalid",
    "QuotaReached",
    "RolledBack",
    "SchemaInvalid",
    "SecretFound",
    "StoreDamaged",
    "SubstrateError",
    "TooLarge",
    "Unusable",
]


class SubstrateError(Exception):
    """The root of the tree. `code` is stable across versions, the message is not.

    It is made of the parts of its message: texts, and what each face spells in its own words (`words.py`).
    """

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, *parts: str) -> None:
        super().__init__(parts[0] if len(parts) == 1 else Message(*parts))

    @property
    def message(self) -> str:
        """The text of `str`, as a face renders it: `render(error.message, WORDS)`."""
        return str(self) if not self.args or not isinstance(self.args[0], str) else self.args[0]


class InputError(SubstrateError):
    """An argument is at fault. Nothing was written."""

    code = "input"


class NameInvalid(InputError):
    """Not an atom name of the grammar; the message says what is allowed. `suggested` is the name to use, if any."""

    code = "name_invalid"

    def __init__(self, *parts: str, suggested: str | None = None) -> None:
        super().__init__(*parts)
        self.suggested = suggested


class TooLarge(InputError):
    """Over a limit. `field`, `size` and `limit` say which, by how much; the message ends with what to do `instead`.

    Without a `unit`, the field is itself a number, and `size` is its value.
    """

    code = "too_large"

    def __init__(self, field: str, size: int, limit: int, unit: str = "bytes", instead: str = "") -> None:
        told = f" has {size:,} {unit}; the limit is {limit:,}" if unit else f" is {size:,}; the most is {limit:,}"
        super().__init__(field, told, *((": ", instead) if instead else ()))
        self.field = field
        self.size = size
        self.limit = limit


class SchemaInvalid(InputError):
    """Wrong type or shape. The message names the field."""

    code = "schema_invalid"


class PathEscape(InputError):
    """A path that leaves the folder it must stay in."""

    code = "path_escape"


class SecretFound(InputError):
    """It looks like a credential, and an append-only log is the worst place for one. The message never holds it."""

    code = "secret"


class ItemsRefused(InputError):
    """Items of a batch are at fault, and nothing of it was written. `refused` holds each: item, code, reason, name.

    `before` says what of a longer work was written before that batch.
    """

    code = "items_refused"

    def __init__(self, message: str, refused: tuple[object, ...] = (), before: str = "") -> None:
        super().__init__(message)
        self.refused = refused
        self.before = before


class NotFound(SubstrateError):
    """No such atom, entry or head."""

    code = "not_found"


class Forgotten(NotFound):
    """It was there and was erased for good. `proof` is the bundle that shows it, where one was made."""

    code = "forgotten"

    def __init__(self, message: str, proof: object = None) -> None:
        super().__init__(message)
        self.proof = proof


class Denied(SubstrateError):
    """The caller may not do this here; the message says what would be needed."""

    code = "denied"


class QuotaReached(Denied):
    """The store has as many atoms as it may have. Nothing of this checkpoint was written.

    A longer work (an import, an ingest) saves in several checkpoints. Then the message says what was saved before, and
    `report` is the result of that part: an `Imported`, an `Ingested`.
    """

    code = "quota"

    def __init__(self, *full: str, saved: str = "nothing was saved", report: object = None) -> None:
        super().__init__(*full, f": {saved}. Ask its keeper for more, or take some out of use")
        self._full = full
        self.report = report

    def after(self, saved: str, report: object) -> QuotaReached:
        """The same, at the end of a longer work of which a part was saved."""
        return QuotaReached(*self._full, saved=saved, report=report)


class Conflict(SubstrateError):
    """`expect` did not hold. Nothing was written; read again and decide."""

    code = "conflict"
    retryable = True


class HeadMoved(Conflict):
    """The log grew past the head that the caller expected."""

    code = "head_moved"


class Busy(SubstrateError):
    """A lock was not free within the bounded wait. Nothing was written."""

    code = "busy"
    retryable = True


class Full(SubstrateError):
    """No room. Nothing was written; everything acknowledged before is intact and readable."""

    code = "full"


class MapFull(Full):
    """The memory map of the store is exhausted."""

    code = "map_full"


class DiskFull(Full):
    """The file system has no room left."""

    code = "disk_full"


class ModelUnavailable(SubstrateError):
    """There is no such model here, or it cannot be run. Everything but search by meaning works without one."""

    code = "model_unavailable"


class ProofInvalid(SubstrateError):
    """The verifier rejects. `reason` is a stable word such as `root_mismatch`."""

    code = "proof_invalid"

    def __init__(self, reason: str, *message: str) -> None:
        super().__init__(f"{reason}: ", *message)
        self.reason = reason


class StoreDamaged(SubstrateError):
    """Stored bytes are not what the log says they must be. Do not write; run fsck, restore a backup."""

    code = "store_damaged"


class RolledBack(StoreDamaged):
    """The store is behind, or forked from, a head it is known to have had."""

    code = "rolled_back"


class FormatTooNew(StoreDamaged):
    """Written by a later version; upgrade this package to read it."""

    code = "format_too_new"


class Unusable(StoreDamaged):
    """This handle met an I/O error; what the disk holds is unknown until the store is reopened."""

    code = "unusable"
