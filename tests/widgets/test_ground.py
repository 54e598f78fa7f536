"""What all widgets stand on: a thread that does the latest work, traits that link them, a script without markup."""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import comm
import pytest
import traitlets

import substrate
from substrate.errors import InputError
from substrate_widgets.assets import script, style
from substrate_widgets.linked import Linked, link
from substrate_widgets.work import Worker
from tests.scale import PATIENCE_S

WIDGETS = sorted(path.parent for path in (Path(__file__).parents[2] / "widgets").glob("*/widget.py"))


class Plain(Linked):
    """The least that a widget is."""

    _esm = "export default {}"
    refreshed = traitlets.Int(0).tag(sync=True)

    def _refresh(self) -> None:
        self._later("refresh", lambda: {"refreshed": self.refreshed + 1})


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[substrate.Memory]:
    with substrate.open(tmp_path / "store", home=tmp_path / "home") as opened:
        opened.checkpoint(["v1.fact.a = x"])
        yield opened


@pytest.fixture
def widget(memory: substrate.Memory) -> Iterator[Plain]:
    widget = Plain(memory)
    assert widget.wait()
    yield widget
    widget.close()


def heard(widget: Plain, trait: str, wanted: Callable[[object], bool]) -> None:
    """Wait until the trait is as it is wanted."""
    happened = threading.Event()
    widget.observe(lambda change: wanted(change["new"]) and happened.set(), trait)
    assert wanted(getattr(widget, trait)) or happened.wait(PATIENCE_S)


# -- the thread --------------------------------------------------------------------------------------------------------


def test_of_each_kind_of_work_only_the_latest_is_done() -> None:
    worker, done, begun, hold = Worker("test"), [], threading.Event(), threading.Event()
    worker.submit("first", lambda: begun.set() or hold.wait())
    assert begun.wait(PATIENCE_S)
    for number in range(50):
        worker.submit("typed", lambda number=number: done.append(number))
    worker.submit("other", lambda: done.append("other"))
    assert worker.is_latest("first")
    assert not worker.is_latest("typed")
    hold.set()
    assert worker.wait(PATIENCE_S)
    assert done == [49, "other"]


def test_a_thread_lives_as_long_as_there_is_work() -> None:
    worker, threads = Worker("short-lived"), []
    for _ in range(2):
        worker.submit("work", lambda: threads.append(threading.current_thread()))
        assert worker.wait(PATIENCE_S)
        threads[-1].join(PATIENCE_S)
        assert not threads[-1].is_alive()
    assert threads[0] is not threads[1]


def test_work_that_raises_is_logged_and_the_next_is_done(caplog: pytest.LogCaptureFixture) -> None:
    worker, done, begun, hold = Worker("test"), [], threading.Event(), threading.Event()
    worker.submit("first", lambda: begun.set() or (hold.wait() and 1 / 0))
    assert begun.wait(PATIENCE_S)
    worker.submit("waiting", lambda: done.append("waiting"))
    hold.set()
    assert worker.wait(PATIENCE_S)
    worker.submit("later", lambda: done.append("later"))
    assert worker.wait(PATIENCE_S)
    assert done == ["waiting", "later"]
    assert "ZeroDivisionError" in caplog.text


def test_a_closed_worker_does_nothing_more() -> None:
    worker, done = Worker("test"), []
    worker.close()
    worker.submit("work", lambda: done.append(1))
    assert worker.wait(PATIENCE_S)
    assert done == []


# -- what it tells -----------------------------------------------------------------------------------------------------


def test_a_widget_shows_something_before_anyone_asks(widget: Plain) -> None:
    assert (widget.refreshed, widget.size, widget.problem) == (1, 2, "")


def test_a_widget_follows_what_is_written(widget: Plain, memory: substrate.Memory) -> None:
    widget.views = 1
    memory.checkpoint(["v1.fact.b = y"])
    heard(widget, "refreshed", lambda times: times == 2)
    assert widget.size == 3


