"""What callers say of sessions: objectives and labels, checked."""

from __future__ import annotations

from substrate.errors import SchemaInvalid
from substrate.limits import check_size
from substrate.messages import Arg
from substrate.text.refuse_secrets import refuse_secrets

__all__ = ["read_label", "read_objective"]


def read_objective(objective: object) -> str:
    """An objective as it is kept. SchemaInvalid, TooLarge, SecretFound."""
    if objective is None:
        return ""
    if not isinstance(objective, str):
        raise SchemaInvalid(Arg("objective"), f" must be a text, not {type(objective).__name__}")
    check_size(Arg("objective"), len(objective), "objective_characters", "characters")
    try:
        objective.encode()
    except UnicodeEncodeError:
        raise SchemaInvalid(Arg("objective"), " contains a lone surrogate, which has no UTF-8") from None
    refuse_secrets(None, "", {"objective": objective}, for_good=True)
    return objective.strip()


def read_label(text: object, field: str) -> str | None:
    """The name of a session, or who acts: a text of one line's length, or None. SchemaInvalid, TooLarge."""
    if text is None:
        return None
    if not isinstance(text, str) or not text.strip():
        raise SchemaInvalid(field, " must be a text that is not empty")
    check_size(field, len(text), "text_characters", "characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SchemaInvalid(field, " contains a lone surrogate, which has no UTF-8") from None
    refuse_secrets(None, "", {field: text}, for_good=True)
    return text.strip()
