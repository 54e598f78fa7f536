"""The verbs hooks, hook and transcript: what a client runs, how it is installed, and that it never blocks it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from substrate.cli.verbs.agents.hooks import _TIMEOUTS_S
from substrate.server.client_hooks import EVENTS
from tests.cli.run import Commands
from tests.scale import PATIENCE_S

SETTINGS = ".claude/settings.local.json"
OTHERS = {"model": "x", "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "mine hook it"}]}]}}


@pytest.fixture
def transcript(run: Commands) -> Path:
    path = run.folder / "t.jsonl"
    said = ["fix the test", "We decided to use Adyen. Go on.", "Never deploy on Fridays."]
    lines = [json.dumps({"type": "user", "message": {"role": "user", "content": text}}) for text in said]
    path.write_text("\n".join(lines) + '\n{"type": "us')
    return path


def settings(run: Commands) -> dict[str, object]:
    return dict(json.loads((run.folder / SETTINGS).read_text()))


def test_hooks_are_added_to_the_settings_once_and_removed_without_a_trace(run: Commands) -> None:
    path = run.folder / SETTINGS
    path.parent.mkdir()
    before = json.dumps(OTHERS)
    path.write_text(before)
    run.ok("hooks", "--client", "claude-code", "--objective", "the shop; rm -rf /")
    installed = path.read_text()
    assert settings(run)["model"] == "x"
    assert path.with_name(path.name + ".before-substrate").read_text() == before
    run.ok("hooks", "--client", "claude-code", "--objective", "the shop; rm -rf /")
    assert path.read_text() == installed
    hooks = json.loads(installed)["hooks"]
    assert sorted(hooks) == ["PreCompact", "SessionEnd", "SessionStart"]
    assert hooks["SessionEnd"][0] == OTHERS["hooks"]["SessionEnd"][0]  # type: ignore[index]
    words = shlex.split(hooks["SessionStart"][0]["hooks"][0]["command"])
    assert words[words.index("--objective") + 1] == "the shop; rm -rf /"
    run.ok("hooks", "--client", "claude-code", "--remove")
    assert settings(run) == OTHERS


def test_without_settings_before_removal_leaves_empty_ones_and_print_writes_nothing(run: Commands) -> None:
    shown = run.ok("hooks", "--client", "claude-code", "--print", "--kinds", "constraint")
    assert "--kinds constraint" in shown.json["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    assert not (run.folder / ".claude").exists()
    run.ok("hooks", "--client", "claude-code")
    assert settings(run)["hooks"]
    run.ok("hooks", "--client", "claude-code", "--remove")
    assert settings(run) == {}
    assert "nothing was changed" in run.ok("hooks", "--client", "claude-code", "--remove").out


@pytest.mark.parametrize(
    "odd", ['{"a": 1} // mine', "[]", '{"hooks": []}', '{"hooks": {"SessionStart": {}}}', "\udcff"]
)
def test_settings_that_cannot_be_read_are_left_as_they_are(run: Commands, odd: str) -> None:
    path = run.folder / SETTINGS
    path.parent.mkdir()
    path.write_bytes(odd.encode(errors="surrogateescape"))
    assert run("hooks", "--client", "claude-code").code == 2
    assert path.read_bytes() == odd.encode(errors="surrogateescape")


def test_the_rules_can_be_read(run: Commands) -> None:
    rows = run.ok("hooks", "--client", "claude-code", "--rules").rows
    assert ["constraint", "+4", "^never/always"] in rows
    assert rows[-1][:2] == ["wording", "varies"]


def test_the_end_of_a_session_records_and_the_next_start_opens_with_it(run: Commands, transcript: Path) -> None:
    said = json.dumps({"session_id": "s1", "transcript_path": str(transcript), "hook_event_name": "SessionEnd"})
    assert run.ok("hook", "session-start", stdin="{}").out == ""
    for _ in range(2):
        assert run.ok("hook", "session-end", stdin=said).out == ""
    opened = run.ok("hook", "session-start", "--objective", "payments", stdin="{}").out
    assert '"We decided to use Adyen." (unconfirmed' in opened
    assert "Never deploy on Fridays." in opened
    assert "fix the test" not in opened


def test_a_transcript_that_states_nothing_makes_no_store(run: Commands) -> None:
    path = run.folder / "empty.jsonl"
    path.write_text(json.dumps({"type": "user", "message": {"role": "user", "content": "run the tests"}}))
    run.ok("hook", "session-end", stdin=json.dumps({"transcript_path": str(path)}))
    run.ok("transcript", "empty.jsonl")
    assert not (run.folder / "substrate-store").exists()


@pytest.mark.parametrize(
    "said",
    ["", "no json", "[]", '{"transcript_path": 7}', '{"transcript_path": "/dev/zero"}', '{"transcript_path": "/"}'],
)
def test_whatever_a_client_says_the_hook_ends_well_and_tells_it_in_one_line(run: Commands, said: str) -> None:
    ran = run("hook", "session-end", stdin=said)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("substrate: the session was not recorded in full: ")
    assert ran.err.count("\n") == 1
    assert "rm " not in ran.err


def test_a_damaged_store_does_not_stop_the_client(run: Commands, transcript: Path) -> None:
    (run.folder / "substrate-store").mkdir()
    (run.folder / "substrate-store" / "CURRENT").write_text("nothing of ours")
    said = json.dumps({"transcript_path": str(transcript)})
    for event in ("session-start", "session-end"):
        ran = run("hook", event, "--store", "substrate-store", stdin=said)
        assert ran.code == 0
        assert ran.err.count("\n") <= 1


HANGS = """
import sys, threading
from substrate.cli import main
from substrate.transcripts import claude_code
claude_code.human_turns = lambda _: threading.Event().wait()
sys.exit(main(sys.argv[1:]))
"""


def given_up(run: Commands, *words: str, stdin: bytes = b"", program: tuple[str, ...] = ("-m", "substrate")) -> str:
    """What a hook with a short time-out says on standard error. Its standard input never ends, unless some is given."""
    command = [sys.executable, *program, "hook", *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=run.folder) as child:
        assert child.stdin is not None
        assert child.stderr is not None
        if stdin:
            child.stdin.write(stdin)
            child.stdin.close()
        assert child.wait(PATIENCE_S) == 0
        return child.stderr.read().decode()


def test_a_session_opens_without_memory_that_is_too_slow(run: Commands) -> None:
    """Standard input that never ends stands for all that a hook may wait for."""
    told = given_up(run, "session-start", "--timeout", "0.2")
    assert told == "substrate: the session goes on without memory: it took over 0.2 s\n"


def test_an_end_that_is_too_slow_says_what_to_type_to_record_the_session_later(run: Commands, transcript: Path) -> None:
    why = "substrate: the session was not recorded in full: it took over"
    told = given_up(run, "session-end", "--timeout", "0.2")
    assert told == f"{why} 0.2 s. To record it later: substrate transcript FILE\n"
    spaced = transcript.rename(run.folder / "my  chat.jsonl")
    said = json.dumps({"session_id": "s1", "transcript_path": spaced.name}).encode()
    words = ("session-end", "--timeout", "2", "--kinds", "decision", "--store", "my store")
    told = given_up(run, *words, stdin=said, program=("-c", HANGS))
    command = "substrate transcript 'my  chat.jsonl' --session s1 --kinds decision --store 'my store'"
    assert told == f"{why} 2 s. To record it later: {command}\n"
    assert run.ok(*shlex.split(command)[1:]).rows[0][:3] == ["recorded", "decision", "We decided to use Adyen."]


def test_the_end_of_a_session_has_more_time_than_what_a_person_waits_for(run: Commands) -> None:
    hooks = run.ok("hooks", "--client", "claude-code", "--print").json["hooks"]
    ours, granted = {}, {}
    for event, hook in EVENTS.items():
        (installed,) = hooks[event][0]["hooks"]
        said = re.search(r" --timeout (\d+)$", installed["command"])
        ours[event] = _TIMEOUTS_S[hook] if said is None else float(said[1])
        granted[event] = installed["timeout"]
    assert ours["SessionStart"] <= 5
    assert ours["PreCompact"] <= 10
    assert 30 <= ours["SessionEnd"] < granted["SessionEnd"] <= 60  # Claude Code grants no more at the end
    assert all(ours[event] < granted[event] for event in granted)


def test_an_error_at_the_end_of_a_session_says_how_to_record_it_later(run: Commands, transcript: Path) -> None:
    (run.folder / "substrate-store").mkdir()
    (run.folder / "substrate-store" / "CURRENT").write_text("nothing of ours")
    said = json.dumps({"session_id": "s1", "transcript_path": transcript.name})
    ran = run("hook", "session-end", "--store", "substrate-store", stdin=said)
    assert ran.code == 0
    assert ran.err.endswith(". To record it later: substrate transcript t.jsonl --session s1 --store substrate-store\n")


def test_a_transcript_is_shown_and_recorded(run: Commands, transcript: Path) -> None:
    shown = run.ok("transcript", transcript.name, "--dry-run").rows
    assert [row[:3] for row in shown] == [
        ["new", "decision", "We decided to use Adyen."],
        ["new", "constraint", "Never deploy on Fridays."],
    ]
    assert [item["state"] for item in run.ok("transcript", transcript.name, "--json").json["items"]] == ["recorded"] * 2
    assert [row[0] for row in run.ok("transcript", transcript.name).rows] == ["known"] * 2
    assert run("transcript", transcript.name, "--kinds", "wish").code == 2


def test_cues_need_no_store(run: Commands) -> None:
    found = run.ok("cues", "What did I say about my API preferences?", "--json").json
    assert (found["advice"], found["recall"], found["query"]) == ("leave", 0.9, "API preferences")
    assert run.ok("cues", "I prefer", "tabs over spaces").rows[0] == ["advice", "keep"]
    assert run("cues", " ").code == 2


def test_a_session_does_not_open_with_an_atom_of_a_sensitive_domain(run: Commands) -> None:
    said = ["v1.goal.shop = open the shop", "v1.goal.heron = ship the heron", "v1.domain.vault = hidden"]
    run.ok("checkpoint", *said, "--edge", "v1.goal.heron member_of v1.domain.vault")
    assert "heron" in run.ok("hook", "session-start", stdin="{}").out
    run.ok("tier", "vault", "sensitive")
    opened = run.ok("hook", "session-start", stdin="{}").out
    assert "open the shop" in opened
    assert "heron" not in opened
