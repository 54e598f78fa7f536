"""The log of a server: standard error, never more of it than someone can read, and nothing of what is stored.

1. Whatever a client does, and however often, one place in the code says so ten times a minute at most. The tenth says
   that no more follow; the first after that minute says how many were left out.
2. Of an error that nobody foresaw it is logged where it came up, and not what it says, which may be what is stored.
3. As lines for people it has warnings and worse. As JSON, one object a line, it has a line for each call too: tool,
   tenant, the id of the token, how long it took and what came of it; no content, and no token.
"""

from __future__ import annotations

import json
import logging
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

__all__ = ["LOG_FORMATS", "JsonLines", "Sparing", "log_call", "log_event", "log_fault", "log_sparingly"]

LOG_FORMATS: Final = ("text", "json")
_log = logging.getLogger(__name__)
_events = logging.getLogger(f"{__name__}.events")
"""What goes on, as it should: nobody reads it line by line, so it is told as JSON alone."""
_NS_PER_MS: Final = 1e6
_TOKEN_ID: Final = 12
"""As much of a token's digest as `substrate token list` shows."""
_FRAMES: Final = 6
_MOST: Final = 10
_WITHIN_S: Final = 60.0
_CHARACTERS: Final = 1000
"""Of a message: it may quote what a client has sent."""


def log_sparingly(form: str, *, as_json: bool = False) -> None:
    """Warnings and worse go to standard error, in this form; unless this process has a log of its own already.

    With `as_json` one object a line goes there, and calls and other events too.
    """
    handler = logging.StreamHandler()
    handler.addFilter(Sparing())
    if as_json:
        handler.setFormatter(JsonLines())
        _events.setLevel(logging.INFO)
    logging.basicConfig(level=logging.WARNING, format=form, handlers=[handler])


def log_event(event: str, *, spare: bool = True, **fields: object) -> None:
    """Something went as it should: `event` and `fields` are told, in a log that is JSON. Unless `spare`, every time."""
    _events.info(event, extra={"fields": {"event": event, **fields}, "spare": spare}, stacklevel=2)


def log_call(tool: str, nanoseconds: int, code: str, caller: AccessToken | None) -> None:
    """A call of this tool has ended, with this code of an error; empty: well."""
    if _events.isEnabledFor(logging.INFO):
        who = {} if caller is None else {"tenant": caller.subject, "token": caller.client_id[:_TOKEN_ID]}
        took = round(nanoseconds / _NS_PER_MS, 3)
        log_event("call", spare=False, tool=tool, **who, ok=not code, **({"code": code} if code else {}), ms=took)


def log_fault(what: str, error: BaseException) -> None:
    """Say in the log that `what` failed, by which kind of error, and at which lines."""
    _log.error("%s failed: %s at %s", what, type(error).__name__, _place(error))


def _place(error: BaseException) -> str:
    frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    return " > ".join(frames[-_FRAMES:]) or "an unknown place"


class JsonLines(logging.Formatter):
    """A record as one object on one line. Of an exception it has the kind and the place, not what it says."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        said: dict[str, object] = {"time": when, "level": record.levelname.lower()}
        fields = getattr(record, "fields", None)
        said |= fields if fields is not None else {"logger": record.name, "message": record.getMessage().strip()}
        if record.exc_info and record.exc_info[1] is not None:
            said |= {"error": type(record.exc_info[1]).__name__, "at": _place(record.exc_info[1])}
        return json.dumps(said)


class Sparing(logging.Filter):
    """Lets ten lines a minute through from each place in the code, whatever they say. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._guard = threading.Lock()
        self._seen: dict[tuple[str, int], tuple[float, int]] = {}
        """By place: since when, and how many since then."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; if some are left out, it says so."""
        if not getattr(record, "spare", True):
            return True
        place, now = (record.pathname, record.lineno), self._clock()
        with self._guard:
            since, count = self._seen.get(place, (now, 0))
            left_out = 0
            if now - since >= _WITHIN_S:
                since, count, left_out = now, 0, max(0, count - _MOST)
            count += 1
            self._seen[place] = since, count
        if count > _MOST:
            return False
        said = record.getMessage()
        if len(said) > _CHARACTERS:
            said = f"{said[:_CHARACTERS]} ... ({len(said):,} characters)"
        if left_out:
            said += f" ({left_out:,} more lines like this one were left out)"
        if count == _MOST:
            said += " (no more lines like this one within this minute)"
        record.msg, record.args = said, None
        if left_out and (fields := getattr(record, "fields", None)) is not None:
            fields["left_out"] = left_out
        return True
