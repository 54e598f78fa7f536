"""What all widgets are: a view of one open store, with the traits that link them to each other.

1. What the page shows is in traits: a view that is shown late, or twice, shows the same.
2. The page asks by setting a trait; whoever observes it hands the work to the widget's thread (`_later`), and what
   comes out of it is set as traits. So the kernel is free meanwhile, and Python can use a widget as the page does.
3. Stored text goes into the page as text, never as markup: shared/page.js has the only functions that write it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from substrate.errors import SubstrateError

from .following import follow
from .working import Worker

if TYPE_CHECKING:
    from substrate.engine.memory import Memory

__all__ = ["Linked", "link"]

_SHARED = ("selected", "as_of")


class Linked(anywidget.AnyWidget):
    """A view of one open store. Subclasses have `_esm` and `_css`, traits of their own, and `_refresh`."""

    selected = traitlets.Unicode("", help="the name of the atom that is looked at; empty: none").tag(sync=True)
    as_of = traitlets.Int(None, allow_none=True, help="what was known after this seq; None: what is known now").tag(
        sync=True
    )
    store = traitlets.Unicode("", help="which store it shows").tag(sync=True)
    size = traitlets.Int(-1, help="how many entries the log had when it was last looked at").tag(sync=True)
    working = traitlets.Unicode("", help="what is being worked out; empty: nothing").tag(sync=True)
    progress = traitlets.Float(None, allow_none=True, help="how much of it is done, from 0 to 1; None: unknown").tag(
        sync=True
    )
    problem = traitlets.Unicode("", help="what went wrong, and what to do about it; empty: nothing").tag(sync=True)

    def __init__(self, memory: Memory, **traits: object) -> None:
        """`memory` is used, not closed, by it."""
        self._memory = memory
        self._guard = threading.RLock()
        self._worker = Worker(f"substrate-{type(self).__name__.lower()}")
        self._problems: dict[str, str] = {}
        with self._guard:  # what is worked out before the page can be told of it is set when it can: else it is lost
            super().__init__(store=repr(memory).removeprefix("<Memory ").removesuffix(">"), **traits)
        self._moved(memory.head().head.size)  # in this thread: who waits for the widget waits for what it shows first
        self._unfollow = follow(memory, self._moved)

    def wait(self, seconds: float = 30) -> bool:
        """For scripts and tests: until nothing is being worked out, or for so long; whether nothing is."""
        return self._worker.wait(seconds)

    def close(self) -> None:
        """Let go of the page and of the store."""
        self._unfollow()
        self._worker.close()
        super().close()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """What the page says. Never at the same moment as what the worker says: traitlets are not made for that."""
        with self._guard:
            super().set_state(sync_data)

    def _refresh(self) -> None:
        """Work out anew what is shown, since the store has changed. Called in any thread; returns at once."""
        raise NotImplementedError

    def _later(
        self,
        kind: str,
        work: Callable[[], Mapping[str, object]],
        telling: str = "",
        worker: Worker | None = None,
    ) -> None:
        """Do `work` in the widget's thread and set the traits that it answers with; the latest of a kind counts.

        `telling` is shown meanwhile. What it raises is told as `problem`, until the same kind of work goes well. What
        takes long has a `worker` of its own, so that the widget still answers.
        """
        worker = worker or self._worker

        def done() -> None:
            if telling:
                self._set({"working": telling, "progress": None})
            said: dict[str, object] = {}
            problem = ""
            try:
                said |= work()
            except SubstrateError as error:
                problem = str(error)
            except Exception as error:  # noqa: BLE001 - a thread has no one to raise to
                problem = f"This should not have happened: {type(error).__name__}: {error}"
            self._problems[kind] = problem
            said["problem"] = next(filter(None, self._problems.values()), "")
            if telling:
                said |= {"working": "", "progress": None}
            if worker.is_latest(kind):
                self._set(said)
            elif telling:
                self._set({"working": "", "progress": None})

        worker.submit(kind, done)

    def _set(self, said: Mapping[str, object]) -> None:
        """One message for each: to hold them back and send them as one can lose what another thread sets meanwhile."""
        with self._guard:
            for trait, value in said.items():
                setattr(self, trait, value)

    def _moved(self, size: int | None) -> None:
        if size is None:
            self._set({"problem": "The store was closed. Open it again, and show this widget anew."})
        elif size != self.size:
            self._set({"size": size})
            self._refresh()


def link(*widgets: Linked) -> None:
    """What is selected in one of them is selected in all, and when one of them travels in time, all do.

    To begin with, all take what the first of them has that has anything.
    """
    first, *others = widgets
    for trait in _SHARED:
        said = [value for widget in widgets if (value := getattr(widget, trait)) not in ("", None)]
        if said:
            setattr(first, trait, said[0])
        for other in others:
            traitlets.link((first, trait), (other, trait))
