"""What all widgets are: a view of one open store, with the traits that link them to each other.

1. What the page shows is in traits: a view that is shown late, or twice, shows the same.
2. The page asks by setting a trait; whoever observes it hands the work to the widget's thread (`_later`), and what
   comes out of it is set as traits. So the kernel is free meanwhile, and Python can use a widget as the page does.
3. What nobody looks at is not worked out: without a view in any page (`views`) a widget lets the store move on, and
   catches up when it is shown again or when Python waits for it. What Python asks of it is done at once, view or not.
4. Stored text goes into the page as text, never as markup: shared/page.js has the only functions that write it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import anywidget
import traitlets

from substrate.errors import SubstrateError

from .follow import follow
from .pages import Pages
from .picture import Row, picture
from .still import Still
from .work import Worker

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Linked", "link"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_SHARED = ("selected", "as_of")
_FIRST_S = 1.0
"""What the kernel waits for the first answer, so that a still picture has it."""


class Linked(anywidget.AnyWidget):
    """A view of one open store. Subclasses have `_esm` and `_css`, traits of their own, and `_refresh`."""

    _shows_learnt = False
    """Whether what is learnt from use, which adds no entry to the log, changes what it shows."""

    selected = traitlets.Unicode("", help="the name of the atom that is looked at; empty: none").tag(sync=True)
    as_of = traitlets.Int(None, allow_none=True, help="the state after this entry; None: now").tag(sync=True)
    store = traitlets.Unicode("", help="which store it shows").tag(sync=True)
    size = traitlets.Int(-1, help="how many entries the log had when it was last looked at").tag(sync=True)
    working = traitlets.Unicode("", help="the work in progress; empty: none").tag(sync=True)
    progress = traitlets.Float(None, allow_none=True, help="how much of it is done, from 0 to 1; None: unknown").tag(
        sync=True
    )
    views = traitlets.Int(0, help="how many views of it are open, in all pages: none of them can say that alone")
    page = traitlets.Dict(
        per_key_traits={
            "id": traitlets.Unicode(),
            "views": traitlets.Int(min=0),
            "call": traitlets.Int(None, allow_none=True),
        },
        help="the report of a page: how many views it has, in answer to which call, or to none",
    ).tag(sync=True)
    call = traitlets.Int(0, help="how often all pages were called to say it again").tag(sync=True)
    mark = traitlets.Unicode(help="tells this widget from all others, for the page").tag(sync=True)
    asked = traitlets.Int(0, help="how often the page has asked for something").tag(sync=True)
    heard = traitlets.Int(0, help="the last of these that the kernel has heard of: it does not while a cell runs").tag(
        sync=True
    )
    notice = traitlets.Unicode("", help="that another copy of the store is ahead, and what to do; empty: none is").tag(
        sync=True
    )
    problem = traitlets.Unicode("", help="the problem and its remedy; empty: none").tag(sync=True)

    def __init__(self, memory: Memory, **traits: object) -> None:
        """`memory` is used, not closed, by it."""
        self._memory = memory
        self._guard = threading.RLock()
        self._worker = Worker(f"substrate-{type(self).__name__.lower()}")
        self._problems: dict[str, str] = {}
        self._pages = Pages()
        self._turns: dict[str, deque[Any]] = {}
        self._seen = (-1, -1)
        self._unfollow: Callable[[], None] = lambda: None
        self._still: Still | None = None
        with self._guard:  # what is worked out before the page can be told of it is set when it can: else it is lost
            super().__init__(store=str(memory.to_dict()["store"]), **traits)
        self._catch_up()  # in this thread: who waits for the widget waits for what it shows first
        self._unfollow = follow(memory, self._moved)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.store}: a notebook shows it>"

    def wait(self, seconds: float = 30) -> bool:
        """Until it shows the store as it is now and nothing is being worked out, or for so long; whether nothing is."""
        self._catch_up()
        return self._worker.wait(seconds)

    def close(self) -> None:
        """Let go of the page and of the store."""
        self._unfollow()
        self._worker.close()
        super().close()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """What the page says. Never at the same moment as what the worker says: traitlets are not made for that.

        What a trait refuses is told as `problem`, until it is set to something else; the rest is taken. That it was
        `asked` is heard, whatever becomes of what was asked.
        """
        said = dict(sync_data)
        asked = {"asked": said.pop("asked")} if "asked" in said else {}
        with self._guard:
            try:
                super().set_state(said)
                for trait in said:
                    self._tell_problem(f"setting {trait}", "")
            except traitlets.TraitError:  # nothing of it was set
                refused = [trait for trait, value in said.items() if self._refuses(trait, value)]
                if not refused:
                    raise  # it is the fault of one who observes
            finally:
                super().set_state(asked)

    def _refuses(self, trait: str, value: object) -> bool:
        """Set it by itself, and whether that cannot be: then it is told, and the page gets what holds."""
        problem = ""
        try:
            super().set_state({trait: value})
        except traitlets.TraitError as error:
            problem = f"This was not taken: {error}"
            self.send_state(trait)
        self._tell_problem(f"setting {trait}", problem)
        return bool(problem)

    @traitlets.default("mark")
    def _new_mark(self) -> str:
        return uuid4().hex

    def _repr_mimebundle_(self, **options: Any) -> Any:  # noqa: ANN401 - as anywidget has it
        """It is about to be seen: the page says so only when the cell has ended, and the cell may write meanwhile.

        Beside the view there is a still picture, for pages without a kernel. Who shows it does not wait long for it.
        """
        self.views = max(self.views, 1)
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        self._worker.wait(_FIRST_S)
        data, metadata = bundle
        return {**data, "text/html": self._picture()}, metadata

    def _ipython_display_(self) -> None:
        """In a notebook the picture is an output of its own, which is kept as the widget is (see still.py)."""
        data, metadata = self._repr_mimebundle_() or ({"text/plain": repr(self)}, {})
        html = data.pop("text/html", "")
        if self._still is None:
            self._still = Still(self.mark)
            self.observe(lambda _: self._worker.submit("picture", self._again), traitlets.All)
        self._still.put(data, metadata, html)

    def _again(self) -> None:
        if self._still is not None:
            self._still.update(self._picture())

    def _picture(self) -> str:
        with self._guard:
            caption, rows = self._pictured()
        return picture(f"{type(self).__name__} of {self.store.rsplit('/', 1)[-1]}", caption, rows)

    def _pictured(self) -> tuple[str, Sequence[Row]]:
        """What a still picture says: a line, and rows by column."""
        return self.selected, ()

    @traitlets.observe("page")
    def _page_says(self, _: object) -> None:
        if {"id", "views"} <= self.page.keys():
            self._pages.hear(self.page["id"], self.page["views"], self.page.get("call"))
            self._set({"views": self._pages.views, "call": self._pages.call})

    @traitlets.observe("views")
    def _shown(self, _: object) -> None:
        if self.views and self.size >= 0:
            self._catch_up()

    @traitlets.observe("asked")
    def _answer(self, _: object) -> None:
        self.heard = self.asked

    def _refresh(self) -> None:
        """Work out anew what is shown, since the store has changed. Called in any thread; returns at once."""
        raise NotImplementedError

    def _later(
        self,
        kind: str,
        work: Callable[[], Mapping[str, object]],
        telling: str = "",
        worker: Worker | None = None,
        otherwise: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        """Do `work` in the widget's thread and set the traits that it answers with; the latest of a kind counts.

        `work` reads the traits that it answers itself, when it is done. Several threads hand it over: whoever asks, and
        those that saw the store move or loaded the model. One that comes late must not bring an older question with it:
        that would take the place of the newest, which nobody would answer any more.

        `telling` is shown meanwhile. What it raises is told as `problem`, until the same kind of work goes well. What
        takes long has a `worker` of its own, so that the widget still answers. `otherwise` is set if it raises: or the
        answer to what was asked before would stand there as if it answered this. `work` may fill it.
        """
        worker = worker or self._worker

        def done() -> None:
            if telling:
                self._set({"working": telling, "progress": None})
            said, problem = _outcome(work)
            if worker.is_latest(kind):
                self._set(otherwise if said is None else said)
                self._tell_problem(kind, problem)
            if telling:
                self._set({"working": "", "progress": None})

        worker.submit(kind, done)

    def _each(  # noqa: PLR0913, PLR0917 - as `_later`
        self,
        kind: str,
        item: Item,
        work: Callable[[Item], Mapping[str, object]],
        telling: str,
        worker: Worker | None = None,
        before: Callable[[], object] = dict,
    ) -> None:
        """As `_later`, but `work` is done with each item of a kind, in the order in which they come, however fast.

        They are counted while several wait. `before` is called before the first of a row. What one raises does not
        keep the others from being done; the first that went wrong in a row is told, until a row goes well.
        """
        waiting: deque[Item] = self._turns.setdefault(kind, deque())
        waiting.append(item)

        def done() -> None:
            if not waiting:
                return  # it came while those before it were done, and was done with them
            self._set({"working": telling, "progress": None})
            first, count = _outcome(before)[1], 0
            while waiting:
                total = count + len(waiting)
                if total > 1:  # one alone takes an instant, or tells itself how far it is
                    self._set({"working": f"{telling}: {count} of {total}", "progress": count / total})
                said, problem = _outcome(partial(work, waiting.popleft()))
                self._set(said or {})
                first, count = first or problem, count + 1
            self._tell_problem(kind, first)
            self._set({"working": "", "progress": None})

        (worker or self._worker).submit(kind, done)

    def _set(self, said: Mapping[str, object]) -> None:
        """One message for each: to hold them back and send them as one can lose what another thread sets meanwhile.

        All are set, whatever those who observe them make of it: what an observer raises is told as `problem`, until
        the same trait is changed again without. A trait that has the value already is no change: no observer is
        called, so nothing is known of them that was not known before.
        """
        with self._guard:
            for trait, value in said.items():
                if getattr(self, trait) == value:
                    continue
                problem = ""
                try:
                    setattr(self, trait, value)
                except Exception as error:  # noqa: BLE001 - an observer is anyone's code
                    problem = f"An observer of {trait!r} raised {type(error).__name__}: {error}"
                if trait != "problem":
                    self._tell_problem(f"observing {trait}", problem)

    def _tell_problem(self, kind: str, problem: str) -> None:
        """What went wrong with this kind of thing; empty: nothing, or nothing any more. The oldest is shown."""
        with self._guard:
            if problem or self._problems.get(kind):
                self._problems[kind] = problem
                self._set({"problem": next(filter(None, self._problems.values()), "")})

    def _moved(self, size: int | None) -> None:
        if size is None:
            self._tell_problem(
                "store", "The store was closed, or cannot be read any more. Open it again, and show this widget again."
            )
        elif self.views:
            self._look_behind()
            self._move_to(size)

    def _catch_up(self) -> None:
        """Show the store as it is now, view or not."""
        try:
            self._look_behind()
            self._move_to(self._memory.head().head.size)
        except SubstrateError:
            self._moved(None)

    def _look_behind(self) -> None:
        """Say on the page whether another copy of the store is ahead: what is shown is not the latest then."""
        behind = self._memory.behind
        self._set({"notice": "" if behind is None else str(behind)})

    def _move_to(self, size: int) -> None:
        seen = size, self._memory.observed() if self._shows_learnt else 0
        with self._guard:
            if seen == self._seen:
                return
            self._seen = seen
            self._set({"size": size})
        self._refresh()


def _outcome(work: Callable[[], Answer]) -> tuple[Answer | None, str]:
    """What it answers with, or None and what went wrong, in words: a thread has no one to raise to."""
    try:
        return work(), ""
    except SubstrateError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 - told, whatever it is
        return None, f"This should not have happened: {type(error).__name__}: {error}"


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
