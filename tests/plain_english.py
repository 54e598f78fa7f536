"""Plain English in what users read: `python -m tests.plain_english` lists faults as file:line. `make check` runs it.

It reads every text that a user can meet, from the sources and without running them:

    pages       README, docs/, CONTRIBUTING, SECURITY: prose, list items, table cells, headings; but not the records
                of the past, which are CHANGELOG and the archive of benchmark runs; and the texts of the notebooks
    faces       strings of commands/, cli/, notebook/, server/, surfaces/, examples/ and the widgets with their scripts
    tools       the docstrings of a surface's tools and prompts, which agents read
    messages    the arguments of every error, Message and Hint in the package
    docstrings  those of the public names: of the modules that `substrate/__init__.py` exports from, and of values/

A text is held to the phrases of PHRASES and to WORDS words a sentence. Code and quotations count as one word, and are
not looked into. There is no list of exceptions: mend the text.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORDS = 25
"""The most words of a sentence."""

PHRASES = {
    r"so many": "name the number: `maximum number of results`",
    r"anew": "again, or a verb with `re`: rebuild",
    r"(?<!there )(?<!here )(?:is|are|was) no (?!longer|more|less)\w+": "`is not`, or `has no`",
    r"which is said": "name who says it, and how",
    r"by it": "name it",
    r"say --\S+|say `--\S+": "`use --flag`, or `repeat with --flag`",
    r"whoever": "name the person: the auditor, the user",
    r"got by another way|another way than": "`separately`",
    r"as it lies": "`as stored`",
    r"no edge that holds": "`no current edge`",
    r"from elsewhere": "name the source",
    r"this way worked": "`teach that these are needed together`",
    r"on your word": "name what the user does",
    r"until it is said": "`default: on`",
    r"is wanted here": "`is off`",
    r"have to do with": "`are related to`",
    r"of which not both": "`that contradict each other`",
    r"has it that": "`says`",
}
SUBJECT = re.compile(r"(?:what|who|whom|those)\b(?! (?:is|are|do|does|did|can|should|must)\b[^.]*\?)", re.IGNORECASE)
BANNED = [
    (re.compile(rf"(?<![\w-])(?:{phrase})(?![\w-])", re.IGNORECASE), advice) for phrase, advice in PHRASES.items()
]

FACES = ("commands", "cli", "notebook", "server", "surfaces")
RECORDS = ("CHANGELOG.md", "benchmarks-archive.md")
VALUE = "X"
"""What stands for code, a quotation, or a value that is not known before the text is shown."""
MARKS = {"Arg", "Verb", "Item", "Hint", "Noun", "Save"}


@dataclass(frozen=True, slots=True)
class Text:
    """A text that a user reads, and where it begins."""

    file: str
    line: int
    text: str
    heading: bool = False
    """A title or the head of a column: it may begin with a question word."""


# -- sentences ---------------------------------------------------------------------------------------------------------

CODE = re.compile(r"``.+?``|`[^`]*`|\$\([^)]*\)", re.DOTALL)
QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”]*”")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_]*(?:[A-Z`]|--[a-z]))|\n\s*\n|(?<=[.!?])\s*$")


def plain(text: str) -> str:
    """The words alone: code, a list of code and a quotation as one word each, links as their text."""
    text = LINK.sub(r"\1", CODE.sub(VALUE, text))
    text = re.sub(r"(?<=[.!?])(\s+)\*{1,2}([a-z])", lambda found: found[1] + found[2].upper(), text)
    text = QUOTED.sub(VALUE, text).replace("**", "").replace("*", "")
    return re.sub(rf"{VALUE}(?:,\s+{VALUE}\b)+", VALUE, text)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Each sentence, with the lines of the text before it."""
    begun = 0
    for found in [*END.finditer(text), None]:
        stop = found.start() if found else len(text)
        sentence = text[begun:stop]
        if sentence.strip():
            before = text[: begun + len(sentence) - len(sentence.lstrip())]
            yield before.count("\n"), " ".join(sentence.split())
        begun = found.end() if found else stop


