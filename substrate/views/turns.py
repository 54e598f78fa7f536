"""What a version is in a conversation, as it stands in its row of `documents`: some flags, and a number for who speaks.

Who speaks is what the text begins with (`user: ...`; of a part of a whole any name), else the `speaker` or `role` in
attrs, the actor, the origin.
Origin agent makes a reply of a part of a whole only: of other atoms it says who wrote them down. Where something comes
from elsewhere (origin ingested), nobody is the user.

A standing instruction stands in every opening, so it takes more than its own words to be one: a label in what an agent
wrote down (a page may begin with `user: always ...`), or against what attrs say, makes none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from zlib import crc32

from substrate.proof.encoding import Json
from substrate.text.turns import Role, guess_role, instructs, is_filler, is_question, read_label, role_of

__all__ = ["FILLER", "NO_TURN", "QUESTION", "ROLE", "STANDING", "TURN", "role_flags", "speaker_number", "turn_of"]

_SHIFT: Final = 1
"""The first bit says that a version is erased."""
ROLE: Final = 0b11 << _SHIFT
FILLER: Final = 1 << 3
STANDING: Final = 1 << 4
"""A standing instruction of the user."""
QUESTION: Final = 1 << 5
TURN: Final = ROLE | FILLER | STANDING | QUESTION
NO_TURN: Final = (0, 0)
_MOST: Final = 0xFFFF


def turn_of(members: Mapping[str, Json]) -> tuple[int, int]:
    """The flags of a version with these members, and the number of who speaks; 0: nobody."""
    value = members.get("value")
    if not isinstance(value, str):
        return NO_TURN
    speaker, text = read_label(value)
    is_part, origin = "parent" in members, members.get("origin")
    role = role_of(speaker) if speaker else Role.UNKNOWN
    if role is Role.OTHER and not is_part:  # `Note: ...` stands before many texts
        speaker, role = "", Role.UNKNOWN
    if not speaker and is_part:
        speaker, role = _said_speaker(members)
    if role in (Role.UNKNOWN, Role.OTHER) and isinstance(origin, str):
        # A name does not say who of the two has it, where origin does.
        role = Role.USER if origin == "user" else Role.ASSISTANT if origin == "agent" and is_part else role
    if origin == "ingested" and role is Role.USER:
        role = Role.OTHER
    standing = (
        origin != "ingested"
        and (len(text) == len(value) or _is_believed(members))
        and (
            instructs(text, strictly=False)
            if role is Role.USER
            else role is Role.UNKNOWN and is_part and instructs(text, strictly=True)
        )
    )
    if role is Role.UNKNOWN and is_part and origin is None:
        role = guess_role(text)
    flags = role_flags(role)
    if standing:
        flags |= STANDING
    elif is_part or role in (Role.USER, Role.ASSISTANT):
        flags |= FILLER if is_filler(text) else QUESTION if is_question(text) else 0
    return flags, speaker_number(speaker) if speaker else 0


def _is_believed(members: Mapping[str, Json]) -> bool:
    """Whether a label in the text is enough to say that the user speaks: attrs say so too, or nobody else wrote it."""
    role = _said_speaker(members)[1] if "parent" in members else Role.UNKNOWN
    origin = members.get("origin")
    if role is Role.UNKNOWN:
        return origin != "agent"
    return role is Role.USER or (role is Role.OTHER and origin == "user")


def _said_speaker(members: Mapping[str, Json]) -> tuple[str, Role]:
    """Who speaks by attrs or by the actor, who may be no more than the one who wrote it down."""
    attrs = members.get("attrs")
    for name in (attrs.get("speaker"), attrs.get("role")) if isinstance(attrs, dict) else ():
        if isinstance(name, str) and name:
            return name, role_of(name)
    actor = members.get("actor")
    if not isinstance(actor, str) or not actor:
        return "", Role.UNKNOWN
    role = role_of(actor)
    return actor, Role.UNKNOWN if role is Role.OTHER else role


def role_flags(role: Role) -> int:
    """The flags of one with this role."""
    return role << _SHIFT


def speaker_number(speaker: str) -> int:
    """From 1 on, equal for equal names whatever their case; and by a chance of one in 65,535 for others."""
    return crc32(speaker.casefold().encode()) % _MOST + 1
