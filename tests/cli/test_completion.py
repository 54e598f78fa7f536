"""Completion, in the shells themselves. zsh and fish only where they are installed."""

from __future__ import annotations

import os
import subprocess

import pytest

from substrate.cli.catalogue import VERBS
from substrate.cli.completion import script, value_kinds
from substrate.cli.options import GLOBAL_OPTIONS
from substrate.commands.verbs.shell import SHELLS
from tests.cli.run import Commands
from tests.cli.shells import PATH, Terminal, needs
from tests.scale import PATIENCE_S


@pytest.fixture
def named(run: Commands) -> Commands:
    run.ok("checkpoint", "v1.fact.alpha = 1", "v1.fact.al beta = 2", "v1.goal.x = 3")
    run.ok("checkpoint", "v1.fact.other = 1", "--store", "second one")
    return run


def bash_offers(*words: str) -> set[str]:
    """What the script offers for the last of the words."""
    asks = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _substrate; printf "%s\\n" "${COMPREPLY[@]}"'
    text = f"{script('bash', VERBS)}\n{asks}"
    done = subprocess.run(
        ["bash", "--norc", "-c", text, "bash", "substrate", *words],
        env={**os.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    assert done.stderr == ""
    return set(done.stdout.splitlines()) - {""}


def test_the_script_is_printed_and_is_sound_bash(run: Commands) -> None:
    printed = run.ok("completion", "bash").out
    assert printed == script("bash", VERBS)
    assert run("completion", "bash", "--json").json == {"shell": "bash", "script": printed}
    assert subprocess.run(["bash", "-n"], input=printed, text=True, check=True, capture_output=True).stderr == ""


def test_bash_completes_verbs_and_options() -> None:
    assert bash_offers("") == {verb.name for verb in VERBS}
    assert bash_offers("co") == {"compact", "compare", "completion", "conflicts", "context"}
    assert bash_offers("--q") == {"--quiet"}
    assert bash_offers("list", "--to") == {"--tombstoned"}
    assert bash_offers("--store", "x", "--json", "acc") == {"access"}
    assert bash_offers("checkpoint", "--s") == {"--source", "--session", "--store"}
    assert bash_offers("verify", "p.json", "--claim", "") == {
        "recorded", "current", "tombstoned", "forgotten", "absent", "extended"
    }  # fmt: skip
    assert bash_offers("completion", "") == set(SHELLS)
    assert bash_offers("nonsense", "") == set()


@pytest.mark.usefixtures("named")
def test_bash_completes_names_of_atoms() -> None:
    assert bash_offers("access", "v1.fact.al") == {"v1.fact.alpha", "v1.fact.al\\ beta"}
    assert bash_offers("access", '"v1.fact.al b') == {"v1.fact.al beta"}
    assert bash_offers("access", "v1.fact.al\\ b") == {"v1.fact.al\\ beta"}
    assert bash_offers("access", "") == {"v1.fact.alpha", "v1.fact.al\\ beta", "v1.goal.x"}
    assert bash_offers("--store", "second one", "access", "v1") == {"v1.fact.other"}
    assert bash_offers("access", "--store", "second one", "v1") == {"v1.fact.other"}
    assert bash_offers("--store", "nowhere", "access", "v1") == set()
    assert bash_offers("checkpoint", "--tombstone", "v1.g") == {"v1.goal.x"}
    assert bash_offers("checkpoint", "--source", "v1.g") == set()


@pytest.mark.usefixtures("named")
def test_bash_completes_when_the_tab_key_is_pressed() -> None:
    shell = Terminal("bash", "--norc", "--noprofile", "-i", PS1="ready$ ", INPUTRC="/dev/null")
    shell.wait_for("ready$ ")
    shell.type("source <(substrate completion bash); echo load''ed\n")
    shell.wait_for("loaded")
    shell.wait_for("ready$ ")
    shell.type("substrate acc\tv1.g\t--js\t\n")
    shell.wait_for('"value": "3"')
    shell.wait_for("ready$ ")
    shell.type("substrate access v1.fact.al\\ \t\n")
    shell.wait_for("v1.fact.al\\ beta")
    shell.wait_for("2")
    shell.end()


@needs("zsh")
@pytest.mark.usefixtures("named")
def test_zsh_completes_when_the_tab_key_is_pressed() -> None:
    shell = Terminal("zsh", "-f", "-i", PS1="ready$ ")
    shell.wait_for("ready$ ")
    shell.type("autoload -Uz compinit; compinit -D; source <(substrate completion zsh); echo load''ed\n")
    shell.wait_for("loaded\r\n")
    shell.wait_for("ready$ ")
    shell.type("substrate acc\tv1.g\t--js\t\n")
    shell.wait_for('"value": "3"')
    shell.wait_for("ready$ ")
    shell.type("substrate --store 'second one' access v1.f\t\n")
    shell.wait_for("v1.fact.other")
    shell.wait_for("1")
    shell.end()


def fish_offers(line: str) -> set[str]:
    text = f"{script('fish', VERBS)}\ncomplete -C {line!r}"
    done = subprocess.run(
        ["fish", "--no-config", "-c", text],
        env={**os.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    assert done.stderr == ""
    return {offer.split("\t")[0] for offer in done.stdout.splitlines()}


@needs("fish")
@pytest.mark.usefixtures("named")
def test_fish_completes_verbs_options_and_names() -> None:
    assert fish_offers("substrate co") == {"compact", "compare", "completion", "conflicts", "context"}
    assert fish_offers("substrate list --tomb") == {"--tombstoned"}
    assert fish_offers("substrate access v1.g") == {"v1.goal.x"}
    assert fish_offers("substrate --store 'second one' access v1.") == {"v1.fact.other"}
    assert fish_offers("substrate completion ") == set(SHELLS)
    assert fish_offers("substrate verify --claim a") == {"absent"}


@needs("zsh")
def test_the_zsh_script_is_sound() -> None:
    done = subprocess.run(["zsh", "-n"], input=script("zsh", VERBS), text=True, check=True, capture_output=True)
    assert done.stderr == ""


def test_an_option_means_the_same_to_the_shell_in_every_verb() -> None:
    """The scripts look at the option alone, not at the verb it stands with."""
    found: dict[str, set[str]] = {}
    for verb in VERBS:
        for flag, kind in value_kinds([verb]).items():
            found.setdefault(flag, set()).add(kind)
    assert [flag for flag, kinds in found.items() if len(kinds) > 1] == []


@pytest.mark.parametrize("shell", SHELLS)
def test_every_verb_and_option_is_in_every_script(shell: str) -> None:
    text = script(shell, VERBS)
    for verb in VERBS:
        assert verb.name in text
        for item in (*verb.options, *GLOBAL_OPTIONS):
            for flag in item.flags:
                assert (flag.lstrip("-") in text) or item.by_place
