"""A credential in a line of %memory is refused with its kind, its place and what to type to save it anyway."""

from __future__ import annotations

from typing import Any

import pytest

from tests.credentials import samples

WAYS = [
    "%memory checkpoint {} v1.fact.key = SECRET",
    "%%memory checkpoint {}\nv1.fact.key = SECRET",
    "%memory record {} v1.fact.key 'SECRET'",
    "%memory resolve v1.fact.payment_provider v1.fact.payments.provider --reason SECRET {}",
]


@pytest.mark.parametrize("way", WAYS)
def test_a_refusal_says_what_where_and_how_to_save_it_anyway_and_that_works(notebook: Any, way: str) -> None:
    (sample,) = samples("npm_token", 1)
    notebook.run("%memory checkpoint v1.fact.payment_provider = Stripe")
    notebook.run("%memory checkpoint v1.fact.payments.provider = Adyen")
    cell = way.replace("SECRET", sample.secret)
    told = notebook.error(cell.format(""))
    assert "npm_token" in told
    assert f"characters 0 to {len(sample.secret)}" in told
    assert "to save it anyway, repeat with --allow-secrets" in told
    assert sample.secret not in told
    notebook.run(cell.format("--allow-secrets"))


def test_code_with_a_credential_is_kept_by_the_one_who_allows_it(notebook: Any) -> None:
    (sample,) = samples("npm_token", 1)
    notebook.run(f"%%memory record v1.metric.a\nkey = '{sample.secret}'\n7")
    notebook.run(f"%%memory record --allow-secrets v1.metric.b\nkey = '{sample.secret}'\n7")
    read = [repr(notebook.run(f"%memory access v1.metric.{name}")) for name in "ab"]
    assert [sample.secret in shown for shown in read] == [False, True]
