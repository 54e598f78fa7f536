"""Every example of docs/notebook.md works, in its order; every verb and setting has one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from substrate.notebook.catalogue import VERBS
from substrate.notebook.magics import MemoryMagics

PAGE = (Path(__file__).parents[2] / "docs/notebook.md").read_text(encoding="utf-8")
CELLS = re.findall(r"```ipython\n(.*?)```", PAGE, re.DOTALL)
WIDGETS = {"explore"}
"""Shown in a page: tests/browser tries them."""


def test_every_example_works(bare: Any) -> None:
    pytest.importorskip("pandas")
    assert len(CELLS) > 25
    for cell in CELLS:
        bare.run(cell.rstrip("\n"))
    assert bare.run("currency.value") == "The currency is EUR"
    assert bare.run("%memory access v1.fact.payment_provider").value == 'Stripe, for "cards", at $0.25 and {more}'
    assert bare.run("%memory access v1.decision.ledger").value == (
        "Amounts are integers, in cents.\n\nThe ledger is append-only."
    )


def test_every_verb_has_an_example() -> None:
    shown = {found for cell in CELLS for found in re.findall(r"%memory (\w+)", cell)}
    assert shown == set(VERBS) - WIDGETS


def test_every_setting_is_explained() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert told == set(MemoryMagics.class_trait_names(config=True))


def test_every_example_of_help_works(notebook: Any, folder: Path) -> None:
    notebook.run(VERBS["open"].command.examples[0].command)
    notebook.run(
        "%%memory checkpoint --source form\nv1.fact.payment_provider = Stripe\nv1.fact.currency = The currency is EUR\n"
        "v1.fact.us.currency = The currency is USD\nv1.decision.ledger = In cents\n"
        "v1.fact.home_address = 1 Main Street\nv1.domain.health = my body"
    )
    (folder / "passphrase.txt").write_text("correct horse battery", encoding="utf-8")
    notebook.run("%memory pin -o me.pin")
    for verb in VERBS.values():
        for example in verb.command.examples:
            if verb.name in WIDGETS or (verb.name == "forget" and "--dry-run" not in example.command):
                continue
            notebook.run(example.command)
    assert (folder / "proof.json").is_file()
