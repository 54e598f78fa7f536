from __future__ import annotations

import json
import re
from random import Random

import pytest

from substrate.cli.exits import Exit
from tests.cli.run import Commands, Ran
from tests.credentials import BARE


def test_an_atom_is_saved_and_the_store_is_made(run: Commands) -> None:
    assert run("checkpoint", "v1.fact.x = y").rows == [["recorded", "v1.fact.x"]]
    assert run("access", "v1.fact.x").out == "y\n"
    assert (run.folder / "substrate-store").is_dir()


def test_the_same_said_again_is_confirmed(store: Commands) -> None:
    assert store("checkpoint", "v1.fact.currency = EUR").rows == [["confirmed", "v1.fact.currency"]]


def test_options_apply_to_atoms_given_as_text(run: Commands) -> None:
    words = ["--tag", "a", "--tag", "b", "--confidence", "0.5", "--source", "s", "--actor", "me", "--origin", "user"]
    times = ["--valid-from", "2026-01-01", "--valid-to", "2027-01-01", "--occurred-at", "2025-12-31T10:00:00Z"]
    run.ok("checkpoint", "v1.fact.x = a = b", *words, *times, "--session", "one")
    said = run("access", "v1.fact.x", "--json").json
    assert said["value"] == "a = b"
    assert said["tags"] == ["a", "b"]
    assert (said["confidence"], said["source"], said["actor"], said["origin"]) == (0.5, "s", "me", "user")
    assert said["valid_from"] == "2026-01-01T00:00:00Z"
    assert said["occurred_at"] == "2025-12-31T10:00:00Z"
    assert said["session"] == "one"


def test_options_do_not_change_atoms_given_as_json_but_for_who_says_it(run: Commands) -> None:
    atom = {"name": "v1.fact.x", "value": "y", "tags": ["own"]}
    run.ok("checkpoint", "-", "--tag", "other", "--source", "s", stdin=json.dumps([atom]))
    said = run("access", "v1.fact.x", "--json").json
    assert (said["tags"], said["source"]) == (["own"], "s")


def test_words_and_options_may_mix(run: Commands) -> None:
    ran = run.ok("checkpoint", "v1.fact.a = 1", "--tag", "t", "v1.fact.b = 2", "--json")
    assert ran.json["recorded"] == ["v1.fact.a", "v1.fact.b"]


def test_standard_input_is_read_as_lines_or_json(run: Commands) -> None:
    text = '\ufeff{"name": "v1.fact.a", "value": "1"}\nv1.fact.b = 2 = two\r\n'
    assert run.ok("checkpoint", "-", stdin=text).rows == [["recorded", "v1.fact.a"], ["recorded", "v1.fact.b"]]
    assert run("access", "v1.fact.b").out == "2 = two\n"


def test_a_document_holds_edges_tombstones_and_unedges(store: Commands) -> None:
    edge = {"source": "v1.goal.launch", "type": "depends_on", "target": "v1.fact.currency", "confidence": 0.9}
    document = {"edges": [edge], "tombstones": ["v1.goal.launch"]}
    said = store.ok("checkpoint", "-", "--json", stdin=json.dumps(document)).json
    assert (len(said["edges"]), said["tombstoned"]) == (1, ["v1.goal.launch"])
    document = {"unedges": ["v1.fact.provider depends_on v1.fact.currency"]}
    assert len(store.ok("checkpoint", "-", "--json", stdin=json.dumps(document)).json["unedged"]) == 1
    assert store("edges", "v1.fact.provider").out == ""


@pytest.mark.parametrize(("text", "why"), [("", "there is nothing to save"), ("[1]", "atoms[0] must be")])
def test_input_that_cannot_be_read_says_where_and_why(run: Commands, text: str, why: str) -> None:
    ran = run("checkpoint", "-", stdin=text)
    assert ran.code == 2
    assert why in ran.err


def test_input_that_is_not_utf8_is_refused(run: Commands) -> None:
    ran = run("checkpoint", "-", stdin=b"v1.fact.a = \xff")
    assert (ran.code, "not UTF-8 at byte 12" in ran.err) == (2, True)


def test_standard_input_is_read_once(run: Commands) -> None:
    assert run("checkpoint", "-", "-").code == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 2),
        (["bad name = x"], 2),
        (["v1.fact.a = x", "bad name = x"], 2),
        (["bad name = x", "--partial"], 2),
        (["--tombstone", "v1.fact.a"], 2),
        (["v1.fact.a = x", "--expect", "v1.fact.a=3"], Exit.CONFLICT),
        (["v1.fact.a = password: hunter2hunter2hunter2"], 2),
    ],
)
def test_a_first_checkpoint_that_is_refused_makes_no_store_and_no_key(
    run: Commands, words: list[str], code: int
) -> None:
    assert run("checkpoint", *words).code == code
    assert list(run.folder.iterdir()) == []
    (run.folder / "mine").mkdir()
    assert run("checkpoint", *words, "--store", "mine").code == code
    assert [path.name for path in run.folder.rglob("*")] == ["mine"], "a folder that was there stays, and is empty"


