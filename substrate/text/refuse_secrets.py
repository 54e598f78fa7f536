"""Keeping credentials out: what looks like one is refused before anything is written, by kind and place alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from substrate.errors import SecretFound
from substrate.messages import ALLOW_SECRETS
from substrate.text.secrets import Finding, find_secrets

__all__ = ["holds_secret", "refuse_secrets"]

_TELLING: Final = re.compile("pass|pw|secret|token|key|auth|cred|login", re.IGNORECASE)
"""In a name: then what the value says by itself counts too. `pw = password: x` reads as the password `password`."""
_MOST_PARTS: Final = 200
_MOST_CHARACTERS: Final = 1000


def refuse_secrets(name: str | None, value: str, members: Mapping[str, object], *, for_good: bool = False) -> None:
    """SecretFound if one of the texts looks like a credential.

    `for_good`: there is no way to have it taken all the same.

    All are looked at as one first, which is cheap; if there is something, each on its own, so that the place is right.
    """
    texts = [] if name is None else [f"{name} = {value}"]
    if name is not None and _TELLING.search(name):
        texts.append(value)
    for member, said in members.items():
        texts += [said] if isinstance(said, str) else [before + text for _, before, text in _parts(member, "", said)]
    if not find_secrets("\n".join(texts)):
        return
    parts = [] if name is None else [("", f"{name} = ", value), ("value", "", value)]
    for member, said in members.items():
        parts += _parts(member, "", said)
    for where, before, text in parts:
        for finding in find_secrets(before + text):
            told = _told(where, finding, len(before), text, named=name is not None)
            raise SecretFound(told, *(() if for_good else ("; ", ALLOW_SECRETS)))


def holds_secret(item: object) -> bool:
    """Whether a credential is in what a caller handed in, as far as a message might repeat it: then none may."""
    if isinstance(item, Mapping):
        flat = [(str(key), value if isinstance(value, str) else "") for key, value in islice(item.items(), _MOST_PARTS)]
        return any(find_secrets(f"{key} = {text}"[:_MOST_CHARACTERS]) for key, text in flat)
    return isinstance(item, str) and bool(find_secrets(item[:_MOST_CHARACTERS]))


def _parts(where: str, before: str, value: object) -> Iterator[tuple[str, str, str]]:
    """Every string in a member: where it is, what stands before it (a key tells what a value is), and itself."""
    if isinstance(value, str):
        yield where, before, value
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _parts(f"{where}[{i}]", before, item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield f"a key of {where}", "", str(key)
            yield from _parts(f"{where}.{key}", f"{key} = ", item if isinstance(item, list | Mapping) else str(item))


def _told(where: str, finding: Finding, offset: int, text: str, *, named: bool) -> str:
    start, end, line = finding.start, finding.end, ""
    if start >= offset:
        start, end, where = start - offset, end - offset, where or "value"
        line = f" (line {text.count(chr(10), 0, start) + 1})" if "\n" in text else ""
    elif where == "" and named:
        where = "name"
    else:
        where = f"a key of {where.partition('.')[0]}"
    if find_secrets(where):
        where = where.partition(".")[0]
    return (
        f"it looks like a credential ({finding.kind}) in {where}, characters {start} to {end}{line}. Keep it out of "
        "memory and name where it is kept instead"
    )
