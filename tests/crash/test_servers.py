"""Servers, a notebook's kernel and scripts on one store at once; and servers that are killed while agents call them.

To replay a failure: SUBSTRATE_SEED=<the seed it printed>.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

import substrate
from substrate.errors import Forgotten, NotFound
from substrate.log.log import open_log
from tests.crash.agents import Agent, Told
from tests.crash.survivor import lost, partial
from tests.ready import run
from tests.scale import SEED, rounds
from tests.wire import Server

AGENTS = 3
HASTY = "tests.crash.hasty_server"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def script(store: Path, *words: str) -> str:
    """The command line, in a process that comes and goes."""
    ran = run("substrate", *words, "--store", str(store))
    return ran.stdout.strip() or ran.stderr.strip()


def through(server: Server, key: str) -> str:
    """What a server says of a key: its value, or the code of the error."""
    result = server.call("memory_access", key=key)
    said: str = result["content"][0]["text"]
    return said.partition(":")[0] if result.get("isError") else json.loads(said)["value"]


def test_two_servers_a_kernel_and_a_script_see_what_the_others_write_at_their_next_call(
    tmp_path: Path, home: Path
) -> None:
    store, key = tmp_path / "store", "v1.fact.shared"
    with Server(store, home) as one, Server(store, home) as two, substrate.open(store) as kernel:
        for server in (one, two):
            server.greet()
        writers: dict[str, Callable[[str], object]] = {
            "one": lambda value: one.call("session_checkpoint", atoms=[f"{key} = {value}"]),
            "two": lambda value: two.call("session_checkpoint", atoms=[f"{key} = {value}"]),
            "kernel": lambda value: kernel.checkpoint([f"{key} = {value}"]),
            "script": lambda value: script(store, "checkpoint", f"{key} = {value}"),
        }
        for number, (writer, write) in enumerate(writers.items()):
            write(f"{writer} {number}")
            seen = {through(one, key), through(two, key), kernel.access(key).value, script(store, "access", key)}
            assert seen == {f"{writer} {number}"}
            for server in (one, two):
                assert [hit["key"] for hit in server.call("memory_search", query=writer)["structuredContent"]["atoms"]]
                assert len(server.call("memory_history", key=key)["structuredContent"]["versions"]) == number + 1
        two.call("session_checkpoint", tombstone=[key])
        assert through(one, key) == "not_found"
        with pytest.raises(NotFound):
            kernel.access(key)
        script(store, "forget", "--yes", key)
        assert through(one, key) == through(two, key) == "forgotten"
        with pytest.raises(Forgotten):
            kernel.access(key)


# -- kills -------------------------------------------------------------------------------------------------------------


def missing(store: Path, told: Told) -> list[str]:
    """What was acknowledged and is in no version of its atom."""
    with substrate.open(store, read_only=True) as memory:

        def labels(name: str) -> set[str]:
            try:
                versions = memory.history(name, limit=1000)
            except NotFound:
                return set()
            return {version.atom.value.split(" ")[0] for version in versions if version.atom is not None}

        there = {name: labels(name) for name in {name for name, _ in told.labels}}
    return [f"{name} has no {label}" for name, label in told.labels if label not in there[name]]


def faults(store: Path, home: Path, told: Told) -> list[str]:
    """What is wrong with a store after all of it."""
    with open_log(store, home=home, read_only=True) as log:
        entries = log.entries(0, 1 << 40)
    report = substrate.fsck(store, home=home)
    found = [*missing(store, told), *lost(entries, told.heads), *partial(entries)]
    return found if report.ok else [*found, f"fsck: {report.damage}"]


@pytest.mark.soak
def test_agents_whose_servers_are_killed_lose_nothing_that_was_acknowledged(tmp_path: Path, home: Path) -> None:
    rng, told, store = random.Random(f"servers {SEED}"), Told(), tmp_path / "store"
    calls, kills = rounds(80, 4_000), rounds(2, 60)
    fatal = set(rng.sample(range(10, calls // AGENTS), kills))
    unanswered = 0
    with ExitStack() as ends:
        agents = [
            Agent(number, lambda: Server(store, home), random.Random(f"{number} {SEED}"), told)
            for number in range(AGENTS)
        ]
        for agent in agents:
            ends.callback(lambda agent=agent: agent.server.__exit__())
        for turn in range(calls // AGENTS):
            for agent in agents:
                agent.begin()
            if turn in fatal:
                victim = rng.choice(agents)
                burst = rng.randint(1, 5)
                for _ in range(burst):
                    victim.begin()
                victim.finish(leave=rng.randint(1, burst))
                unanswered += victim.killed()
            for agent in agents:
                agent.finish()
    assert unanswered, "no kill came while a call was under way"
    assert told.answers > calls * 0.9
    assert len(told.heads) > calls * 0.4
    found = faults(store, home, told)
    assert not found, f"SUBSTRATE_SEED={SEED}: {found[:5]}"


def test_a_server_that_acknowledges_before_it_saves_is_found_out(tmp_path: Path, home: Path) -> None:
    told, store = Told(), tmp_path / "store"
    with substrate.open(store):
        pass
    agent = Agent(0, lambda: Server(store, home, program=HASTY), random.Random(SEED), told)
    try:
        for _ in range(8):
            agent.begin()
            agent.finish()
    finally:
        agent.server.__exit__()
    assert told.labels
    assert missing(store, told)
