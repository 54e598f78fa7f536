"""What is declared is what both faces have."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import substrate
from substrate.cli.catalogue import VERBS as ON_THE_COMMAND_LINE
from substrate.cli.dispatch import RUNS
from substrate.cli.exits import Exit
from substrate.commands.catalogue import COMMANDS, GROUPS, commands_of
from substrate.commands.command import Command, Example, Face, flag
from substrate.commands.verbs.find import SEARCH
from substrate.commands.verbs.prove import CLAIMS
from substrate.notebook.catalogue import VERBS as IN_A_NOTEBOOK
from substrate.proof import bundle

PACKAGE = Path(substrate.__file__).parent

ONE_FACE_ONLY = {
    ("checkpoint", Face.CLI): ["atoms"],
    ("checkpoint", Face.NOTEBOOK): ["item"],
    ("list", Face.CLI): ["--all", "--names"],
    ("ingest", Face.CLI): ["--watch", "--every"],
    ("key", Face.CLI): ["--rotate"],
    ("key", Face.NOTEBOOK): ["-o"],
    ("encrypt", Face.NOTEBOOK): ["--passphrase-file"],
    ("unlock", Face.NOTEBOOK): ["--passphrase-file"],
}
"""On the command line every verb has --passphrase-file.

Standard input, lists of any length, work without end and rotation are for a shell; `> FILE` is for a shell, and -o
for a notebook."""


def spelled(command: Command, face: Face) -> list[str]:
    return [item.flags[0] for item in command.on(face).options]


def test_each_face_does_what_is_declared_for_it_and_nothing_else() -> None:
    beside_the_server = {"mcp", "mcp-config", "surfaces", "token", "quota"}
    served = beside_the_server | {"hooks", "hook", "transcript", "proposed"}
    assert {verb.name for verb in ON_THE_COMMAND_LINE} == {verb.name for verb in commands_of(Face.CLI)} | served
    assert set(RUNS) == {verb.name for verb in ON_THE_COMMAND_LINE}
    assert [verb.command for verb in IN_A_NOTEBOOK.values()] == list(commands_of(Face.NOTEBOOK))


def test_a_verb_of_both_faces_has_the_same_options_but_for_these() -> None:
    differ = {}
    for command in (command for command in COMMANDS if command.only is None):
        for face, other in ((Face.CLI, Face.NOTEBOOK), (Face.NOTEBOOK, Face.CLI)):
            if own := [one for one in spelled(command, face) if one not in spelled(command, other)]:
                differ[command.name, face] = own
    assert differ == ONE_FACE_ONLY


def test_an_option_of_one_face_is_not_on_the_other() -> None:
    command = replace(SEARCH, options=(*SEARCH.options, flag("--aloud", help="", face=Face.NOTEBOOK)))
    assert "--aloud" in spelled(command, Face.NOTEBOOK)
    assert "--aloud" not in spelled(command, Face.CLI)


@pytest.mark.parametrize("face", list(Face))
def test_no_verb_has_a_name_or_an_option_twice(face: Face) -> None:
    names = [command.name for command in commands_of(face)]
    assert len(set(names)) == len(names)
    for command in commands_of(face):
        flags = [one for item in command.options for one in item.flags]
        assert len(set(flags)) == len(flags), command.name


@pytest.mark.parametrize("face", list(Face))
def test_every_verb_has_a_group_a_sentence_and_an_example(face: Face) -> None:
    for command in commands_of(face):
        assert command.group in GROUPS
        assert command.summary.endswith(".")
        assert command.examples, command.name
        assert all(item.help for item in command.options)


def test_an_example_belongs_to_the_face_on_which_it_is_typed() -> None:
    assert Example("substrate list").face is Face.CLI
    assert Example("found = %memory list").face is Face.NOTEBOOK
    assert all(example.exit in set(Exit) for command in COMMANDS for example in command.examples)


def test_the_claims_to_choose_from_are_those_of_proofs() -> None:
    assert set(CLAIMS) == set(bundle.CLAIMS)


def imported_by(folder: Path) -> set[str]:
    """The rooms of the package that the files of a folder import."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")]
    found = [node.module or "" for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {module.split(".")[1] for module in found if module.startswith("substrate.")}


def test_the_faces_do_not_know_each_other_and_the_declarations_know_neither() -> None:
    assert "notebook" not in imported_by(PACKAGE / "cli")
    assert "cli" not in imported_by(PACKAGE / "notebook")
    below = {"atoms", "commands", "errors", "files", "memory", "policy", "proof", "result", "text", "values"}
    assert imported_by(PACKAGE / "commands") <= below
    assert not {"memory", "values"} & imported_by(PACKAGE / "commands" / "verbs"), "declarations load no engine"
    assert "server" in imported_by(PACKAGE / "cli"), "the probe sees what is imported"
