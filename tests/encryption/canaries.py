"""Words that must be in no file of an encrypted domain, and where they are said."""

from __future__ import annotations

from pathlib import Path

PASSPHRASE = "correct horse battery staple"  # noqa: S105 - of no domain but those of tests
CANARIES = {
    place: f"qx{place}canary7" for place in ("name", "value", "tag", "source", "entity", "actor", "session", "attr")
}
MEMBER = {"source": f"v1.fact.{CANARIES['name']}", "type": "member_of", "target": "v1.domain.health"}
ATOM = {
    "name": f"v1.fact.{CANARIES['name']}",
    "value": f"The doctor said {CANARIES['value']} to me",
    "tags": [CANARIES["tag"]],
    "entities": [CANARIES["entity"]],
    "source": CANARIES["source"],
    "attrs": {"note": CANARIES["attr"]},
}


def found_in(*places: Path) -> set[str]:
    """The canaries that some file holds."""
    files = [path for place in places for path in ([place] if place.is_file() else place.rglob("*"))]
    held = [path.read_bytes().lower() for path in files if path.is_file()]
    assert held
    return {word for word in CANARIES.values() if any(word.encode() in data for data in held)}
