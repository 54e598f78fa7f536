"""What these tools do otherwise than the original, on purpose. Theirs is its public repository, as read and run."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.cortexgraph.group_divergences import GROUP_DIVERGENCES
from substrate.surfaces.surface import Divergence

__all__ = ["DIVERGENCES"]

_DECAY: Final = "tests/fading/test_decay.py::"
_NOTES: Final = "tests/surfaces/cortexgraph/test_notes.py::"
_UPKEEP: Final = "tests/surfaces/cortexgraph/test_upkeep.py::"

_OF_NOTES: Final = (
    Divergence(
        "save_memory",
        "the same content again is a second memory",
        "it confirms the first, and returns its id",
        "a memory that is said twice is one memory",
        _NOTES + "test_the_same_content_again_keeps_its_id_and_is_no_second_memory",
    ),
    Divergence(
        "save_memory",
        "a text that looks like a credential is logged and saved",
        "it is refused, and not repeated",
        "a log that proves what it holds must not hold a password",
        _NOTES + "test_a_credential_is_refused_and_not_repeated",
    ),
    Divergence(
        "search_memory",
        "ranks only the 3 * top_k that were used last; older ones are out of reach of any query",
        "relevance finds, and decay re-ranks",
        "a memory that cannot be found is lost",
        _NOTES + "test_an_old_memory_that_matches_is_found_among_many_new_ones",
    ),
    Divergence(
        "search_memory",
        "the score of decay is multiplied in, so a faded memory comes last",
        "decay is a factor between 0.5 and 1",
        "the answer to the question comes first",
        _NOTES + "test_decay_re_ranks_by_a_factor_of_at_least_a_half",
    ),
    Divergence(
        "search_memory",
        "an unrelated query still gets top_k results",
        "memories without any relation to the query are left out",
        "an agent takes what it gets for an answer",
        _NOTES + "test_what_has_nothing_to_do_with_the_query_is_left_out",
    ),
    Divergence(
        "search_memory",
        "notes that are due for review may come twice",
        "they take at most three places in ten, from the second on, each once",
        "the best hit stays first",
        _NOTES + "test_what_is_due_takes_at_most_three_places_in_ten_from_the_second_on_and_none_twice",
    ),
    Divergence(
        "search_memory",
        "pagination is told only if page or page_size is given",
        "it is always told",
        "the document says so",
        _NOTES + "test_what_has_nothing_to_do_with_the_query_is_left_out",
    ),
    Divergence(
        "search_unified",
        "looks for the query as a substring among the 2 * limit that were used last; promoted notes are not found",
        "a real search in both memories",
        "long-term memory has to answer",
        _NOTES + "test_both_memories_are_searched_and_one_text_comes_once",
    ),
    Divergence(
        "search_memory",
        "a note that is due for review is not told from the others",
        "it has `review_candidate`: true",
        "the agent knows which one to touch",
        _NOTES + "test_what_is_due_takes_at_most_three_places_in_ten_from_the_second_on_and_none_twice",
    ),
    Divergence(
        "read_graph",
        "without a page it sends every memory",
        "without page and limit it sends 100, and `has_more` says that there are more",
        "a reply has to fit into a conversation",
        _NOTES + "test_the_graph_without_a_page_is_its_first_hundred_and_says_that_there_are_more",
    ),
    Divergence(
        "read_graph",
        "sends all relations of the store",
        "sends those of the page's memories, at most 1,000, and says if there are more",
        "a reply has to fit into a conversation",
        _NOTES + "test_the_graph_comes_page_by_page_with_the_relations_of_its_memories",
    ),
)
_OF_UPKEEP: Final = (
    Divergence(
        "touch_memory",
        "three models of decay are named, and one runs: the exponential",
        "three models run; the power law is the default",
        "a choice that changes nothing is none",
        _DECAY + "test_the_three_models_differ",
    ),
    Divergence(
        "gc",
        "deletes memories of anybody",
        "takes notes of this surface out of use; nothing is erased",
        "a sweep must not take a person's note because nobody touched it",
        _UPKEEP + "test_a_collection_is_a_dry_run_first_and_takes_only_notes_of_this_surface",
    ),
    Divergence(
        "promote_memory",
        "whatever is new scores high, and is promoted at once",
        "it also needs three uses, or an age of a day",
        "only a memory that lasted is kept for good",
        _UPKEEP + "test_what_is_merely_new_is_not_promoted_and_what_was_used_is",
    ),
    Divergence(
        "promote_memory",
        "without a vault it says success, and promotes nothing",
        "that is an error, which says how to name one",
        "success has to mean something",
        _UPKEEP + "test_without_a_vault_promotion_says_how_to_name_one",
    ),
    Divergence(
        "promote_memory",
        "acts on any memory",
        "acts on notes of this surface; others are the user's to promote",
        "maintenance touches only the notes of its own surface",
        _UPKEEP + "test_notes_of_others_are_the_users_to_promote",
    ),
)

DIVERGENCES: Final[tuple[Divergence, ...]] = (*_OF_NOTES, *GROUP_DIVERGENCES, *_OF_UPKEEP)
