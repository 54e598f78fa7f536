"""What a verb works with: the shell it was typed in, the stores of the kernel, and what the user set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from IPython.core.error import StdinNotImplementedError, UsageError
from IPython.core.interactiveshell import InteractiveShell

from substrate.notebook.stores import Stores
from substrate.notebook.watch import Watch
from substrate.text.visible import visible

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Workspace"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """Made anew for each call of `%memory`."""

    shell: InteractiveShell
    stores: Stores
    watch: Watch
    names: Mapping[str, object]
    """What the user's variables are, where the line was typed."""
    limit: int
    max_tokens: int
    wait: float

    def memory(self, *, create: bool = False) -> Memory:
        """The store that is in use. With `create` it is made if there is none, which is said; else UsageError."""
        memory = self.stores.current(create=create)
        self.tell_news(memory)
        return memory

    def tell_news(self, memory: Memory) -> None:
        """Say what happened on the way to this store; and with every verb, if another copy of it is ahead."""
        for word in self.stores.news():
            self.say(word)
        if (behind := memory.behind) is not None:
            self.say(visible(f"note: {behind}"))

    def say(self, text: str) -> None:
        """Tell the user something beside the result."""
        print(text)  # noqa: T201 - what a cell prints is what its reader sees

    def agreed(self, question: str) -> bool:
        """Whether the user answers yes. UsageError where nobody can be asked."""
        try:
            answer = input(f"{question} [y/N] ")
        except (StdinNotImplementedError, EOFError):
            raise UsageError(f"{question} Nobody can be asked here: to do it, add --yes") from None
        return answer.strip().lower() in ("y", "yes")
