"""Use it in a shell: completion."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument

__all__ = ["COMPLETION", "SHELLS"]

SHELLS = ("bash", "zsh", "fish")

COMPLETION = Command(
    "completion",
    "shell",
    "Print a script that lets a shell complete verbs, options and names.",
    "Put the line of the example that fits your shell into its start-up file. Names of atoms are read from the store "
    "when you press the tab key.",
    (
        Example("source <(substrate completion bash)", "for bash, in ~/.bashrc"),
        Example("substrate completion zsh > _substrate", "for zsh, in a folder of $fpath"),
        Example("substrate completion fish > substrate.fish", "for fish, in ~/.config/fish/completions"),
    ),
    (argument("shell", f"one of {', '.join(SHELLS)}", choices=SHELLS),),
    only=Face.CLI,
    as_agent=False,
)
