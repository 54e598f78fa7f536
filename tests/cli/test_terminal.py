"""What a person sees. The terminal of the first tests is real; the others only say that they are one."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.run import PROGRAM, Commands, in_terminal

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\x08\x7f\r\u202edrawkcab\u2066[bold]no[/bold] :smile:\nsecond"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
OTHER_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def dangers(sent: str) -> list[str]:
    """What reached the terminal beside text, line ends and colours."""
    return OTHER_CONTROLS.findall(COLOUR.sub("", sent))


def save_hostile(run: Commands) -> None:
    atom = {"name": "v1.fact.evil", "value": HOSTILE, "source": HOSTILE, "tags": [HOSTILE[:20]]}
    old = {"kind": "put", "name": "v1.fact.\u200fname", "value": "x"}  # a new name has no such character
    run.ok("checkpoint", "-", stdin=json.dumps([atom]))
    run.ok("import", "-", stdin=json.dumps(old))


def test_a_real_terminal_gets_colours_and_no_control_characters(run: Commands) -> None:
    save_hostile(run)
    code, sent = in_terminal([str(PROGRAM), "access", "v1.fact.evil"])
    assert code == 0
    assert COLOUR.search(sent)
    assert dangers(sent) == []
    plain = COLOUR.sub("", sent)
    assert r"\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\x08\x7f\r\u202edrawkcab\u2066[bold]no[/bold] :smile:" in plain
    assert "second" in plain


def test_a_pipe_gets_the_exact_text(run: Commands) -> None:
    save_hostile(run)
    done = run.child("access", "v1.fact.evil")
    assert done.stdout == HOSTILE.encode() + b"\n"
    assert b"\x1b" not in run.child("list", "v1.fact.\u200f").stdout


def test_the_dangers_would_be_seen(run: Commands) -> None:
    save_hostile(run)
    assert dangers(run("access", "v1.fact.evil").out)


VERBS = [
    "access v1.fact.evil",
    "access v1.fact.evil --json",
    "access v1.fact.evil --proof -",
    "list",
    "list --names",
    "history v1.fact.evil",
    "diff 0",
    "stats",
    "head",
    "key",
    "pin",
    "prove v1.fact.evil",
    "export",
]


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_sends_control_characters_to_a_terminal(run: Commands, verb: str) -> None:
    save_hostile(run)
    ran = run(*verb.split(), terminal=True)
    assert ran.code == 0
    assert dangers(ran.out + ran.err) == []
    assert ran.out


def test_verify_shows_a_hostile_value_escaped(run: Commands) -> None:
    save_hostile(run)
    bundle = run("prove", "v1.fact.evil").out
    ran = run("verify", "-", stdin=bundle, terminal=True)
    assert (ran.code, dangers(ran.out)) == (3, [])


def test_errors_and_hints_are_escaped_wherever_they_go(run: Commands) -> None:
    save_hostile(run)
    for terminal in (True, False):
        ran = run("access", "v1.fact.\u202ename", terminal=terminal)
        assert (ran.code, dangers(ran.err)) == (4, [])
        assert r"\u202e" in ran.err


def test_json_on_a_terminal_is_still_the_same_document(run: Commands) -> None:
    save_hostile(run)
    ran = run("access", "v1.fact.evil", "--json", terminal=True)
    assert ran.json["value"] == HOSTILE
    assert ran.json == run("access", "v1.fact.evil", "--json").json


def test_no_color_is_honoured(store: Commands) -> None:
    code, sent = in_terminal([str(PROGRAM), "verify", "nowhere.json"], NO_COLOR="1")
    assert code == 2
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", sent)
    store.ok("prove", "v1.fact.provider", "-o", "p.json")
    _, sent = in_terminal([str(PROGRAM), "verify", "p.json"], NO_COLOR="1")
    assert "\x1b[33m" not in sent
    assert "\x1b[1;33m" not in sent
    _, sent = in_terminal([str(PROGRAM), "verify", "p.json"])
    assert "\x1b[1;33m" in sent


def test_a_pipe_gets_no_colours_even_if_they_are_forced(store: Commands) -> None:
    for words in (["list"], ["stats"], ["access", "v1.no.thing"]):
        done = store.child(*words, FORCE_COLOR="1", CLICOLOR_FORCE="1", TERM="xterm-256color")
        assert b"\x1b" not in done.stdout + done.stderr


def test_tables_have_headings_on_a_terminal_and_leave_out_what_is_empty(store: Commands) -> None:
    lines = COLOUR.sub("", store("list", terminal=True).out).splitlines()
    assert lines[0].split() == ["name", "value", "seq", "recorded"]
    assert lines[2].split()[:3] == ["v1.fact.currency", "EUR", "2"]
    store.ok("checkpoint", "--tombstone", "v1.goal.launch")
    assert "state" in store("list", "--tombstoned", terminal=True).out


def test_a_long_value_is_cut_in_a_list_and_whole_when_read(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.long = " + "word " * 1000 + "end")
    listed = run("list", terminal=True).out
    assert "…" in listed
    assert "end" not in listed
    assert "end" in run("access", "v1.fact.long", terminal=True).out


def test_the_key_on_a_terminal_is_one_line_that_can_be_copied(store: Commands) -> None:
    assert store("key", terminal=True).out == store("key").out


def test_a_question_is_asked_on_a_real_terminal(store: Commands) -> None:
    code, sent = in_terminal([str(PROGRAM), "forget", "v1.goal.launch"], answers=b"yes\n")
    assert code == 0
    assert "Type yes to go on:" in sent
    assert store("access", "v1.goal.launch").code == 5


def test_long_work_shows_how_far_it_is_on_a_terminal_only(store: Commands) -> None:
    _, sent = in_terminal([str(PROGRAM), "fsck"])
    assert "checking" in sent
    _, sent = in_terminal([str(PROGRAM), "fsck", "--quiet"])
    assert "checking" not in sent
    done = store.child("fsck")
    assert (done.returncode, done.stderr) == (0, b"")


def test_text_is_utf8_in_a_pipe_whatever_the_locale_says(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.größe = 日本 €")
    for locale in ("C", "POSIX", "en_US.ISO-8859-1"):
        done = run.child("list", "--names", LC_ALL=locale, PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
        assert done.stdout == "v1.fact.größe\n".encode(), locale
