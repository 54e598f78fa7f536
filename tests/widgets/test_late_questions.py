"""Several threads have a widget work something out anew: one that comes late does not bring an older question back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from substrate.memory import Memory
from substrate_widgets import Explorer, ProofViewer, Timeline
from substrate_widgets.linked import Linked
from substrate_widgets.work import Work, Worker
from tests.scale import PATIENCE_S


class Late:
    """A thread that is held just before it hands over its work of one kind, with all it has read by then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._is_there, self._go_on, self._kind = threading.Event(), threading.Event(), ""
        self._thread: threading.Thread | None = None
        submit = Worker.submit

        def held(worker: Worker, kind: str, work: Work) -> None:
            if kind == self._kind and threading.current_thread() is self._thread:
                self._is_there.set()
                assert self._go_on.wait(PATIENCE_S)
            submit(worker, kind, work)

        monkeypatch.setattr(Worker, "submit", held)

    def begin(self, kind: str, asking: Callable[[], object]) -> None:
        """On return it is held."""
        self._kind, self._thread = kind, threading.Thread(target=asking)
        self._thread.start()
        assert self._is_there.wait(PATIENCE_S)

    def end(self) -> None:
        """On return its work is handed over."""
        self._go_on.set()
        assert self._thread is not None
        self._thread.join(PATIENCE_S)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Late:
    return Late(monkeypatch)


@pytest.fixture
def widget(memory: Memory, request: pytest.FixtureRequest) -> Iterator[Linked]:
    memory.checkpoint(["v1.fact.a = Payments", "v1.fact.b = Refunds"])
    memory.checkpoint(["v1.fact.c = Refunds of payments"])
    widget: Linked = request.param(memory)
    assert widget.wait()
    yield widget
    widget.close()


@pytest.mark.parametrize(
    ("widget", "kind", "said", "shown"),
    [
        (Explorer, "answer", {"query": "refunds"}, lambda widget: widget.answer["query"] == "refunds"),
        (Explorer, "detail", {"selected": "v1.fact.b"}, lambda widget: widget.detail.get("asked") == "v1.fact.b"),
        (ProofViewer, "proof", {"selected": "v1.fact.b"}, lambda widget: '"v1.fact.b"' in widget.proof),
        (Timeline, "marks", {"window": [1, 2]}, lambda widget: (widget.span["low"], widget.span["high"]) == (1, 2)),
    ],
    indirect=["widget"],
)
def test_what_the_page_asks_is_answered_though_the_store_moves_meanwhile(
    widget: Linked, late: Late, kind: str, said: dict[str, object], shown: Callable[[Any], bool]
) -> None:
    late.begin(kind, widget._refresh)  # as the thread does that saw the store move
    widget.set_state({**said, "asked": 1})
    assert widget.wait()
    late.end()
    assert widget.wait()
    assert shown(widget)


@pytest.mark.parametrize("widget", [Explorer], indirect=True)
def test_what_is_typed_while_the_model_loads_is_answered(
    widget: Explorer, late: Late, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page asks nothing more until it is: it would stand still for ever."""
    monkeypatch.setattr(widget, "_warm", lambda ask: late.begin("answer", ask))
    for asked, query in enumerate(("r", "refunds"), 1):
        widget.set_state({"query": query, "asked": asked})
        assert widget.wait()
        assert widget._warming.wait(PATIENCE_S)
    late.end()
    assert widget.wait()
    assert widget.answer["query"] == "refunds"
    assert {hit["name"] for hit in widget.answer["hits"]} == {"v1.fact.b", "v1.fact.c"}
