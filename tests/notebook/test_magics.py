"""`%memory`: verbs, options, variables, results and errors, in a real shell on a real store."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import substrate_widgets
from substrate.commands.catalogue import COMMANDS
from substrate.errors import Denied
from substrate.memory import Memory
from substrate.notebook import extension
from substrate.notebook.catalogue import VERBS
from substrate.notebook.magics import _WIDGETS, MemoryMagics
from substrate.notebook.transformer import Call
from substrate.save import place as places


@pytest.fixture
def filled(notebook: Any) -> Any:
    notebook.run(
        "%%memory checkpoint --source kick-off\n"
        "v1.fact.payment_provider = Stripe handles our payments\n"
        "v1.fact.currency = EUR\n"
        "v1.decision.ledger = Amounts are integers, in cents\n"
        "v1.decision.ledger -[depends_on]-> v1.fact.currency\n"
    )
    return notebook


def test_what_was_saved_is_found_listed_and_accessed(filled: Any) -> None:
    assert [hit.name for hit in filled.run("%memory search who handles our payments")] == ["v1.fact.payment_provider"]
    assert [atom.name for atom in filled.run("%memory list v1.fact.")] == [
        "v1.fact.currency",
        "v1.fact.payment_provider",
    ]
    found = filled.run("%memory access v1.fact.currency --proof")
    assert (found.value, found.atom.source, found.proof.claim) == ("EUR", "kick-off", "current")


def test_a_result_can_be_assigned_and_is_the_last_result(filled: Any) -> None:
    assert filled.run("found = %memory search payments\nfound[0].name") == "v1.fact.payment_provider"
    filled.run("%memory access v1.fact.currency")
    assert filled.run("_.value") == "EUR"


@pytest.mark.parametrize("question", ["who handles payments?", "what's paid by Stripe?", "Stripe ?", "{ Stripe?"])
def test_a_question_may_end_in_a_question_mark_and_hold_an_apostrophe(filled: Any, question: str) -> None:
    assert filled.run(f"%memory search {question}").query == question
    assert filled.run(f"x = %memory search {question}\nx.query") == question


def test_a_question_mark_below_a_cell_magic_or_in_other_lines_stays_what_it_is(notebook: Any) -> None:
    notebook.run("%%memory checkpoint\nv1.fact.open =\n    %memory search who pays?")
    assert notebook.run("%memory access v1.fact.open").value == "%memory search who pays?"
    text = "\n%memory search who pays?\n%memory list?\n"
    assert notebook.run(f"'''{text}'''") == text


@pytest.mark.parametrize(
    "before", ["", '\'"""\'; ', '# it\'s """\n', "x = \"'''\"\n", "f'''{1}'''; ", "if True:\n    "]
)
def test_what_stands_in_a_string_is_not_rewritten(notebook: Any, before: str) -> None:
    text = "\n%memory search who pays?\n    x = %memory list?\n"
    notebook.run(f'{before}said = """{text}"""')
    assert notebook.run("said") == text
    notebook.run(f"{before}said = 'a \\\n%memory search who pays?'")
    assert notebook.run("said") == "a %memory search who pays?"


@pytest.mark.parametrize("said", ["Europe (EU, UK", "a list [1, 2", "{ and nothing", 'he said """so', "it's", "a ('b"])
def test_what_is_left_open_in_a_line_swallows_no_line_below(notebook: Any, said: str) -> None:
    notebook.run(f"x = 1\n%memory checkpoint v1.fact.a = {said}\nx = 2\n%memory checkpoint v1.fact.b = is it so?")
    assert notebook.run("x") == 2
    assert notebook.run("%memory access v1.fact.a").value == said
    assert notebook.run("%memory access v1.fact.b").value == "is it so?"


@pytest.mark.parametrize("target", ["hit, *_", "found['hit'], *_", "got.hit, *got.others", "hit, *_ = \\\n"])
def test_a_question_may_be_assigned_to_anything(filled: Any, target: str) -> None:
    filled.run("from types import SimpleNamespace\nfound, got, hit = {}, SimpleNamespace(hit=None), None")
    filled.run(f"{target if '=' in target else target + ' ='} %memory search who handles payments?")
    assert filled.run("(hit or got.hit or found['hit']).name") == "v1.fact.payment_provider"


def test_a_line_goes_on_after_a_backslash(filled: Any) -> None:
    assert filled.run("%memory search who \\\nhandles payments?").query == "who  handles payments?"


