"""`make bench`, its last part: how fast widgets answer, in process. See docs/benchmarks.md.

Measured is from setting a trait to the trait that answers it, and from making a widget to all that it shows first. What
JupyterLab and the browser take on top is not in it.
"""

from __future__ import annotations

from benchmarks.search_run import run_at_sizes
from benchmarks.search_stores import SearchStore
from benchmarks.search_workload import SearchTexts, name_of
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, Samples, interleave
from substrate.memory import Memory
from substrate_widgets import Explorer

_ROUNDS, _CALLS = 10, 20
_OPENED = 7
_FIRST = 1.0
_ANSWER = 0.1


def _shown(memory: Memory) -> Memory:
    """Until an Explorer has all that it shows at first."""
    explorer = Explorer(memory)
    if not explorer.wait() or not explorer.answer["hits"] or explorer.problem:
        raise AssertionError(f"nothing was shown: {explorer.problem}")
    explorer.close()
    return memory


def _typed(texts: SearchTexts) -> list[str]:
    """Questions, as someone types them: each beginning of each."""
    return [text[:stop] for text in texts.questions for stop in range(1, min(len(text), 40))]


def measure_explorer(store: SearchStore, texts: SearchTexts) -> list[Result]:
    """Shown for the first time after an open, and after that; what is typed; what is chosen."""
    fresh = Contender(_shown, lambda _: store.open(), lambda memory: memory.close())
    opened = interleave({"opened": fresh}, _OPENED)["opened"]
    with store.open() as memory:
        memory.warm()
        again = interleave({"again": Contender(_shown, lambda _: memory)}, _OPENED)["again"]
        typed = _typed(texts)
        explorer = Explorer(memory)

        def set_to(trait: str) -> Contender:
            def run(value: str) -> None:
                setattr(explorer, trait, value)
                if not explorer.wait() or explorer.problem:
                    raise AssertionError(f"no answer: {explorer.problem}")

            values = typed if trait == "query" else [name_of(number) for number in range(0, store.size, 97)]
            return Contender(run, lambda call: values[call % len(values)])

        typing = interleave({"typed": set_to("query")}, _ROUNDS, _CALLS)["typed"]
        chosen = interleave({"chosen": set_to("selected")}, _ROUNDS, _CALLS)["chosen"]
        explorer.close()
    return [
        _result("Explorer: shown, the first after an open", store, opened, _FIRST),
        _result("Explorer: shown", store, again, _FIRST),
        _result("Explorer: a letter typed, to the hits", store, typing, _ANSWER),
        _result("Explorer: a hit chosen, to all of the atom", store, chosen, _ANSWER),
    ]


def _result(work: str, store: SearchStore, samples: Samples, target: float) -> Result:
    """Someone waits for it: wall time counts, the worst of it beside it."""
    worst = max(value for values in samples.wall_rounds for value in values)
    return Result(work, store.size, samples.wall, "ms", target, [Beside("the slowest", worst, "ms")], cpu=samples.cpu)


if __name__ == "__main__":
    run_at_sizes("widgets", __doc__, "the Explorer", measure_explorer)
