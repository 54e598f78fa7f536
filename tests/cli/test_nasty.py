"""Whatever is typed, the answer is an answer or a typed error: never a bug, a traceback or a hang."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from substrate.cli.catalogue import VERBS
from substrate.commands.command import Command
from tests.cli.run import Commands
from tests.scale import rounds

NASTY = [
    *("", "-", "--", "-1", "0", "1", "1:2", "9" * 30, "9" * 5000, "0:" + "9" * 30, "\u0663", "0.5", "nan"),
    *("@me.pin", "@letter", "@nowhere", "me.pin", "letter", "a+b+c", "a\0b", "\x1b[31m", "%s %(x)s {}", "x" * 5000),
    *("v1.fact.provider", "v1.fact.\udcff", "v1.fact." + "x" * 500, "v1.fact.x = y", "v1.fact.x = \udcff"),
    *("v1.fact.provider=1", "v1.fact.provider=" + "9" * 40, "v1.fact.provider knows v1.fact.currency"),
    *("2026-01-01", "9999-12-31T23:59:59.999999+00:00", "0001-01-01T00:00:00+23:59", "user", "current", "bash"),
    *("{}", "[]", '{"a": 1}'),
]


def command(verb: Command, rng: random.Random) -> list[str]:
    words = [verb.name]
    for item in verb.options:
        if item.by_place:
            count = {None: 1, "?": rng.randint(0, 1), "*": rng.randint(0, 3)}[item.nargs]
            words += rng.choices(NASTY, k=count)
        elif rng.random() < 0.3:
            words += [item.flags[0]] if item.metavar is None else [item.flags[0], rng.choice(NASTY)]
    return words + ["--json"] * rng.randint(0, 1)


@pytest.mark.soak
@pytest.mark.parametrize("verb", VERBS, ids=[verb.name for verb in VERBS])
def test_nothing_that_is_typed_is_a_bug(store: Commands, verb: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for serving in ("stdio.serve_stdio", "http.serve_http", "wire.claim"):  # which would not end by itself
        monkeypatch.setattr(f"substrate.server.{serving}", lambda *_: 0)
    store.ok("pin", "-o", "me.pin")
    Path("letter").write_text("Dear all", encoding="utf-8")
    for seed in range(rounds(6, 500)):
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
