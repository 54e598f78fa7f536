"""Arguments that nobody should send: made from a tool's published schema, and out of valid calls by changing them.

Some of what a maker makes is valid, so that the tools are really entered; the rest is at a limit, over it, of another
type, missing, unknown, or text that has broken programs before.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["CANARY", "RECORDED", "SEED_CALL", "Maker"]

CANARY = "canary-7f3a"
"""In every value that is stored before the fuzzing starts, and in no call: no error may quote it."""

Json = Any
Schema = Mapping[str, Any]

KEYS = (
    "v1.fact.payment_provider", "v1.state.current_sprint", "v1.procedure.always_review", "v1.task.billing",
    "v1.domain.shop", "v1.hub.corrections", "v1.goal.launch", "v1.constraint.no_friday", "v1.preference.short",
    "v1.fact.retired", "v1.fact.never_there", "v1.fact.naïve", "v1.fact.日本",
)  # fmt: skip
SEED_CALL: dict[str, Any] = {
    "atoms": [f"{key} = {CANARY} {number} in March, Stripe" for number, key in enumerate(KEYS[:10])],
    "edges": [
        {"source": KEYS[0], "target": KEYS[4], "type": "member_of"},
        {"source": KEYS[1], "target": KEYS[0], "type": "depends_on", "confidence": 0.5},
        {"source": KEYS[2], "target": KEYS[5], "type": "member_of"},
    ],
}
RECORDED: dict[str, list[dict[str, Any]]] = {
    "memory_session_bootstrap": [
        {"objective": "bill the customers of the shop", "maxTokens": 800, "domain": KEYS[4]},
        {"objective": "deploy", "highImpact": True, "evidenceThreshold": 0.75},
        {"maxTokens": 50},
    ],
    "session_checkpoint": [
        {"atoms": [f"{key} = in March" for key in KEYS[:3]], "edges": SEED_CALL["edges"]},
        {"atoms": ["v1.fact.retired = again"], "tombstone": ["v1.fact.payment_provider"], "taskContext": KEYS[3]},
        {"atoms": ["v1.fact.new = x"], "expect": {"v1.fact.new": None, KEYS[0]: 1}},
        {"atoms": ["v1.fact.new = y"], "source": "a page", "confidence": 0.9, "unedge": SEED_CALL["edges"][:1]},
    ],
    "memory_search": [
        {"query": "which provider was it before May?", "limit": 3},
        {"query": "sprint", "domain": KEYS[4], "asOf": 4, "validAt": "2026-01-01"},
        {"query": "stripe", "asOf": "2030-01-01T00:00:00Z", "hops": 2},
    ],
    "memory_access": [
        {"key": KEYS[0], "includeProof": True, "predictions": 5},
        {"key": KEYS[1], "asOf": 5, "offset": 2, "maxChars": 3},
        {"key": KEYS[10], "includeProof": True},
    ],
    "memory_train": [{"atoms": list(KEYS[:3]), "passes": 3}, {"atoms": [KEYS[0], KEYS[10]]}],
    "memory_context": [{"keys": list(KEYS[:3]), "depth": 3}, {"keys": [KEYS[10]], "asOf": 3}],
    "memory_associate": [{"atoms": list(KEYS[:3]), "domain": KEYS[4], "allDomains": [KEYS[4]]}],
    "memory_list_atoms": [{"prefix": "v1.fact.", "limit": 2, "offset": 1}, {}],
    "memory_verify": [{"bundle": "{}"}, {"pin": "substrate pin"}],
    "memory_history": [{"key": KEYS[0], "limit": 5, "asOf": 9}, {"key": KEYS[9], "validAt": "2026-01-01"}],
    "memory_forget": [{"keys": [KEYS[0]]}, {"keys": [KEYS[1], KEYS[2]]}, {"keys": [KEYS[10]]}],
    "memory_status": [{}],
}

MONSTERS = (
    "", " ", "\x00", "v1.fact.\x00", "\ud800", "v1.fact.a\udfff = b", "\u202ev1.fact.a", "\u200b" * 50, "\ufeff",
    "\uffff", "a\u0301" * 200, "Z\u0351\u036b\u0343\u036a\u0302\u034f\u0334" * 9, "\U0001f3f3\ufe0f\u200d" * 30,
    "\u0130\u0131\u017f\u212a", "\U0010ffff", "\u2028\u2029\x85", "\x1b[2J\x1b]0;x\x07", "\r\n\r\n", "' OR 1=1 --",
    "${jndi:ldap://x}", "{{7*7}}", "%s%n%x", "../../../../etc/passwd", "file:///etc/passwd", "<script>x</script>",
    "v1.", "v1..", "v1.fact", "v1.fact. = x", " = ", "=", "v1.fact.a=b", "v1.fact.a = ", "V1.Fact.A = b",
    "v99999999999999999999.fact.a = b", "9" * 400, "-0", "1e309", "NaN", "null", "true", "[]", "{}", "2026-02-30",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-01-01T00:00:00+99:99", "now", "__proto__", "self",
    "00000000-0000-0000-0000-000000000000", "memory://atom/v1.fact.a", "ctx",
)  # fmt: skip
NUMBERS = (0, -1, 1, 2**31, -(2**63), 2**63, 2**64, 10**30, 10**400, 0.5, -0.0, 1e308, 5e-324)
MOST_CHARACTERS = 1 << 20
MOST_ITEMS = 5_000


def nested(rng: random.Random) -> Json:
    """Lists and objects in each other, some as deep as the SDK's client can still send."""
    inner: Json = rng.choice(KEYS)
    for _ in range(rng.choice((3, 20, 200))):
        inner = [inner] if rng.random() < 0.5 else {rng.choice(("a", "bundle", "\x00")): inner}
    return inner


