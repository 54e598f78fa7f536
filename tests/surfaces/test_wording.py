"""Messages of the engine in the words of the tools."""

from __future__ import annotations

from pathlib import Path

import pytest

import substrate
from substrate.errors import SecretFound
from substrate.surfaces.wording import for_agents
from tests.credentials import samples
from tests.mcp_clients import Agent


@pytest.mark.parametrize(
    ("engine", "wire"),
    [
        ("as_of must be a seq", "asOf must be a seq"),
        ("give valid_at or as_of, not both", "give validAt or asOf, not both"),
        ("max_tokens must be at least 60", "maxTokens must be at least 60"),
        ("evidence_threshold, with and without high_impact", "evidenceThreshold, with and without highImpact"),
        ("all_domains[2]", "allDomains[2]"),
        ("tombstones[0]", "tombstone[0]"),
        ("unedges[3]: no such edge", "unedge[3]: no such edge"),
        ("atoms[0]", "atoms[0]"),
    ],
)
def test_arguments_are_called_as_the_tools_call_them(engine: str, wire: str) -> None:
    assert for_agents(engine) == wire
    assert for_agents(wire) == wire


@pytest.mark.parametrize(
    "name", ["v1.fact.as_of", "v1.as_of.x", "v1.fact.tombstones_kept", "my_max_tokens", "as_offset"]
)
def test_a_key_or_a_word_that_only_looks_like_one_stays(name: str) -> None:
    message = f"there is no {name}; near it: {name}_2"
    assert for_agents(message) == message


def test_what_an_agent_has_not_got_is_not_offered_to_it() -> None:
    assert "index()" not in for_agents("nothing is embedded yet: index() embeds what there is")
    assert for_agents("3 of 5 are embedded; index() embeds what there is") == "3 of 5 are embedded; ask again soon"


def test_these_are_still_the_words_of_the_engine(tmp_path: Path, agent: Agent) -> None:
    """If a message is worded anew, what agents are told has to follow."""
    (sample,) = samples("npm_token", 1)
    atom = f"v1.fact.token = {sample.text}"
    with substrate.open(tmp_path / "another") as memory:
        memory.checkpoint(["v1.fact.a = 1"])
        saved = memory.checkpoint([atom], partial=True)
        (refused,) = saved.refused
        assert "set allow_secrets" in refused.reason
        assert refused.code == SecretFound.code
    (item,) = agent.error("session_checkpoint", atoms=[atom])["items"]
    assert "allow_secrets" not in item["reason"]
    assert item["reason"].endswith("the user can save it with `substrate checkpoint`")