def test_a_semicolon_silences_a_result_and_is_kept_where_it_is_stored(filled: Any, folder: Any) -> None:
    assert filled.run("%memory list;") is None
    filled.run("%memory open other;")
    assert (folder / "other").is_dir()
    filled.run("%memory checkpoint v1.fact.code = return x;")
    assert filled.run("%memory access v1.fact.code").value == "return x;"


@pytest.mark.parametrize("open_for_good", ["{", "'a ", '"', "--x=' "])
def test_much_that_is_left_open_takes_no_longer_than_reading_it(filled: Any, open_for_good: str) -> None:
    text = (open_for_good * 50_000).strip()  # each looked for to the end, it would take an hour
    shell = filled.shell
    shell.run_line_magic("memory", f"checkpoint v1.fact.long = {text}")
    assert shell.run_line_magic("memory", "access v1.fact.long").value == text
    asked = text[:40_000]
    assert shell.run_line_magic("memory", f"search -- {asked}").query == asked


def test_a_verb_with_a_question_mark_asks_for_its_help(notebook: Any) -> None:
    assert notebook.printed("%memory search?") == notebook.printed("%memory search --help")


def test_variables_are_put_into_what_is_asked_for(filled: Any) -> None:
    filled.run("query, n, key = 'handles payments', 1, 'v1.fact.currency'")
    found = filled.run("%memory search {query} --limit {n}")
    assert (found.query, len(found)) == ("handles payments", 1)
    assert filled.run("%memory access {key}").value == "EUR"
    assert filled.run("%memory list {key[:8]}")[0].name == "v1.fact.currency"


def test_a_variable_of_a_function_is_seen(filled: Any) -> None:
    filled.run("def ask(word):\n    found = %memory search {word}\n    return found.query")
    assert filled.run("ask('currency')") == "currency"


def test_a_variable_is_one_word_whatever_it_holds_and_a_list_is_several(filled: Any) -> None:
    filled.run("%memory checkpoint v1.fact.two words --yes = x")
    filled.run("key = 'v1.fact.two words --yes'\nkeys = ['v1.fact.currency', key]")
    assert filled.run("%memory access {key}").value == "x"
    assert [atom.name for atom in filled.run("%memory context {keys}").atoms][:2] == [
        "v1.fact.currency",
        filled.run("key"),
    ]
    filled.run("query = 'payments --limit 0'")
    assert filled.run("%memory search {query}").query == "payments --limit 0"


@pytest.mark.parametrize("query", ["costs $5", "$nobody {knows}", "{braces", 'json {"a": 1}', "100 % {}", "$"])
def test_what_is_no_variable_stays_in_a_question_as_it_is(filled: Any, query: str) -> None:
    assert filled.run(f"%memory search {query}").query == query


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("access $key", "$key is not put in: write {key}. If it is meant as text, put it in quotes"),
        ("search $key", "$key is not put in: write {key}"),
        ("open {key}/store", "{key}/store is not evaluated: braces count only around a whole argument, as in {f'{key}"),
        (
            "access {nobody}",
            "{nobody} cannot be evaluated (NameError: name 'nobody' is not defined). If it is meant as",
        ),
        ("search {}{}{", "there is no store"),
        ("train v1.fact.a {key}", "{key} stands behind a name, where nothing is evaluated: put it before the name."),
        ("search --domain v1.domain.a {key}", "{key} stands behind a name"),
        ("access v1.fact.a --predictions={key}", "{key} stands behind a name"),
    ],
)
def test_what_looks_like_an_expression_and_is_none_is_said(notebook: Any, line: str, said: str) -> None:
    notebook.run("key = 'v1.fact.currency'")
    assert said in notebook.error(f"%memory {line}")


def test_quotes_and_two_dashes_keep_an_expression_from_being_evaluated(filled: Any) -> None:
    for line in ("search '{key}'", 'search "{key}"', "search -- {key}"):
        assert filled.run(f"%memory {line}").query == "{key}"
    filled.run("limit = 1")
    assert "'{limit}'" not in filled.error("%memory list --limit='{limit}'")
    assert len(filled.run("%memory list --limit={limit}")) == 1
    assert [atom.name for atom in filled.run("%memory list $'v1.fact.\\u0063urrency'")] == ["v1.fact.currency"]


