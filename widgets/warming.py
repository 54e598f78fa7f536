"""What widgets are that compare by meaning: what went by words alone is asked again once the model is up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .linked import Linked
from .work import Worker

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Warming"]


class Warming(Linked):
    """A view that loads the model when it first goes without one."""

    def __init__(self, memory: Memory, **traits: object) -> None:
        self._warming = Worker("substrate-warming")
        self._warmed = False
        super().__init__(memory, **traits)

    def close(self) -> None:
        """Let go of the page and of the store. A model that is being loaded is loaded to its end."""
        self._warming.close()
        super().close()

    def _ask_when_warm(self, ask: Callable[[], None]) -> None:
        """Ask again once the model is up, or it is known that it will not be; the first time this is called.

        In a thread beside the widget's own: who types meanwhile is answered by words.
        """
        if not self._warmed:
            self._warmed = True
            self._warming.submit("warm", lambda: self._warm(ask))

    def _warm(self, ask: Callable[[], None]) -> None:
        self._memory.warm()
        ask()
