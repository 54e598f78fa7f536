"""The tutorials run from top to bottom, show what their texts say, and leave nothing behind outside of their folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.notebooks.running import Ran, run, written_outside

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="session")
def fonts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Matplotlib's own folder, with the list of fonts that it makes once, and with a warning if that takes long."""
    made = tmp_path_factory.mktemp("matplotlib")
    child = [sys.executable, "-W", "ignore", "-c", "import matplotlib.font_manager"]
    subprocess.run(child, env=os.environ | {"MPLCONFIGDIR": str(made)}, check=True, capture_output=True, timeout=120)
    return made


@pytest.fixture
def folder(tmp_path: Path, fonts: Path) -> Path:
    """What a notebook is run in."""
    shutil.copytree(fonts, tmp_path / "matplotlib")
    return tmp_path.resolve()


def finished(name: str, folder: Path) -> Ran:
    """A notebook that ran without an error, without a warning, and without a file elsewhere."""
    ran = run(name, folder)
    assert ran.complaints() == ""
    assert written_outside(folder) == []
    assert list((folder / "user").iterdir()) == []
    return ran


def test_the_tour_runs_and_runs_again_on_the_same_store(folder: Path) -> None:
    for versions in (2, 4):
        ran = finished("tour", folder)
        assert ran.text("search").index("v1.fact.missing_days") < ran.text("search").index("v1.procedure.report")
        assert f"History of {versions}" in ran.text("history")
        assert "derived_from: v1.decision.metric" in ran.text("why")
        assert ": current v1.finding.mean_error" in ran.text("verify")
        trained = ("v1.procedure.report", "v1.fact.missing_days", "v1.finding.mean_error")
        assert [name for name in trained if name not in ran.text("bootstrap")] == []
        assert ran.count(WIDGET) == 2
    assert (folder / "home").is_dir()


def test_an_analysis_is_continued_by_a_second_kernel(folder: Path) -> None:
    ran = finished("analysis", folder)
    assert "131 of them not of the first of a month; 0 of these have a price" in ran.text("odd")
    known = ("v1.goal.question", "v1.constraint.period", "v1.finding.answer", "v1.task.chart")
    assert [name for name in known if name not in ran.text("again")] == []
    assert re.findall(r"^\d +(v1\S+)", ran.text("stale"), re.MULTILINE)[:7] == [
        "v1.data.clean",
        "v1.data.raw",
        "v1.decision.rows",
        "v1.finding.answer",
        "v1.finding.falls",
        "v1.finding.growth",
        "v1.task.chart",
    ]
    # What the sentences say is what the numbers say.
    assert '"AAPL": 43.7' in ran.text("growth")
    assert '"AAPL": 30.2' in ran.text("falls")
    assert '{"AMZN": 33.6, "AAPL": 33.1' in ran.text("growth-again")
    assert '"AMZN": 93.1' in ran.text("falls-again")
    assert ran.text("done") == "0"
    assert "Apple grew most" in ran.text("before")
    assert "Amazon grew most" in ran.text("why-again")
    assert ran.count("image/png") == 2


def test_an_agent_and_a_person_see_what_the_other_says_and_the_person_decides(folder: Path) -> None:
    ran = finished("agent_and_person", folder)
    assert "v1.constraint.fridays = Nothing is released on a Friday" in ran.text("opened")
    assert "'v1.decision.release'" in ran.text("told")
    assert "The migration of orders takes 40 minutes" in ran.text("beside")
    assert "mcp:atoms:release-agent" in ran.text("access")
    assert "2026-03-12 is not 2026-03-13" in ran.text("conflicts")
    assert "v1.procedure.check_dates" in ran.text("next")
    assert "v1.fact.release_date = 2026-03-12" in ran.text("next")
    assert "2026-03-13" not in ran.text("next")
    assert "0 conflicts" in ran.text("next")
    assert "current" in ran.text("verdict")
    assert [len(re.findall(who, ran.text("who"))) for who in ("mara", "release-agent")] == [5, 3]
    assert ran.count(WIDGET) == 2