def test_nothing_is_expanded_in_what_is_saved(notebook: Any) -> None:
    notebook.run("x = 'EXPANDED'\nsource = 'minutes'")
    notebook.run('%memory checkpoint --source {source} v1.fact.a = $x and {x}, "quotes" stay, $5 too')
    notebook.run("%%memory checkpoint --tag {x.lower()}\nv1.fact.b = $x and {x}\nv1.fact.(x) = $x")
    first = notebook.run("%memory access v1.fact.a").atom
    assert (first.value, first.source) == ('$x and {x}, "quotes" stay, $5 too', "minutes")
    second = notebook.run("%memory access v1.fact.b").atom
    assert (second.value, second.tags) == ("$x and {x}", ("expanded",))
    assert "v1.fact.(x)" in [atom.name for atom in notebook.run("%memory list")]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("%memory acess x", "%memory has no verb acess. Did you mean access? There are: open, "),
        (
            "%memory import all.jsonl",
            "In a cell, call memory.import_file(...). In a terminal, type: substrate import --help",
        ),
        ("%memory stats", "In a cell, call memory.stats(). In a terminal, type: substrate stats --help"),
        ("%memory stale", "In a cell, call memory.stale(). In a terminal, type: substrate stale --help"),
        ("%memory forgit x", "%memory has no verb forgit"),
        ("%memory timeline", "it is a widget. In a cell, call memory.timeline()"),
        ("%memory graph", "it is a widget. In a cell, call memory.graph()"),
        ("%memory correct x", "to change a value: %memory checkpoint NAME = VALUE; from a time on: %memory replace"),
        ("%memory access v1.fact.currency --prof", "has no option --prof. Did you mean --proof? There are: "),
        ("%memory access v1.fact.curency", "there is no v1.fact.curency; near it: v1.fact.currency"),
        ("%memory access", "the following arguments are required: NAME"),
        ("%memory list --limit many", "argument --limit: not a whole number"),
        ("%memory search x --limit", "--limit needs a value"),
        ("%memory search x --origin usr", "argument --origin: takes one of user, agent, ingested"),
        ("%memory explore --as-of someday", "2 weeks ago or last monday"),
        ("%memory explore --as-of 99", "not yet 99"),
        (
            "%memory checkpoint bad = x",
            "nothing was saved: line 1: 'bad' is not a valid name. Use v1.note.bad: %memory",
        ),
        ("%memory checkpoint", "there is nothing to save"),
        ("%%memory checkpoint\nv1.fact.ok = x\nnothing\n", "line 3: expected `v1.type.name = value`"),
        ("%%memory checkpoint v1.fact.a = b\nv1.fact.c = d", "items stand below the line"),
        ("%%memory search x\ny", "%%memory search takes no cell"),
    ],
)
def test_a_mistake_is_told_in_one_line(filled: Any, cell: str, said: str) -> None:
    printed = filled.error(cell)
    assert said in printed
    assert printed.startswith("UsageError: ")
    assert printed.count("\n") == 1


def test_nothing_is_saved_if_one_line_is_wrong(filled: Any) -> None:
    filled.error("%%memory checkpoint\nv1.fact.new = x\nbad name = y\n")
    assert "v1.fact.new" not in [atom.name for atom in filled.run("%memory list")]