def test_a_first_checkpoint_of_which_a_part_is_saved_makes_a_store(run: Commands) -> None:
    assert run("checkpoint", "bad name = x", "v1.fact.a = x", "--partial").code == Exit.PARTIAL
    assert "v1.fact.a" in run.ok("list").out


def test_an_edge_is_taken_back_by_its_id(store: Commands) -> None:
    (edge,) = store("edges", "v1.fact.provider", "--json").json["items"]
    store.ok("checkpoint", "--unedge", edge["id"])
    assert store("edges", "v1.fact.provider", "--json").json["items"] == []


def test_names_that_edges_wait_for_are_told(run: Commands) -> None:
    ran = run.ok("checkpoint", "v1.fact.a = 1", "--edge", "v1.fact.a knows v1.fact.b")
    assert ["dangling", "v1.fact.b"] in ran.rows
    assert "not there yet" in ran.err


def test_a_task_gets_an_edge_from_each_atom(run: Commands) -> None:
    run.ok("checkpoint", "v1.task.t = do it")
    run.ok("checkpoint", "v1.fact.a = 1", "--task", "v1.task.t")
    (edge,) = run("edges", "v1.task.t", "--in", "--json").json["items"]
    assert (edge["source"], edge["type"]) == ("v1.fact.a", "produced_by")


def test_a_tombstone_takes_an_atom_out_of_use(store: Commands) -> None:
    assert store.ok("checkpoint", "--tombstone", "v1.goal.launch").rows == [["tombstoned", "v1.goal.launch"]]
    assert store("access", "v1.goal.launch").code == 4


def test_what_is_expected_must_hold(store: Commands) -> None:
    seq = store("access", "v1.fact.currency", "--json").json["seq"]
    assert store("checkpoint", "v1.fact.currency = USD", "--expect", f"v1.fact.currency={seq + 1}").code == 6
    assert store("checkpoint", "v1.fact.currency = USD", "--expect", "v1.fact.currency=absent").code == 6
    assert store("access", "v1.fact.currency").out == "EUR\n"
    store.ok("checkpoint", "v1.fact.currency = USD", "--expect", f"v1.fact.currency={seq}", "--expect", "v1.a.b=absent")


def test_a_pin_can_be_expected_to_be_the_latest_head(store: Commands) -> None:
    store.ok("pin", "-o", "me.pin")
    store.ok("checkpoint", "v1.fact.a = 1", "--expect", "@me.pin")
    ran = store("checkpoint", "v1.fact.b = 2", "--expect", "@me.pin", "--json")
    assert (ran.code, ran.error["code"], ran.error["retryable"]) == (6, "head_moved", True)


def test_one_invalid_item_keeps_all_from_being_saved(run: Commands) -> None:
    ran = run("checkpoint", "-", "v1.fact.a = 1", stdin="v1.fact.b = 2\n\nno name at all\n")
    assert ran.code == 2
    assert "nothing was saved; refused: 1" in ran.err
    assert "atoms[2], line 3:" in ran.err
    assert "no name at all" not in ran.err
    assert run("list", "--names").out == ""


def test_with_partial_the_valid_items_are_saved_and_the_exit_code_says_so(run: Commands) -> None:
    ran = run("checkpoint", "-", "--partial", "--json", stdin="v1.fact.a = 1\nnothing\n")
    assert ran.code == 12
    assert ran.json["recorded"] == ["v1.fact.a"]
    assert [item["item"] for item in ran.json["refused"]] == ["atoms[1], line 2"]
    assert run("checkpoint", "v1.fact.b = 2", "nothing", "--partial").rows[1][0] == "refused"


def test_quiet_says_nothing_and_json_says_all(run: Commands) -> None:
    assert run("checkpoint", "v1.fact.a = 1", "--edge", "v1.fact.a knows v1.b.c", "--quiet") == Ran(0, "", "")
    said = run("checkpoint", "v1.fact.b = 1", "--json").json
    assert said["recorded"] == ["v1.fact.b"]
    assert set(said["head"]) == {"size", "root"}


@pytest.mark.parametrize("words", [["--confidence", "2"], ["--origin", "nobody"], ["--expect", "x"]])
def test_a_value_that_is_none_is_wrong_usage(run: Commands, words: list[str]) -> None:
    assert run("checkpoint", "v1.fact.a = 1", *words).code == 2
    assert not (run.folder / "substrate-store").exists()


