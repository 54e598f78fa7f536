"""`%memory` in a real kernel, asked over its own protocol: completion, questions, errors, rich outputs, the end."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import substrate

WAIT = 120


class Kernel:
    """A kernel, and what it says to a cell."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.errors: list[dict[str, Any]] = []
        """What the cell that ran last shows of errors."""

    def run(self, code: str, answer: str | None = None) -> tuple[str, dict[str, Any], str]:
        """The status of the reply, the result by kind of text, and what was printed; a question is answered."""
        printed: list[str] = []
        results: dict[str, Any] = {}

        def shown(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                printed.append(content["text"])
            elif message["msg_type"] == "execute_result":
                results.update(content["data"])
            elif message["msg_type"] == "error":
                self.errors.append(content)

        def asked(message: dict[str, Any]) -> None:
            printed.append(message["content"]["prompt"])
            self.client.input(answer)

        self.errors = []
        reply = self.client.execute_interactive(
            code, timeout=WAIT, output_hook=shown, stdin_hook=asked, allow_stdin=answer is not None
        )
        return reply["content"]["status"], results, "".join(printed)


@pytest.fixture
def kernel(folder: Path) -> Iterator[Kernel]:
    manager = KernelManager()
    manager.start_kernel(cwd=str(folder), stderr=sys.stderr)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=WAIT)
        yield Kernel(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
        manager.cleanup_resources()


def test_a_kernel_saves_shows_completes_asks_and_closes_the_store_at_its_end(kernel: Kernel, folder: Path) -> None:
    assert kernel.run("%load_ext substrate")[0] == "ok"
    status, data, printed = kernel.run("%memory checkpoint v1.fact.payment_provider = <b>Stripe</b>")
    assert (status, "made a new store" in printed) == ("ok", True)
    assert "substrate-shown" in data["text/html"]
    _, data, _ = kernel.run("%memory search who is Stripe?")
    assert "&lt;b&gt;<mark>Stripe</mark>&lt;/b&gt;" in data["text/html"]
    assert data["text/plain"].startswith("Found of 1")

    for code, fragment, found in (
        ("%memory acc", "acc", ["access"]),
        ("x = %memory access v1.fact.p", "v1.fact.p", ["v1.fact.payment_provider"]),
    ):
        reply = kernel.client.complete(code, reply=True, timeout=WAIT)["content"]
        assert reply["matches"] == found
        assert code[reply["cursor_start"] : reply["cursor_end"]] == fragment

    status, _, printed = kernel.run("%memory acess x")
    assert status == "error"
    assert printed.startswith("UsageError: %memory has no verb acess. Did you mean access?")
    assert printed.count("\n") == 1

    status, _, printed = kernel.run("%memory forget v1.fact.payment_provider", answer="n")
    asked = 'This erases for good: 1 atom, 1 version ("v1.fact.payment_provider"). There is no undo. [y/N] '
    assert printed == f"{asked}nothing was forgotten\n"
    assert kernel.run("%memory access v1.fact.payment_provider")[0] == "ok"
    _, data, _ = kernel.run("%memory forget v1.fact.payment_provider", answer="y")
    assert "erased for good" in data["text/html"]

    kernel.run("%memory checkpoint v1.fact.a = x")
    kernel.run("%memory checkpoint v1.fact.b = y")
    kernel.run("%memory access v1.fact.a")
    kernel.run("%memory access v1.fact.b")
    kernel.client.shutdown(reply=True, timeout=WAIT)
    with substrate.open(folder / "substrate-store", read_only=True) as memory:
        assert memory.stats().sessions == 1  # which is written down when the store is closed


def test_what_is_no_python_is_shown_in_a_recorded_cell_as_in_any(kernel: Kernel) -> None:
    kernel.run("%load_ext substrate")

    def shown(cell: str) -> list[tuple[str, ...]]:
        """What a cell that fails shows of errors, without the number that each cell has."""
        assert kernel.run(cell)[0] == "error"
        parts = ("ename", "evalue", "traceback")
        return [tuple(re.sub(r"In\[\d+\]|\d+\.py", "", str(error[part])) for part in parts) for error in kernel.errors]

    broken = ["x = = 1", "if 1:\n  x\n y", "ran = 1\nreturn 3"]
    recorded = [shown(f"%%memory record v1.metric.bad\n{code}") for code in broken]
    assert kernel.run("ran")[0] == "error", "nothing was run"
    assert [len(errors) for errors in recorded] == [1, 1, 1]
    assert recorded == [shown(code) for code in broken]
    assert "there is no v1.metric.bad" in kernel.run("%memory access v1.metric.bad")[2]


def test_a_notebook_that_is_run_by_a_program_is_not_asked(folder: Path) -> None:
    cells = ["%load_ext substrate", "%memory checkpoint v1.fact.a = x", "%memory forget v1.fact.a"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    there = {"metadata": {"path": str(folder)}}
    with pytest.raises(CellExecutionError):
        NotebookClient(notebook, timeout=WAIT, kernel_name="python3", resources=there).execute()
    assert "add --yes" in notebook.cells[2].outputs[0]["text"]
    assert "Traceback" not in str(notebook.cells[2].outputs)
    notebook.cells[2].source += " --yes"
    NotebookClient(notebook, timeout=WAIT, kernel_name="python3", resources=there).execute()
    assert "erased for good" in notebook.cells[2].outputs[-1]["data"]["text/html"]


def test_a_recorded_cell_that_fails_stops_the_notebook(folder: Path) -> None:
    cells = ["%load_ext substrate", "%%memory record v1.metric.bad\n1 / 0", "print('went on')"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    there = {"metadata": {"path": str(folder)}}
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        NotebookClient(notebook, timeout=WAIT, kernel_name="python3", resources=there).execute()
    notebook.cells[1].source = "%%memory record v1.metric.bad\nimport asyncio\nawait asyncio.sleep(0)\n1"
    with pytest.raises(CellExecutionError):
        NotebookClient(notebook, timeout=WAIT, kernel_name="python3", resources=there).execute()
    assert "awaits cannot be recorded" in notebook.cells[1].outputs[0]["text"]
    assert "Traceback" not in str(notebook.cells[1].outputs)
