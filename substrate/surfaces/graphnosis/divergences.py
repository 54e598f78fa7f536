"""What these tools do otherwise than the original, on purpose. Theirs is its document, and its code as it was read."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.surface import Divergence

__all__ = ["DIVERGENCES"]

_TESTS: Final = "tests/surfaces/graphnosis"

DIVERGENCES: Final = (
    Divergence(
        "recall",
        "a graph name that is not exact is read as the first one like it, silently",
        "an error that names the close engrams, with reasons",
        "an answer from the wrong engram looks like a right one",
        f"{_TESTS}/test_recall.py::test_a_graph_that_is_not_exact_is_an_error_with_the_close_ones",
    ),
    Divergence(
        "recall",
        "minScore is compared with the cosine alone",
        "a hit stays if its cosine or its fused score reaches minScore; score is the greater",
        "an exact word with a low cosine is still the answer",
        f"{_TESTS}/test_recall.py::test_a_hit_by_words_alone_reaches_the_least_score",
    ),
    Divergence(
        "recall",
        "every chunk is of a source, in a graph",
        "facts of other tools are chunks too; one without a domain has the graph null, and stats counts it nowhere",
        "an agent finds facts, and no engram is said to have them",
        f"{_TESTS}/test_recall.py::test_what_is_in_no_engram_is_found_where_all_are_searched",
    ),
    Divergence(
        "recall",
        "each graph has its cap",
        "a chunk that is in several engrams keeps within the cap of each",
        "the strictest tier counts",
        f"{_TESTS}/test_recall.py::test_the_strictest_engram_of_a_chunk_caps_it_whichever_is_asked_for",
    ),
    Divergence(
        "recall",
        "a sensitive graph is rejected",
        "it is not_found, as one that is not there",
        "an agent must not learn of it",
        f"{_TESTS}/test_tiers.py::test_a_sensitive_engram_is_not_there_for_any_tool",
    ),
    Divergence(
        "recall",
        "a cap may leave nothing",
        "the first hit always comes, cut if it must",
        "an empty reply reads as not known",
        f"{_TESTS}/test_recall.py::test_a_cap_drops_lower_hits_and_cuts_the_first",
    ),
    Divergence(
        "remember",
        "a name without Latin letters has an empty key, and is written into another such engram",
        "letters of all scripts count; a name without letters or digits is refused",
        "a note must not land in another's engram",
        f"{_TESTS}/test_engrams.py::test_no_two_scripts_meet",
    ),
    Divergence(
        "remember",
        "an engram called ai is close to trainings",
        "a short name is contained in whole words only",
        "a name that only shares letters is not close",
        f"{_TESTS}/test_engrams.py::test_a_short_name_is_close_only_as_a_word",
    ),
    Divergence(
        "remember",
        "a close name has one of three reasons",
        "a fourth is told too: your text contains it",
        "it says which of the two names is the longer",
        f"{_TESTS}/test_engrams.py::test_a_short_name_is_close_only_as_a_word",
    ),
    Divergence(
        "remember",
        "the question is a banner in the app",
        "the user is asked by elicitation; else the text waits a day, in `substrate pending` and the notebook",
        "a question that nobody sees is lost",
        f"{_TESTS}/test_remember.py::test_a_client_that_cannot_ask_gets_the_candidates_and_the_text_waits",
    ),
    Divergence(
        "remember",
        "each turn of a conversation is a source of its own",
        "turns of one session are parts of one source, in order; equal ones are all kept",
        "a conversation is read as one",
        f"{_TESTS}/test_remember.py::test_turns_of_a_conversation_are_parts_of_one_source_in_order",
    ),
    Divergence(
        "remember",
        "credentials are stored",
        "a text that looks like a credential is refused, and not repeated",
        "a log that proves what it holds must not hold a password",
        f"{_TESTS}/test_remember.py::test_a_credential_is_refused_and_not_repeated",
    ),
    Divergence(
        "correct",
        "needs a local model",
        "words that name the change, a quoted text or a contradiction are enough; else the client's own model",
        "it works without a model, and `mode` says which way it went",
        f"{_TESTS}/test_corrections.py::test_the_documents_correction_comes_out_to_the_letter",
    ),
    Divergence(
        "correct",
        "pending corrections are in memory, their ids come from the clock, nothing expires",
        "they are in the store, with random ids, bound to the version seen, for ten minutes",
        "a restart must not lose them, and nobody may guess one",
        f"{_TESTS}/test_corrections.py::test_a_correction_expires_and_is_applied_once",
    ),
    Divergence(
        "correct",
        "needs only to write",
        "needs the scopes write and read, as apply does",
        "it shows the chunk's text, and a conflict of apply does",
        f"{_TESTS}/test_corrections.py::test_it_needs_to_read_as_well",
    ),
    Divergence(
        "apply",
        "overwrites the chunk, whatever became of it since",
        "a new version; if the chunk changed since, a conflict with its text of now",
        "a correction of one text must not land on another",
        f"{_TESTS}/test_corrections.py::test_a_chunk_that_changed_since_is_a_conflict",
    ),
    Divergence(
        "forget",
        "a chunk is removed alone",
        "the only chunk of a source takes the source along",
        "its text can be saved again",
        f"{_TESTS}/test_forget.py::test_the_only_chunk_takes_its_source_along_and_the_text_can_be_saved_again",
    ),
    Divergence(
        "forget",
        "the op-log keeps the text for ever",
        "every version, trace and proposal is erased, after the user's yes",
        "forgotten is forgotten",
        f"{_TESTS}/test_forget.py::test_a_source_goes_with_its_chunks_and_leaves_no_byte",
    ),
    Divergence(
        "stats",
        "sensitive graphs are listed",
        "they are neither listed nor counted",
        "an agent must not learn of them",
        f"{_TESTS}/test_tiers.py::test_a_sensitive_engram_is_not_there_for_any_tool",
    ),
)
