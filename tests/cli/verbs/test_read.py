from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.run import Commands


def test_the_bare_value_goes_into_a_pipe(store: Commands) -> None:
    assert store("access", "v1.fact.provider").out == "Adyen\n"


def test_json_says_everything(store: Commands) -> None:
    said = store("access", "v1.fact.provider", "--as-of", "1", "--json").json
    assert (said["value"], said["source"], said["tags"], said["seq"]) == ("Stripe", "kick-off", ["money"], 1)


def test_an_atom_is_read_by_its_id(store: Commands) -> None:
    found = store("access", "v1.fact.provider", "--json").json["id"]
    assert store("access", found).out == "Adyen\n"


def test_a_moment_is_a_seq_a_time_or_a_file(store: Commands) -> None:
    store.ok("pin", "-o", "me.pin")
    store.ok("head", "-o", "me.head")
    first = store("access", "v1.fact.provider", "--as-of", "1", "--json").json
    store.ok("checkpoint", "v1.fact.provider = PayPal")
    assert store("access", "v1.fact.provider", "--as-of", first["recorded_at"]).out == "Stripe\n"
    assert store("access", "v1.fact.provider", "--as-of", "@me.pin").out == "Adyen\n"
    assert store("access", "v1.fact.provider", "--as-of", "@me.head").out == "Adyen\n"
    assert store("access", "v1.fact.provider").out == "PayPal\n"


def test_a_moment_in_words_is_told_as_the_time_that_it_was_taken_for(store: Commands) -> None:
    ran = store("access", "v1.fact.provider", "--as-of", "today")
    assert ran.out == "Adyen\n"
    assert re.search(r"today: \d{4}-\d\d-\d\dT", ran.err)
    assert store("access", "v1.fact.provider", "--as-of", "2 weeks ago").code != 0
    assert "today" not in store("access", "v1.fact.provider").err


def test_words_that_are_no_time_are_refused_with_three_that_are(store: Commands) -> None:
    for option in ("--as-of", "--valid-at"):
        assert "2026-03-01T12:00:00Z, 2 weeks ago or last monday" in store("list", option, "someday").err


@pytest.mark.parametrize("moment", ["tomorrow", "99999", "@there-is-no-such-file", "-3"])
def test_a_moment_that_is_none_is_wrong_usage(store: Commands, moment: str) -> None:
    assert store("access", "v1.fact.provider", f"--as-of={moment}").code == 2