def test_when_the_store_is_closed_the_widget_says_what_to_do(tmp_path: Path) -> None:
    memory = substrate.open(tmp_path / "store", home=tmp_path / "home")
    widget = Plain(memory)
    assert widget.wait()
    memory.close()
    heard(widget, "problem", lambda said: "Open it again" in said)
    widget.close()


def test_what_goes_wrong_is_told_until_the_same_goes_well(widget: Plain) -> None:
    def fail() -> dict[str, object]:
        raise InputError("say it otherwise")

    widget._later("asked", fail)
    assert widget.wait()
    widget._later("other", dict)
    assert widget.wait()
    assert widget.problem == "say it otherwise"
    widget._later("asked", dict)
    assert widget.wait()
    assert widget.problem == ""


def test_what_nobody_foresaw_is_told_too(widget: Plain) -> None:
    widget._later("asked", lambda: {"refreshed": 1 / 0})
    assert widget.wait()
    assert "ZeroDivisionError" in widget.problem


def test_what_is_worked_out_is_told_while_it_is(widget: Plain) -> None:
    told: list[str] = []
    widget.observe(lambda change: told.append(change["new"]), "working")
    widget._later("asked", dict, "Working it out")
    assert widget.wait()
    assert told == ["Working it out", ""]


def test_linked_widgets_look_at_the_same_and_at_the_same_time(memory: substrate.Memory) -> None:
    widgets = [Plain(memory) for _ in range(3)]
    link(*widgets)
    widgets[2].selected = "v1.fact.a"
    widgets[1].as_of = 1
    assert {(widget.selected, widget.as_of) for widget in widgets} == {("v1.fact.a", 1)}
    for widget in widgets:
        widget.close()


# -- what others make of it --------------------------------------------------------------------------------------------


def test_an_observer_that_raises_is_told_and_the_widget_works_on(widget: Plain, memory: substrate.Memory) -> None:
    def bad(_: object) -> None:
        raise ZeroDivisionError("not mine")

    widget.observe(bad, ["refreshed", "size"])
    widget.views = 1
    memory.checkpoint(["v1.fact.b = y"])
    heard(widget, "problem", lambda said: said == "An observer of 'size' raised ZeroDivisionError: not mine")
    assert widget.wait()
    assert widget.refreshed == 2
    widget.unobserve(bad, ["refreshed", "size"])
    memory.checkpoint(["v1.fact.c = z"])
    heard(widget, "refreshed", lambda times: times == 3)
    assert widget.wait()
    assert widget.problem == ""


def test_a_widget_that_nobody_sees_does_nothing_until_it_is_seen_or_waited_for(memory: substrate.Memory) -> None:
    unseen, seen, shown_later = Plain(memory), Plain(memory), Plain(memory)
    assert all(widget.wait() for widget in (unseen, seen, shown_later))
    seen.views = 1
    memory.checkpoint(["v1.fact.b = y"])
    heard(seen, "refreshed", lambda times: times == 2)
    memory.checkpoint(["v1.fact.c = z"])  # whoever follows was told of the first write before anyone is of this one
    heard(seen, "refreshed", lambda times: times == 3)
    assert (unseen.refreshed, shown_later.refreshed) == (1, 1)
    shown_later.views = 1
    heard(shown_later, "refreshed", lambda times: times == 2)
    assert unseen.wait()
    assert (unseen.refreshed, unseen.size) == (2, 4)
    seen.views = 0
    memory.checkpoint(["v1.fact.d = w"])
    heard(shown_later, "refreshed", lambda times: times == 3)
    assert seen.refreshed == 3
    for widget in (unseen, seen, shown_later):
        widget.close()


def test_what_is_displayed_counts_as_seen_before_the_page_says_so(widget: Plain, memory: substrate.Memory) -> None:
    widget._repr_mimebundle_()
    memory.checkpoint(["v1.fact.b = y"])
    heard(widget, "refreshed", lambda times: times == 2)


EVIL = "<script>hit = 1</script><img src=x onerror=hit()>\u202e"


