"""What the web page may ask of a store: a search, an atom with its history, a proof. Nothing is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from substrate.errors import InputError, SubstrateError

from ..explorer.answers import BEGINNING, WHOLE, Query, detail_of, find, offer
from ..proof_viewer.answers import proof_of

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["answer", "check"]

_MOST_BUNDLE = 4_000_000
"""Characters of a bundle that go into the page, which checks it itself. A value has 1 MiB at most."""
_NUMBERS = 1 << 53
"""Up to this a page can count."""
_SURROGATES = re.compile("[\ud800-\udfff]")
_WORD = {"query", "type", "domain", "tag", "since", "until", "name", "changed"}
_NUMBER = {"as_of", "limit", "offset"}
_FIELDS: dict[str, set[str]] = {
    "find": {"query", "type", "domain", "tag", "since", "until", "as_of", "limit", "offset"},
    "offer": set(),
    "detail": {"name", "as_of", "whole"},
    "proof": {"name", "as_of", "changed"},
}


def check(asked: object) -> Mapping[str, Mapping[str, Any]]:
    """The questions, by kind, if they are such as the page asks. InputError otherwise."""
    if not isinstance(asked, dict) or not asked or not asked.keys() <= _FIELDS.keys():
        raise InputError(f"ask an object with some of {', '.join(_FIELDS)}")
    for kind, fields in asked.items():
        if not isinstance(fields, dict) or not fields.keys() <= _FIELDS[kind]:
            raise InputError(f"{kind} has no other fields than {', '.join(sorted(_FIELDS[kind])) or 'none'}")
        for field, value in fields.items():
            if not _fits(field, value):
                raise InputError(f"{kind}.{field} has a value that it cannot have")
    return asked


def _fits(field: str, value: object) -> bool:
    if field in _WORD:
        return isinstance(value, str) and not _SURROGATES.search(value)  # which no reply could repeat
    if field in _NUMBER:
        return (value is None and field == "as_of") or (type(value) is int and 0 <= value < _NUMBERS)
    return isinstance(value, bool)


def answer(memory: Memory, asked: Mapping[str, Mapping[str, Any]]) -> dict[str, object]:
    """The answer to each question. An error is told as `problem`, in the place of that answer."""
    return {kind: _answered(_ANSWERS[kind], memory, fields) for kind, fields in asked.items()}


def _answered(
    work: Callable[[Memory, Mapping[str, Any]], dict[str, object]], memory: Memory, fields: Mapping[str, Any]
) -> dict[str, object]:
    try:
        return work(memory, fields)
    except SubstrateError as error:
        return {"problem": str(error)}


def _find(memory: Memory, fields: Mapping[str, Any]) -> dict[str, object]:
    return find(memory, Query(**fields))


def _offer(memory: Memory, _: Mapping[str, Any]) -> dict[str, object]:
    return {**offer(memory), "key": str(memory.key()), "size": memory.head().head.size}


def _detail(memory: Memory, fields: Mapping[str, Any]) -> dict[str, object]:
    characters = WHOLE if fields.get("whole") else BEGINNING
    return detail_of(memory, fields.get("name", ""), fields.get("as_of"), characters, bundle=True)


def _proof(memory: Memory, fields: Mapping[str, Any]) -> dict[str, object]:
    name, changed = fields.get("name", ""), fields.get("changed", "")
    return proof_of(memory, name, fields.get("as_of"), changed, _MOST_BUNDLE)


_ANSWERS: dict[str, Callable[[Memory, Mapping[str, Any]], dict[str, object]]] = {
    "find": _find,
    "offer": _offer,
    "detail": _detail,
    "proof": _proof,
}