def words(sentence: str) -> int:
    """How many words it has."""
    return sum(any(char.isalnum() for char in word) for word in re.split(r"\s+|\u2014|(?<=\w)/(?=\w)", sentence))


def faults(text: Text) -> Iterator[str]:
    """What is wrong with it, as file:line: what; and how to mend it."""
    for line, sentence in sentences(plain(text.text)):
        place = f"{text.file}:{text.line + line}"
        if (count := words(sentence)) > WORDS:
            yield f"{place}: {count} words in a sentence, at most {WORDS}: {sentence[:80]}..."
        for phrase, advice in BANNED:
            if found := phrase.search(sentence):
                yield f"{place}: `{found[0]}`: {advice}: {sentence[:80]}"
        if not text.heading and SUBJECT.match(sentence) and not sentence.rstrip(VALUE + " \"'").endswith("?"):
            yield f"{place}: the subject is `{sentence.split()[0]}`: begin with a noun: {sentence[:80]}"


# -- pages -------------------------------------------------------------------------------------------------------------

FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
RULE = re.compile(r"^[\s|:-]+$")


def prose(file: str, page: str) -> Iterator[Text]:
    """The texts of a page of Markdown: paragraphs, items, headings, and parts of cells; no blocks of code."""
    block: list[str] = []
    begun = 0
    fenced = head = False

    def done() -> Iterator[Text]:
        if block:
            yield Text(file, begun, "\n".join(block))
            block.clear()

    for number, line in enumerate([*page.splitlines(), ""], 1):
        if FENCE.match(line):
            yield from done()
            fenced = not fenced
        elif fenced or line.startswith("<!--"):
            continue
        elif not line.strip():
            yield from done()
            head = False
        elif line.startswith("#"):
            yield from done()
            yield Text(file, number, line.lstrip("# "), heading=True)
        elif line.lstrip().startswith("|"):
            yield from done()
            if not RULE.match(line):
                for part in re.split(r"(?<!\\)\||;\s", CODE.sub(VALUE, line).strip().strip("|")):
                    yield Text(file, number, part.strip(), heading=not head)
            head = True
        elif ITEM.match(line):
            yield from done()
            begun = number
            block.append(ITEM.sub("", line))
        else:
            begun = begun if block else number
            block.append(line)


def pages(file: str, line: int, text: str) -> Iterator[Text]:
    """The texts of a page that a source holds: a guide, a docstring."""
    for one in prose(file, text):
        yield replace(one, line=line + one.line - 1)


# -- sources -----------------------------------------------------------------------------------------------------------


def spelled(node: ast.expr) -> str | None:
    """The text of an expression that makes one: literals, f-strings and sums of them."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(spelled(value) or VALUE for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [spelled(left), spelled(right)]
            return "".join(part or VALUE for part in parts) if any(parts) else None
    return None


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every text that a module spells, but for docstrings and attribute docs."""
    said = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.JoinedStr)
    }
    inside: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in said or id(node) in inside or not isinstance(node, ast.expr):
            continue
        if (text := spelled(node)) is not None:
            inside |= {id(child) for child in ast.walk(node)} - {id(node)}
            yield node.lineno, text


