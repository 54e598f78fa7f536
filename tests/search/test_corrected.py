"""Notes that correct others in words of their own, and notes that only look as if they did.

Each pair is remembered one after the other. The pairs were written before the reader of claims knew these forms.
"""

from __future__ import annotations

import pytest

from substrate.memory import Memory

REPLACED = [
    (
        "The churn model reaches an AUC of 0.81 on the holdout",
        "Correction: the churn model reaches an AUC of 0.84 on the holdout",
        "what AUC does the churn model reach",
    ),
    ("The payment provider is Stripe", "Correction - the payment provider is Adyen", "which payment provider"),
    ("The API timeout is 30 seconds", "Actually, the API timeout is 45 seconds", "how long is the API timeout"),
    ("The beta flag is enabled", "As of today the beta flag is disabled", "is the beta flag on"),
    ("The nightly export is enabled", "Update: the nightly export is no longer enabled", "nightly export"),
    ("Our launch date is 3 December", "Update: our launch date moved to 10 December", "when do we launch"),
    ("The API timeout is 30 seconds", "The API timeout was raised from 30 to 60 seconds", "what is the API timeout"),
    ("The marketing budget is 40,000 EUR", "The marketing budget went up to 55,000 EUR", "marketing budget"),
    ("The default branch is master", "The default branch was changed from master to main", "default branch"),
    ("The audit deadline is 1 March", "We have moved the audit deadline to 15 March", "audit deadline"),
    ("Our weekly stand-up is on Tuesdays at 10", "Our weekly stand-up is on Thursdays at 9:30", "weekly stand-up"),
    ("The retro is every Monday", "The retro is now every Friday", "when is the retro"),
    ("The team lunch is on Wednesdays", "Update: the team lunch moved to Thursdays at 12:30", "when is the team lunch"),
    ("Sam owns the billing service", "Lena took over the billing service from Sam", "who owns billing"),
    ("Sam owns the search index", "Correction: Lena owns the search index", "who owns the search index"),
    ("The audit deadline is 1 March", "The audit deadline was extended to 15 March", "audit deadline"),
]
BOTH_HOLD = [
    ("The churn model reaches an AUC of 0.81", "Update: the fraud model reaches an AUC of 0.84"),
    (
        "The model reaches an AUC of 0.81 on the March data",
        "Update: the model reaches an AUC of 0.84 on the April data",
    ),
    ("Our launch date is 3 December", "Update: our hiring date moved to 10 December"),
    ("The staging timeout is 30 seconds", "The production timeout was raised to 60 seconds"),
    ("The team moved to Kafka", "The team moved to Slack"),
    ("The price of the small plan is 10 EUR", "The price of the large plan went up to 30 EUR"),
    ("The launch date is 3 December", "The launch date might have moved to 10 December"),
    ("The shop is closed on Mondays", "The shop is closed on Thursdays"),
    ("I go swimming on Tuesdays", "I go swimming on Fridays"),
    ("The yoga class is on Tuesdays at 18:00", "The yoga class is also on Thursdays at 18:00"),
    ("The yoga class is on Tuesdays and Fridays", "The yoga class is on Thursdays"),
    ("The stand-up is on Tuesdays at 10", "The retro is on Thursdays at 9:30"),
    ("The stand-up is on Tuesdays", "The stand-up is on Tuesdays at 10"),
    ("Sam owns the billing service", "Lena took over the search index from Sam"),
    ("Sam owns the billing service", "Lena took over the billing service for two weeks"),
    ("Sam owns the billing service", "Nobody took over the billing service"),
    ("Sam owns the billing service", "In 2019 Lena took over the billing service"),
    ("The workshop is on 3 May", "The workshop was extended to 5 May"),
    ("The meeting is at 10:00", "The meeting was extended to 11:30"),
]


@pytest.mark.parametrize(("old", "new", "question"), REPLACED)
def test_what_was_corrected_comes_second_and_names_what_took_its_place(
    memory: Memory, old: str, new: str, question: str
) -> None:
    first, second = (memory.remember(sentence) for sentence in (old, new))
    assert [(told.first, told.second) for told in second.conflicts] == [(first.name, second.name)]
    assert [(hit.name, hit.newer) for hit in memory.search(question)] == [
        (second.name, None),
        (first.name, second.name),
    ]


@pytest.mark.parametrize(("one", "other"), BOTH_HOLD)
def test_what_may_hold_beside_it_takes_no_place(memory: Memory, one: str, other: str) -> None:
    memory.remember(one)
    assert memory.remember(other).conflicts == ()
    assert {hit.newer for hit in memory.search(f"{one} {other}")} == {None}
