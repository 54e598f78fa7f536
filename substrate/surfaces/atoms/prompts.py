"""Prompts: ways of working that a person picks from a menu. Constant texts; what is filled in is quoted."""

from __future__ import annotations

import json
from typing import Annotated

from mcp.server.mcpserver.prompts import Prompt
from pydantic import Field

from substrate.surfaces.shape import shown

__all__ = ["PROMPTS"]

_Objective = Annotated[str, Field(description="the purpose of the session, in a sentence")]
_Domain = Annotated[str, Field(description="the domain at work, such as v1.domain.shop; may be left empty")]


def _quoted(text: str) -> str:
    return shown(json.dumps(text, ensure_ascii=False))


def _with_domain(domain: str) -> str:
    return f" and domain {_quoted(domain)}" if domain.strip() else ""


def start_session(objective: _Objective, domain: _Domain = "") -> str:
    """Begin with what memory knows about the objective."""
    return (
        f"Call memory_session_bootstrap once, with objective {_quoted(objective)}{_with_domain(domain)}. Tell me in a "
        "few lines what you already know that matters here, which constraints and preferences hold, and what "
        "contradicts each other. Then let us begin. Save with session_checkpoint as knowledge forms."
    )


def record_correction(
    correction: Annotated[str, Field(description="the rule: something to do always or never")],
    about: Annotated[str, Field(description="key of the atom that it is about; may be left empty")] = "",
) -> str:
    """Keep a correction, so that it holds in every session to come."""
    constrains = f"an edge constrains to {_quoted(about)} and " if about.strip() else ""
    return (
        f"I correct you: {_quoted(correction)}. Search memory for a procedure that says the same or the contrary. "
        f"Save it with session_checkpoint as a v1.procedure.* atom, with {constrains}an edge member_of to "
        "v1.hub.corrections; let it supersede what it replaces. Then call memory_train on it with 3 passes, and keep "
        "to it from now on."
    )


def close_session(summary: Annotated[str, Field(description="the achievement; may be left empty")] = "") -> str:
    """End a session: save what changed, take out what is over, reinforce what mattered."""
    said = f"  Achieved: {_quoted(summary)}." if summary.strip() else ""
    return (
        f"We are done.{said} With session_checkpoint save the states that changed, decisions and open tasks, and "
        "tombstone what is over. Then call memory_train with 2 passes on the keys that mattered, in the order in "
        "which they were needed. Tell me in a few lines what you saved."
    )


def high_stakes_session(objective: _Objective, domain: _Domain = "") -> str:
    """Begin a deployment, an architecture decision or a change in production: only what is well supported counts."""
    return (
        "This is high stakes. Call memory_session_bootstrap with objective "
        f"{_quoted(objective)}{_with_domain(domain)}, highImpact true and evidenceThreshold 0.75. Name each fact "
        "that you rely on, with its key and evidence. Look at its dependents with memory_context. Tell me "
        "plainly about gaps and contradictions, and ask me before you assume anything."
    )


PROMPTS = (
    ("memory_session_bootstrap", Prompt.from_function(start_session, title="Start a session")),
    ("session_checkpoint", Prompt.from_function(record_correction, title="Record a correction")),
    ("session_checkpoint", Prompt.from_function(close_session, title="Close the session")),
    ("memory_session_bootstrap", Prompt.from_function(high_stakes_session, title="Start a high-stakes session")),
)
"""Each with the tool that it needs."""
