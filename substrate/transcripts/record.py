"""The verb transcript: what a person stated in a session becomes atoms, tagged `proposed`, in the person's own words.

1. The wording as a whole decides (`transcripts/wording.py`), without the model's files rules do (`cues/decisions.py`).
   Nothing else than the sentence is recorded, with where it stands as its source.
2. A sentence that is known is left alone: a transcript is read again after each compaction, and neither confirms nor
   revives anything, but what these rules took out of use themselves and was stated again later. It is known if these
   rules recorded it before, whatever became of it; if a person did and it holds; or if it was erased. What an agent
   recorded in the same words makes nothing known: the agent may have heard the sentence, and can take it back.
3. What looks like a credential is left out, and not repeated in the answer.
4. What the next turn takes back (`scratch that`) is not recorded, nor is what a later one says with another amount
   (`make it max 4 hours a day`). A turn that begins with `no wait` and goes on about something else takes nothing
   back. If it was recorded already, by this session and before that turn, and still waits, it is tombstoned. What
   another session states is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final, NamedTuple

from substrate.atoms.bodies import bodies_of, body_of
from substrate.atoms.renames import same_by_rename
from substrate.atoms.supersedes import is_superseded
from substrate.atoms.validity import version_at
from substrate.cues.decisions import Decision, decisions
from substrate.cues.kinds import KINDS
from substrate.cues.speakers import topic_of, words_after_taking_back, words_of
from substrate.errors import Conflict, Denied, InputError, ItemsRefused, NotFound
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.remember import Statement, names_said, read_statement, remember
from substrate.snapshot import Snapshot
from substrate.text.secrets import find_secrets
from substrate.transcripts.claude_code import Turn
from substrate.transcripts.wording import spoken_in, wording_odds
from substrate.values.actors import TRANSCRIPT, is_person
from substrate.values.opening import PROPOSED
from substrate.values.saved import StatedDecision, TranscriptRead
from substrate.views.atoms import VersionRow, versions_of

__all__ = ["preview", "read_kinds", "record_decisions"]

_MOST: Final = 500
"""Statements of one transcript: the last so many."""
_MOST_LIKELY: Final = 1000
"""Sentences whose wording is looked at, the last so many: a model takes a few milliseconds for each."""
_EXPLICIT: Final = 4.0
"""What a rule counts whose words are explicit, as `we decided`, `never`: the wording does not outweigh it."""
_WORDING: Final = "(its wording as a whole)"
_CONFIDENCE: Final = 0.4
"""Until someone confirms it, it is not taken where a mistake is dear (`high_impact`)."""
_TAKEN_BACK: Final = "taken back later in the session"
_LINE: Final = re.compile(r", line (\d+)$")
_SESSION: Final = re.compile(r"[A-Za-z0-9_.:-]{1,100}")


def read_kinds(given: Iterable[str] | None) -> tuple[str, ...]:
    """Which kinds to record. InputError if one is unknown."""
    kinds = tuple(KINDS) if given is None else tuple(dict.fromkeys(given))
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise InputError(Arg("kinds"), f" are some of {', '.join(KINDS)}; {unknown[0]!r} is none of them")
    return kinds


def record_decisions(  # noqa: PLR0913 - what to read, and how
    log: Log, turns: Iterable[Turn], *, session: str | None, kinds: Collection[str], dry_run: bool, by_wording: bool
) -> TranscriptRead:
    """See `Memory.transcript`. `by_wording`: look at sentences with the model as well, if it is here."""
    session = _session(session)
    stated, withdrawn, count = _stated(_likely(turns, kinds, by_wording=by_wording))
    found = (_withdrawn(log, *one, session, dry_run=dry_run) for one in withdrawn)
    items = [item for item in found if item is not None]
    for decision, line in stated:
        item = _as_new(decision, line)
        items.append(item if item.state == "refused" else _recorded(log, decision, item, session, dry_run=dry_run))
    return TranscriptRead(tuple(items), count)


def preview(turns: Iterable[Turn], kinds: Iterable[str] | None = None, *, by_wording: bool) -> TranscriptRead:
    """What turns state, where there is no store yet: nothing was recorded that they could take back."""
    stated, _, count = _stated(_likely(turns, read_kinds(kinds), by_wording=by_wording))
    return TranscriptRead(tuple(_as_new(decision, line) for decision, line in stated), count)


_Stated = list[tuple[Decision, int]]
_TakenBack = list[tuple[Decision, int, int]]


class _Read(NamedTuple):
    """What one turn states, in its line; and if it begins by taking something back, the words that it goes on with."""

    line: int
    taking_back: frozenset[str] | None
    stated: list[Decision]

    def takes_back(self, earlier: Decision) -> bool:
        """Whether it takes this statement back: it says no more, is about the same, or decides otherwise."""
        if not self.taking_back:
            return self.taking_back is not None
        decides = bool(self.stated) and self.stated[0].kind == earlier.kind
        return decides or bool(self.taking_back & words_of(earlier.text))


def _likely(turns: Iterable[Turn], kinds: Collection[str], *, by_wording: bool) -> list[_Read]:
    """What each turn states: by its wording where there is the model, else by rules."""
    turns = list(turns)
    backs = [words_after_taking_back(turn.text) for turn in turns]
    judged = _by_wording(turns, kinds) if by_wording else None
    stated = [list(decisions(turn.text, kinds)) for turn in turns] if judged is None else judged
    return [_Read(turn.line, back, said) for turn, back, said in zip(turns, backs, stated, strict=True)]


def _by_wording(turns: list[Turn], kinds: Collection[str]) -> list[list[Decision]] | None:
    """What each turn states by its wording as a whole; None without the model.

    What the person asks to remember is kept. What is too far back for the model is judged by rules.
    """
    read = spoken_in(turns, kinds)
    sentences = [spoken for turn in read for _, spoken in turn if spoken is not None]
    odds = wording_odds(sentences[-_MOST_LIKELY:])
    if odds is None and sentences:
        return None
    ahead: Iterator[float | None] = iter([*[None] * (len(sentences) - len(odds or ())), *(odds or ())])
    return [
        [kept for one, spoken in turn if (kept := one if spoken is None else _kept(one, next(ahead)))] for turn in read
    ]


def _kept(decision: Decision, odds: float | None) -> Decision | None:
    """The decision, if its wording speaks for it, or explicit words of a rule do. None: rules alone judge it."""
    by_rules = decision.log_odds >= 0
    if odds is None:
        return decision if by_rules else None
    if odds < 0 and not (by_rules and decision.strongest >= _EXPLICIT):
        return None
    return decision if by_rules else decision._replace(rules=(_WORDING, *decision.rules))


def _stated(turns: Iterable[_Read]) -> tuple[_Stated, _TakenBack, int]:
    """What the turns state, each once, with its line; what they take back, and in which line; how many turns."""
    stated: dict[str, tuple[Decision, int]] = {}
    withdrawn: dict[str, tuple[Decision, int, int]] = {}
    by_topic: dict[frozenset[str], str] = {}
    count = 0
    last: str | None = None
    for turn in turns:
        count += 1
        if last is not None and last in stated and turn.takes_back(stated[last][0]):
            withdrawn[last] = *stated.pop(last), turn.line
        last = None
        for decision in turn.stated:
            said = " ".join(decision.text.casefold().split())
            withdrawn.pop(said, None)
            topic = topic_of(decision.text)
            if topic is not None:
                earlier = by_topic.get(topic)
                if earlier is not None and earlier != said and earlier in stated:
                    withdrawn[earlier] = *stated.pop(earlier), turn.line
                by_topic[topic] = said
            if said not in stated:
                stated[said] = decision, turn.line
                last = said
    return list(stated.values())[-_MOST:], list(withdrawn.values())[-_MOST:], count


def _withdrawn(  # noqa: PLR0913
    log: Log, decision: Decision, line: int, back: int, session: str | None, *, dry_run: bool
) -> StatedDecision | None:
    """Take out of use what an earlier reading of this session recorded; None if nothing of it waits."""
    found = _found(log, read_statement(decision.text, decision.type))
    waiting = (one for one in found if one.last is not None and one.last.waits_before(session, back))
    name, last = next(((one.name, one.last) for one in waiting), (None, None))
    if name is None or last is None:
        return None
    if not dry_run:
        said = {"actor": TRANSCRIPT, "origin": "user", "session": session, "source": _place(session, back)}
        batch = Batch(tombstones=({"name": name, "reason": _TAKEN_BACK},))
        try:
            checkpoint(log, batch, expect={name: last.seq}, said=said)
        except (Conflict, Denied, InputError, NotFound):  # a person was faster, or is to decide
            return None
    return StatedDecision(decision.text, decision.kind, line, "withdrawn", name, decision.rules)


class _Said(NamedTuple):
    """The last version of an atom, and what it says of itself."""

    seq: int
    kind: Kind
    members: Mapping[str, Json]

    def waits_before(self, session: str | None, line: int) -> bool:
        """Whether it waits for a person, and this session stated it not after this line."""
        tags = self.members.get("tags")
        at = self.line_in(session)
        return self.kind is Kind.PUT and isinstance(tags, list) and PROPOSED in tags and at is not None and at <= line

    def is_taken_back_before(self, session: str | None, line: int) -> bool:
        """Whether these rules took it out of use, and this line of the session states it once more."""
        said = self.members.get("actor"), self.members.get("reason")
        at = self.line_in(session)
        return self.kind is Kind.TOMBSTONE and said == (TRANSCRIPT, _TAKEN_BACK) and (at is None or at < line)

    def line_in(self, session: str | None) -> int | None:
        """At which line of this session it was said; None: elsewhere."""
        found = _LINE.search(str(self.members.get("source")))
        return int(found[1]) if found is not None and self.members.get("session") == session else None


class _Found(NamedTuple):
    """An atom that says a sentence, or said it last."""

    name: str
    last: _Said | None
    """Its last version; None if it was erased, or cannot be read."""
    stays: bool
    """Whether these rules recorded it, or a person did and it holds."""

    def is_known(self, session: str | None, line: int) -> bool:
        """Whether it says all that this line of the session states."""
        return self.last is None or (self.stays and not self.last.is_taken_back_before(session, line))


def _found(log: Log, statement: Statement) -> list[_Found]:
    now = log.clock.now()
    with log.snapshot() as transaction:
        snapshot = Snapshot(transaction, None, None, now)
        return [_look_at(snapshot, name, row) for name, row in names_said(transaction, statement)]


def _look_at(snapshot: Snapshot, name: str, row: VersionRow | None) -> _Found:
    body = None if row is None else body_of(snapshot.transaction, row.seq)
    if row is None or body is None or body.damage is not None:
        return _Found(name, None, stays=True)
    stays = _is_by_rules(snapshot.transaction, row.subject) or (is_person(body.members) and _holds(snapshot, row))
    return _Found(name, _Said(row.seq, row.kind, body.members), stays)


def _is_by_rules(transaction: ReadTransaction, subject: bytes) -> bool:
    """Whether these rules ever recorded the atom, under this name or another one."""
    rows = (row for same in same_by_rename(transaction, subject) for row in versions_of(transaction, same))
    bodies = bodies_of(transaction, [row.seq for row in rows if row.kind is Kind.PUT])
    return any(body is not None and body.members.get("actor") == TRANSCRIPT for body in bodies)


def _holds(snapshot: Snapshot, row: VersionRow) -> bool:
    """Whether an atom is in use, says it of now, and nothing stands in its place."""
    if row.kind is not Kind.PUT or is_superseded(snapshot, row.subject):
        return False
    found = version_at(replace(snapshot, valid_at=snapshot.at), row)
    return found is not None and found[0].seq == row.seq


def _place(session: str | None, line: int) -> str:
    """Where something stands, as the source of atoms says it."""
    return " ".join(filter(None, ("transcript", session))) + f", line {line}"


def _as_new(decision: Decision, line: int) -> StatedDecision:
    if find_secrets(decision.text):
        return StatedDecision("", decision.kind, line, "refused", reason="it looks like a credential")
    return StatedDecision(decision.text, decision.kind, line, "new", rules=decision.rules)


def _recorded(
    log: Log, decision: Decision, item: StatedDecision, session: str | None, *, dry_run: bool
) -> StatedDecision:
    statement = read_statement(decision.text, decision.type)
    known = next((one.name for one in _found(log, statement) if one.is_known(session, item.line)), None)
    if known is not None:
        return replace(item, state="known", name=known)
    if dry_run:
        return item
    more = {"tags": [PROPOSED], "confidence": _CONFIDENCE, "attrs": {"rules": list(decision.rules)}}
    said = {"actor": TRANSCRIPT, "origin": "user", "session": session, "source": _place(session, item.line)}
    try:
        saved = remember(log, statement, more, said=said, afresh=True)
    except ItemsRefused as error:
        reason = str(getattr(error.refused[0], "reason", "")) if error.refused else str(error)
        return replace(item, text="", state="refused", rules=(), reason=reason)
    except Conflict as error:  # other texts have all names that it could be under: the other sentences are read on
        return replace(item, state="refused", reason=str(error))
    return replace(item, state="recorded", name=saved.name)


def _session(given: str | None) -> str | None:
    """The session's name; of one with odd characters a digest."""
    if not given or _SESSION.fullmatch(given):
        return given or None
    return sha256(given.encode(errors="replace")).hexdigest()[:32]
