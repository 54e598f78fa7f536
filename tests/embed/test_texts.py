from __future__ import annotations

import pytest

from substrate.embed.texts import name_words, text_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("v1.fact.payment_provider", "payment provider"),
        ("v1.entity.shop-2024.payment.provider", "shop payment provider"),
        ("v12.task.fixLoginBug", "fix Login Bug"),
        ("v1.chunk.handbook.0007", "handbook"),
        ("v1.event.550e8400-e29b-41d4-a716-446655440000.deployed", "deployed"),
        ("v1.document.deadbeefcafe", ""),
        ("v1.state.x.y", ""),
        ("v1.fact.größe der Hütte", "größe der Hütte"),
        ("v1.fact.支払い先", "支払い先"),
        ("v1.fact.円", "円"),
        ("v1.fact.sha256_of_build", "of build"),
        ("v1.fact.a/b test", "test"),
        ("v1.fact.beefcafe-feedback.abcdef", "feedback abcdef"),
        ("v1.fact.abc1 x2y it's", "it"),
    ],
)
def test_of_a_name_only_its_words_are_taken(name: str, words: str) -> None:
    assert name_words(name) == words


def test_the_words_of_the_name_come_first() -> None:
    assert text_of("v1.fact.payment_provider", "Stripe") == "payment provider: Stripe"


def test_a_name_without_words_adds_nothing() -> None:
    assert text_of("v1.chunk.0007", "Invoices are paid monthly.") == "Invoices are paid monthly."
