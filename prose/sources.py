"""The texts in the code that people read: messages, help, reports, and the docstrings of public names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from prose.pages import ROOT, Text

FOLDERS = ("kanon_sql", "udfs", "sql/macros")

_QUERY = re.compile(
    r"\b(?:SELECT|FROM|CAST|CASE WHEN|COLUMNS\(|PARTITION BY|CREATE (?:TEMP|OR)|UNION ALL|JOIN|ATTACH|COPY \()\b|system\.main"
)
"""Statements and their parts, which are no sentences."""

_COMMANDS = {"command", "group", "line_magic", "cell_magic"}
"""Decorators whose functions show their docstring as help."""


def sources() -> list[Path]:
    """Return the files whose texts people read; kernels and the statements of engines have none."""
    found = {path for folder in FOLDERS for ending in ("py", "sql", "j2") for path in (ROOT / folder).rglob(f"*.{ending}")}
    hidden = {"kernels", "statements"}
    return sorted(
        path for path in found if not hidden & {*path.parts} and not (path.suffix == ".sql" and "engines" in path.parts)
    )


def of_source(path: Path, public: dict[str, set[str]]) -> Iterator[Text]:
    """Yield the texts of a file; *public* holds the names of each file whose docstrings people read."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        found = [*_literals(ast.parse(source)), *_docstrings(ast.parse(source), public.get(name, set()))]
    elif path.suffix == ".j2":
        found = list(_template(source))
    else:
        found = list(_statements(source))
    for line, text in sorted(found):
        yield Text(name, line, text)


def _literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the literals of four words or more, except those that document a name, or are SQL."""
    passed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            passed.update(id(each) for each in node.values if isinstance(each, ast.Constant))
    for node in ast.walk(tree):
        text = None if id(node) in passed else _text(node)
        if text is not None and len(text.split()) > 3 and not _QUERY.search(text):
            yield getattr(node, "lineno", 1), text


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "`x`" for each in node.values)
    return None


def _docstrings(tree: ast.Module, names: set[str]) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of public names, with those of their methods, and of the functions behind commands."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and (node.name in names or _COMMANDS & _decorators(node)):
            yield from _docstring(node)
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                    yield from _docstring(inner)
        elif "*" in names and isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield from _docstring(node)


def _docstring(node: ast.ClassDef | ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a docstring, without its examples and the headings and names of its sections."""
    text = ast.get_docstring(node)
    if text is None:
        return
    start = node.body[0].lineno
    text = re.sub(r"\n(?:Examples?|References)\n-+\n.*?(?=\n\w[\w ]*\n-+\n|\Z)", "\n", text, flags=re.DOTALL)
    text = re.sub(r"(?:^ *>>>.*\n(?: *\.\.\..*\n)*|::\n\n(?: +\S.*\n|\n)+)", "\n\n", text + "\n", flags=re.MULTILINE)
    text = re.sub(r"^[\w ]+\n-+\n|^[\w, *]+(?: : .*)?\n(?=    )", "\n\n", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n|\n(?=\* |- )", re.sub(r"(`+).*?\1", "`x`", text, flags=re.DOTALL)):
        if paragraph.strip():
            yield start, " ".join(paragraph.split())


def _decorators(node: ast.ClassDef | ast.FunctionDef) -> set[str]:
    found = set()
    for each in node.decorator_list:
        call = each.func if isinstance(each, ast.Call) else each
        found.add(call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", ""))
    return found


def _statements(source: str) -> Iterator[tuple[int, str]]:
    """Yield the first comments of SQL, which describe a macro, and its messages."""
    header = re.match(r"(?:-- .*\n)+", source)
    if header:
        yield 1, re.sub(r"^-- ", "", header.group(), flags=re.MULTILINE)
    for match in re.finditer(r"'((?:[^'\n]|'')*)'|\"([^\"\n]*)\"", source):
        text = next(each for each in match.groups() if each is not None)
        if len(text.split()) > 3 and not _QUERY.search(text) and re.search(r"[a-z]{3} [a-z]+ [a-z]", text):
            yield source.count("\n", 0, match.start()) + 1, text.replace("''", "'")


def _template(source: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a template, with a word for each expression."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())  # noqa: E731 -- keeps the numbers of lines
    source = re.sub(r"<(style|script)\b.*?</\1>|\{#.*?#\}|\{%.*?%\}", blank, source, flags=re.DOTALL)
    source = re.sub(r"\{\{.*?\}\}", "`x`", source, flags=re.DOTALL)
    for match in re.finditer(r"[^<>]+(?=<)", source):
        if len(match.group().split()) > 3:
            yield source.count("\n", 0, match.start()) + 1, " ".join(match.group().split())
