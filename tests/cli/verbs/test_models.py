from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from substrate.cli.exits import Exit
from substrate.cli.output import Output
from substrate.values.progress import Progress
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


def test_a_stopped_index_says_what_is_embedded_and_how_to_go_on(
    store: Commands, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.ok("model", tiny)

    def stop_after_one(_: Output, __: str) -> AbstractContextManager[Progress]:
        def move(done: int, _: int) -> None:
            if done:
                raise KeyboardInterrupt

        return nullcontext(move)

    with monkeypatch.context() as patch:
        patch.setattr("substrate.embed.backfill.WINDOW", 1)
        patch.setattr(Output, "progress", stop_after_one)
        ran = store("index")
        assert ran.code == Exit.INTERRUPTED
        told = "stopped: 1 of 4 versions are embedded. To go on from there: substrate index"
        assert ran.err == f"substrate: {told}\n"
    assert store.ok("index").rows[0] == ["embedded versions", "3"]


def test_a_search_where_nothing_is_embedded_says_once_what_to_type(
    store: Commands, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.exists()
    monkeypatch.setattr("substrate.cli.verbs.find._FEW", 0)  # else the search embeds them itself
    assert store.ok("search", "Adyen").err.count("substrate index") == 1
