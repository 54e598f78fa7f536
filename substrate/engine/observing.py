"""Writing sessions down: traces, and the weights that moved by them. What observing and recording share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.engine.calibration import Judge, moved_weights
from substrate.engine.credentials import refuse_secrets
from substrate.engine.reading import find_subject, is_live
from substrate.errors import NotFound, SchemaInvalid, TooLarge
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.append import Decision
from substrate.log.heads import require_head
from substrate.log.log import Log
from substrate.log.tables import SESSIONS
from substrate.model import Refused
from substrate.names import check_name
from substrate.views.atoms import gap_of, versions_of
from substrate.views.sessions import HOLE, Heard, next_key, read_session, session_row
from substrate.views.traces import Trace

__all__ = ["domain_of", "find_items", "read_domain", "read_objective", "write_sessions"]

_DOMAIN: Final = "v1.domain."


def read_objective(objective: object) -> str:
    """An objective as it is kept. SchemaInvalid, TooLarge, SecretFound."""
    if objective is None:
        return ""
    if not isinstance(objective, str):
        raise SchemaInvalid(f"objective must be a text, not {type(objective).__name__}")
    if len(objective) > LIMITS["objective_characters"]:
        raise TooLarge("objective", len(objective), LIMITS["objective_characters"], "characters")
    try:
        objective.encode()
    except UnicodeEncodeError:
        raise SchemaInvalid("objective contains a lone surrogate, which has no UTF-8") from None
    refuse_secrets(None, "", {"objective": objective})
    return objective.strip()


def read_domain(domain: object) -> str | None:
    """The name of a domain, given in full or by what follows `v1.domain.`; None if none is given."""
    if domain is None:
        return None
    if not isinstance(domain, str) or not domain.strip():
        raise SchemaInvalid("domain must be the name of an atom, such as v1.domain.shop")
    return check_name(domain if domain.startswith("v1.") else _DOMAIN + domain)


def domain_of(transaction: ReadTransaction, name: str | None) -> bytes:
    """The id of a domain that is in use. NotFound if it is not."""
    if name is None:
        return HOLE
    subject = find_subject(transaction, name)
    if not is_live(transaction, subject, None):
        raise NotFound(f"there is no domain {name}: save it first, such as {name} = what it is about")
    return subject


def find_items(
    transaction: ReadTransaction, names: Sequence[str], where: str, skipped: list[Refused]
) -> tuple[bytes, ...]:
    """The ids of atoms, given by name or id; a HOLE for each that is not in use, which `skipped` then tells of."""
    known: dict[str, bytes] = {}
    for place, name in enumerate(names):
        if name in known:
            continue
        subject = find_subject(transaction, name)
        known[name] = subject if is_live(transaction, subject, None) else HOLE
        if known[name] == HOLE:
            skipped.append(Refused(f"{where}[{place}]", NotFound.code, _why_not(transaction, subject), name))
    return tuple(known[name] for name in names)


def _why_not(transaction: ReadTransaction, subject: bytes) -> str:
    if gap_of(transaction, subject) is not None:
        return "it was forgotten"
    if next(versions_of(transaction, subject), None) is not None:
        return "it was tombstoned; to have it in use again, record it"
    return "there is no such atom; record it first"


def write_sessions(log: Log, heard: Sequence[Heard], judges: Sequence[Judge] = (), *, live: bool) -> list[bytes]:
    """Write sessions down, all or none; their keys. What is out of use by now is a hole.

    `live`: they end now. Time never steps back for them, whatever the clock does.
    """
    keys: list[bytes] = []

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        size = require_head(transaction).head.size
        known: dict[bytes, bool] = {}
        stamp = max(time, _last_time(transaction)) if live else None
        rows: list[Trace] = []
        for ahead, one in enumerate(heard):
            for item in {*one.items, one.domain} - known.keys():
                known[item] = item != HOLE and is_live(transaction, item, None)
            items = tuple(item if known[item] else HOLE for item in one.items)
            domain = one.domain if known[one.domain] else HOLE
            keys.append(next_key(transaction, size, ahead))
            kept = one._replace(items=items, domain=domain, time=one.time if stamp is None else stamp)
            rows.append((SESSIONS, keys[-1], session_row(kept)))
        return Decision((), rows + moved_weights(transaction, judges))

    log.decide(plan)
    return keys


def _last_time(transaction: ReadTransaction) -> int:
    return next((read_session(row).time for _, row in transaction.scan(SESSIONS, reverse=True)), 0)
