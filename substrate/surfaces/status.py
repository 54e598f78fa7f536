"""The status of HTTP and the code of JSON-RPC that go with each error, as knowmind's document lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["INVALID_PARAMS", "SERVER_ERROR", "error_fields"]

INVALID_PARAMS: Final = -32602
SERVER_ERROR: Final = -32000
_STATUS: Final = {
    "arguments": INVALID_PARAMS,
    "input": INVALID_PARAMS,
    "name_invalid": INVALID_PARAMS,
    "schema_invalid": INVALID_PARAMS,
    "items_refused": INVALID_PARAMS,
    "secret": INVALID_PARAMS,
    "path_escape": INVALID_PARAMS,
    "quota": 402,
    "denied": 403,
    "not_found": 404,
    "forgotten": 404,
    "conflict": 409,
    "head_moved": 409,
    "too_large": 413,
    "busy": 503,
    "full": 503,
    "map_full": 503,
    "disk_full": 503,
    "store_damaged": 503,
    "rolled_back": 503,
    "format_too_new": 503,
    "unusable": 503,
}


def error_fields(code: str) -> Mapping[str, object]:
    """What `_meta.error` has beside our own: the `status` that the document has for this error."""
    return {"status": _STATUS.get(code, SERVER_ERROR)}
