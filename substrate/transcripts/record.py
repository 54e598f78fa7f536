"""The verb transcript: what a person stated in a session becomes atoms, tagged `proposed`, in the person's own words.

1. Rules decide (`cues/decisions.py`); nothing else than the sentence is recorded, with where it stands as its source.
2. A sentence that is known is left alone, whatever became of it: a transcript is read again after each compaction, and
   neither confirms nor revives anything.
3. What looks like a credential is left out, and not repeated in the answer.
4. What the next turn takes back (`scratch that`) is not recorded. If it was already, and still waits, it is declined.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from hashlib import sha256
from typing import Final

from substrate.cues.decisions import Decision, decisions
from substrate.cues.kinds import KINDS
from substrate.cues.speakers import takes_last_turn_back
from substrate.errors import InputError, ItemsRefused, NotFound
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.save.proposed import confirm
from substrate.save.remember import is_known, read_statement, remember
from substrate.text.secrets import find_secrets
from substrate.transcripts.claude_code import Turn
from substrate.values.opening import PROPOSED
from substrate.values.saved import StatedDecision, TranscriptRead

__all__ = ["preview", "read_kinds", "record_decisions"]

_MOST: Final = 500
"""Statements of one transcript: the last so many."""
_CONFIDENCE: Final = 0.4
"""Until someone confirms it, it is not taken where a mistake is dear (`high_impact`)."""
_ACTOR: Final = "transcript"
_SESSION: Final = re.compile(r"[A-Za-z0-9_.:-]{1,100}")


def read_kinds(given: Iterable[str] | None) -> tuple[str, ...]:
    """Which kinds to record. InputError if one is unknown."""
    kinds = tuple(KINDS) if given is None else tuple(dict.fromkeys(given))
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise InputError(Arg("kinds"), f" are some of {', '.join(KINDS)}; {unknown[0]!r} is none of them")
    return kinds


def record_decisions(
    log: Log, turns: Iterable[Turn], *, session: str | None, kinds: Collection[str], dry_run: bool
) -> TranscriptRead:
    """See `Memory.transcript`."""
    session = _session(session)
    stated, withdrawn, count = _stated(turns, kinds)
    items = [] if dry_run else [item for one in withdrawn if (item := _withdrawn(log, *one)) is not None]
    for decision, line in stated:
        item = _as_new(decision, line)
        items.append(item if item.state == "refused" else _recorded(log, decision, item, session, dry_run=dry_run))
    return TranscriptRead(tuple(items), count)


def preview(turns: Iterable[Turn], kinds: Iterable[str] | None = None) -> TranscriptRead:
    """What turns state, where there is no store yet."""
    stated, _, count = _stated(turns, read_kinds(kinds))
    return TranscriptRead(tuple(_as_new(decision, line) for decision, line in stated), count)


_Stated = list[tuple[Decision, int]]


def _stated(turns: Iterable[Turn], kinds: Collection[str]) -> tuple[_Stated, _Stated, int]:
    """What the turns state, each once, with its line; what they take back; and how many turns there are."""
    stated: dict[str, tuple[Decision, int]] = {}
    withdrawn: dict[str, tuple[Decision, int]] = {}
    count = 0
    last: str | None = None
    for turn in turns:
        count += 1
        if last is not None and takes_last_turn_back(turn.text):
            withdrawn[last] = stated.pop(last)
        last = None
        for decision in decisions(turn.text, kinds):
            said = " ".join(decision.text.casefold().split())
            withdrawn.pop(said, None)
            if said not in stated:
                stated[said] = decision, turn.line
                last = said
    return list(stated.values())[-_MOST:], list(withdrawn.values())[-_MOST:], count


def _withdrawn(log: Log, decision: Decision, line: int) -> StatedDecision | None:
    """Take out of use what an earlier reading recorded; None if nothing waits under this text."""
    with log.snapshot() as transaction:
        name = is_known(transaction, read_statement(decision.text, decision.type))
    if name is None:
        return None
    try:
        confirm(log, (), (name,), said={"actor": _ACTOR, "origin": "user"})
    except (InputError, NotFound):  # a person decided on it, or it was taken back before
        return None
    return StatedDecision(decision.text, decision.kind, line, "withdrawn", name, decision.rules)


def _as_new(decision: Decision, line: int) -> StatedDecision:
    if find_secrets(decision.text):
        return StatedDecision("", decision.kind, line, "refused", reason="it looks like a credential")
    return StatedDecision(decision.text, decision.kind, line, "new", rules=decision.rules)


def _recorded(
    log: Log, decision: Decision, item: StatedDecision, session: str | None, *, dry_run: bool
) -> StatedDecision:
    statement = read_statement(decision.text, decision.type)
    with log.snapshot() as transaction:
        name = is_known(transaction, statement)
    if name is not None:
        return replace(item, state="known", name=name)
    if dry_run:
        return item
    where = " ".join(filter(None, ("transcript", session))) + f", line {item.line}"
    more = {"tags": [PROPOSED], "confidence": _CONFIDENCE, "attrs": {"rules": list(decision.rules)}}
    said = {"actor": _ACTOR, "origin": "user", "session": session, "source": where}
    try:
        saved = remember(log, statement, more, said=said)
    except ItemsRefused as error:
        reason = str(getattr(error.refused[0], "reason", "")) if error.refused else str(error)
        return replace(item, text="", state="refused", rules=(), reason=reason)
    return replace(item, state="recorded", name=saved.name)


def _session(given: str | None) -> str | None:
    """The session's name; of one with odd characters a digest."""
    if not given or _SESSION.fullmatch(given):
        return given or None
    return sha256(given.encode(errors="replace")).hexdigest()[:32]