def test_what_was_true_then_is_another_question(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.vat = 19", "--valid-from", "2020-01-01", "--valid-to", "2025-01-01")
    run.ok("checkpoint", "v1.fact.vat = 21", "--valid-from", "2025-01-01")
    assert run("access", "v1.fact.vat", "--valid-at", "2024-06-01").out == "19\n"
    assert run("access", "v1.fact.vat", "--valid-at", "2026-06-01").out == "21\n"
    assert run("access", "v1.fact.vat", "--valid-at", "2019-06-01").code == 4


def test_the_proof_goes_into_a_file_or_takes_the_place_of_the_value(store: Commands) -> None:
    ran = store.ok("access", "v1.fact.provider", "--proof", "p.json")
    assert ran.out == "Adyen\n"
    assert "is current is in p.json" in ran.err
    assert store("verify", "p.json", "--store", "substrate-store").code == 0
    printed = store.ok("access", "v1.fact.provider", "--proof", "-").out
    assert json.loads(printed) == json.loads(Path("p.json").read_text(encoding="utf-8"))
    assert store("access", "v1.fact.provider", "--proof", "-", "--json").code == 2
    assert store("access", "v1.fact.provider", "--proof", "no/such/folder").code == 2


def test_what_is_not_there_is_not_found(store: Commands) -> None:
    ran = store("access", "v1.fact.nothing", "--json")
    assert (ran.code, ran.out, ran.error["code"]) == (4, "", "not_found")


def test_a_list_in_a_pipe_is_a_line_for_each_atom(store: Commands) -> None:
    rows = store("list").rows
    assert [row[:3] for row in rows] == [
        ["v1.fact.currency", "EUR", "2"],
        ["v1.fact.provider", "Adyen", "4"],
        ["v1.goal.launch", "In March", "3"],
    ]
    assert {len(row) for row in rows} == {5}
    assert [row[0] for row in store("list", "v1.goal.").rows] == ["v1.goal.launch"]


def test_a_value_cannot_forge_a_line_of_a_list(run: Commands) -> None:
    value = "x\nv1.fact.forged\ty\t1\t\\n\r"
    run.ok("checkpoint", "-", stdin=json.dumps([{"name": "v1.fact.a", "value": value}]))
    ((name, cell, *_),) = run("list").rows
    assert (name, cell) == ("v1.fact.a", "x\\nv1.fact.forged\\ty\\t1\\t\\\\n\\r")
    assert run("access", "v1.fact.a").out == value + "\n"


def test_names_alone_as_lines_and_as_json(store: Commands) -> None:
    assert store("list", "--names").out == "v1.fact.currency\nv1.fact.provider\nv1.goal.launch\n"
    assert store("list", "v1.g", "--names", "--json").json == {"items": ["v1.goal.launch"]}


def test_a_list_says_that_there_is_more_and_how_to_go_on(store: Commands) -> None:
    ran = store("list", "--limit", "1", "--names")
    assert ran.out == "v1.fact.currency\n"
    assert "--after v1.fact.currency" in ran.err
    assert store("list", "--limit", "1", "--names", "--after", "v1.fact.currency").out == "v1.fact.provider\n"
    assert store("list", "--limit", "1", "--json").json["next"] == "v1.fact.currency"
    assert store("list", "--offset", "2", "--names").out == "v1.goal.launch\n"
    assert store("list", "--limit", "1", "--names", "--quiet").err == ""


def test_a_long_list_is_fetched_page_by_page(run: Commands) -> None:
    names = [f"v1.fact.n{n:04}" for n in range(2100)]
    run.ok("checkpoint", "-", stdin="\n".join(f"{name} = {name}" for name in names))
    assert run("list", "--all", "--names").out.split() == names
    assert [row[0] for row in run("list", "--limit", "1500").rows] == names[:1500]
    assert len(run("list", "--all", "--json").json["items"]) == 2100


def test_what_is_out_of_use_is_listed_when_asked_for(store: Commands) -> None:
    store.ok("checkpoint", "--tombstone", "v1.goal.launch")
    edge = "v1.fact.provider supersedes v1.fact.currency"
    store.ok("checkpoint", "--edge", edge)
    assert store("list", "--names").out == "v1.fact.provider\n"
    states = {row[0]: row[4] for row in store("list", "--tombstoned", "--superseded").rows}
    assert states == {
        "v1.fact.provider": "",
        "v1.fact.currency": "superseded by v1.fact.provider",
        "v1.goal.launch": "tombstoned",
    }


def test_a_list_of_the_past_says_how_many_were_forgotten_since(store: Commands) -> None:
    store.ok("forget", "v1.goal.launch", "--yes")
    ran = store("list", "--as-of", "3", "--names")
    assert ran.out == "v1.fact.currency\nv1.fact.provider\n"
    assert "1 atoms of that time have been forgotten" in ran.err
    assert store("list", "--as-of", "3", "--json").json["forgotten"] == 1


def test_an_empty_list_is_an_empty_list(store: Commands) -> None:
    ran = store("list", "v9.")
    assert (ran.code, ran.out, ran.err) == (0, "", "no atom has such a name\n")
    assert store("list", "v9.", "--json").json == {"items": []}


def test_edges_of_an_atom_by_direction_and_type(store: Commands) -> None:
    expected = ["v1.fact.provider", "depends_on", "v1.fact.currency"]
    assert [row[:3] for row in store("edges", "v1.fact.currency").rows] == [expected]
    assert [row[:3] for row in store("edges", "v1.fact.currency", "--in").rows] == [expected]
    assert store("edges", "v1.fact.currency", "--out").out == ""
    assert store("edges", "v1.fact.currency", "--type", "knows", "--json").json["items"] == []
    store.ok(
        "checkpoint", "--edge", '{"source":"v1.fact.currency","type":"x","target":"v1.a.b","valid_from":"2026-01-01"}'
    )
    ((*_, holds, state, _id),) = store("edges", "v1.fact.currency", "--type", "x").rows
    assert (holds, state) == ("2026-01-01T00:00:00Z..", "dangling target")
    assert "there are more" in store("edges", "v1.fact.currency", "--limit", "1").err
    assert store("edges", "v1.no.thing").code == 4


def test_history_shows_versions_tombstones_and_gaps(store: Commands) -> None:
    store.ok("checkpoint", "--tombstone", "v1.fact.provider", "--actor", "me")
    store.ok("forget", "--seqs", "1:2", "--yes")
    rows = store("history", "v1.fact.provider").rows
    assert [(row[0], row[2], row[3]) for row in rows] == [("1", "gap", ""), ("4", "put", ""), ("6", "tombstone", "me")]
    assert [row[4] for row in rows] == ["(forgotten by entry 7)", "Adyen", ""]
    kinds = [item["kind"] for item in store("history", "v1.fact.provider", "--json").json["items"]]
    assert kinds == ["gap", "put", "tombstone"]


def test_diff_shows_what_became_of_atoms_and_edges(store: Commands) -> None:
    assert store("diff", "1").rows == [
        ["added", "v1.fact.currency", "", "EUR"],
        ["added", "v1.goal.launch", "", "In March"],
        ["changed", "v1.fact.provider", "Stripe", "Adyen"],
        ["edge_added", "v1.fact.provider depends_on v1.fact.currency", "", ""],
    ]
    assert [row[1] for row in store("diff", "1", "3", "--prefix", "v1.g").rows] == ["v1.goal.launch"]
    said = store("diff", "1", "2", "--json").json
    assert (said["start"], said["stop"], len(said["items"])) == (1, 2, 1)
    store.ok("pin", "-o", "me.pin")
    ran = store("diff", "@me.pin")
    assert (ran.code, ran.out, "nothing changed" in ran.err) == (0, "", True)


@pytest.mark.parametrize("verb", ["list", "access v1.a.b", "edges v1.a.b", "history v1.a.b", "diff 0", "stats", "head"])
def test_reading_never_makes_a_store(run: Commands, verb: str) -> None:
    ran = run(*verb.split())
    assert ran.code == 4
    assert "substrate remember 'what you know'" in ran.err
    assert list(run.folder.iterdir()) == []


@pytest.mark.parametrize("verb", ["forget v1.a.b --yes", "rebuild", "compact", "key --rotate", "backup x", "fsck"])
def test_caring_never_makes_a_store_either(run: Commands, verb: str) -> None:
    assert run(*verb.split()).code == 4
    assert list(run.folder.iterdir()) == []


def test_a_search_takes_any_of_some_tags_and_none_of_others(run: Commands) -> None:
    for tag in ("red", "blue", "green"):
        run.ok("checkpoint", f"v1.fact.{tag} = colour", "--tag", tag, "--tag", "all")

    def found(*options: str) -> str:
        ran = run("search", "colour", "--words", *options)
        return " ".join(sorted(row[1].removeprefix("v1.fact.") for row in ran.rows))

    assert found("--any-tag", "red", "--any-tag", "BLUE") == "blue red"
    assert found("--no-tag", "red", "--tag", "all") == "blue green"
    assert found("--type", "state", "--type", "fact", "--no-tag", "blue", "--no-tag", "green") == "red"
    assert "--no-domain" in run("search", "colour", "--help").out
    assert run("search", "colour", "--words", "--domain", "a", "--no-domain", "b").code == 4


def test_which_tells_what_a_text_means(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.payment_provider = Stripe", "v1.fact.payment_country = FR")
    ran = run("which", "Payment", "Provider")
    assert (ran.code, ran.rows[0][:3]) == (0, ["v1.fact.payment_provider", "1.00", "its name, without its type"])
    assert run("access", ran.rows[0][3]).out == "Stripe\n"
    close = run("which", "payment provder", "--kind", "fact")
    assert (close.code, close.rows[0][0]) == (4, "v1.fact.payment_provider")
    assert "no exact match" in close.err
    none = run("which", "zebra", "--json")
    assert (none.code, none.json) == (4, {"items": [], "verdict": "none"})
    assert "TEXT has neither letters nor digits" in run("which", "!!!").err


def test_a_diff_tells_which_fields_changed_where_the_value_did_not(store: Commands) -> None:
    size = len(store.ok("list", "--json").json["items"])
    assert size == 3
    store.ok("checkpoint", "v1.fact.provider = Adyen", "--tag", "new", "--source", "mail")
    assert store.ok("diff", "5").rows == [
        ["changed", "v1.fact.provider", "tags: none; source: none", "tags: new; source: mail"]
    ]
    edge = '{"source": "v1.fact.provider", "type": "depends_on", "target": "v1.fact.currency", "confidence": 0.5}'
    store.ok("checkpoint", "--edge", edge)
    assert store.ok("diff", "6").rows[0][2:] == ["confidence: none", "confidence: 0.5"]