def test_replace_answers_before_and_after_its_moment(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.vat = 19 percent")
    ran = run("replace", "v1.fact.vat", "v1.fact.vat_2021", "21 percent", "--at", "2021-01-01", "--reason", "new law")
    assert [row for row in ran.rows if row[0] == "recorded"] == [
        ["recorded", "v1.fact.vat"],
        ["recorded", "v1.fact.vat_2021"],
    ]
    assert run("list", "--names", "--valid-at", "2020-12-31").out == "v1.fact.vat\n"
    assert run("list", "--names", "--valid-at", "2021-01-01").out == run("list", "--names").out == "v1.fact.vat_2021\n"
    assert run("replace", "v1.fact.vat", "v1.fact.other", "x").code == 6
    assert "--at must be later than" in run("replace", "v1.fact.vat_2021", "v1.fact.x", "x", "--at", "2020-01-01").err


def test_a_tombstone_says_its_reason_in_lists_and_history(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.old = 1")
    run.ok("checkpoint", "--tombstone", "v1.fact.old", "--reason", "moved away")
    assert run("list", "--tombstoned").rows[0][-1] == "tombstoned: moved away"
    assert run("history", "v1.fact.old").rows[-1][4] == "(moved away)"


# -- remember ----------------------------------------------------------------------------------------------------------


def test_a_sentence_is_remembered_and_shown_with_the_name_made_for_it(run: Commands) -> None:
    assert run.ok("remember", "we moved to Adyen in May").rows == [
        ["recorded", "v1.event.moved_adyen_may"],
        ["value", "we moved to Adyen in May"],
    ]
    assert run.ok("remember", "we", "moved", "to", "Adyen", "in", "May").rows[0][0] == "confirmed"
    assert (
        run.ok("remember", "-", "--type", "fact", "--tag", "t", "--json", stdin="two\nlines\n").json["value"]
        == "two\nlines"
    )
    assert run("access", "v1.fact.two_lines", "--json").json["tags"] == ["t"]


def test_a_sentence_that_is_refused_makes_no_store(run: Commands) -> None:
    secret = BARE["github_token"](Random(1))
    for words, why in [((), "nothing to remember"), (("key", secret), "credential")]:
        ran = run("remember", *words)
        assert (ran.code, why in ran.err) == (2, True), ran.err
    assert not (run.folder / "substrate-store").exists()


@pytest.mark.parametrize(
    "text", ["$(touch PWNED) `id` {boom()}", "-rf", "v1.fact.a = b", "--yes", "a\tb\u202ec\x1b[2J"]
)
def test_what_is_remembered_is_text_and_never_an_option_or_a_command(run: Commands, text: str) -> None:
    name = run.ok("remember", "--json", "--", text).json["name"]
    assert run.ok("access", name, "--json").json["value"] == text
    assert not (run.folder / "PWNED").exists()


def test_a_renamed_atom_is_found_by_both_names(store: Commands) -> None:
    assert store.ok("rename", "v1.goal.launch", "v1.goal.shop").rows[:2] == [
        ["recorded", "v1.goal.shop"],
        ["tombstoned", "v1.goal.launch"],
    ]
    ran = store.ok("access", "v1.goal.launch")
    assert (ran.out, "renamed to v1.goal.shop" in ran.err) == ("In March\n", True)
    assert store("rename", "v1.goal.shop", "v1.fact.currency").code == 6


def test_the_last_checkpoint_is_undone_and_a_dry_run_only_tells(store: Commands) -> None:
    rows = [["restored", "v1.fact.provider"], ["unedged", "v1.fact.provider depends_on v1.fact.currency"]]
    assert store.ok("undo", "--dry-run").rows == rows
    assert store("access", "v1.fact.provider").out == "Adyen\n"
    assert store.ok("undo").rows == rows
    assert store("access", "v1.fact.provider").out == "Stripe\n"
    assert store.ok("undo", "--json").json["restored"] == ["v1.fact.provider"]
    assert store("access", "v1.fact.provider").out == "Adyen\n"


def test_an_undo_names_what_it_takes_back_and_a_short_import_leaves_nothing_to_tell(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.b = x", "--actor", "ann")
    run.ok("checkpoint", "v1.fact.b = x")  # only confirms
    assert re.search(r'taken back: the checkpoint by "ann" of [-0-9]+ [:0-9]+ UTC \(entry 1\)', run.ok("undo").err)
    assert re.search(r"taken back: the undo of .* UTC \(entry 2\)", run.ok("undo").err)
    (run.folder / "two.csv").write_text("name,value\na,one\nb,two\n")
    run.ok("import", "two.csv")
    said = run.ok("undo").err
    assert re.search(r"taken back: the import of .* UTC \(entries 4 to 5\)", said)
    assert "only the last checkpoint" not in said


def test_an_undo_takes_a_long_import_back_and_names_the_entries_of_an_earlier_one_of_that_name(
    run: Commands,
) -> None:
    def rows(word: str) -> None:
        (run.folder / "facts.csv").write_text("name,value\n" + "".join(f"a{i},{word} {i}\n" for i in range(1101)))
        run.ok("import", "facts.csv")

    rows("one")
    assert "(2 checkpoints, entries 1 to 1101)" in run.ok("undo", "--dry-run").err
    rows("two")
    undone = run.ok("undo")
    assert undone.rows[-1] == ["restored", "… 1,001 more"]
    assert "the checkpoint before it is of an import too, and stays: entries 1 to 1101. " in undone.err
    command = "substrate forget --seqs 1:1102"
    assert f"To erase what that recorded, and nothing else: {command}\n" in undone.err
    assert run.ok("access", "v1.note.a7").out == "one 7\n"


# -- what people type --------------------------------------------------------------------------------------------------


def test_an_atom_without_quotes_is_saved_and_what_could_be_two_is_refused_with_the_quotes(run: Commands) -> None:
    assert run.ok("checkpoint", "v1.fact.a", "=", "b", "c", "--tag", "t").rows == [["recorded", "v1.fact.a"]]
    assert run("access", "v1.fact.a").out == "b c\n"
    run.ok("checkpoint", "v1.fact.a", "=", "b", "-", "c")
    assert run("access", "v1.fact.a").out == "b - c\n"
    for words in (["v1.fact.a", "=", "b", "v1.fact.c", "=", "d"], ["v1.fact.a = b", "v1.fact.c", "=", "d"]):
        ran = run("checkpoint", *words)
        assert (ran.code, "'v1.fact.currency = EUR'" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("My Note", "v1.note.my_note"),
        ("hub_corrections", "v1.hub.corrections"),
        ("$HOME `id`", "v1.note.home_id"),
        ("größe", "v1.note.größe"),
    ],
)
def test_a_refused_name_comes_with_a_name_and_the_command_to_use(run: Commands, name: str, use: str) -> None:
    ran = run("checkpoint", f"{name} = x")
    assert (ran.code, f"Use {use}: substrate checkpoint '{use} = ...'" in ran.err) == (2, True), ran.err
    assert run.ok("checkpoint", f"{use} = x").rows == [["recorded", use]]


def test_more_items_than_a_checkpoint_takes_are_refused_with_the_way_out(run: Commands) -> None:
    ran = run("checkpoint", "-", stdin="".join(f"v1.fact.f{number} = x\n" for number in range(10_001)))
    assert (ran.code, "split -l 10000 FILE part." in ran.err) == (2, True), ran.err
    assert not (run.folder / "substrate-store").exists()


def test_a_terminal_is_told_of_the_first_items_and_a_pipe_of_all(run: Commands) -> None:
    lines = "\n".join(f"v1.note.n{number:02} = text {number}" for number in range(30))
    assert len(run("checkpoint", "-", stdin=lines).rows) == 30
    told = run("checkpoint", "-", stdin=lines, terminal=True).out
    assert ("v1.note.n19" in told, "v1.note.n20" in told, "… 10 more" in told) == (True, False, True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("v1.event.moved_adyen_may", ("remember", "we moved to Adyen in May")),
        ("v1.fact.x", ("checkpoint", "v1.fact.x = y")),
    ],
)
def test_what_a_person_types_in_a_terminal_is_the_word_of_a_user(
    store: Commands, name: str, words: tuple[str, ...]
) -> None:
    """The twins: a pipe, another author, and an origin that is given."""

    def origin(*more: str, terminal: bool, piped: bool = False) -> object:
        assert store(*words, *more, terminal=terminal, piped=piped).code == 0
        return store("access", name, "--json").json.get("origin")

    assert origin(terminal=True) == "user"
    assert origin("--tag", "a", "--origin", "agent", terminal=True) == "agent"
    assert origin("--tag", "b", "--actor", "bot", terminal=True) is None
    assert origin("--tag", "c", terminal=False) is None
    assert origin("--tag", "d", terminal=True, piped=True) is None


def test_so_it_is_if_a_person_replaces_it(store: Commands) -> None:
    for value, terminal, origin in (("USD", True, "user"), ("GBP", False, None)):
        assert store("replace", "v1.fact.currency", "v1.fact.currency", value, terminal=terminal).code == 0
        assert store("access", "v1.fact.currency", "--json").json.get("origin") == origin
