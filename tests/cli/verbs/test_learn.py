"""The verbs that learn, predict and open a session, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from substrate.commands.verbs.learn import PREDICT
from substrate.embed.tokens import token_counter
from substrate.learn.predict import FLOOR
from tests.cli.run import Commands
from tests.credentials import samples

P, C, G = "v1.fact.provider", "v1.fact.currency", "v1.goal.launch"


def lines(*sessions: object) -> str:
    return "\n".join(json.dumps(session) for session in sessions)


# -- observe -------------------------------------------------------------------------------------------------------


def test_what_was_observed_is_predicted(store: Commands) -> None:
    assert store.ok("predict", P, "--floor", "0.9").rows == []
    ran = store.ok("observe", P, C, G, "--objective", "go live", "--at", "2026-01-15", "--session", "monday")
    assert ran.rows == [["observed sessions", "1"], ["accesses", "3"]]
    assert [row[1] for row in store.ok("predict", P).rows] == [C, G]
    assert store.ok("forget", "--session", "monday", "--dry-run", "--json").json["sessions"] == 1
    assert ["sessions", "1"] in store.ok("forget", "--session", "monday", "--yes").rows
    assert store.ok("predict", P, "--floor", "0.9").rows == []


def test_sessions_come_as_lines_from_a_file_or_from_standard_input(store: Commands) -> None:
    text = lines({"items": [P, C]}, {"items": [P, G], "at": "2026-01-15", "objective": "go live", "session": "x"})
    assert store.ok("observe", "-", "--json", stdin=text + "\n\n").json == {"sessions": 2, "accesses": 4}
    Path("history.jsonl").write_text(text.replace("\n", "\r\n"), encoding="utf-8")
    assert store.ok("observe", "--file", "history.jsonl").rows[0] == ["observed sessions", "2"]
    assert store.ok("stats", "--json").json["sessions"] == 4


def test_what_is_skipped_is_said_with_its_line(store: Commands) -> None:
    store.ok("checkpoint", "--tombstone", G)
    ran = store("observe", "-", stdin=lines({"items": [P, C]}) + "\n\n" + lines({"items": [G, C]}))
    assert ran.code == 12
    assert ran.rows[:2] == [["observed sessions", "2"], ["accesses", "3"]]
    assert [row[1].split(":")[0] for row in ran.rows[2:]] == [f"line 3, items[0] {G}"]
    assert "line 1: there is no domain" in store("observe", "-", stdin=lines({"items": [P], "domain": "none"})).err
    ran = store("observe", P, "v1.fact.never", "--json")
    assert ran.code == 12
    assert [item["item"] for item in ran.json["skipped"]] == ["items[1]"]


def test_a_line_that_cannot_be_is_named_and_how_far_it_got(store: Commands) -> None:
    good = [{"items": [P, C]}] * 5
    ran = store("observe", "-", stdin=lines(*good, {"items": ["nonsense"]}))
    assert ran.code == 2
    assert ran.err.startswith("substrate: line 6: ")
    assert "(lines before 5 were taken in, the others not)" in ran.err
    assert store.ok("stats", "--json").json["sessions"] == 4
    ran = store("observe", "-", stdin=lines({"items": [P], "at": "2999-01-01"}))
    assert ran.err == "substrate: line 1: at lies in the future (nothing was taken in)\n"
    assert "at lies in the future (nothing" in store("observe", P, "--at", "2999-01-01").err
    assert "line 2 is not JSON" in store("observe", "-", stdin=lines(*good[:1]) + "\n{").err


@pytest.mark.parametrize("words", ["", f"- {P}", "- --at 2026-01-01", f"--file x {P}", "--file nowhere", "--file x -"])
def test_one_way_at_a_time(store: Commands, words: str) -> None:
    Path("x").write_text(lines({"items": [P]}), encoding="utf-8")
    assert store("observe", *words.split(), stdin=lines({"items": [P]})).code == 2
    assert store("observe", "-").code == 2
    assert store.ok("stats", "--json").json["sessions"] == 0


def test_a_credential_in_an_objective_is_refused_and_not_repeated(store: Commands) -> None:
    (sample,) = samples("google_api_key", 1)
    session = lines({"items": [P]}, {"items": [P], "objective": sample.text})
    attempts = [
        (["observe", "-"], session),
        (["observe", P, "--objective", sample.text], ""),
        (["train", P, "--objective", sample.text], ""),
        (["predict", "--objective", sample.text], ""),
    ]
    for words, stdin in attempts:
        ran = store(*words, stdin=stdin)
        assert ran.code == 2
        assert sample.secret not in ran.out + ran.err
    assert "line 2: " in store("observe", "-", stdin=session).err


# -- train ---------------------------------------------------------------------------------------------------------


def test_training_changes_what_the_same_objective_opens_with(store: Commands) -> None:
    objective = "ring the bell"
    assert C not in [atom["name"] for atom in store.ok("bootstrap", objective, "--json").json["atoms"]][:1]
    assert store.ok("train", C, P, "--objective", objective, "--passes", "3").rows == [
        ["learnt", C],
        ["learnt", P],
        ["passes", "3"],
        ["entry", "6"],
    ]
    after = store.ok("bootstrap", objective, "--json").json["atoms"]
    assert after[0]["why"] in {"needed for objectives like this", "taught for objectives like this"}
    assert store.ok("predict", C).rows[0][1] == P
    assert store.ok("stats", "--json").json["trainings"] == 1


def test_training_says_what_it_left_out(store: Commands) -> None:
    ran = store("train", P, "v1.fact.never", "--passes", "9", "--json")
    assert (ran.code, ran.json["learnt"], ran.json["clamped_from"]) == (12, [P], 9)
    assert "3 passes are the most" in store("train", P, C, "--passes", "9").err
    ran = store("train", "v1.fact.never")
    assert (ran.code, "nothing was learned" in ran.err) == (4, True)
    assert ran.rows == [["skipped", "atoms[0] v1.fact.never: there is no such atom; record it first"]]
    assert store("train").code == 2
    assert store("train", P, "--passes", "0").code == 2
    assert store("train", P, "--domain", "none").code == 4


# -- predict -------------------------------------------------------------------------------------------------------


def test_predictions_come_with_their_reasons(store: Commands) -> None:
    store.ok("observe", "-", stdin=lines(*[{"items": [P, C, P, G]}] * 3))
    (probability, name, why), *_ = store.ok("predict", P).rows
    assert (probability[-1], name) == ("%", C)
    assert "next 0." in why
    document = store.ok("predict", P, C, "--json", "--k", "1").json
    assert document["context"] == [P, C]
    assert [item["name"] for item in document["items"]] == [G]
    assert P in [row[1] for row in store.ok("predict", P, C, "--again").rows]
    assert {row[1] for row in store.ok("predict", P, "--horizon", "session").rows} == {C, G}
    assert {row[1] for row in store.ok("predict").rows} == {P, C, G}


def test_what_cannot_be_predicted_from_is_said(store: Commands) -> None:
    store.ok("observe", P, C)
    ran = store.ok("predict", P, "v1.fact.never")
    assert "skipped: context[1] v1.fact.never" in ran.err
    assert store("predict", "v1.fact.never").code == 4
    assert "--floor 0" in store.ok("predict", P, "--floor", "1").err
    assert store("predict", P, "--horizon", "year").code == 2
    assert store("predict", P, "--k", "100000").code == 2


def test_the_floor_in_the_help_is_the_one_of_the_engine() -> None:
    (floor,) = (item for item in PREDICT.options if item.flags == ("--floor",))
    assert floor.default == FLOOR
    assert f"default: {FLOOR}" in floor.help


def test_a_terminal_is_sent_nothing_that_acts(store: Commands) -> None:
    hostile = "v1.fact.\u202eevil"
    store.ok("import", "-", stdin=json.dumps({"kind": "put", "name": hostile, "value": "\x1b[31m"}))
    for words in (
        ["observe", P, hostile],
        ["train", P, hostile],
        ["predict", P],
        ["access", P],
        ["train", hostile + "x"],
    ):
        for more in ([], ["--json"]):
            ran = store(*words, *more, terminal=True)
            assert "\\u202e" in ran.out.lower() + ran.err.lower() or words[0] == "observe"
            assert "\u202e" not in ran.out + ran.err


# -- access, which reads and does not learn ------------------------------------------------------------------------


def test_access_tells_what_is_needed_next_and_what_has_changed(store: Commands) -> None:
    store.ok("observe", P, C)
    store.ok("checkpoint", f"{C} = USD")
    ran = store.ok("access", P)
    assert ran.out == "Adyen\n"
    stale, following = ran.err.splitlines()
    assert stale == f"to be reviewed: {C} changed (entry 6)"
    assert following.startswith(f"needed next: {C} ")
    assert store.ok("access", P, "--quiet").err == ""
    document = store.ok("access", P, "--json").json
    assert (document["stale"], document["predictions"][0]["name"]) == ([f"{C} changed (entry 6)"], C)
    shown = store("access", P, terminal=True)
    assert "needed next" in shown.out
    assert shown.err == ""
    assert "predictions" not in store.ok("access", P, "--json", "--predictions", "0").json
    assert "predictions" not in store.ok("access", P, "--json", "--as-of", "1").json


def test_reading_on_the_command_line_is_not_observed(store: Commands) -> None:
    for _ in range(3):
        store.ok("access", P)
        store.ok("bootstrap", "provider")
        store.ok("predict", P)
    assert store.ok("stats", "--json").json["sessions"] == 0


# -- watch ---------------------------------------------------------------------------------------------------------


def test_a_store_that_is_not_watched_takes_nothing_in(store: Commands) -> None:
    assert store.ok("watch").out.startswith("watch\ton")
    assert store.ok("watch", "off", "--json").json == {"watch": False}
    assert store.ok("watch").out.startswith("watch\toff")
    ran = store("observe", P, C)
    assert (ran.code, "substrate watch on" in ran.err) == (9, True)
    store.ok("train", P, C)
    store.ok("watch", "on")
    store.ok("observe", P, C)
    assert store("watch", "perhaps").code == 2


def test_whether_it_is_watched_is_told_without_the_key(store: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", str(store.folder / "elsewhere"))
    assert store.ok("watch", "--json").json == {"watch": True}
    assert store("watch", "off").code == 9


# -- bootstrap -----------------------------------------------------------------------------------------------------


def test_a_session_is_opened_as_text_and_as_json(store: Commands) -> None:
    ran = store.ok("bootstrap", "which", "provider")
    assert 'matches the objective:\nv1.fact.provider = "Adyen"' in ran.out
    assert 'v1.goal.launch = "In March"' in ran.out
    document = store.ok("bootstrap", "which", "provider", "--json").json
    assert document["objective"] == "which provider"
    assert [atom["name"] for atom in document["goals"]] == ["v1.goal.launch"]
    assert document["counter"] == "MiniLM WordPiece"


def test_the_budget_holds_for_what_is_printed(store: Commands) -> None:
    for tokens in (50, 90, 300):
        assert token_counter().count(store.ok("bootstrap", "provider", "--max-tokens", str(tokens)).out) <= tokens
        assert (
            token_counter().count(store.ok("bootstrap", "provider", "--max-tokens", str(tokens), "--json").out)
            <= tokens
        )


def test_evidence_can_be_asked_for(store: Commands) -> None:
    low = store.ok("bootstrap", "provider", "--json", "--evidence-threshold", "0.9", "--domain", "none").json
    assert low["left_out"]["low_evidence"] == 3
    assert low["absent"] == [{"name": "v1.domain.none", "why": "never recorded"}]
    told = store.ok("bootstrap", "provider", "--high-impact")
    assert "no atom has that much evidence" in told.err


def test_what_cannot_be_is_refused(store: Commands) -> None:
    assert store("bootstrap", "--max-tokens", "10").code == 2
    assert store("bootstrap", "--evidence-threshold", "2").code == 2


def test_notes_from_files_that_are_left_out_are_named_with_the_option_that_shows_them(run: Commands) -> None:
    Path("keys.md").write_text("Rotate the signing keys in May", encoding="utf-8")
    run.ok("ingest", "keys.md")
    told = run.ok("bootstrap", "rotate", "the", "signing", "keys").err
    assert "left out because they come from files: 2 atoms that may match; --ingested shows them" in told
    assert "save something first" not in told
    assert "left out because" not in run.ok("bootstrap", "rotate", "the", "signing", "keys", "--ingested").err
