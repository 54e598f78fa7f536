"""Strict readers of base64 and JSON: one spelling for each value, or ProofInvalid.

A lenient reader lets two different files pass for the same proof, or one file mean two things to two readers.
"""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from math import isinf
from typing import NoReturn, TypeAlias

from substrate.errors import ProofInvalid
from substrate.proof.hashes import EMPTY, HASH_BYTES

__all__ = ["Json", "b64", "read_json", "unb64", "unb64_hashes", "unb64_root"]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
_DEEPEST = 100
"""A value lies in no more lists and objects than these. How deep a parser itself goes hangs on who called it."""


def b64(data: bytes) -> str:
    """Standard base64 with padding."""
    return b64encode(data).decode("ascii")


def unb64(text: str, what: str, length: int | None = None) -> bytes:
    """The bytes of a canonical base64 text of the given length; ProofInvalid names `what` otherwise."""
    try:
        data = binascii.a2b_base64(text)
        spelled = binascii.b2a_base64(data, newline=False).decode("ascii")
    except ValueError:
        raise ProofInvalid("base64", f"{what} is not base64") from None
    # The reader skips characters it does not know, and bits that do not count: only the one spelling we would write
    # passes.
    if spelled != text:
        raise ProofInvalid("base64", f"{what} is not in the canonical spelling of base64")
    if length is not None and len(data) != length:
        raise ProofInvalid("length", f"{what} has {len(data)} bytes, not {length}")
    return data


def unb64_root(text: str, what: str) -> bytes:
    """As `unb64`, of 32 bytes that are the root of a tree: zeros are the root of none."""
    root = unb64(text, what, HASH_BYTES)
    if root == EMPTY:
        raise ProofInvalid("base64", f"{what} is 32 zeros, which no tree has")
    return root


_HASHES = re.compile("(?:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=,)*")


def unb64_hashes(texts: Sequence[str], what: str) -> list[bytes]:
    """The 32-byte values of canonical base64 texts. One look at all of them is much faster than one at each."""
    if not _HASHES.fullmatch(",".join([*texts, ""])):
        raise ProofInvalid("base64", f"{what} holds something that is not the canonical base64 of 32 bytes")
    return [binascii.a2b_base64(text) for text in texts]


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ProofInvalid("json", "a member stands twice in one object")
    return value


def _refuse(word: str) -> NoReturn:
    raise ProofInvalid("json", f"{word} is not a finite number")


def _finite(word: str) -> float:
    value = float(word)
    if isinf(value):
        _refuse(word)
    return value


_WHOLES = (dict, list)
_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse, parse_float=_finite)


def read_json(text: str, what: str) -> Json:
    """The value of a JSON text; ProofInvalid on duplicate members, NaN, infinity, broken text or deep nesting."""
    try:
        value: Json = _DECODER.decode(text)
        if "\\u" in text:  # an escape may stand for a lone surrogate, which has no UTF-8
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ProofInvalid("json", f"{what} is not well-formed JSON") from None
    if text.count("{") + text.count("[") > _DEEPEST and _is_deep(value):
        raise ProofInvalid("json", f"{what} is nested more than {_DEEPEST} lists and objects deep")
    return value


def _is_deep(value: Json) -> bool:
    """Whether anything lies in more than `_DEEPEST` lists and objects. It looks layer by layer: no recursion."""
    layer = [value]
    for _ in range(_DEEPEST + 1):
        wholes = [whole.values() if isinstance(whole, dict) else whole for whole in layer if isinstance(whole, _WHOLES)]
        layer = [part for whole in wholes for part in whole]
    return bool(layer)
