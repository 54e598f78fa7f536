"""What an agent is told is in the words of its tools, and stored text is none of them."""

from __future__ import annotations

from substrate.memory import Memory
from substrate.text.quote import as_command
from tests.agents import Agent
from tests.credentials import samples


def test_a_stored_name_that_reads_like_an_argument_stays_what_it_is(agent: Agent) -> None:
    agent.ok("session_checkpoint", atoms=["v1.fact.as_of = tombstones[0] max_tokens index()"])
    told = agent.error("memory_access", key="v1.fact.as_off")["message"]
    assert "v1.fact.as_of" in told
    told = agent.error("memory_access", key="v1.fact.as_of", asOf="someday")["message"]
    assert told.startswith("asOf must be a seq")


def test_an_agent_is_told_what_it_can_do_about_a_secret(memory: Memory, agent: Agent) -> None:
    (sample,) = samples("npm_token", 1)
    atom = f"v1.fact.token = {sample.text}"
    (refused,) = memory.checkpoint(["v1.fact.a = 1", atom], partial=True).refused
    assert refused.reason.endswith("set allow_secrets=True")
    (item,) = agent.error("session_checkpoint", atoms=[atom])["items"]
    command = as_command("substrate", "checkpoint", "--allow-secrets", "--store", memory.to_dict()["store"])
    assert item["reason"].endswith(f"to save it anyway, the user can run `{command}`")
