"""What the site needs beside its settings in mkdocs.yml: links that lead somewhere, and the reference that the code writes."""

from __future__ import annotations

import posixpath
import re
from importlib import import_module
from importlib.resources import files as resources
from typing import Any

_LINK = re.compile(r"\[([^][]+)\]\(([^()\s:#]+)(?:#[^()\s]*)?\)")

_GRAMMARS = ("parse", "columns", "recodings", "conditions", "definitions")
"""Modules of `kanon_sql.clause` whose docstrings hold the grammar."""


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Show links to files beside docs/ as text: they lead somewhere where the project is read, and nowhere on the site."""
    folder = posixpath.dirname(page.file.src_uri)

    def shown(link: re.Match[str]) -> str:
        leaves = posixpath.normpath(posixpath.join(folder, link[2])).startswith("..")
        return link[1] if leaves else link[0]

    return _LINK.sub(shown, markdown)


def on_files(files: Any, config: Any, **_: object) -> Any:
    """Add the page of the reference, and the macros for those who have no Python."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "reference.md", content=reference()))
    together = resources("kanon_sql.sql").joinpath("kanon.sql").read_text(encoding="utf-8")
    files.append(File.generated(config, "kanon.sql", content=together))
    return files


def reference() -> str:
    """Return the page of the reference: signatures, headers and grammar as they stand in the code."""
    parts = [
        "# Reference from the code",
        "What the program itself says of its functions, its grammar and its solvers; [SQL](sql.md) says how they are used.",
        "## Table functions",
        *_functions(),
        "## Audit macros",
        "[`kanon.sql`](kanon.sql) has all of them, and the releases in plain SQL, in one file for any DuckDB shell.",
        *_macros(),
        "## Grammar of the clause",
        *_grammar(),
        "## Solvers",
        *_solvers(),
    ]
    return "\n\n".join(parts) + "\n"


def _functions() -> list[str]:
    from kanon_sql.engines.duckdb.registration import functions

    found = []
    for module in functions():
        signature = module.MACRO.partition(" AS TABLE ")[0]
        found.append(f"### `{signature.partition('(')[0]}`\n\n{_about(module)}\n\n```text\n{signature}\n```")
    return found


def _about(module: Any) -> str:
    """Return what the first line of a docstring says behind the call that it begins with."""
    says = (module.__doc__ or "").strip().partition("\n")[0].partition(": ")[2]
    return says[:1].upper() + says[1:]


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
