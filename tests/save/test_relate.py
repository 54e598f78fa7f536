"""Relations that hold for some time: each window stays, whoever states the next one."""

from __future__ import annotations

import threading

from substrate.memory import Memory

ADA = "v1.entity.main.ada byron"
SAID = {"source": "Ada Byron", "type": "leads", "target": "Apollo Team", "text": "Ada Byron leads Apollo Team."}


def year(start: int) -> dict[str, str]:
    return {**SAID, "valid_from": f"{start}-01-01", "valid_to": f"{start + 1}-01-01"}


def held(memory: Memory, years: range) -> list[int]:
    return [at for at in years if memory.edges(ADA, type="leads", valid_at=f"{at}-06-01")]


def test_windows_of_one_call_and_of_the_next_all_hold(memory: Memory) -> None:
    memory.relate([year(2021), year(2023)])
    assert held(memory, range(2020, 2026)) == [2021, 2023]
    memory.relate([year(2025)])
    assert held(memory, range(2020, 2026)) == [2021, 2023, 2025]


def test_a_window_that_is_known_is_not_recorded_again(memory: Memory) -> None:
    memory.relate([year(2021), year(2023)])
    assert [memory.relate([year(start)]).recorded for start in (2021, 2023, 2021)] == [0, 0, 0]


def test_windows_that_several_state_at_once_all_hold(memory: Memory) -> None:
    memory.relate([year(1990)])
    starts = range(2000, 2008, 2)
    threads = [threading.Thread(target=memory.relate, args=([year(start)],)) for start in starts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert held(memory, range(1990, 2010)) == [1990, *starts]
