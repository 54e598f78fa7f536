from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Commands


@pytest.fixture
def tiny(made: Path, cache: Path) -> str:
    assert cache.exists()
    return str(made / "models" / "tiny-mean")


def test_index_embeds_once_with_the_model_that_was_chosen(store: Commands, tiny: str) -> None:
    assert store.ok("model").rows[0] == ["model", "none yet: the first index names it"]
    ran = store.ok("model", tiny)
    assert ran.rows[0] == ["model", "tiny-mean"]
    assert ["versions waiting", "4"] in ran.rows
    assert "substrate index" in ran.err
    assert store.ok("index").rows[0] == ["embedded versions", "4"]
    assert store.ok("index", "--json").json["embedded"] == 0
    shown = store.ok("model", "--json").json
    assert (shown["model"], shown["waiting"], shown["dimensions"]) == ("tiny-mean", 0, 32)
    assert store.ok("fsck", "--quiet").code == 0


def test_a_model_that_is_not_there_has_an_exit_code_of_its_own(store: Commands, tiny: str) -> None:
    ran = store("model", "nobody/has-this", "--json")
    assert (ran.code, ran.error["code"]) == (13, "model_unavailable")
    assert store("model", tiny.replace("tiny-mean", "tiny-dense")).code == 13
    assert store.ok("model").rows[0] == ["model", "none yet: the first index names it"]


def test_without_a_model_everything_else_works(store: Commands) -> None:
    assert store("index").code == 13
    assert "set to none" in store("index").err
    assert store.ok("access", "v1.fact.provider").out == "Adyen\n"
