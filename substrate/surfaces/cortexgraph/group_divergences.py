"""What the tools of analysis, groups and vectors do otherwise than the original, on purpose."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.surface import Divergence

__all__ = ["GROUP_DIVERGENCES"]

_ANALYSIS: Final = "tests/surfaces/cortexgraph/test_analysis.py::"
_GROUPS: Final = "tests/surfaces/cortexgraph/test_groups.py::"

GROUP_DIVERGENCES: Final = (
    Divergence(
        "analyze_message",
        "phrases match within words: `API preferences` has `I prefer`, `monkey` has `key`",
        "whole words only",
        "a question about preferences does not state one",
        _ANALYSIS + "test_a_word_within_another_is_no_cue",
    ),
    Divergence(
        "analyze_message",
        "the example of its document gets a confidence of 0.9996",
        "0.73, as the document prints it",
        "callers act on the numbers that they read",
        _ANALYSIS + "test_the_documents_example_of_analyze_message_comes_out_as_printed",
    ),
    Divergence(
        "analyze_message",
        "an empty or overlong message gets zeros",
        "it is an error",
        "a caller learns what went wrong",
        _ANALYSIS + "test_an_empty_or_overlong_message_is_an_error",
    ),
    Divergence(
        "auto_recall_process_message",
        "compares with the 30 memories that were used last; the pause of 300 s is lost at each call",
        "searches all memories; the store keeps the pause, for each client",
        "reinforcing is for what is relevant, and not for what is loud",
        _ANALYSIS + "test_what_is_spoken_of_is_reinforced_and_then_there_is_a_pause_that_the_store_keeps",
    ),
    Divergence(
        "cluster_memories",
        "a cluster has a random id in each call",
        "the id follows from the members",
        "consolidate_memories can be given an id that cluster_memories told",
        _GROUPS + "test_memories_that_say_nearly_the_same_are_a_cluster_with_a_lasting_id",
    ),
    Divergence(
        "cluster_memories",
        "an unknown strategy is ignored",
        "it is refused",
        "a caller learns that nothing else was done",
        _GROUPS + "test_what_the_document_does_not_allow_is_refused",
    ),
    Divergence(
        "consolidate_memories",
        "a merge deletes the originals, and leaves relations that lead nowhere",
        "the originals leave searches, stay readable, and the merge can be taken back",
        "a wrong merge must not lose anything",
        _GROUPS + "test_a_merge_is_previewed_and_applied_and_the_originals_stay_readable",
    ),
    Divergence(
        "consolidate_memories",
        "a cluster that changed since it was shown is merged as it is now, or not found",
        "it is a conflict, and nothing is merged",
        "a merge does what its preview shows",
        _GROUPS + "test_a_cluster_that_changed_since_it_was_shown_is_a_conflict",
    ),
    Divergence(
        "consolidate_memories",
        "a link is two relations, one in each direction",
        "it is one relation that reads the same both ways",
        "`related` has no direction",
        _GROUPS + "test_members_are_linked_once_by_a_relation_that_reads_both_ways",
    ),
    Divergence(
        "create_relation",
        "a relation that is there already is an error; one to itself is taken",
        "said again, it keeps its id; to itself it is refused",
        "saying something twice is allowed",
        _GROUPS + "test_a_relation_said_again_keeps_its_id",
    ),
    Divergence(
        "create_relation",
        "`contradicts` is a relation like others",
        "it opens a conflict, which the user settles",
        "two memories of which only one can be right must not both be used",
        _GROUPS + "test_a_contradiction_opens_a_conflict",
    ),
    Divergence(
        "get_performance_metrics",
        "counts five of its tools, without percentiles",
        "counts every tool, with p50, p95 and p99",
        "the slow call is the one that matters",
        _GROUPS + "test_times_of_calls_are_told_and_reset",
    ),
)
