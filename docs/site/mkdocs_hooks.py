"""What the site needs besides its settings in mkdocs.yml: links, tabs, highlighted clauses, and the reference from the code."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files as resources
from typing import Any

import mkdocs_lexer as mkdocs_lexer  # registers the language "kanon-sql"

_LINK = re.compile(r"\[([^][]+)\]\(([^()\s:#]+)(?:#[^()\s]*)?\)")

_GRAMMARS = ("parse", "columns", "recodings", "conditions", "definitions")
"""Modules of `kanon_sql.clause` whose docstrings hold the grammar."""

_TABS = "<!-- tabs -->"
_TITLES = {
    "sql": "SQL",
    "python": "Python",
    "sh": "Command line",
    "console": "Command line",
    "r": "R",
    "js": "Node",
    "yaml": "dbt",
}


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Show links to files outside docs/ as text, since only the repository has them; make tabs, and highlight the clause."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]  # it would have this page alone
    folder = posixpath.dirname(page.file.src_uri)

    def shown(link: re.Match[str]) -> str:
        leaves = posixpath.normpath(posixpath.join(folder, link[2])).startswith("..")
        return link[1] if leaves else link[0]

    text = _LINK.sub(shown, markdown)
    return re.sub(r"^( *```)sql$", r"\1kanon-sql", "\n".join(_with_tabs(text.split("\n"))), flags=re.MULTILINE)


def on_page_content(html: str, **_: object) -> str:
    """Keep a number and its percent sign on one line, except in code."""
    parts = re.split(r"(<code.*?</code>)", html, flags=re.DOTALL)
    return "".join(part if part.startswith("<code") else re.sub(r"(?<=\d) %", "&nbsp;%", part) for part in parts)


def _with_tabs(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a page, with the blocks of code that follow each ``<!-- tabs -->`` as tabs.

    A block of output belongs to the tab of the code above it. The first other line ends the tabs.
    """
    place = 0
    while place < len(lines):
        if lines[place] != _TABS:
            yield lines[place]
            place += 1
            continue
        place += 1
        while place < len(lines) and (not lines[place] or lines[place].startswith(("```", "<!--"))):
            line = lines[place]
            if not line.startswith("```"):
                yield "" if line.startswith("<!--") else line
                place += 1
                continue
            end = lines.index("```", place + 1)
            language = line.removeprefix("```")
            if language != "text":
                yield from ("", f'=== "{_TITLES[language]}"', "")
            yield from (f"    {each}" if each else "" for each in lines[place : end + 1])
            place = end + 1
        yield ""


def on_files(files: Any, config: Any, **_: object) -> Any:
    """Add the page of the reference, and the macros for those who have no Python."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "reference/code.md", content=reference()))
    together = resources("kanon_sql.sql").joinpath("kanon.sql").read_text(encoding="utf-8")
    files.append(File.generated(config, "kanon.sql", content=together))
    return files


def reference() -> str:
    """Return the page of the reference: signatures, headers and grammar from the code."""
    parts = [
        "# Reference from the code",
        "Generated from the code: every function, macro, grammar rule and algorithm. [SQL](sql.md) explains how to use them.",
        "## Table functions",
        *_functions(),
        "## Audit macros",
        "[`kanon.sql`](../kanon.sql) contains all of them, and the releases in plain SQL, in one file for any DuckDB shell.",
        *_macros(),
        "## Grammar of the clause",
        *_grammar(),
        "## Algorithms",
        *_solvers(),
    ]
    return "\n\n".join(parts) + "\n"


def _functions() -> list[str]:
    from kanon_sql.engines.duckdb.connect.registration import table_functions

    found = []
    for module in table_functions():
        about = dict(re.findall(r"^(?:- )?`(\w+)\(.*?\)`: (.+)$", module.__doc__ or "", re.MULTILINE))
        for text in module.MACROS:
            signature = text.partition(" AS TABLE ")[0]
            name = signature.partition("(")[0]
            says = about[name][:1].upper() + about[name][1:]
            found.append(f"### `{name}`\n\n{says}\n\n```text\n{signature}\n```")
    return found


def _macros() -> list[str]:
    found = []
    for path in sorted(resources("kanon_sql.sql").iterdir(), key=lambda each: each.name):
        if path.name.endswith(".sql") and path.name != "kanon.sql":
            header = path.read_text(encoding="utf-8").partition("CREATE ")[0]
            lines = [line.removeprefix("--").removeprefix(" ") for line in header.strip().splitlines()]
            found.append(f"### `{path.name.removesuffix('.sql')}`\n\n```text\n" + "\n".join(lines) + "\n```")
    return found


def _grammar() -> list[str]:
    says = (import_module(f"kanon_sql.clause.{name}").__doc__ or "" for name in _GRAMMARS)
    blocks = (block for text in says for block in re.findall(r"::\n\n((?:    .*\n|\n)+)", text))
    return ["```text\n" + re.sub(r"^    ", "", block, flags=re.MULTILINE).strip("\n") + "\n```" for block in blocks]


def _solvers() -> list[str]:
    from kanon_sql.solvers.registry import SENSITIVE_SOLVERS, SOLVERS

    found = []
    for title, solvers in (("k-anonymity", SOLVERS), ("Sensitive attributes", SENSITIVE_SOLVERS)):
        rows = [f"| `{name}` | {solver.guarantee} |" for name, solver in solvers.items()]
        found.append(f"### {title}\n\n" + "\n".join(["| `USING` | guarantee |", "| --- | --- |", *rows]))
    return found