def odd(rng: random.Random) -> Json:
    """Anything that JSON can say."""
    made: tuple[Callable[[], Json], ...] = (
        lambda: rng.choice(MONSTERS),
        lambda: rng.choice(NUMBERS),
        lambda: rng.choice((None, True, False)),
        lambda: nested(rng),
        lambda: [rng.choice(MONSTERS) for _ in range(rng.randrange(4))],
        lambda: {rng.choice(MONSTERS): rng.choice(NUMBERS) for _ in range(rng.randrange(4))},
        lambda: "".join(chr(rng.randrange(1, 0xD800)) for _ in range(rng.randrange(30))),
    )
    return rng.choice(made)()


class Maker:
    """Makes arguments for one tool, the same for the same seed."""

    def __init__(self, schema: Schema, recorded: Sequence[Mapping[str, Json]], rng: random.Random) -> None:
        self._schema = schema
        self._recorded = recorded
        self._rng = rng

    def arguments(self) -> dict[str, Json]:
        """The next call's arguments."""
        match self._rng.randrange(10):
            case 0:
                return dict(self._rng.choice(self._recorded))
            case 1 | 2 | 3:
                return self._mutated(self._rng.choice(self._recorded))
            case 4 | 5:
                return self._valid_object(self._schema)
            case _:
                return self._disturbed()

    # -- out of the schema ---------------------------------------------------------------------------------------------

    def _disturbed(self) -> dict[str, Json]:
        """Valid but for one or two arguments."""
        rng = self._rng
        made = self._valid_object(self._schema)
        known: Mapping[str, Schema] = self._schema["properties"]
        for _ in range(rng.choice((1, 1, 2))):
            if not known or rng.random() < 0.1:
                made[rng.choice((*MONSTERS, "scopes", "admin", "session", "origin", "answer"))] = odd(rng)
                continue
            name = rng.choice(sorted(known))
            match rng.randrange(4):
                case 0:
                    made.pop(name, None)
                case 1:
                    made[name] = odd(rng)
                case _:
                    made[name] = self._at_a_limit(known[name])
        return made

    def _valid_object(self, schema: Schema) -> dict[str, Json]:
        required = schema.get("required", ())
        return {
            name: self._valid(part, name)
            for name, part in schema.get("properties", {}).items()
            if name in required or self._rng.random() < 0.4
        }

    def _valid(self, schema: Schema, name: str) -> Json:  # noqa: PLR0911 - one for each type
        rng = self._rng
        schema = self._resolved(schema)
        match schema.get("type"):
            case "string" if name == "atoms" and "maxLength" not in schema:
                return f"{rng.choice(KEYS)} = {rng.choice(MONSTERS)}x"
            case "string" if name in {"type", "query", "objective"}:
                return rng.choice(("depends_on", "supersedes", "Who pays?", "x" * 99))
            case "string" if name in {"asOf", "validAt"}:
                return rng.choice(("2026-01-01", "2031-05-05T12:00:00+02:00"))
            case "string":
                return rng.choice(KEYS)
            case "integer":
                return rng.randint(schema.get("minimum", 0), min(schema.get("maximum", 20), 60))
            case "number":
                return rng.random()
            case "boolean":
                return rng.random() < 0.5
            case "array":
                least = schema.get("minItems", 0)
                return [self._valid(schema["items"], name) for _ in range(rng.randint(least, least + 3))]
            case "object" if "properties" in schema:
                return self._valid_object(schema)
            case "object":
                return {rng.choice(KEYS): rng.randrange(9) for _ in range(rng.randrange(3))}
            case _:
                return None

    def _at_a_limit(self, schema: Schema) -> Json:
        rng = self._rng
        schema = self._resolved(schema)
        match schema.get("type"):
            case "string":
                limit = min(schema.get("maxLength", MOST_CHARACTERS), MOST_CHARACTERS)
                length = rng.choice((0, 1, limit - 1, limit, limit + 1))
                return (rng.choice(("v1.fact.", "v1.fact.a = ", "", "é")) + rng.choice("xé🏳 \x00") * length)[:length]
            case "integer" | "number":
                least, most = schema.get("minimum", 0), schema.get("maximum", 2**53)
                return rng.choice((least, least - 1, most, most + 1, *NUMBERS))
            case "array":
                limit = min(schema.get("maxItems", MOST_ITEMS), MOST_ITEMS)
                item = self._valid(schema["items"], "atoms")
                return [item] * rng.choice((0, 1, limit, limit + 1, MOST_ITEMS))
            case "object" if "properties" in schema:
                return {name: self._at_a_limit(part) for name, part in schema["properties"].items()}
            case "object":
                return {f"{rng.choice(KEYS)}{number}": number for number in range(rng.choice((0, 1000, 1001)))}
            case _:
                return odd(rng)

    def _resolved(self, schema: Schema) -> Schema:
        """One of what it may be, without references."""
        if "anyOf" in schema:
            schema = self._rng.choice(schema["anyOf"])
        if isinstance(schema.get("type"), list):
            schema = {**schema, "type": self._rng.choice(schema["type"])}
        if "$ref" in schema:
            resolved: Schema = self._schema["$defs"][schema["$ref"].rpartition("/")[2]]
            return resolved
        return schema

    # -- out of valid calls --------------------------------------------------------------------------------------------

    def _mutated(self, call: Mapping[str, Json]) -> dict[str, Json]:
        """A valid call with some characters changed, if it is an object after that; else with one value swapped."""
        rng = self._rng
        text = list(json.dumps(call))
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text))
            text[at : at + rng.randrange(3)] = rng.choice((*string.printable, '"', "\\ud800", "\\u0000", "é", ""))
        try:
            changed = json.loads("".join(text))
        except ValueError:
            changed = None
        if isinstance(changed, dict):
            return changed
        return self._swapped(dict(call)) if call else {rng.choice(MONSTERS): 1}

    def _swapped(self, value: Json) -> Json:
        rng = self._rng
        if isinstance(value, dict) and value:
            name = rng.choice(sorted(value))
            return value | {name: self._swapped(value[name])}
        if isinstance(value, list) and value and rng.random() < 0.8:
            at = rng.randrange(len(value))
            return [*value[:at], self._swapped(value[at]), *value[at + 1 :]]
        return odd(rng)