def messages(tree: ast.AST, errors: set[str]) -> Iterator[tuple[int, str]]:
    """What errors, Message and Hint say: their arguments, put together."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in errors:
            parts = node.args[1:] if node.func.id in {"Hint", "Item"} else node.args
            text = "".join(spelled(part) or VALUE for part in parts if not isinstance(part, ast.Starred))
            yield node.lineno, text


def docstrings(tree: ast.Module, *, members: bool = True) -> Iterator[tuple[int, str]]:
    """Those of the public names of a module, and of their members."""

    def of(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, str]]:
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str(text)) as said), *_]:
                yield said.lineno, text
        if isinstance(node, ast.Module | ast.ClassDef):
            for before, after in zip(node.body, node.body[1:], strict=False):
                match after:
                    case ast.Expr(value=ast.Constant(value=str(text)) as said) if isinstance(before, ast.AnnAssign):
                        yield said.lineno, text
            for child in node.body:
                if isinstance(child, ast.ClassDef | ast.FunctionDef) and not child.name.startswith("_") and members:
                    yield from of(child)

    for child in tree.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not child.name.startswith("_"):
            yield from of(child)


def tools_of(tree: ast.Module) -> ast.Module:
    """The functions of a module that agents read the docstrings of: tools, which return a result, and prompts."""
    prompts = {
        node.args[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Prompt.from_function"
        if isinstance(node.args[0], ast.Name)
    }
    read = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        if node.name in prompts or (node.returns is not None and "CallToolResult" in ast.unparse(node.returns))
    ]
    return ast.Module(body=list(read), type_ignores=[])


SCRIPT = re.compile(
    r"(?P<skip>//[^\n]*|/\*.*?\*/|/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\\\n])+/[gimsuy]*(?=[.,;)\s]))"
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)",
    re.DOTALL,
)


def script_texts(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a script: its literals, with VALUE for what is put into a template."""
    for found in SCRIPT.finditer(source):
        if found["text"]:
            text = re.sub(r"\$\{[^}]*\}", VALUE, found["text"][1:-1])
            yield source.count("\n", 0, found.start()) + 1, text.replace('\\"', '"').replace("\\n", "\n")


def is_prose(text: str) -> bool:
    """Whether a literal is for people: some words, not a name, a pattern, a query or a style."""
    return len(re.findall(r"(?<![\w.$#@/-])[A-Za-z][a-z']*(?![\w(=/-])", text)) >= 3 and not re.search(
        r"[{}<>^]|\\\\[dswbA]|::|=\"|\(\?|^\s*(?:SELECT|INSERT)\b", CODE.sub(VALUE, text)
    )


def published(root: Path) -> set[str]:
    """The modules of the public names, and those of values/, as paths within the package."""
    tree = ast.parse((root / "substrate" / "__init__.py").read_text(encoding="utf-8"))
    homes = {
        node.module.removeprefix("substrate.").replace(".", "/") + ".py"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("substrate.")
    }
    return homes - {"notebook/extension.py"} | {"errors.py"}


def error_names(root: Path) -> set[str]:
    """The classes of errors.py, and what messages are made of."""
    tree = ast.parse((root / "substrate" / "errors.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef)} | {"Message", "Hint"}


def source_texts(root: Path) -> Iterator[Text]:
    """Of the package and of the widgets."""
    public, errors = published(root), error_names(root)
    for path in sorted(path for part in ("substrate", "widgets", "examples") for path in root.glob(f"{part}/**/*.py")):
        file = path.relative_to(root).as_posix()
        inside = file.partition("/")[2]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found: list[Iterable[tuple[int, str]]] = [messages(tree, errors)]
        if file.startswith(("widgets/", "examples/")) or inside.startswith(FACES):
            found.append((line, text) for line, text in literals(tree) if is_prose(text))
        if inside in public or inside.startswith("values/") or file.endswith("/widget.py"):
            found.append(docstrings(tree))
        elif re.match(r"surfaces/\w+/", inside):
            found.append(docstrings(tools_of(tree)))
        for line, text in sorted({one for each in found for one in each}):
            yield from pages(file, line, text) if "\n" in text else [Text(file, line, text)]
    for path in sorted(root.glob("widgets/**/*.js")):
        for line, text in script_texts(path.read_text(encoding="utf-8")):
            if is_prose(text):
                yield Text(path.relative_to(root).as_posix(), line, text)


def page_texts(root: Path) -> Iterator[Text]:
    """Of the pages."""
    for path in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        if path.name not in RECORDS:
            yield from prose(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    for path in sorted(root.glob("notebooks/*.ipynb")):
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            if cell["cell_type"] == "markdown":
                place = f"{path.relative_to(root).as_posix()}:cell {number}"
                yield from prose(place, "".join(cell["source"]))


def all_faults(root: Path = ROOT) -> list[str]:
    """Of everything that users read."""
    return [fault for texts in (source_texts(root), page_texts(root)) for text in texts for fault in faults(text)]


if __name__ == "__main__":
    found = all_faults()
    print("\n".join(found) or "plain English: no faults")
    sys.exit(bool(found))
