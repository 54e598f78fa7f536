"""Names from the store on a line of `%memory`: completed, copied or pasted, they are text and never code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from substrate.errors import InputError
from substrate.memory import Memory
from substrate.names import check_name
from substrate.notebook import extension
from substrate.text.visible import HIDDEN
from substrate_widgets.explorer.answers import detail_of
from tests.old_names import import_atoms
from tests.scale import rounds

EVIL = [
    'v1.fact.pay{open("PWNED","w").write("x")}',
    'v1.fact.pay {open("PWNED","w").write("x")}',
    "v1.fact.pay{boom()} {boom()}",
    "v1.fact.pay$boom",
    "v1.fact.pay $boom ${boom} `boom`",
    "v1.fact.pay' {boom()} '",
    'v1.fact.pay" {boom()} "',
    "v1.fact.pay' {boom()} ' \" {boom()} \"",
    "v1.fact.pay = !touch PWNED",
    "v1.fact.pay -[is]-> v1.fact.b",
    "v1.fact.pay --yes",
    "v1.fact.pay;",
    "v1.fact.pay?",
    "v1.fact.pay??",
    "v1.fact.pay\\",
    "v1.fact.pay\\' {boom()}",
    "v1.fact.pay\\u202e",
    "v1.fact.pay\u202e{boom()}\U000e0041'",
    "v1.fact.pay\u00a0{boom()}",
    "v1.fact.pay('''\"\"\"(",
    "v1.fact.pay # %memory forget",
    "v1.fact.bob's größe नमस्ते",
]
ALPHABET = [*"ab {}$`\"'\\;?!#%=[]()-.,", "é", "\u00a0", "\u202e", "\u200d", "boom()", "{boom()}", " --yes", " = "]


class Kernel:
    """A shell with `%memory`, and a function of the user's that no stored name may call."""

    def __init__(self, shell: InteractiveShell, memory: Memory) -> None:
        self.shell, self.memory = shell, memory
        self.called: list[str] = []
        shell.user_ns.update(boom=lambda: self.called.append("boom") or "v1.fact.other")

    def hold(self, name: str) -> None:
        """Let the store hold this name and no other, as an import of an old export does."""
        for atom in self.memory.list():
            self.memory.checkpoint(tombstones=[atom.id])
        import_atoms(self.memory, {name: "x"})

    def run(self, line: str) -> Any:
        """What a cell with this line comes to."""
        outcome = self.shell.run_cell(line)
        outcome.raise_error()
        return outcome.result

    def completed(self, code: str) -> list[str]:
        """The code with each completion put in."""
        with provisionalcompleter():
            found = list(self.shell.Completer.completions(code, len(code)))
        return [code[: one.start] + one.text + code[one.end :] for one in found]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("kernel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUBSTRATE_HOME", str(folder / "home"))
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.setenv("SUBSTRATE_MODEL", "none")
        patch.chdir(folder)
        InteractiveShell.clear_instance()
        shell = InteractiveShell.instance()
        shell.history_manager.enabled = False
        shell.run_cell("%load_ext substrate").raise_error()
        memory = shell.run_line_magic("memory", "open store")
        try:
            yield Kernel(shell, memory)
        finally:
            extension.unload(shell)
            extension._STORES.pop(shell).close()
            shell.history_manager.end_session()
            InteractiveShell.clear_instance()


def is_name(name: str) -> bool:
    try:
        return check_name(name) == name
    except InputError:
        return False


names = st.lists(st.sampled_from(ALPHABET), min_size=1, max_size=9).map(lambda parts: "v1.fact.p" + "".join(parts))


def check_round_trip(kernel: Kernel, name: str) -> None:
    """Completed and copied, the name is itself, and nothing is evaluated."""
    kernel.hold(name)
    lines = [line for begun in ("", "'", '"') for line in kernel.completed(f"%memory access {begun}v1.fact.p")]
    copied = detail_of(kernel.memory, name, None)["word"]
    assert lines
    for line in (*lines, f"%memory access {copied}"):
        assert kernel.run(line).atom.name == name, line
        assert HIDDEN.search(line) is None
    assert kernel.run(f"%memory prove {copied}").claim == "current"
    assert kernel.called == []
    assert not Path("PWNED").exists()


@pytest.mark.parametrize("name", EVIL)
def test_a_stored_name_is_itself_when_it_is_completed_or_copied(kernel: Kernel, name: str) -> None:
    check_round_trip(kernel, name.replace("v1.fact.bob", "v1.fact.pbob"))


@pytest.mark.no_cover
@pytest.mark.soak
@given(names.filter(is_name))
@settings(max_examples=rounds(8, 2000), suppress_health_check=list(HealthCheck), deadline=None)
def test_any_name_is_itself_when_it_is_completed_or_copied(kernel: Kernel, name: str) -> None:
    check_round_trip(kernel, name)


@pytest.mark.parametrize("insert", [str, '"{}"'.format, "'{}'".format], ids=["as it is", "double", "single"])
def test_a_face_that_inserts_names_otherwise_is_caught(kernel: Kernel, insert: Any) -> None:
    """The broken twins: bare, and in quotes that the name can close."""
    failed = 0
    for name in EVIL:
        kernel.hold(name)
        try:
            failed += kernel.run(f"%memory access {insert(name)}").atom.name != name
        except BaseException:  # noqa: BLE001 - as IPython's UsageError is
            failed += 1
    assert failed > 1
    assert kernel.called == []  # such a line is wrong, and still runs nothing


@pytest.mark.parametrize("name", EVIL)
def test_a_name_that_is_pasted_by_hand_is_never_evaluated(kernel: Kernel, name: str) -> None:
    for begun in ("access ", "prove '", 'train "', "search ", "search --domain ", "list -- "):
        kernel.shell.run_cell(f"%memory {begun}{name}{begun[-1].strip()}", silent=True)
    assert kernel.called == []
    assert not Path("PWNED").exists()


def test_what_a_person_puts_in_braces_as_a_whole_is_evaluated(kernel: Kernel) -> None:
    """Else the tests above would prove nothing."""
    kernel.hold("v1.fact.other")
    assert kernel.run("%memory access {boom()}").atom.name == "v1.fact.other"
    assert kernel.called.pop() == "boom"


@pytest.mark.parametrize("name", EVIL)
def test_where_text_is_saved_as_it_is_typed_only_names_that_stay_themselves_are_offered(
    kernel: Kernel, name: str
) -> None:
    kernel.hold(name)
    for verb in ("checkpoint ", "checkpoint - ", "record "):
        for line in kernel.completed(f"%memory {verb}v1.fact.p"):
            assert line == f"%memory {verb}{name}"
            assert re.search(r"\s=\s|\]->|\\\Z", name) is None
            assert HIDDEN.search(name) is None
            assert verb != "record " or not re.search(r"\s", name)
