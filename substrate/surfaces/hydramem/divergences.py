"""What these tools do otherwise than the original, on purpose. Theirs is its public repository, as read and run."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.surface import Divergence

__all__ = ["DIVERGENCES"]

_TESTS: Final = "tests/surfaces/hydramem"

DIVERGENCES: Final = (
    Divergence(
        "verify_relation_tool",
        "without an LLM no relation is accepted, and after 30 borderline ones every one is",
        "rules read the graph and the text; the verdict has a level and a reason",
        "a check that answers by a counter checks nothing",
        f"{_TESTS}/test_relations.py::test_a_check_tells_the_verdict_its_level_and_reason_and_asks_no_model",
    ),
    Divergence(
        "verify_relation_tool",
        "takes any answer of its LLM with the word GROUNDED in it, also UNGROUNDED",
        "the client's own model must answer in a form and quote the text; it changes no rejection",
        "an answer that cannot be checked decides nothing",
        f"{_TESTS}/test_judging.py::test_a_model_that_cannot_show_it_raises_nothing",
    ),
    Divergence(
        "check_conflict_tool",
        "without an LLM nothing is in conflict, not even a sentence and its denial",
        "sentences are compared by rules; `cannot tell` is said",
        "a false no misleads",
        f"{_TESTS}/test_relations.py::test_passages_conflict_agree_or_cannot_be_told",
    ),
    Divergence(
        "create_relation",
        "with `verify` on and no LLM it fails; an unknown end is skipped, and the reply says created",
        "it is stated unless stored passages deny it; with `verify`, unsupported ones are refused",
        "the user's word counts, and a skipped write is an error",
        f"{_TESTS}/test_relations.py::test_a_stated_relation_is_stated_and_verify_refuses_what_nothing_supports",
    ),
    Divergence(
        "delete_relation",
        "on one store it deletes every relation of the pair",
        "it takes back the one type, and the history stays",
        "several relations may hold between two entities",
        f"{_TESTS}/test_relations.py::test_a_stated_relation_is_stated_and_verify_refuses_what_nothing_supports",
    ),
    Divergence(
        "ingest_prechunked",
        "`idx` is a list index: gaps attach the wrong entities",
        "`idx` is the position",
        "a gap is not an error",
        f"{_TESTS}/test_relations.py::test_idx_is_the_position_whatever_gaps_it_has",
    ),
    Divergence(
        "ingest_prechunked",
        "rejected relations are counted",
        "each rejected relation is told with its reason",
        "an agent can correct itself",
        f"{_TESTS}/test_relations.py::test_a_relation_that_its_chunk_states_is_accepted_and_each_other_is_told_why",
    ),
    Divergence(
        "submit_session_extraction",
        "a name in another spelling makes a second node",
        "one resolver for name, alias and id",
        "one thing is one entity",
        f"{_TESTS}/test_relations.py::test_what_a_session_found_is_checked_against_passages_and_makes_no_second_entity",
    ),
    Divergence(
        "get_full_document_tool",
        "headings are lost and overlaps repeated",
        "the bytes that were ingested, long texts in parts",
        "a document is evidence",
        f"{_TESTS}/test_retrieval.py::test_a_document_comes_back_byte_for_byte_by_its_id_and_by_its_source",
    ),
    Divergence(
        "ingest_directory_tool",
        "failures are logged only",
        "the reply lists refused files",
        "the user has to know",
        f"{_TESTS}/test_retrieval.py::test_a_folder_gives_its_markdown_files_and_tells_those_that_failed",
    ),
    Divergence(
        "ingest_markdown",
        "any path of the machine",
        "only below the folders of --root",
        "an agent reads what the user allows",
        f"{_TESTS}/test_retrieval.py::test_a_path_outside_of_the_roots_is_refused",
    ),
    Divergence(
        "remember",
        "notes with the same first 256 characters collide",
        "the whole text decides",
        "two notes are two",
        f"{_TESTS}/test_retrieval.py::test_notes_that_begin_alike_are_two_and_the_same_note_again_changes_nothing",
    ),
    Divergence(
        "trace_path_tool",
        "takes ids only, and misses a new relation for 30 seconds",
        "takes names, and sees the relation at the next call",
        "no cache goes stale",
        f"{_TESTS}/test_retrieval.py::test_a_relation_that_was_just_stated_is_in_the_next_path",
    ),
    Divergence(
        "query_entity_relations",
        "times are compared as texts; an end date is inclusive; `current` means no end",
        "real time zones, half-open windows; `current` means that it holds now",
        "two offsets may name one moment",
        f"{_TESTS}/test_retrieval.py::test_neighbours_and_facts_are_as_of_a_moment_with_real_time_zones",
    ),
    Divergence(
        "priming_context_tool",
        "a query in small letters finds no entity; the reply has no bound; it fails offline",
        "any case; at most 2k passages, of each 4,000 characters, and a context of 2,000 tokens; it works offline",
        "context is paid for",
        f"{_TESTS}/test_retrieval.py::test_context_has_passages_a_text_and_entities_also_for_a_query_in_small_letters",
    ),
    Divergence(
        "get_entity_neighbors_tool",
        "any number of hops",
        "more than 3 hops count as 3, and the reply says so",
        "everything is near at 9 hops",
        f"{_TESTS}/test_retrieval.py::test_hops_beyond_three_are_taken_as_three_and_that_is_said",
    ),
    Divergence(
        "run_night_gardener",
        "asks a language model for edges, and cannot parse the lines that its own prompt asks for",
        "reads clauses that state a relation and pairs that two sessions accessed, and checks each; no model is asked",
        "it works offline, and what is stated cites its chunk",
        f"{_TESTS}/test_garden.py::"
        "test_a_run_states_what_texts_support_without_a_language_model_and_a_second_adds_nothing",
    ),
    Divergence(
        "run_night_gardener",
        "takes the last 20 sessions of all projects",
        "sessions of this project alone; a run is one checkpoint, and the reply has its number",
        "one project says nothing about another, and the user can undo a run",
        f"{_TESTS}/test_garden.py::test_sessions_of_this_project_alone_are_considered",
    ),
    Divergence(
        "get_garden_status_tool",
        "is_running stays true after a kill",
        "is_running is a lock that ends with its process; last_run is empty if there was no run",
        "a killed run must not stop all later ones",
        f"{_TESTS}/test_garden.py::"
        "test_the_status_of_a_project_nobody_tended_is_empty_and_a_lease_ends_with_its_holder",
    ),
    Divergence(
        "train_gnn_tool",
        "suggests every edge outside of a triangle, and prunes whatever its type is",
        "a model is judged on held-out edges (auc); at most a quarter is suggested; only own edges are taken back",
        "a sparse graph is not wrong, and what others stated is theirs",
        f"{_TESTS}/test_garden.py::test_a_sparse_graph_is_not_suggested_whole_and_what_others_stated_is_kept",
    ),
)
