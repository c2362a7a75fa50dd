"""What the site needs besides its settings in mkdocs.yml: links, tabs, highlighted clauses, options and the reference."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files as resources
from typing import Any, cast

import click
import mkdocs_lexer as mkdocs_lexer  # registers the language "kanon-sql"

from kanon_sql.cli import main
from kanon_sql.cli.option_groups import FILES, option_groups

_LINK = re.compile(r"\[([^][]+)\]\(([^()\s:#]+)(?:#[^()\s]*)?\)")

_GRAMMARS = ("parse", "columns", "recodings", "conditions", "definitions")
"""Modules of `kanon_sql.clause` whose docstrings hold the grammar."""

_OPTIONS = re.compile(r"^<!-- options: (.+) -->$", re.MULTILINE)
"""The place for the options of a command."""

SHARED = "shared"
"""Stands for the options that most commands have."""

_CODE = re.compile(r"(?<!\w)'([^']+)'(?!\w)|(''|--[a-z][a-z-]*)")
"""A value or an option in a help text."""

_RANGE = re.compile(r"([\d.]+)<=x<=([\d.]+)")

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
    """Put in the options of commands, show links to files outside docs/ as text, make tabs, and highlight the clause."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]  # it would have this page alone
    folder = posixpath.dirname(page.file.src_uri)

    def shown(link: re.Match[str]) -> str:
        leaves = posixpath.normpath(posixpath.join(folder, link[2])).startswith("..")
        return link[1] if leaves else link[0]

    text = _LINK.sub(shown, _OPTIONS.sub(lambda marker: options_of(marker[1]), markdown))
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


@dataclass(frozen=True, slots=True)
class _Row:
    """An option as its help shows it."""

    names: tuple[str, ...]
    metavar: str
    meaning: str
    default: str

    @property
    def markdown(self) -> str:
        """Return the row of a table."""
        *first, last = self.names
        written = ", ".join(f"`{each}`" for each in (*first, f"{last} {self.metavar}".rstrip()))
        return f"| {written} | {_with_code(self.meaning)} | {_with_code(self.default)} |"


def options_of(name: str) -> str:
    """Return the options of a command as Markdown: a table for each group of its help, and the names of shared options."""
    shared = _rows("anonymize")[FILES]
    if name == SHARED:
        return _table(shared)
    parts = []
    for title, group in _rows(name).items():
        own = [each for each in group if each not in shared]
        common = [f"`{each.names[-1]}`" for each in group if each in shared]
        if own:
            parts += [*([] if title == "Options" else [f"**{title}**"]), _table(own)]
        if common:
            parts.append(f"[Shared options](command_line.md#shared-options): {', '.join(common)}.")
    return "\n\n".join(parts)


def _rows(name: str) -> dict[str, list[_Row]]:
    """Return the options of a command, except ``--help``, by the groups of its help."""
    command: click.Command = main
    for word in name.split():
        command = cast("click.Group", command).commands[word]
    context = click.Context(command)
    groups = option_groups(command, context)
    return {title: [_row(each, context) for each in group if "--help" not in each.opts] for title, group in groups.items()}


def _row(option: click.Option, context: click.Context) -> _Row:
    """Read the help of an option; what it depends on is in brackets, such as ``[default: 5; 1<=x<=9]``."""
    flags, text = option.get_help_record(context) or ("", "")
    names = tuple(sorted(option.opts, key=len))
    metavar = flags.partition(names[-1])[2].strip()
    meaning, *brackets = text.split("  [")
    remarks = [remark for each in brackets for remark in each.removesuffix("]").split("; ")]
    ranges = [f" ({found[1]} to {found[2]})" for each in remarks if (found := _RANGE.fullmatch(each))]
    defaults = [each.removeprefix("default: ") for each in remarks if each == "required" or each.startswith("default: ")]
    return _Row(names, metavar, meaning.removesuffix(".") + "".join(ranges), "".join(defaults))


def _table(found: list[_Row]) -> str:
    return "\n".join(["| option | meaning | default |", "| --- | --- | --- |", *(each.markdown for each in found)])


def _with_code(text: str) -> str:
    """Return a help text as Markdown: values and options are code, and no character is markup."""
    parts = []
    for place, part in enumerate(re.split(r"(`[^`]*`)", _CODE.sub(lambda found: f"`{found[1] or found[2]}`", text))):
        parts.append(part.replace("|", "\\|") if place % 2 else re.sub(r"([|*_<>])", r"\\\1", part))
    return "".join(parts)


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
