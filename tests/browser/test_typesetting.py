"""Results in a real JupyterLab, which typesets what stands between dollar signs: not what is stored."""

from __future__ import annotations

from tests.browser.notebook import Notebook

STORED = r"From $5 to $7, and $\phantom{not}$ approved: $\href{https://elsewhere.test}{here}$ \(x^2\)"
LOAD = "%load_ext substrate\nmemory = %memory open store"
PLAIN = "from IPython.display import HTML\nHTML(memory.list()._repr_html_())"


def test_no_stored_text_is_typeset_as_a_formula(notebook: Notebook) -> None:
    verbs = ["access v1.fact.fees", "search approved", "list", "history v1.fact.fees", "why v1.fact.fees", "bootstrap"]
    asked = [f"%memory {verb}" for verb in verbs]
    control = "HTML('<p>' + memory.access('v1.fact.fees').value + '</p>')"
    shown = notebook.run([LOAD, f"%memory checkpoint v1.fact.fees = {STORED}", *asked, PLAIN, control])
    formula = "mjx-container, .MathJax"
    shown.output(len(verbs) + 3).locator(formula).first.wait_for()  # so formulas are typeset here: all of the page was
    for cell, verb in enumerate([*verbs, "without the extension"], start=2):
        assert STORED in (shown.output(cell).text_content() or ""), verb
        assert shown.output(cell).locator(formula).count() == 0, verb