def test_an_unforeseen_error_keeps_its_traceback(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("substrate.notebook.stores.Stores.current", lambda *_, **__: 1 / 0)
    assert "Traceback" in filled.error("%memory list")


def test_help_lists_every_verb_and_explains_each(notebook: Any) -> None:
    shown = notebook.printed("%memory --help")
    assert shown == notebook.printed("%memory")
    assert notebook.shell.find_line_magic("memory").__doc__ in shown
    for verb in VERBS.values():
        assert f"  {verb.name} " in shown
        explained = notebook.printed(f"%memory {verb.name} --help")
        assert all(option in explained for option in verb.command.flags)
        assert all(example.command.split("\n")[0] in explained for example in verb.command.examples)


@pytest.mark.parametrize("query", ["what does the -h option do", "'what does --help do'", "who needs -- --help"])
def test_a_question_may_speak_of_the_option_for_help(filled: Any, query: str) -> None:
    assert filled.run(f"%memory search {query}").query == query.strip("'").replace(" -- ", " ")


@pytest.mark.parametrize("line", ["search --help", "search -h", "search payments --help", "access x --help --proof"])
def test_help_is_asked_for_where_an_option_may_stand(notebook: Any, line: str) -> None:
    assert f"%memory {line.split(maxsplit=1)[0]}" in notebook.printed(f"%memory {line}")


def test_the_explorer_goes_back_to_a_time_as_all_verbs_do(filled: Any) -> None:
    assert filled.run("shown = %memory explore --as-of 2\nshown.as_of") == 2
    assert (
        filled.run("shown = %memory explore --as-of 2099-01-01\nshown.as_of")
        == filled.run("%memory status").stats.entries - 1
    )
    assert filled.run("shown = %memory explore --as-of 1999-01-01\nshown.as_of") == 0


@pytest.mark.parametrize(
    "atom",
    [
        '"v1.fact.js = b"',
        '{"name": "v1.fact.js", "value": "b"}',
        '{"name": "v1.fact.js", "value": "b", "tags": ["plan"]}',
    ],
)
def test_options_hold_for_every_atom_of_a_cell_of_json(notebook: Any, atom: str) -> None:
    notebook.run(f"%%memory checkpoint --tag plan --tag more --confidence 0.4\n[{atom}]")
    saved = notebook.run("%memory access v1.fact.js").atom
    assert (saved.value, saved.tags, saved.confidence) == ("b", ("plan", "more"), 0.4)


def test_what_an_atom_of_json_says_itself_holds(notebook: Any) -> None:
    notebook.run(
        "%%memory checkpoint --tag plan --confidence 0.4\n"
        '[{"name": "v1.fact.a", "value": "b", "tags": ["own"], "confidence": 1}]'
    )
    saved = notebook.run("%memory access v1.fact.a").atom
    assert (saved.tags, saved.confidence) == (("own", "plan"), 1.0)


def test_settings_are_traits(filled: Any) -> None:
    filled.run("%config MemoryMagics.limit = 1")
    assert len(filled.run("%memory search payments cents EUR")) == 1
    filled.run("%config MemoryMagics.actor = 'ada'")
    filled.run("%memory checkpoint v1.fact.by_ada = x")
    assert filled.run("%memory access v1.fact.by_ada").atom.actor == "ada"


def test_loading_twice_leaves_one_of_each_and_unloading_none(filled: Any) -> None:
    def magics() -> list[Any]:
        return [one for one in filled.shell.configurables if isinstance(one, MemoryMagics)]

    extension.load(filled.shell)
    filled.run("%memory watch on")
    (first,) = magics()
    extension.load(filled.shell)
    assert magics() == [first]
    assert "probably needed next" not in filled.printed("%memory watch off")
    assert not first.watch.is_on
    filled.run("%reload_ext substrate\n%reload_ext substrate")
    (second,) = magics()
    assert second is not first
    filled.run("%unload_ext substrate")
    assert magics() == []


def test_the_stores_of_a_shell_go_with_it(folder: Path) -> None:
    class Shell:
        pass

    shell: Any = Shell()
    stores = extension._stores_of(shell)
    memory = stores.open("mine")
    gone = weakref.ref(stores)
    del shell, stores
    gc.collect()
    assert gone() is None
    with pytest.raises(Denied, match="closed"):
        memory.list()
    assert (folder / "mine").is_dir()


def test_one_shell_that_unloads_does_not_take_the_place_of_another(notebook: Any) -> None:
    other = InteractiveShell()
    other.history_manager.enabled = False
    extension.load(other)
    assert places._asked is not None
    extension.unload(other)
    assert places._asked is not None
    assert notebook.shell in [cell.cell_contents for cell in places._asked.__closure__ or ()]
    notebook.run("%unload_ext substrate")
    assert places._asked is None
    other.history_manager.end_session()


def test_loading_again_changes_nothing_and_unloading_takes_it_away(filled: Any, folder: Path) -> None:
    filled.run("memory = %memory open")
    filled.run("%load_ext substrate\n%reload_ext substrate")
    assert filled.run("memory.access('v1.fact.currency').value") == "EUR"
    assert filled.run("%memory search EUR?").query == "EUR?"
    assert filled.shell.input_transformer_manager.token_transformers.count(Call) == 1
    filled.run("%unload_ext substrate")
    assert "not found" in filled.error("%memory list")
    assert folder.exists()


def test_a_mistyped_verb_leads_to_one_of_the_face_and_never_to_forget(filled: Any) -> None:
    words = {command.name for command in COMMANDS} | {
        "import",
        "export",
        "backup",
        "forge",
        "forgot",
        "fortget",
        "fget",
    }
    for word in sorted(words - set(VERBS)):
        assert "Did you mean forget?" not in filled.error(f"%memory {word} x"), word


def test_every_widget_is_known_by_its_name() -> None:
    assert {*_WIDGETS, "link"} == {name.lower() for name in substrate_widgets.__all__}
    assert all(callable(getattr(Memory, call.partition("(")[0])) for call in _WIDGETS.values())
