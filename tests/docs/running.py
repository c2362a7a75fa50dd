"""Run the blocks of a page as a reader would, and return what the reader would see."""

from __future__ import annotations

import importlib.util
import io
import re
import shlex
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from click.testing import CliRunner
from pages import ROOT, Block, blocks, named, on_its_own
from rich.console import Console

import kanon_sql
from kanon_sql.clause.statements import statements
from kanon_sql.cli import main
from kanon_sql.cli.script import execute
from kanon_sql.errors import KanonError
from kanon_sql.model.policy import Policy
from kanon_sql.table.encode import encode

_SHELL_COMMAND = re.compile(r"^\.read (\S+)\n", re.MULTILINE)

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""What a progress bar writes to move over the terminal."""

_QUASI_IDENTIFIERS = ["zip", "age"]


_TABLES = Path(__file__).resolve().parent / "tables"


def runnable(page: Path) -> list[Block]:
    """Return the blocks that run: on a page that stands on its own, its command lines too."""
    languages = {"sql", "python", "sh"} if on_its_own(page) else {"sql", "python"}
    return [block for block in blocks(page) if (block.run or block.refused) and block.language in languages]


def missing_modules(page: Path) -> set[str]:
    """Return the modules that blocks of a page need and that are not installed."""
    return {module for block in runnable(page) for module in block.needs if importlib.util.find_spec(module) is None}


def run_page(page: Path) -> Iterator[tuple[Block, str]]:
    """Run a page in the current folder as a reader would, and yield what each block shows.

    Raises
    ------
    AssertionError
        When a block fails, with its line.
    """
    found, missing = runnable(page), missing_modules(page)
    with kanon_sql.connect() as con:
        if on_its_own(page):
            namespace = {"kanon_sql": kanon_sql, "con": con}
        else:
            tables(con, page)
            namespace = names(con) if any(block.language == "python" for block in found) else {}
        for block in found:
            if missing.intersection(block.needs):
                continue
            try:
                match block.language:
                    case "sql" if block.refused:
                        seen = run_refused(con, block)
                    case "sql":
                        seen = run_sql(con, block)
                    case "python":
                        seen = run_python(block, namespace, named(page))
                    case _:
                        seen = run_commands(block)
            except Exception as error:
                raise AssertionError(f"{named(page)}, line {block.line}: {error}") from error
            yield block, seen


def tables(con: Any, page: Path) -> None:
    """Make the tables of the reference pages, then those of this one; a table that a page makes itself goes before them."""
    con.execute("CREATE SCHEMA fixture")
    con.execute("SET search_path = 'fixture'")
    con.execute((_TABLES / "every_page.sql").read_text(encoding="utf-8"))
    con.execute("SET search_path = 'main,fixture'")
    own = _TABLES / page.with_suffix(".sql").name
    if own.exists():
        con.execute(own.read_text(encoding="utf-8"))


def names(con: Any) -> dict[str, Any]:
    """Return what the Python of the reference pages takes for granted."""
    patients = con.sql("SELECT zip, age, job, sex, disease FROM fixture.patients").df()
    release = kanon_sql.anonymize(patients, k=5, quasi_identifiers=_QUASI_IDENTIFIERS)
    histogram = con.sql("SELECT zip, age, count(*) AS n FROM fixture.patients GROUP BY ALL").to_arrow_table()
    zips, ages, counts = (column.combine_chunks() for column in histogram.columns)
    row_types = pa.StructArray.from_arrays([zips, ages], _QUASI_IDENTIFIERS)
    coded, _ = encode(row_types, counts.to_numpy().astype(np.int64), Policy.of(k=5, quasi_identifiers=_QUASI_IDENTIFIERS))
    return {
        "kanon_sql": kanon_sql,
        "con": con,
        "patients": patients,
        "visits": con.sql("SELECT lat, lon, ward FROM visits").df(),
        "jobs": con.sql("FROM jobs").df(),
        "tree": con.sql("FROM disease_tree").df(),
        "release": release,
        "released": release.table,
        "codes": [tuple(row) for row in coded.codes.tolist()],
        "counts": coded.weight.tolist(),
    }


def run_sql(con: Any, block: Block) -> str:
    """Run the statements of a block and return the tables that ``kanon shell`` draws for them."""
    seen = []
    for statement in _statements(block.text):
        drawn = io.StringIO()
        execute(con, statement, Console(file=drawn, force_terminal=True, color_system=None, width=200))
        lines = _CONTROL.sub("", drawn.getvalue()).replace("\r", "\n").split("\n")
        seen += [line.rstrip() for line in lines if line.startswith(tuple("╭│├╰"))]
    return "\n".join(seen)


def run_refused(con: Any, block: Block) -> str:
    """Run a block that is refused and return its error: as the page wraps it, if it is the one that the page shows."""
    try:
        con.execute(block.text)
    except KanonError as error:
        seen = f"error: {error}"
        shown = block.shown or ""
        return shown if " ".join(shown.split()) == seen else "\n".join(textwrap.wrap(seen, 120))
    raise AssertionError("it is not refused")


def run_python(block: Block, namespace: dict[str, Any], name: str) -> str:
    """Run a block of Python and return what it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        # The line numbers of an error are then those of the page.
        exec(compile("\n" * block.line + block.text, name, "exec"), namespace)
    return printed.getvalue().rstrip("\n")


def run_commands(block: Block) -> str:
    """Run the command lines of a block and return what they print."""
    printed = ""
    for line in block.text.split("\n"):
        program, *arguments = shlex.split(line)
        assert program == "kanon", f"only kanon is run here: {line}"
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, f"{line}: {done.output}"
        printed += done.stdout
    return "\n".join(line.rstrip() for line in printed.rstrip("\n").split("\n"))


def _statements(text: str) -> Iterator[str]:
    """Split a block: at semicolons, or a statement a line where a page lists forms of one."""
    lines = [line for line in text.split("\n") if line]
    if ";" not in text and all(line.startswith("FROM ") for line in lines):
        yield from lines
        return
    for name in _SHELL_COMMAND.findall(text):
        # `.read` is a command of the shell; the files that a page reads are those of sql/.
        yield from (each.text for each in statements((ROOT / "sql" / name).read_text(encoding="utf-8")))
    yield from (each.text for each in statements(_SHELL_COMMAND.sub("", text)))
