"""Whatever is typed, the answer is an answer or a typed error: never a bug, a traceback or a hang."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from substrate.cli.catalogue import VERBS
from substrate.commands.command import Command
from tests.cli.run import PROGRAM, Commands
from tests.scale import PATIENCE_S, rounds

NASTY = [
    *("", "-", "--", "-1", "0", "1", "1:2", "9" * 30, "9" * 5000, "0:" + "9" * 30, "\u0663", "0.5", "nan"),
    *(
        "@me.pin",
        "@letter",
        "@nowhere",
        "me.pin",
        "letter",
        "a+b+c",
        "a\0b",
        "~nouser/x",
        "@~nouser/x",
        "\x1b[31m",
        "%s %(x)s {}",
        "x" * 5000,
    ),
    *("v1.fact.provider", "v1.fact.\udcff", "v1.fact." + "x" * 500, "v1.fact.x = y", "v1.fact.x = \udcff"),
    *("v1.fact.provider=1", "v1.fact.provider=" + "9" * 40, "v1.fact.provider knows v1.fact.currency"),
    *("2026-01-01", "9999-12-31T23:59:59.999999+00:00", "0001-01-01T00:00:00+23:59", "user", "current", "bash"),
    *("{}", "[]", '{"a": 1}'),
]


def command(verb: Command, rng: random.Random) -> list[str]:
    words = [verb.name]
    for item in verb.options:
        if item.by_place:
            one, some = rng.randint(0, 1), rng.randint(0, 3)
            count = {None: 1, "?": one, "*": some, "+": max(1, some)}[item.nargs]
            words += rng.choices(NASTY, k=count)
        elif rng.random() < 0.3:
            words += [item.flags[0]] if item.metavar is None else [item.flags[0], rng.choice(NASTY)]
    return words + ["--json"] * rng.randint(0, 1)


@pytest.mark.soak
@pytest.mark.parametrize("verb", VERBS, ids=[verb.name for verb in VERBS])
def test_nothing_that_is_typed_is_a_bug(store: Commands, verb: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for serving in ("stdio.serve_stdio", "http.serve.serve_http", "wire.claim"):  # which would not end by itself
        monkeypatch.setattr(f"substrate.server.{serving}", lambda *_: 0)
    store.ok("pin", "-o", "me.pin")
    Path("letter").write_text("Dear all", encoding="utf-8")
    for seed in range(rounds(3, 500)):
        words = command(verb, random.Random(f"{verb.name} {seed}"))
        stdin = os.fsencode(random.Random(seed).choice(NASTY))
        ran = store(*words, stdin=stdin, terminal=seed % 3 == 0)
        assert ran.code != 70, (seed, words, ran.err)
        assert "Traceback" not in ran.err


def test_a_path_that_is_no_text_is_refused(run: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run.child("checkpoint", "v1.fact.x = y", "--store", "caf\udce9")
    assert (done.returncode, done.stderr) == (
        2,
        b"substrate: an argument is not UTF-8 text, or holds a null character\n",
    )
    monkeypatch.setenv("SUBSTRATE_STORE", "caf\udce9")
    assert run("checkpoint", "v1.fact.x = y").code == 2
    monkeypatch.delenv("SUBSTRATE_STORE")
    Path("caf\udce9").mkdir()
    monkeypatch.chdir("caf\udce9")
    ran = run("checkpoint", "v1.fact.x = y")
    assert (ran.code, "path of the store is not UTF-8" in ran.err) == (2, True)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        *(["import", "~nouser/x"], ["import", "~nouser/x", "--full", "--store", "new"], ["export", "~nouser/x"]),
        *(
            ["prove", "v1.fact.provider", "-o", "~nouser/x"],
            ["pin", "-o", "~nouser/x"],
            ["pin", "--check", "~nouser/x"],
        ),
        *(["diff", "@~nouser/x", "1"], ["verify", "~nouser/x"], ["verify", "letter", "--key", "~nouser/x"]),
        *(["backup", "~nouser/x"], ["restore", "~nouser/x", "--store", "new"], ["list", "--store", "~nouser/x"]),
        ["model", "~nouser/x"],
    ],
    ids=" ".join,
)
def test_the_home_of_nobody_is_a_fault_of_the_path(store: Commands, words: list[str]) -> None:
    Path("letter").write_text("x", encoding="utf-8")
    ran = store(*words)
    assert (ran.code, "'~nouser/x' leads nowhere" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("name", ["SUBSTRATE_HOME", "SUBSTRATE_STORE", "SUBSTRATE_CACHE"])
def test_settings_that_name_the_home_of_nobody_are_told(
    run: Commands, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "~nouser/x")
    ran = run("list")
    assert (ran.code, f"{name}: '~nouser/x' leads nowhere" in ran.err) == (2, True), ran.err


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("words", [["checkpoint", "-"], ["import", "-"], ["verify", "-"]], ids=" ".join)
def test_a_standard_input_that_is_closed_is_told(words: list[str]) -> None:
    ran = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", PROGRAM, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (ran.returncode, "standard input is closed" in ran.stderr) == (2, True), ran.stderr
