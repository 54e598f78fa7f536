"""Hooks in a client's settings: what is added, and taken out again, while all else stays as it is. Pure.

Claude Code runs commands when a session starts, before it is compacted, and when it ends. Ours are known by their
words, `... substrate hook session-start ...`, so that they are found again whatever else the settings hold.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from substrate.errors import InputError

__all__ = ["EVENTS", "HOOK_CLIENTS", "SETTINGS", "hook_settings", "read_client_settings", "with_hooks", "without_hooks"]

HOOK_CLIENTS: Final = ("claude-code",)
SETTINGS: Final = ".claude/settings.local.json"
"""The project's settings that are one person's own: the command has paths of this machine."""
EVENTS: Final = {"SessionStart": "session-start", "PreCompact": "session-end", "SessionEnd": "session-end"}
"""The client's events, and which of our hooks each of them starts. What a compaction drops is recorded before it."""
_TIMEOUTS_S: Final = {"SessionStart": 15, "PreCompact": 15, "SessionEnd": 60}
"""What the client is told, in seconds; the hook itself gives up sooner. Without it, Claude Code stops a hook of
`SessionEnd` after 1.5 s. More than 60 s it grants to none."""
_MORE: Final = {"PreCompact": ("--timeout", "10")}
"""A person waits for a compaction. What it had no time for is recorded when the session ends."""


def read_client_settings(text: str) -> dict[str, object]:
    """The settings in a client's file. InputError if they are not plain JSON: then nothing may be written over them."""
    try:
        settings = json.loads(text or "{}")
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, dict) or not isinstance(settings.get("hooks", {}), dict):
        raise InputError("these settings are not plain JSON as the client writes it. Add by hand what --print shows")
    return settings


def hook_settings(commands: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """What is added: for each event the command of its hook, `session-start` or `session-end`."""
    return {"hooks": {event: [_group(event, commands)] for event in EVENTS}}


def with_hooks(settings: Mapping[str, object], commands: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """The settings with our hooks: once, as they are now, behind those of others."""
    bare = without_hooks(settings)
    known = bare.get("hooks")
    hooks: dict[str, object] = dict(known) if isinstance(known, dict) else {}
    for event in EVENTS:
        before = hooks.get(event, [])
        if not isinstance(before, list):
            raise InputError(f"the hooks of {event} in these settings are not a list. Add by hand what --print shows")
        hooks[event] = [*before, _group(event, commands)]
    return {**bare, "hooks": hooks}


def without_hooks(settings: Mapping[str, object]) -> dict[str, object]:
    """The settings without our hooks. What was there for others stays, in its order."""
    known = settings.get("hooks")
    if not isinstance(known, dict):
        return dict(settings)
    hooks = {}
    for event, groups in known.items():
        left = (
            [left for group in groups if (left := _without(group)) is not None] if isinstance(groups, list) else groups
        )
        if left or not groups:
            hooks[event] = left
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return {key: hooks if key == "hooks" else value for key, value in settings.items()} if hooks else rest


def _group(event: str, commands: Mapping[str, Sequence[str]]) -> dict[str, object]:
    command = shlex.join([*commands[EVENTS[event]], *_MORE.get(event, ())])
    return {"hooks": [{"type": "command", "command": command, "timeout": _TIMEOUTS_S[event]}]}


def _without(group: object) -> object | None:
    """A group of hooks without ours; None if none is left."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    others = [hook for hook in group["hooks"] if not _is_ours(hook)]
    if len(others) == len(group["hooks"]):
        return group
    return {**group, "hooks": others} if others else None


def _is_ours(hook: object) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    pairs = pairwise(words)
    return any((before.rsplit("/", 1)[-1], word) == ("substrate", "hook") for before, word in pairs)