def test_an_audit_catches_what_was_tampered_with_and_nothing_is_left_of_what_was_forgotten(folder: Path) -> None:
    ran = finished("auditing", folder)
    verdicts = {
        "audit": ("VERIFIED", 0),
        "since": ("VERIFIED", 0),
        "untrusted": ("CONSISTENT, ORIGIN UNTRUSTED", 3),
        "absent": ("VERIFIED", 0),
        "tamper-proof": ("REJECTED", 1),
        "extended": ("VERIFIED", 0),
        "forgotten": ("VERIFIED", 0),
        "still": ("VERIFIED", 0),
    }
    for cell, (verdict, code) in verdicts.items():
        assert re.search(rf"^{verdict}", ran.text(cell), re.MULTILINE), cell
        assert f"exit code {code}" in ran.text(cell), cell
    assert "exit code 10" in ran.text("tamper-store")
    assert "the body of entry 4 is not the one the entry commits to" in ran.text("fsck")
    assert "is behind" in ran.text("rollback")
    assert "exit code 11" in ran.text("rollback")
    assert int(ran.text("count")) > 0
    assert ran.text("count-again") == "0"
    assert "it holds" in ran.text("still")
    assert ran.count(WIDGET) == 2


def test_the_model_foresees_more_the_more_it_has_seen(folder: Path) -> None:
    ran = finished("markov", folder)
    first, *_, last = (float(share) for share in re.findall(r"(\d+\.\d+)", ran.text("shares")))
    assert last > 80 > 2 * first
    assert "v1.procedure.photo" in ran.text("predict")
    opened = re.findall(r"(v1\.\S+) +(v1\.\S*)?$", ran.text("bootstrap"), re.MULTILINE)
    way = {"v1.procedure.complaint", "v1.procedure.refund", "v1.fact.sign_off", "v1.decision.ledger"}
    without, taught = ({pair[at] for pair in opened} & {*way, "v1.procedure.bank_file"} for at in (0, 1))
    assert len(taught) > len(without)
    assert len(taught) >= 3
    assert "needed for objectives like this" in ran.text("why")
    assert ran.count("image/png") == 4
    assert ran.count(WIDGET) == 1


def test_the_gardener_states_what_texts_support_and_a_run_is_taken_back(folder: Path) -> None:
    ran = finished("entity_graph", folder)
    assert "checkout uses stripe 0.8" in ran.text("tend")
    assert "adyen" not in ran.text("tend")
    assert "v1.entity.shop.ledger" in ran.text("path")
    assert "Marta Silva works for Acme Corp" in ran.text("evidence")
    assert "accepted by grounded" in ran.text("evidence")
    assert "stated again: 0" in ran.text("again")
    assert "taken back: 5 edges; left: 0" in ran.text("again")
    assert ran.count(WIDGET) == 1


def test_notes_fade_are_swept_promoted_and_merged(folder: Path) -> None:
    ran = finished("fading", folder)
    assert "below 0.05: a sweep may take it" in ran.text("falls")
    assert "2.93 then, 0.17 now" in ran.text("past")
    assert ran.text("sweep").startswith("2 put away")
    assert ran.text("sweep").count("archived ") == 2
    assert "# Ada prefers short answers" in ran.text("promote")
    assert "found now: [True]\nin use again: 2" in ran.text("merge")
    assert ran.count(WIDGET) == 1


def test_an_agent_proposes_and_the_person_decides(folder: Path) -> None:
    ran = finished("engrams", folder)
    assert "['book-notes', 'main', 'work']\nof your health it finds: []" in ran.text("agent")
    assert "- The API endpoint is /v1/search.\n+ The API endpoint is /v2/query.\nreplacement" in ran.text("correct")
    assert 'close to it: "book-notes" (close spelling, 89%)' in ran.text("remember")
    assert "Hyperion is next. in v1.domain.book-notes" in ran.text("decide")
    assert "current" in ran.text("proof")


def test_what_a_notebook_writes_elsewhere_is_noticed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The broken twin: by the kernel itself, and by a process that it starts."""
    elsewhere = tmp_path_factory.mktemp("elsewhere").resolve()
    child = "import os, sys; os.mkdir(sys.argv[1])"
    cells = [
        f"open({str(elsewhere / 'one')!r}, 'w').close()",
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}, {str(elsewhere / 'two')!r}])",
        "import warnings\nwarnings.warn('look')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    (folder / "notebooks").mkdir()
    nbformat.write(notebook, folder / "notebooks" / "twin.ipynb")
    ran = run("twin", folder)
    assert written_outside(folder) == [str(elsewhere / "one"), str(elsewhere / "two")]
    assert "UserWarning: look" in ran.complaints()
