"""Row 24, widgets of a client under a policy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import substrate
from substrate.hiding.hidden import HiddenAtoms
from substrate.memory import Memory
from tests.hiding.canaries import CANARIES, OPEN, fill

WIDGETS: dict[str, Callable[[Memory], Any]] = {
    "explore": lambda m: m.explore("zebra ledger", selected=OPEN),
    "explore all": lambda m: m.explore(),
    "graph": lambda m: m.graph(),
    "preview": lambda m: m.preview("the zebra ledger"),
    "show_fading": lambda m: m.show_fading(),
    "timeline": lambda m: m.timeline(),
    "transitions": lambda m: m.transitions(OPEN),
}


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("faces")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUBSTRATE_MODEL", "none")
        with substrate.open(folder / "store", home=folder / "home", background=False) as memory:
            fill(memory)
            yield memory.client("agent", policy=substrate.Policy())


def shown(agent: Memory, what: str) -> str:
    """All that a widget sends to its page."""
    widget = WIDGETS[what](agent)
    try:
        assert widget.wait()
        return json.dumps({name: state for name, state in widget.get_state().items() if name[0] != "_"}, default=str)
    finally:
        widget.close()


@pytest.mark.parametrize("what", WIDGETS)
def test_a_widget_of_a_client_under_a_policy_shows_no_hidden_atom(agent: Memory, what: str) -> None:
    text = shown(agent, what).lower()
    assert not any(canary in text for canary in CANARIES), text


def test_widgets_without_the_veil_are_caught(agent: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HiddenAtoms, "under", lambda *_: None)
    leaking = {what for what in WIDGETS if any(canary in shown(agent, what).lower() for canary in CANARIES)}
    assert leaking >= {"explore", "explore all", "preview", "show_fading", "transitions"}
