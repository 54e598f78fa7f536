"""How many views there are over several pages, of which some vanish without a word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from substrate_widgets.pages import Pages


def called(pages: Pages, there: dict[str, int]) -> None:
    """Every page that has a view answers the last call, and no other call comes of it."""
    call = pages.call
    for page, views in there.items():
        if views:
            pages.hear(page, views, call)
    assert pages.call == call


def test_views_are_added_up_over_pages() -> None:
    pages = Pages()
    pages.hear("one", 1)
    pages.hear("other", 2)
    assert pages.views == 3
    pages.hear("one", 0)
    assert pages.views == 2


def test_a_page_that_changes_its_number_calls_nobody() -> None:
    pages = Pages()
    pages.hear("one", 1)
    call = pages.call
    pages.hear("one", 2)
    assert (pages.views, pages.call) == (2, call)


def test_a_page_that_vanished_is_forgotten_when_the_one_after_it_goes() -> None:
    pages = Pages()
    pages.hear("before the reload", 1)
    pages.hear("after it", 1)
    called(pages, {"after it": 1})
    pages.hear("after it", 0)
    assert pages.views == 0


def test_one_that_was_too_slow_to_answer_is_back_when_it_does() -> None:
    pages = Pages()
    for page in ("slow", "one", "other"):
        pages.hear(page, 1)
    assert pages.views < 3  # it had not answered the first call when the second came
    called(pages, {"slow": 1, "one": 1, "other": 1})
    assert pages.views == 3


def test_pages_that_vanish_do_not_add_up() -> None:
    pages = Pages()
    for number in range(1000):
        pages.hear(f"page {number}", 1)
        called(pages, {f"page {number}": 1})
    assert pages.views <= 2
    assert len(pages._views) + len(pages._heard) <= 4


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 2), st.booleans(), st.booleans()), max_size=30),
    st.permutations("abcd"),
)
def test_once_all_have_answered_two_calls_those_that_are_there_count(
    happened: list[tuple[str, int, bool, bool]], order: list[str]
) -> None:
    pages, there, loads = Pages(), dict[str, int](), 0
    for page, views, vanishes, answer in happened:
        known = next((one for one in there if one.startswith(page)), None)
        if vanishes:
            there.pop(known or "", None)
            continue
        loads += known is None
        there[known or f"{page}{loads}"] = views
        pages.hear(known or f"{page}{loads}", views)
        if answer:
            called(pages, dict(sorted(there.items(), key=lambda one: order.index(one[0][0]))))
    for views in (1, 0):  # someone comes and goes
        pages.hear("new", views)
        called(pages, there)
    assert pages.views == sum(there.values())
