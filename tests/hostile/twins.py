"""Broken twins of both verifiers: the same source with one check taken out.

Every check of the package's verifier is a `raise ProofInvalid`, every check of the script a call of `need`. So the
twins are made by machine, one for each of those statements; a check added tomorrow gets its twin without anyone's help.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

import substrate.proof
from substrate.errors import ProofInvalid
from tests.proof import script

FOLDER = Path(substrate.proof.__file__).parent
# What a bundle goes through, from text to verdict.
MODULES = ["encoding", "entry", "record", "note", "head", "bundle", "verify"]
ORDER = ["hashes", *MODULES]

Judge = Callable[[str, str | None, str | None], bool]


@dataclass(frozen=True)
class Check:
    """One statement that rejects."""

    module: str
    function: str
    number: int  # among those of the module
    says: str

    def __str__(self) -> str:
        return f"{self.module}.{self.function}: {self.says}"


def _is_raise(node: ast.AST) -> bool:
    if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
        return False
    return isinstance(node.exc.func, ast.Name) and node.exc.func.id == "ProofInvalid"


def _is_need(node: ast.AST) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    return isinstance(node.value.func, ast.Name) and node.value.func.id == "need"


def _found(tree: ast.Module, wanted: Callable[[ast.AST], bool]) -> Iterator[tuple[str, ast.stmt]]:
    """The statements, each with the name of the function or method around it, in the order of the source."""
    found: list[tuple[int, str, ast.stmt]] = []

    def walk(node: ast.AST, inside: str) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inside = f"{inside}.{node.name}" if inside else node.name
        if wanted(node) and isinstance(node, ast.stmt):
            found.append((node.lineno, inside, node))
        for child in ast.iter_child_nodes(node):
            walk(child, inside)

    walk(tree, "")
    for _, inside, node in sorted(found, key=lambda item: item[0]):
        yield inside, node


def _checks(module: str, path: Path, wanted: Callable[[ast.AST], bool]) -> list[Check]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        Check(module, inside, number, ast.unparse(node)) for number, (inside, node) in enumerate(_found(tree, wanted))
    ]


def package_checks() -> list[Check]:
    return [check for module in MODULES for check in _checks(module, FOLDER / f"{module}.py", _is_raise)]


def script_checks() -> list[Check]:
    return _checks("script", script.SCRIPT, _is_need)


class _Without(ast.NodeTransformer):
    def __init__(self, victim: ast.stmt) -> None:
        self.victim = victim

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if node is self.victim:
            return ast.copy_location(ast.Pass(), node)
        return super().generic_visit(node)


def _broken(path: Path, check: Check, wanted: Callable[[ast.AST], bool]) -> ast.Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    victim = [node for _, node in _found(tree, wanted)][check.number]
    return ast.fix_missing_locations(_Without(victim).visit(tree))


def _run(source: ast.Module | CodeType | str, module: ModuleType) -> None:
    """Under a name of its own: what a twin runs through is not counted as covered in the file it was made from."""
    code = source if isinstance(source, CodeType) else compile(source, f"<twin of {module.__name__}>", "exec")
    exec(code, vars(module))  # noqa: S102


@cache
def _whole(path: Path, name: str) -> CodeType:
    """A module as it is, for the twins in which another one is broken."""
    return compile(path.read_text(encoding="utf-8"), f"<twin of {name}>", "exec")


@contextmanager
def package_twin(check: Check) -> Iterator[Judge]:
    """The package's verdicts without this check. The twin's modules leave no trace."""
    names = [f"substrate.proof.{module}" for module in ORDER]
    kept = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    held = {module: vars(substrate.proof)[module] for module in ORDER if module in vars(substrate.proof)}
    try:
        for module, name in zip(ORDER, names, strict=True):
            path = FOLDER / f"{module}.py"
            sys.modules[name] = ModuleType(name)  # so that the next of them imports this one
            is_broken = module == check.module
            _run(_broken(path, check, _is_raise) if is_broken else _whole(path, name), sys.modules[name])
        yield package_judge(sys.modules["substrate.proof.verify"])
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(kept)
        vars(substrate.proof).update(held)


def script_twin(check: Check) -> Judge:
    """The script's verdicts without this check."""
    return script_judge(script_without(check))


def script_without(check: Check) -> ModuleType:
    """The script without this check."""
    twin = ModuleType("verify_proof_twin")
    _run(_broken(script.SCRIPT, check, _is_need), twin)
    return twin


def rewritten_script(old: str, new: str) -> Judge:
    """The script's verdicts with one piece of its source replaced."""
    return script_judge(rewritten_module(old, new))


def rewritten_module(old: str, new: str) -> ModuleType:
    """The script with one piece of its source replaced, and with the signatures of OpenSSL."""
    source = script.SCRIPT.read_text(encoding="utf-8")
    assert source.count(old) == 1, f"the script no longer says: {old}"
    twin = ModuleType("verify_proof_twin")
    _run(source.replace(old, new), twin)
    twin.ed25519 = _openssl  # type: ignore[attr-defined]
    return twin


def package_judge(verify: ModuleType) -> Judge:
    """Whether the package accepts, as trusted. One verifier per key and pin, as a user would have it."""

    @cache
    def verifier(key: str | None, pin: str | None) -> object:
        return verify.Verifier(key, pin)

    def accepts(text: str, key: str | None, pin: str | None) -> bool:
        try:
            return bool(verifier(key, pin).verify(text).trusted)  # type: ignore[attr-defined]
        except ProofInvalid as error:
            if not error.reason:
                raise
            return False

    return accepts


def script_judge(module: ModuleType, *, own_signatures: bool = False) -> Judge:
    """Whether the script accepts, as trusted.

    Its own Ed25519 takes 30 ms; tests/test_verify_script.py holds it against OpenSSL's, which stands in for it here.
    """
    if not own_signatures:
        module.ed25519 = _openssl  # type: ignore[attr-defined]

    def accepts(text: str, key: str | None, pin: str | None) -> bool:
        try:
            return module.verify(text, key, pin).trust is not None
        except module.Rejected as why:
            if not str(why):
                raise
            return False

    return accepts


@cache
def _openssl(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
