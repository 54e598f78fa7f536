"""What an agent is told about this surface: the sentences that come with the tools, and the guide to read.

Constants: nothing that is stored ever becomes a part of them.
"""

from __future__ import annotations

from typing import Final

__all__ = ["GUIDE", "INSTRUCTIONS"]

GUIDE: Final = """\
# Working with this memory

An **atom** is a named, versioned value: `v1.fact.payment_provider = Stripe`. **Edges** join atoms. Everything is kept
in a log that can prove what it holds; use teaches it what is needed after what.

## A session
1. First message: `memory_session_bootstrap(objective)`, once. Keep to the constraints and preferences it returns. If
   it returns `conflictingFacts`, ask the user which one holds.
2. While you work: `session_checkpoint` as soon as something is known, decided or done. `memory_search` before you say
   you do not know, and before you save a new key for what may be there already.
3. At the end: `session_checkpoint` with the states that changed, `tombstone` for what is over, then
   `memory_train(keys that mattered, passes: 2)`.

## Keys
`v1.<type>.<name>`, in lower_snake_case. Types: `fact`, `state`, `event`, `procedure`, `task`, `domain`, `hub`,
`goal`, `constraint`, `preference`, `decision`; any other word works too. Say the same key again to change its value:
the earlier versions stay in its history. One thing per atom.

## Edges
| type | when |
|---|---|
| `supersedes` | the new atom replaces the other one |
| `member_of` | belongs to a hub or a domain |
| `depends_on` | needs the other one to hold |
| `constrains` | limits what the other one may do |
| `references` | mentions or uses it |
| `derived_from` | was found by looking into it |
| `produced_by` | was made during a task: give `taskContext` instead |

## When the user corrects you
The most valuable thing to keep:
1. `session_checkpoint(atoms: ["v1.procedure.always_x = ..."], edges: [constrains the atom it is about, member_of
   v1.hub.corrections])`
2. `memory_train(atoms: ["v1.procedure.always_x"], passes: 3)`
3. Keep to it from now on.

## High stakes
Deployments, architecture, production: `memory_session_bootstrap(objective, highImpact: true, evidenceThreshold:
0.75)` returns only what is well supported. Check what you lean on with `memory_context` and, where it matters,
`memory_access(includeProof: true)`.

## What was
`asOf` asks what was known at a time, `validAt` what held then. A tombstone takes an atom out of use and keeps its
history.
"""

INSTRUCTIONS: Final = (
    (
        "memory_session_bootstrap",
        (
            "Memory that outlasts the conversation: at its first message call memory_session_bootstrap once, with the "
            "objective."
        ),
    ),
    ("memory_search", "Search before you say that you do not know."),
    (
        "session_checkpoint",
        (
            "Save with session_checkpoint as knowledge forms; at the end save changed states and tombstone what is "
            "over. When the user corrects you, save a procedure."
        ),
    ),
    ("memory_train", "Train a correction with 3 passes, and what mattered at the end with 2."),
)
"""Each with the tool that it is about."""
