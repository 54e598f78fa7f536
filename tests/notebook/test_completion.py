"""Tab on a line of `%memory`, as a page asks for it: a text and a place in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter

import substrate
from substrate.notebook.completion import offer
from substrate.notebook.stores import Stores


def offered(notebook: Any, text: str) -> list[str]:
    """What is offered at `|`, as whole texts with the completion put in."""
    at = text.index("|")
    code = text.replace("|", "", 1)
    with provisionalcompleter():
        found = list(notebook.shell.Completer.completions(code, at))
    return [code[: one.start] + one.text + code[one.end :] for one in found]


@pytest.fixture
def filled(notebook: Any) -> Any:
    notebook.run(
        "%%memory checkpoint\n"
        "v1.fact.payment_provider = Stripe\n"
        "v1.fact.two words = x\n"
        "v1.domain.billing = Billing\n"
        "v1.domain.shop = Shop\n"
    )
    return notebook


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("%memory che|", ["%memory checkpoint"]),
        ("x = %memory che|", ["x = %memory checkpoint"]),
        ("%%memory che|\nv1.fact.a = b", ["%%memory checkpoint\nv1.fact.a = b"]),
        ("1 + 1\n%memory sta|", ["1 + 1\n%memory status"]),
        ("%memory access --pro|", ["%memory access --proof"]),
        ("%memory access v1.fact.pay|", ["%memory access v1.fact.payment_provider"]),
        ("%memory access --as-of 1 v1.fact.pay|", ["%memory access --as-of 1 v1.fact.payment_provider"]),
        ("%memory access v1.fact.two|", ["%memory access 'v1.fact.two words'"]),
        ('%memory access "v1.fact.two w|', ['%memory access "v1.fact.two words"']),
        ("%memory access $'v1.fact.two\\u0020w|", ["%memory access 'v1.fact.two words'"]),
        ("%memory access 'v1.fact.two w|", ["%memory access 'v1.fact.two words'"]),
        (
            "%memory train v1.fact.payment_provider v1.domain.s|",
            ["%memory train v1.fact.payment_provider v1.domain.shop"],
        ),
        ("%memory search --domain v1.domain.b|", ["%memory search --domain v1.domain.billing"]),
        ("%memory search --domain bi|", ["%memory search --domain billing"]),
        ("%memory search x --origin ag|", ["%memory search x --origin agent"]),
        ("%memory predict --horizon s|", ["%memory predict --horizon session"]),
        ("%memory list v1.fact.pay|", ["%memory list v1.fact.payment_provider"]),
        ("%memory checkpoint v1.fact.pay|", ["%memory checkpoint v1.fact.payment_provider"]),
        ("%memory checkpoint --tag a v1.fact.pay|", ["%memory checkpoint --tag a v1.fact.payment_provider"]),
        ("%memory checkpoint - v1.fact.pay|", ["%memory checkpoint - v1.fact.payment_provider"]),
        ("%memory checkpoint a -[b]-> v1.fact.pay|", ["%memory checkpoint a -[b]-> v1.fact.payment_provider"]),
        ("%memory checkpoint v1.fact.a = v1.fact.pay|", []),
        ("%memory record v1.fact.pay|", ["%memory record v1.fact.payment_provider"]),
        ("%%memory checkpoint\nv1.fact.pay|", ["%%memory checkpoint\nv1.fact.payment_provider"]),
        ("%%memory checkpoint\n- v1.fact.pay|", ["%%memory checkpoint\n- v1.fact.payment_provider"]),
        ("%%memory checkpoint\na -[b]-> v1.domain.s|", ["%%memory checkpoint\na -[b]-> v1.domain.shop"]),
    ],
)
def test_tab_completes(filled: Any, typed: str, completed: list[str]) -> None:
    assert offered(filled, typed) == completed


def test_files_are_offered_where_a_file_is_meant(filled: Any, folder: Path) -> None:
    (folder / "proof.json").write_text("{}")
    (folder / "proofs").mkdir()
    assert offered(filled, "%memory verify pro|") == ["%memory verify proof.json", "%memory verify proofs/"]
    assert offered(filled, "%memory open pro|") == ["%memory open proofs/"]


def test_nothing_is_offered_in_free_text_and_beside_the_magic_python_is(filled: Any) -> None:
    filled.run("a_variable = 1")
    assert offered(filled, "%memory search pri|") == []
    assert "a_variable" in offered(filled, "a_varia|")
    assert "%memory access {a_variable" in offered(filled, "%memory access {a_varia|")


def test_tab_makes_no_store_and_never_fails(notebook: Any, folder: Path) -> None:
    assert offered(notebook, "%memory access v1.|") == []
    for line in ("%memory open ~nosuchuser/zzz", "%memory open a\0b/zzz"):  # IPython would pass over what it raises
        found = offer(line, 0, len(line), Stores())
        assert found is not None
        assert found.texts == []
    assert list(folder.iterdir()) == []
    (folder / "substrate-store").mkdir()
    (folder / "substrate-store" / "CURRENT").write_text("nonsense")
    assert offered(notebook, "%memory access v1.|") == []


def test_tab_asks_the_store_that_is_set(notebook: Any, folder: Path) -> None:
    with substrate.open(folder / "other") as other:
        other.checkpoint(["v1.fact.elsewhere = x"])
    notebook.run("%config MemoryMagics.store = 'other'")
    assert offered(notebook, "%memory access v1.fact.e|") == ["%memory access v1.fact.elsewhere"]


def test_after_loading_twice_each_is_offered_once_and_after_unloading_none(filled: Any) -> None:
    filled.run("%reload_ext substrate")
    assert offered(filled, "%memory che|") == ["%memory checkpoint"]
    filled.run("%unload_ext substrate")
    assert offered(filled, "%memory che|") == []