def test_a_still_picture_says_what_was_shown_and_all_of_it_is_escaped(tmp_path: Path) -> None:
    with substrate.open(tmp_path / EVIL[8:13], home=tmp_path / "home", model="none", background=False) as memory:
        memory.checkpoint([{"name": "v1.fact.a", "value": EVIL}, "v1.goal.b = two"])
        memory.observe([{"items": ["v1.fact.a", "v1.goal.b"]}] * 2)
        shown = {
            "explore": memory.explore(),
            "preview": memory.preview(EVIL),
            "timeline": memory.timeline(),
            "transitions": memory.transitions("v1.goal.b"),
            "show_proof": memory.show_proof("v1.fact.a"),
        }
        for verb, widget in shown.items():
            assert widget.wait(PATIENCE_S)
            data, _ = widget._repr_mimebundle_()
            html = data["text/html"]
            assert data["application/vnd.jupyter.widget-view+json"]["model_id"]
            assert "still picture" in html
            assert "<script" not in html, verb
            assert "<img" not in html, verb
            assert "\u202e" not in html, verb
            assert "<td" in html, verb
            assert verb not in {"explore", "preview"} or "&lt;script&gt;hit = 1" in html
            widget.close()


def test_in_a_notebook_the_picture_is_an_output_of_its_own_and_follows_the_widget(
    widget: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[tuple[dict[str, Any], dict[str, Any]]] = []
    monkeypatch.setattr("substrate_widgets.still.get_ipython", object)
    monkeypatch.setattr("substrate_widgets.still.publish_display_data", lambda data, *_, **way: put.append((data, way)))
    widget._ipython_display_()
    (view, _), (still, way) = put
    assert (view["text/html"], "application/vnd.jupyter.widget-view+json" in view) == ("", True)
    assert f'data-mark="{widget.mark}"' in still["text/html"]
    widget.selected = "<b>v1.fact.a"
    assert widget.wait(PATIENCE_S)
    again, again_way = put[-1]
    assert "&lt;b&gt;v1.fact.a" in again["text/html"]
    assert again_way == {**way, "update": True}
    before = len(put)
    widget.progress = 0.5  # the picture does not say it
    assert widget.wait(PATIENCE_S)
    assert len(put) == before


def says(widget: Plain, page: str, views: int, call: int | None = None) -> None:
    """As shared/page.js does it."""
    widget.set_state({"page": {"id": page, "views": views, "call": call}})


def test_a_widget_is_seen_while_any_page_has_a_view_of_it(widget: Plain, memory: substrate.Memory) -> None:
    says(widget, "one", 2)
    says(widget, "other", 1)
    assert widget.views == 3
    says(widget, "one", 2, widget.call)  # both are called, since one came
    says(widget, "other", 1, widget.call)
    says(widget, "one", 0)
    assert widget.views == 1
    memory.checkpoint(["v1.fact.b = y"])
    heard(widget, "refreshed", lambda times: times == 2)
    says(widget, "other", 0)
    assert (widget.views, widget.problem) == (0, "")


def test_what_a_page_says_of_all_pages_does_not_count(widget: Plain) -> None:
    says(widget, "one", 1)
    widget.set_state({"views": 0})
    assert widget.views == 1


def test_what_the_page_asks_is_heard(widget: Plain) -> None:
    widget.set_state({"selected": "v1.fact.a", "asked": 7})
    assert widget.heard == 7


class Bounded(Plain):
    """One of whose traits does not take everything."""

    limit = traitlets.Int(30, max=100).tag(sync=True)


def test_what_the_page_may_not_set_is_told_and_the_rest_is_taken(memory: substrate.Memory) -> None:
    widget = Bounded(memory)
    assert widget.wait()
    sent: list[object] = []
    widget.send_state = lambda key=None: sent.append(key)
    widget.set_state({"selected": "v1.fact.a", "limit": 1000, "asked": 5})
    assert (widget.heard, widget.limit, widget.selected) == (5, 30, "v1.fact.a")
    assert "'limit'" in widget.problem
    assert "1000" in widget.problem
    assert "limit" in sent  # the page that asked shows what holds
    widget.set_state({"selected": "", "asked": 6})
    assert (widget.heard, bool(widget.problem)) == (6, True)
    widget.set_state({"limit": 100, "asked": 7})
    assert (widget.heard, widget.limit, widget.problem) == (7, 100, "")
    widget.close()


@pytest.mark.parametrize("raised", [ZeroDivisionError, traitlets.TraitError])
def test_what_the_page_asks_is_heard_though_one_who_observes_it_raises(widget: Plain, raised: type[Exception]) -> None:
    def bad(_: object) -> None:
        raise raised("not mine")

    widget.observe(bad, "selected")
    with pytest.raises(raised, match="not mine"):
        widget.set_state({"selected": "v1.fact.a", "asked": 7})
    assert (widget.heard, widget.selected, widget.problem) == (7, "v1.fact.a", "")


class Eager(Plain):
    """Works something out as soon as it is made, and sets it when the page was given the first state."""

    def __init__(self, memory: substrate.Memory) -> None:
        self.was_read, self.has_set = threading.Event(), threading.Event()
        super().__init__(memory, selected="v1.fact.a")

    @traitlets.observe("selected")
    def _look(self, _: object) -> None:
        self._later("look", lambda: {"progress": 0.5})

    def _set(self, said: Mapping[str, object]) -> None:
        is_it = "progress" in said
        assert not is_it or self.was_read.wait(PATIENCE_S)
        super()._set(said)
        if is_it:
            self.has_set.set()


def test_what_is_worked_out_while_a_widget_is_being_made_reaches_the_page(
    memory: substrate.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page gets the state of one moment, and from a later one on what changes: nothing may be set in between."""
    told: dict[str, object] = {}
    get_state, create = Eager.get_state, comm.create_comm
    made: list[Eager] = []

    def state_of(widget: Eager, *given: Any, **options: Any) -> dict[str, object]:
        state: dict[str, object] = get_state(widget, *given, **options)
        told.update(state)
        made.append(widget)
        return state

    def slow(**options: Any) -> comm.base_comm.BaseComm:
        if "progress" in options["data"]["state"]:  # its layout is a widget too
            made[0].was_read.set()
            made[0].has_set.wait(0.2)  # it can only be seen that it does not come: without the guard it does at once
        return create(**options)

    monkeypatch.setattr(Eager, "get_state", state_of)
    monkeypatch.setattr(comm, "create_comm", slow)
    widget = Eager(memory)
    assert widget.wait()
    assert widget.progress == told["progress"] == 0.5
    widget.close()


def test_what_the_page_says_waits_for_what_the_worker_says(widget: Plain) -> None:
    """Both set traits, in two threads; traitlets would mix them up."""
    inside, go_on, order = threading.Event(), threading.Event(), []

    def slow(_: object) -> None:
        inside.set()
        assert go_on.wait(PATIENCE_S)
        order.append("worker")

    widget.observe(slow, "refreshed")
    widget._later("asked", lambda: {"refreshed": 9})
    assert inside.wait(PATIENCE_S)
    widget.observe(lambda _: order.append("page"), "selected")
    page = threading.Thread(target=widget.set_state, args=({"selected": "v1.fact.a"},))
    page.start()
    page.join(0.2)  # it can only be seen that it does not come: without the guard it is there long before
    assert page.is_alive()
    go_on.set()
    page.join(PATIENCE_S)
    assert widget.wait()
    assert order == ["worker", "page"]


def test_a_widget_that_could_not_be_made_goes_in_peace(memory: substrate.Memory) -> None:
    with pytest.raises(traitlets.TraitError):
        Plain(memory, as_of="long ago")
    gc.collect()


# -- each in its turn --------------------------------------------------------------------------------------------------


def in_a_row(widget: Plain, items: list[int], work: Callable[[int], dict[str, object]], **options: Any) -> None:
    """Ask for all of it while the thread is busy with something else."""
    begun, hold = threading.Event(), threading.Event()
    widget._later("busy", lambda: begun.set() or (hold.wait(PATIENCE_S) and {}))
    assert begun.wait(PATIENCE_S)
    for item in items:
        widget._each("row", item, work, "Working", **options)
    hold.set()
    assert widget.wait()


def test_each_is_done_in_order_however_fast_they_come(widget: Plain) -> None:
    done: list[object] = []
    told: list[tuple[str, float | None]] = []

    def work(item: int) -> dict[str, object]:
        done.append(item)
        told.append((widget.working, widget.progress))
        return {"refreshed": item}

    in_a_row(widget, [3, 1, 2], work, before=lambda: done.append("before"))
    assert done == ["before", 3, 1, 2]
    assert told == [("Working: 0 of 3", 0), ("Working: 1 of 3", 1 / 3), ("Working: 2 of 3", 2 / 3)]
    assert (widget.refreshed, widget.working, widget.progress) == (2, "", None)
    widget._each("row", 4, work, "Working")
    assert widget.wait()
    assert (done[-1], told[-1]) == (4, ("Working", None))


def test_one_that_comes_while_others_are_done_is_done_with_them(widget: Plain) -> None:
    done: list[int] = []

    def work(item: int) -> dict[str, object]:
        done.append(item)
        if item < 3:
            widget._each("row", item + 1, work, "Working")
        return {}

    widget._each("row", 1, work, "Working")
    assert widget.wait()
    assert done == [1, 2, 3]
    assert widget.working == ""


def test_what_goes_wrong_in_a_row_is_told_until_a_row_goes_well_and_the_others_are_done(widget: Plain) -> None:
    done: list[float] = []

    def work(item: int) -> dict[str, object]:
        done.append(1 / item)
        return {}

    in_a_row(widget, [1, 0, 2], work)
    assert done == [1, 0.5]
    assert "ZeroDivisionError" in widget.problem
    in_a_row(widget, [4], work, before=lambda: 1 / 0)
    assert done[-1] == 0.25
    assert "ZeroDivisionError" in widget.problem
    in_a_row(widget, [1], work)
    assert widget.problem == ""


# -- when the store is gone --------------------------------------------------------------------------------------------


def test_that_the_store_was_closed_is_told_on_whatever_goes_well(tmp_path: Path) -> None:
    memory = substrate.open(tmp_path / "store", home=tmp_path / "home")
    widget = Plain(memory)
    memory.close()
    heard(widget, "problem", lambda said: "Open it again" in said)
    widget._later("asked", dict)
    assert widget.wait()
    assert "Open it again" in widget.problem
    widget.close()


# -- what goes into the page -------------------------------------------------------------------------------------------

MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc|DOMParser")
REMOTE = re.compile(
    r"https?://(?!www\.w3\.org/2000/svg)|\bimport\b|url\((?!#)|@import|fetch\(|XMLHttpRequest|WebSocket"
)


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("folder", WIDGETS, ids=lambda folder: folder.name)
def test_no_widget_makes_markup_of_data_or_fetches_anything(folder: Path) -> None:
    for text in (script(folder), style(folder)):
        assert not MARKUP.search(without_comments(text))
        assert not REMOTE.search(without_comments(text))
    assert len(script(folder)) < 60_000


def test_shared_rules_weigh_less_than_those_of_a_widget() -> None:
    """Each widget brings them again, after the rules of those that were shown before it."""
    shared = (Path(__file__).parents[2] / "widgets" / "shared" / "page.css").read_text(encoding="utf-8")
    selectors = [rule.strip() for rule in re.findall(r"(?:^|})([^{}]*){", without_comments(shared))]
    assert len(selectors) > 20
    fixed = re.compile(r"\.substrate( :where\(.*\)| \[hidden\]| ::placeholder)?")
    assert [selector for selector in selectors if not fixed.fullmatch(selector)] == []


@pytest.mark.parametrize(
    "bad", ["el.innerHTML = value", "import x from 'https://a.test/x.js'", "a { background: url(x) }"]
)
def test_the_looking_for_markup_and_for_requests_finds_them(bad: str) -> None:
    assert MARKUP.search(without_comments(bad)) or REMOTE.search(without_comments(bad))
