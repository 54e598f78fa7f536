"""What these tools do otherwise than the original, on purpose. Theirs is its public repository, as read and run."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.surface import Divergence

__all__ = ["DIVERGENCES"]

DIVERGENCES: Final = (
    Divergence(
        "session_checkpoint",
        "adds, tombstones, commits and trains by five calls; a failure in between leaves a part",
        "all or nothing, under one signed head",
        "half a checkpoint is a state that nobody meant",
        "tests/surfaces/test_saving.py::"
        "test_of_items_that_are_refused_each_is_named_with_its_reason_and_nothing_is_saved",
    ),
    Divergence(
        "session_checkpoint",
        "a key has no versions: what changes is added as another text, beside the first",
        "a known key gets its next version; the same value again confirms it",
        "earlier versions can be read and proven",
        "tests/surfaces/test_saving.py::test_the_same_value_again_confirms_and_another_one_is_the_next_version",
    ),
    Divergence(
        "session_checkpoint",
        "a tombstoned atom that is saved again is accepted, and stays dead",
        "it is in use again, under the same id",
        "an accepted change takes effect",
        "tests/save/test_checkpoint.py::test_a_tombstoned_atom_is_revived_by_the_same_value_under_the_same_id",
    ),
    Divergence(
        "session_checkpoint",
        "credentials are found by keywords, and only if that is switched on",
        "credentials are found by their form, always refused, and not repeated",
        "a log that proves what it holds must not hold a password",
        "tests/surfaces/test_saving.py::test_a_secret_is_refused_and_not_repeated",
    ),
    Divergence(
        "memory_session_bootstrap",
        "maxTokens limits one text; atoms and proofs come on top of it",
        "maxTokens limits the whole reply",
        "a budget that is not kept is none",
        "tests/surfaces/test_opening.py::test_the_whole_reply_keeps_to_its_budget",
    ),
    Divergence(
        "memory_search",
        "each hit counts as an access, and moves what is predicted",
        "a hit does not count as an access; a read by key does",
        "an atom that was shown was not necessarily needed",
        "tests/server/test_sessions.py::test_searches_lists_and_the_past_are_not_learnt_from",
    ),
    Divergence(
        "memory_access",
        "`verified: true` is a constant, and a proof fits any root",
        "a proof is a file that a script without this package checks",
        "a proof that cannot fail proves nothing",
        "tests/surfaces/test_verifying.py::test_a_proof_is_what_the_auditors_script_accepts",
    ),
    Divergence(
        "memory_access",
        "reading teaches nothing: only memory_train changes weights",
        "the store learns from the atoms read in one session",
        "use shows what is needed together",
        "tests/server/test_sessions.py::test_what_was_read_is_learnt_when_the_server_ends",
    ),
    Divergence(
        "memory_train",
        "an unknown key is skipped silently, and its neighbours are joined",
        "skipped keys are named, with the reason",
        "an agent that trains too early has to know",
        "tests/surfaces/test_finding.py::test_a_training_skips_what_is_not_stored_and_says_so",
    ),
)
