from __future__ import annotations

import pytest

from tests.cli.run import Commands

A, B = "v1.fact.payment_provider", "v1.fact.payments.provider"


@pytest.fixture
def clashing(run: Commands) -> Commands:
    run.ok("checkpoint", f"{A} = Stripe")
    run.ok("checkpoint", f"{B} = Adyen")
    return run


def test_a_checkpoint_says_what_it_contradicts(run: Commands) -> None:
    run.ok("checkpoint", f"{A} = Stripe")
    ran = run("checkpoint", f"{B} = Adyen")
    assert ran.rows == [["recorded", B], ["conflict", f"{A}, {B}: Stripe is not Adyen"]]
    assert "substrate resolve" in ran.err
    assert run("checkpoint", f"{B} = Klarna", "--json").json["conflicts"][0]["kind"] == "value"


def test_conflicts_are_listed(clashing: Commands) -> None:
    row = [A, B, "value", "Stripe is not Adyen"]
    assert clashing("conflicts").rows == clashing("conflicts", B).rows == [row]
    (item,) = clashing("conflicts", "--json").json["items"]
    assert (item["first"]["value"], item["second"]["value"]) == ("Stripe", "Adyen")
    assert clashing("conflicts", "v1.fact.nobody").code == 4
    assert clashing("conflicts", "--limit", "0").rows == []


def test_both_are_right(clashing: Commands) -> None:
    ran = clashing("resolve", A, B, "--reason", "one for each country", "--actor", "ada")
    assert ran.rows == [["resolved", f"{A} and {B} are both right"]]
    assert clashing("conflicts").rows == []
    (edge,) = clashing("edges", A, "--json").json["items"]
    assert (edge["type"], edge["actor"]) == ("consistent_with", "ada")


def test_one_is_right(clashing: Commands) -> None:
    assert clashing("resolve", A, B, "--keep", B).rows == [["resolved", f"{B} supersedes {A}"]]
    assert "there are no open conflicts" in clashing("conflicts").err
    assert clashing("resolve", A, B).code == 4


def test_keep_must_be_one_of_the_two(clashing: Commands) -> None:
    clashing.ok("checkpoint", "v1.fact.db = MySQL")
    assert clashing("resolve", A, B, "--keep", "v1.fact.db").code == 2
