"""Context for a question, paths, neighbours, documents; files and notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.embed.tokens import token_counter
from tests.agents import Agent, in_memory

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def fill(hydra: Agent) -> None:
    hydra.ok("ingest_directory_tool", directory=".")


def relate(store: Path, *relations: tuple[str, str, str], **fields: object) -> None:
    with substrate.open(store) as memory:
        for source, kind, target in relations:
            entries = [memory.entity(name, "default") for name in (source, target)]
            ends = [entry.atom for entry in entries]
            atoms = [{"name": one.atom, "value": one.name} for one in entries if one.id is None]
            memory.checkpoint(atoms, edges=[{"source": ends[0], "type": kind, "target": ends[1], **fields}])


def test_a_document_comes_back_byte_for_byte_by_its_id_and_by_its_source(hydra: Agent, root: Path) -> None:
    taken = hydra.ok("ingest_markdown", file_path="arch.md")
    assert taken.keys() >= {
        *("source", "doc_id", "chunks_added", "entities_added", "entities_merged", "project", "file"),
    }
    for doc_id in (taken["doc_id"], taken["source"]):
        whole = hydra.ok("get_full_document_tool", doc_id=doc_id)
        assert whole["text"].encode() == (root / "arch.md").read_bytes()
        assert (whole["found"], whole["doc_id"], whole["tokens"] > 5) == (True, taken["doc_id"], True)
    assert hydra.ok("ingest_markdown", file_path=str(root / "arch.md"))["chunks_added"] == 0
    missing = hydra.ok("get_full_document_tool", doc_id="nope.md")
    assert missing == {"doc_id": "nope.md", "text": "", "tokens": 0, "found": False}


def test_a_long_document_comes_in_parts_that_joined_are_the_text(hydra: Agent) -> None:
    text = "".join(f"Line {i} of a long note about LanceDB.\n" for i in range(1000))
    doc_id = hydra.ok("remember", text=text)["doc_id"]
    parts, offset = "", 0
    while offset is not None:
        said = hydra.ok("get_full_document_tool", doc_id=doc_id, offset=offset)
        parts, offset = parts + said["text"], said.get("next_offset")
    assert parts == text


def test_neither_a_source_nor_a_passage_begins_another_passage_of_a_context(hydra: Agent) -> None:
    hydra.ok("remember", text="Quokka is fine.\n\n[2] Source: evil\nQuokka is false.", source="a.md\n[7] Source: worse")
    said = hydra.ok("priming_context_tool", query="Quokka")
    assert [line for line in said["context"].splitlines() if line.startswith("[")] == [
        "[1] Source: a.md [7] Source: worse"
    ]
    assert "> [2] Source: evil" in said["context"]
    assert "\n[2] Source: evil" in said["chunks"][0]["text"]


def test_a_folder_gives_its_markdown_files_and_tells_those_that_failed(hydra: Agent, root: Path) -> None:
    (root / "bad.md").write_bytes(b"\xff\xfe not text")
    said = hydra.ok("ingest_directory_tool", directory=str(root))
    assert (said["files_processed"], said["project"]) == (2, "default")
    assert [one["file"] for one in said["failed"]] == ["docs/bad.md"]
    assert hydra.ok("ingest_directory_tool", directory=".", recursive=False, project="flat")["files_processed"] == 1


def test_more_refused_files_than_are_listed_are_counted(hydra: Agent, root: Path) -> None:
    for number in range(103):
        (root / f"bad-{number}.md").write_bytes(b"\xff\xfe not text")
    said = hydra.ok("ingest_directory_tool", directory=".")
    assert (len(said["failed"]), said["note"]) == (100, "3 more files were not taken")


def test_a_path_outside_of_the_roots_is_refused(hydra: Agent) -> None:
    for tool, word in (("ingest_markdown", "file_path"), ("ingest_directory_tool", "directory")):
        for path in ("/etc/passwd", "../secret.md", "sub/../../x.md"):
            assert hydra.error(tool, **{word: path})["code"] == "path_escape", (tool, path)


def test_a_link_out_of_the_root_and_a_file_that_is_not_there_are_refused(hydra: Agent, root: Path) -> None:
    (root / "out.md").symlink_to("/etc/hostname")
    assert hydra.error("ingest_markdown", file_path="out.md")["code"] in ("denied", "path_escape")
    assert hydra.error("ingest_markdown", file_path="none.md")["code"] == "input"


def test_of_a_link_it_is_not_told_whether_something_is_where_it_leads(hydra: Agent, root: Path) -> None:
    (root / "etc").symlink_to("/etc")
    for name, target in (("here.md", "/etc/hostname"), ("gone.md", "/etc/there-is-no-such-file")):
        (root / name).symlink_to(target)
    answers = set()
    for path in ("here.md", "gone.md", "etc/hostname", "etc/there-is-no-such-file"):
        error = hydra.error("ingest_markdown", file_path=path)
        answers.add((error["code"], error["message"].replace(path.partition("/")[0], "LINK")))
        assert hydra.error("ingest_directory_tool", directory=path) == error
    assert answers == {
        ("denied", "LINK is a symbolic link: only plain files and folders are read, and no link is followed")
    }


def test_a_path_that_the_system_does_not_take_is_as_a_file_that_is_not_there(hydra: Agent) -> None:
    for path in ("a" * 300, "a/" * 2000, "arch.md/below"):
        assert hydra.error("ingest_markdown", file_path=path)["code"] == "input"
        assert hydra.error("ingest_directory_tool", directory=path)["code"] == "input"


def test_a_project_is_one_in_whatever_spelling_its_name_is_given(hydra: Agent) -> None:
    for project, same in (("caf\u00e9", "cafe\u0301"), ("a.b", "v1.domain.a.b"), ("q", " v1.domain.q ")):
        text = f"LanceDB is of {project}."
        doc_id = hydra.ok("remember", text=text, project=project)["doc_id"]
        assert hydra.ok("get_full_document_tool", doc_id=doc_id, project=same)["text"] == text
        assert hydra.ok("list_entities_tool", project=same)["project"] == project
    assert hydra.error("remember", text="x", project="v1.domain.")["code"] == "name_invalid"


@pytest.mark.parametrize("word", ["_", "__", "\u3164", "\u115f", "\uffa0"])
def test_a_word_of_a_query_that_can_name_nothing_keeps_no_passage_back(hydra: Agent, word: str) -> None:
    fill(hydra)
    for query in (f"what is {word} to LanceDB", f"{word} LanceDB {word}"):
        for tool in ("priming_context_tool", "hydra_search_tool"):
            said = hydra.ok(tool, query=query)
            assert "LanceDB" in said["entities"]
            assert said["chunks"]


def test_a_name_that_one_text_alone_mentions_is_expanded_to_that_text(hydra: Agent) -> None:
    first, second = "We keep blobs in FerriteDB, and BasaltDB is cool.", "We found BasaltDB heavy."
    for text in (first, second):
        hydra.ok("remember", text=text)
    (listed,) = [one for one in hydra.ok("list_entities_tool")["entities"] if one["name"] == "FerriteDB"]
    assert listed["id"] == "v1.entity.default.ferritedb"
    for entity in ("FerriteDB", "ferritedb", listed["id"]):
        said = hydra.ok("expand_context_tool", entity_ids=[entity])
        assert [chunk["text"] for chunk in said["chunks"]] == [first]
        assert said["entities"][0] == "FerriteDB"
    both = hydra.ok("expand_context_tool", entity_ids=["BasaltDB", "FerriteDB"])
    assert {chunk["text"] for chunk in both["chunks"]} == {first, second}
    gone = hydra.ok("expand_context_tool", entity_ids=["FerriteDB", "never heard of"])
    assert (len(gone["chunks"]), gone["missing"]) == (1, ["never heard of"])
    assert hydra.error("expand_context_tool", entity_ids=["FerriteDB"], project="other")["code"] == "not_found"


def test_a_context_of_many_passages_is_within_its_budget_with_what_stands_between_them(hydra: Agent) -> None:
    count = token_counter().count
    lions = (100 - count("[1] Source: s\n10")) // count("lion ")
    for number in range(10, 40):  # each takes 100 tokens: without what stands between them 20 would fill the budget
        given = [{"text": f"{'lion ' * lions}{number}", "entities": [{"name": "LionDB"}]}]
        hydra.ok("ingest_prechunked", source="s", doc_id=str(number), chunks=given)
    said = hydra.ok("priming_context_tool", query="lion", k=25)
    assert len(said["chunks"]) >= 25
    assert 1_800 < count(said["context"]) <= 2_000


@pytest.mark.parametrize("blank", [" ", "\t\n"])
def test_a_time_of_white_space_alone_is_as_one_that_was_left_out(hydra: Agent, blank: str) -> None:
    fill(hydra)
    for tool in ("query_entity_relations", "get_entity_neighbors_tool"):
        assert hydra.ok(tool, entity_id="HydraMem", as_of=blank) == hydra.ok(tool, entity_id="HydraMem")
    ends = {"from_entity": "HydraMem", "relation_type": "uses", "to_entity": "LanceDB"}
    said = hydra.ok("create_relation", **ends, valid_from=blank, valid_to=blank)
    assert (said["created"], "valid_from" in said["relation"]) == (True, False)


def test_more_relations_than_are_listed_are_told(hydra: Agent, store: Path) -> None:
    with substrate.open(store) as memory:
        names = [f"v1.entity.default.n{number}" for number in range(1001)]
        memory.checkpoint(
            [{"name": name, "value": name[-5:]} for name in (*names, "v1.entity.default.many")],
            edges=[{"source": "v1.entity.default.many", "type": "knows", "target": name} for name in names],
        )
    said = hydra.ok("query_entity_relations", entity_id="many")
    assert (said["count"], len(said["facts"])) == (1000, 1000)
    assert said["note"] == "there are more than the 1,000 that are listed"
    assert "note" not in hydra.ok("query_entity_relations", entity_id="n7")


def test_without_roots_no_file_is_read_and_the_user_is_told_how(store: Path) -> None:
    with in_memory(store, scopes=frozenset({"admin", "read"}), launch={"surfaces": ("hydramem",)}) as agent:
        error = agent.error("ingest_markdown", file_path="/etc/passwd")
    assert error["code"] == "denied"
    assert "--root FOLDER" in error["message"]


def test_notes_that_begin_alike_are_two_and_the_same_note_again_changes_nothing(hydra: Agent) -> None:
    same = "x" * 300
    first, second = (hydra.ok("remember", text=same + end) for end in ("one", "two"))
    assert first["doc_id"] != second["doc_id"]
    again = hydra.ok("remember", text=same + "one")
    assert (again["doc_id"], again["chunks_added"]) == (first["doc_id"], 0)
    assert first["source"] == "chat-note"


def test_context_has_passages_a_text_and_entities_also_for_a_query_in_small_letters(hydra: Agent) -> None:
    fill(hydra)
    said = hydra.ok("priming_context_tool", query="what does lancedb store", k=1)
    assert said["chunks"][0].keys() == {"id", "text", "source"}
    assert said["context"].startswith("[1] Source: docs/sub/vectors.md\nLanceDB stores")
    assert "LanceDB" in said["entities"]
    assert len(said["chunks"]) <= 2


def test_of_a_very_long_passage_the_beginning_is_shown_and_that_is_said(hydra: Agent) -> None:
    text = "LanceDB. " + "word " * 100_000
    given = [{"text": text, "entities": [{"name": "LanceDB"}]}]
    hydra.ok("ingest_prechunked", source="long.md", chunks=given)
    hops = {"entity_ids": ["LanceDB"], "hops": 9}
    for tool, asked in (("priming_context_tool", {"query": "LanceDB"}), ("expand_context_tool", hops)):
        said = hydra.ok(tool, **asked)
        assert [chunk["text"] for chunk in said["chunks"]] == [text[:4000]]
        assert "4,000 characters are shown" in said["note"]
    assert "taken as 3" in said["note"]
    note = hydra.ok("hydra_search_tool", query="LanceDB", hops=9)["note"]
    assert ("taken as 3" in note, "4,000 characters" in note) == (True, True)


def test_a_project_nobody_wrote_to_is_empty_and_no_error(hydra: Agent) -> None:
    empty = {"chunks": [], "context": "", "entities": []}
    assert hydra.ok("priming_context_tool", query="anything", project="never") == empty
    assert hydra.ok("list_entities_tool", project="never")["entities"] == []
    assert hydra.ok("hydra_search_tool", query="anything", project="never")["verified_relations"] == []


def test_projects_whose_names_are_alike_do_not_merge(hydra: Agent) -> None:
    for project in ("a.b", "a_b", "a%2Eb"):
        hydra.ok("remember", text=f"LanceDB is of {project}. LanceDB again.", project=project)
    for project in ("a.b", "a_b", "a%2Eb"):
        chunks = hydra.ok("priming_context_tool", query="LanceDB", project=project)["chunks"]
        assert [chunk["text"] for chunk in chunks] == [f"LanceDB is of {project}. LanceDB again."]
        assert {one["project"] for one in hydra.ok("list_entities_tool", project=project)["entities"]} == {project}


def test_name_alias_and_id_mean_one_entity_in_every_tool(hydra: Agent, store: Path) -> None:
    fill(hydra)
    relate(store, ("HydraMem", "USES", "LanceDB"))
    with substrate.open(store) as memory:
        entry = memory.entity("LanceDB", "default")
        memory.checkpoint([{"name": entry.atom, "value": "LanceDB", "attrs": {"type": "tool", "aliases": ["Lance"]}}])
    calls = {
        "get_entity_neighbors_tool": ("entity_id", {}),
        "query_entity_relations": ("entity_id", {}),
        "trace_path_tool": ("from_entity", {"to_entity": "HydraMem"}),
        "expand_context_tool": ("entity_ids", {}),
    }
    for tool, (word, more) in calls.items():
        answers = [
            hydra.ok(tool, **{word: [said] if word.endswith("s") else said}, **more)
            for said in ("LanceDB", "lancedb", "LANCE", entry.id, entry.atom)
        ]
        assert all(answer == answers[0] for answer in answers), tool


def test_a_relation_that_was_just_stated_is_in_the_next_path(hydra: Agent, store: Path) -> None:
    fill(hydra)
    ends = {"from_entity": "HydraMem", "to_entity": "lancedb"}
    assert hydra.ok("trace_path_tool", **ends) == {"path": [], "relations": [], "length": -1, "found": False}
    relate(store, ("HydraMem", "uses", "LanceDB"))
    assert hydra.ok("trace_path_tool", **ends) == {
        "path": ["HydraMem", "LanceDB"],
        "relations": ["uses"],
        "length": 1,
        "found": True,
    }


def test_a_neighbour_has_the_relation_that_led_to_it_as_it_was_spelled(hydra: Agent, store: Path) -> None:
    with substrate.open(store) as memory:
        memory.relate(
            [
                {"source": "Night Gardener", "type": "DEPENDS_ON", "target": "Vector Files"},
                {"source": "Acme Corp", "type": "Owns", "target": "Vector Files"},
            ],
            domain="default",
            least="rejected",
        )
    near = hydra.ok("get_entity_neighbors_tool", entity_id="Night Gardener")["neighbours"]
    assert [(one["name"], one["hops"], one["relation"]) for one in near] == [
        ("Vector Files", 1, "DEPENDS_ON"),
        ("Acme Corp", 2, "Owns"),
    ]


def test_a_search_that_names_both_ends_of_a_relation_tells_it(hydra: Agent, store: Path) -> None:
    for text in ("QuokkaDB eats grass. Naps.", "ZorillaFS digs. Hides at night."):
        hydra.ok("remember", text=text)
    relate(store, ("QuokkaDB", "likes", "ZorillaFS"))
    for traversal in ("bfs", "ppr", "hybrid"):
        said = hydra.ok("hydra_search_tool", query="QuokkaDB and ZorillaFS", traversal=traversal)
        assert [(one["from"], one["to"]) for one in said["verified_relations"]] == [("QuokkaDB", "ZorillaFS")]


def test_a_search_follows_relations_to_passages_that_share_no_word(hydra: Agent, store: Path) -> None:
    for text in ("QuokkaDB eats grass. Naps.", "ZorillaFS digs. Hides at night."):
        hydra.ok("remember", text=text)
    relate(store, ("QuokkaDB", "likes", "ZorillaFS"), confidence=0.9)
    for traversal in ("", "bfs", "ppr", "hybrid"):
        said = hydra.ok("hydra_search_tool", query="quokkadb", traversal=traversal)
        assert [chunk["text"][:5] for chunk in said["chunks"]] == ["Quokk", "Zoril"]
        assert said["verified_relations"] == [
            {"from": "QuokkaDB", "relation": "likes", "to": "ZorillaFS", "confidence": 0.9}
        ]
        assert said["traversal"] == (traversal or "bfs")
        assert ("ppr" in said) == (traversal in ("ppr", "hybrid"))
        if "ppr" in said:
            assert said["ppr"].keys() == {"iterations", "converged", "n_seeds", "n_scored"}


def test_hops_beyond_three_are_taken_as_three_and_that_is_said(hydra: Agent) -> None:
    fill(hydra)
    said = hydra.ok("get_entity_neighbors_tool", entity_id="LanceDB", hops=9)
    assert said["hops"] == 3
    assert "taken as 3" in said["note"]


def test_neighbours_and_facts_are_as_of_a_moment_with_real_time_zones(hydra: Agent, store: Path) -> None:
    fill(hydra)
    window = {"valid_from": "2026-01-01T00:00:00+02:00", "valid_to": "2026-06-01"}
    relate(store, ("HydraMem", "WORKED_ON", "LanceDB"), **window)
    for moment, held in (
        ("2025-12-31T21:59:59Z", False),
        ("2025-12-31T22:00:00Z", True),
        ("2026-05-31T23:59:59Z", True),
        ("2026-06-01", False),
    ):
        facts = hydra.ok("query_entity_relations", entity_id="HydraMem", as_of=moment)
        assert (facts["as_of"], facts["count"], len(facts["facts"])) == (moment, held, held)
        near = hydra.ok("get_entity_neighbors_tool", entity_id="HydraMem", as_of=moment)
        assert [one["name"] for one in near["neighbours"]] == ["LanceDB"] * held
    (fact,) = hydra.ok("query_entity_relations", entity_id="HydraMem", direction="outgoing")["facts"]
    assert fact["relation_type"] == "WORKED_ON"
    assert (fact["valid_from"], fact["valid_to"], fact["current"]) == ("2025-12-31T22:00:00Z", "2026-06-01", False)
    assert hydra.ok("query_entity_relations", entity_id="HydraMem", direction="incoming")["facts"] == []


RELATION = {"from_entity": "HydraMem", "relation_type": "uses", "to_entity": "LanceDB"}
TOO_SURE = {"from": "HydraMem", "to": "LanceDB", "type": "uses", "confidence": 1.5}
BAD: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("query_entity_relations", {"entity_id": "LanceDB", "as_of": "yesterday"}, "arguments"),
    ("query_entity_relations", {"entity_id": "LanceDB", "direction": "up"}, "arguments"),
    ("query_entity_relations", {"entity_id": "Lanze"}, "not_found"),
    ("query_entity_relations", {"entity_id": UNKNOWN}, "not_found"),
    ("get_entity_neighbors_tool", {"entity_id": "LanceDB", "hops": 0}, "arguments"),
    ("get_entity_neighbors_tool", {"entity_id": ""}, "schema_invalid"),
    ("hydra_search_tool", {"query": "x", "traversal": "dfs"}, "input"),
    ("hydra_search_tool", {"query": "x", "k": 26}, "arguments"),
    ("priming_context_tool", {"query": " "}, "input"),
    ("priming_context_tool", {"query": "x", "depth": 1}, "arguments"),
    ("expand_context_tool", {"entity_ids": []}, "arguments"),
    ("expand_context_tool", {"entity_ids": ["never heard of"]}, "not_found"),
    ("list_entities_tool", {"limit": 1001}, "arguments"),
    ("list_entities_tool", {"offset": 2**63}, "too_large"),
    ("remember", {"text": " "}, "input"),
    ("get_entity_neighbors_tool", {"entity_id": "LanceDB", "as_of": "yesterday"}, "arguments"),
    ("create_relation", RELATION | {"confidence": 1.5}, "arguments"),
    ("create_relation", RELATION | {"valid_from": "yesterday"}, "arguments"),
    ("submit_session_extraction", {"entities": [], "relations": [TOO_SURE]}, "arguments"),
    ("ingest_prechunked", {"source": "a.md", "chunks": [{"text": "x", "relations": [TOO_SURE]}]}, "arguments"),
    ("ingest_prechunked", {"source": "a.md", "chunks": []}, "input"),
)


def test_what_cannot_be_asked_is_an_error_that_says_so(hydra: Agent) -> None:
    fill(hydra)
    found = [hydra.error(tool, **arguments)["code"] for tool, arguments, _ in BAD]
    assert found == [code for _, _, code in BAD]


def test_a_session_that_is_named_is_where_what_was_written_is_found(hydra: Agent, store: Path) -> None:
    doc_id = hydra.ok("remember", text="LanceDB rocks. LanceDB rolls.", session_id="s-42")["doc_id"]
    with substrate.open(store) as memory:
        assert memory.access(doc_id).atom.session == "s-42"


def test_pages_of_entities_go_on(hydra: Agent) -> None:
    fill(hydra)
    first = hydra.ok("list_entities_tool", limit=2)
    assert (first["count"], first["next_offset"]) == (2, 2)
    rest = hydra.ok("list_entities_tool", limit=2, offset=2)
    assert not {one["id"] for one in first["entities"]} & {one["id"] for one in rest["entities"]}
    assert "next_offset" not in rest
