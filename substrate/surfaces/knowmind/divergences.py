"""What these tools do otherwise than the document says, on purpose. The original is closed: theirs is its document."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.surface import Divergence

__all__ = ["DIVERGENCES"]

_TESTS: Final = "tests/surfaces/knowmind/test_tools.py::"

DIVERGENCES: Final = (
    Divergence(
        "knowmind.recall",
        "German analyser, multilingual-e5-large, a cross-encoder",
        "one lexical index for all languages, MiniLM, no re-ranking model",
        "it runs on a laptop without a network",
        _TESTS + "test_the_documents_ten_requests_get_the_documents_replies",
    ),
    Divergence(
        "knowmind.recall",
        "an outdated statement looks like any other",
        "a hit names a newer memory that says otherwise, as `newer`",
        "an agent should not repeat what no longer holds",
        _TESTS + "test_a_hit_names_a_newer_memory_that_says_otherwise",
    ),
    Divergence(
        "knowmind.recall_at_time",
        "one time, as_of, for what held and for what was known",
        "as_of is what held; the extra argument known_at is what the store knew",
        "these are two questions: a backdated entry answers them differently",
        _TESTS + "test_what_held_and_what_was_known_are_two_questions",
    ),
    Divergence(
        "knowmind.list_relations",
        "its text promises the creation time, its reply has none",
        "each relation has created_at",
        "a promised field is there",
        _TESTS + "test_the_documents_ten_requests_get_the_documents_replies",
    ),
    Divergence(
        "knowmind.store_memory",
        "ids end with the month; the same text again is another memory",
        "ids come from the title; the same text again is the same memory",
        "a retry after a lost reply must not double a memory",
        _TESTS + "test_the_same_memory_stored_again_is_the_same",
    ),
    Divergence(
        "knowmind.store_memory",
        "credentials are stored",
        "a text that looks like a credential is refused, and not repeated",
        "a log that proves what it holds must not hold a password",
        _TESTS + "test_a_credential_is_refused_and_not_repeated",
    ),
    Divergence(
        "knowmind.update_fact",
        "nothing said of two updates of one memory",
        "the second is a conflict that names the memory to update",
        "two successors of one fact contradict each other",
        _TESTS + "test_a_memory_that_was_replaced_cannot_be_replaced_again",
    ),
    Divergence(
        "knowmind.update_fact",
        "a token that writes replaces anything",
        "not a constraint, domain, goal, preference or schema; nor by a link SUPERSEDES",
        "an agent that adds notes must not take the store's rules out of use",
        _TESTS + "test_a_rule_of_the_store_is_replaced_by_no_token",
    ),
    Divergence(
        "knowmind.link",
        "two edges, each with its own id",
        "one edge with two names; inverse_edge_id is the same id",
        "two rows that must agree can drift apart",
        _TESTS + "test_a_relation_is_one_edge_with_two_names",
    ),
)
