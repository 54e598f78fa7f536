"""Results in a real JupyterLab, whose own rules for tables would put all text to the right, and stripe the rows."""

from __future__ import annotations

from tests.browser.notebook import Notebook

CELLS = [
    "%load_ext substrate\nmemory = %memory open store",
    (
        "%%memory checkpoint --source kick-off --tag plan\n"
        "v1.goal.launch = Launch the shop in March\n"
        "v1.constraint.budget = At most 20,000 EUR until the launch\n"
        "v1.preference.plain = Answers are short\n"
        "v1.fact.payment_provider = Stripe handles our payments, for cards in the whole of Europe\n"
        "v1.fact.currency = EUR\n"
        "v1.decision.ledger = Amounts are integers, in cents\n"
        "v1.decision.ledger -[depends_on]-> v1.fact.currency"
    ),
    "%%memory record v1.metric.gross\n119 * len(memory.access('v1.fact.currency').value)",
    "%memory access v1.metric.gross --proof",
    "%memory search who handles our payments?",
    "%memory bootstrap launch the shop with payments",
    "%memory status",
    "%memory checkpoint v1.fact.currency = USD",
    "memory.stale()",
    "memory.heads()",
    "memory.growth(parts=4)",
    "%memory history v1.fact.currency",
    "%memory why v1.metric.gross",
    "%memory conflicts",
    "memory.stale('v1.nothing.')",
    "memory.stats()",
    "memory.access('v1.fact.currency').atom.valid",
]
ALIGNED = """(output) => [...output.querySelectorAll('th, td')].map((cell) => {
    const style = getComputedStyle(cell), row = getComputedStyle(cell.parentElement);
    return [style.textAlign, row.backgroundColor, getComputedStyle(cell.closest('table')).marginLeft].join(' ');
})"""
WIDTHS = "(output) => [...output.querySelectorAll('td:first-child')].map((cell) => cell.getBoundingClientRect().width)"


def test_results_stand_at_the_left_and_line_up(notebook: Notebook) -> None:
    shown = notebook.run(CELLS, "dark")
    cells = {looks for at in range(1, 14) for looks in shown.output(at).evaluate(ALIGNED)}
    assert cells == {"left rgba(0, 0, 0, 0) 0px"}
    assert {looks.split()[0] for looks in shown.output(15).evaluate(ALIGNED)} == {"left"}  # what no display knows
    assert len(set(shown.output(5).evaluate(WIDTHS))) == 1  # goals, constraints, atoms of one opening
    assert "nothing is to be reviewed" in shown.output(14).inner_text()
    assert "Window()" in shown.output(16).inner_text()
    for at in range(1, len(CELLS)):
        shown.output(at).scroll_into_view_if_needed()
        shown.screenshot(f"result-{at:02}", shown.output(at))
