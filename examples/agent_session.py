"""What an agent does with its memory, by hand: a client of the MCP server, over two conversations.

    python examples/agent_session.py [STORE]

It starts `substrate mcp` as Claude Desktop and others do, and calls the tools that an agent would call.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, Implementation, TextContent


def told(result: CallToolResult) -> dict[str, Any]:
    if result.is_error:
        raise SystemExit(f"refused: {result.content}")
    return result.structured_content or {}


def agent(store: Path) -> Client:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "substrate", "mcp", "--store", str(store), "--scopes", "read,write,train"],
        env=dict(os.environ),  # without it a server sees next to nothing of it
    )
    return Client(command, client_info=Implementation(name="example-agent", version="1"))


async def first_conversation(store: Path) -> None:
    async with agent(store) as memory:
        await memory.call_tool("memory_session_bootstrap", {"objective": "ship subscription billing"})
        saved = told(
            await memory.call_tool(
                "session_checkpoint",
                {
                    "atoms": [
                        "v1.fact.payment_provider = Stripe",
                        "v1.state.current_sprint = Sprint 12: subscription billing",
                        "v1.constraint.amounts = Amounts are integers, in cents",
                    ],
                    "edges": [
                        {
                            "source": "v1.state.current_sprint",
                            "target": "v1.fact.payment_provider",
                            "type": "depends_on",
                        }
                    ],
                },
            )
        )
        print("saved:", ", ".join(saved["recorded"]))
        # The user corrects the agent: the most valuable thing to keep.
        rule = "v1.procedure.always_run_the_ledger_tests"
        await memory.call_tool(
            "session_checkpoint",
            {
                "atoms": [f"{rule} = Run the ledger tests before every change to billing"],
                "edges": [
                    {"source": rule, "target": "v1.state.current_sprint", "type": "constrains"},
                    {"source": rule, "target": "v1.hub.corrections", "type": "member_of"},
                ],
            },
        )
        trained = told(await memory.call_tool("memory_train", {"atoms": [rule], "passes": 3}))
        print("trained:", ", ".join(trained["learnt"]), f"({trained['passes']} passes)")


async def next_conversation(store: Path) -> None:
    async with agent(store) as memory:
        opening = told(
            await memory.call_tool(
                "memory_session_bootstrap", {"objective": "change the billing of subscriptions", "maxTokens": 600}
            )
        )
        print(f"opened with {opening['tokens']} tokens:")
        for section in ("goals", "constraints", "preferences", "atoms"):
            for atom in opening.get(section, []):  # in a small budget a list that is empty is left out
                print(f"  {section}: {atom['key']} = {atom['value']}")
        found = told(await memory.call_tool("memory_access", {"key": "v1.fact.payment_provider", "includeProof": True}))
        checked = told(await memory.call_tool("memory_verify", {"bundle": found["proof"]}))
        print(f"{found['key']} = {found['value']}: {checked['claim']}, checked against {checked['against']}")
        missing = await memory.call_tool("memory_access", {"key": "v1.fact.payment_providr"})
        print("a mistyped key:", *(block.text for block in missing.content if isinstance(block, TextContent)))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "store"
        anyio.run(first_conversation, store)
        anyio.run(next_conversation, store)


if __name__ == "__main__":
    main()
