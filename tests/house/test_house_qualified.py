"""No macro of a database takes the place of a function in our SQL: each is qualified, or looked up where the statement runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import every_statement
import pytest
import shadows

import kanon_sql
from kanon_sql.engines.duckdb.connect.registration import macros
from kanon_sql.engines.duckdb.connect.shadowing import GATED, REFUSED

ROOT = Path(__file__).resolve().parent.parent.parent

PARSED = {"coalesce", "columns", "try"}
"""What the parser takes for itself: no macro is asked for, and no qualified name is possible."""

HARMLESS = {"nullif", "current_database", "current_schema", "current_schemas"}
"""Built-ins that are macros themselves, and whose bodies call nothing by a bare name."""

PYTHON = (
    *(
        path
        for room in ("engines", "verification", "report")
        for path in sorted((ROOT / "kanon_sql" / room).rglob("*.py"))
        if "spark" not in path.parts
    ),
    *sorted((ROOT / "udfs").glob("*.py")),
    *(ROOT / "kanon_sql" / "cli" / f"{name}.py" for name in ("publish", "shell", "demo")),
)

ENGINES = ROOT / "kanon_sql" / "engines"

SQL = sorted([*(ENGINES / "duckdb").rglob("*.sql"), *(ENGINES / "guarantees").glob("*.sql"), *(ROOT / "sql").glob("*.sql")])

OURS = re.compile(r"kanon_(fit|explain|column|policy_checked|plan_\w+|audited|entropy|transport|certificates|session|rewrite)")


def texts(path: Path) -> Iterator[str]:
    """Yield the SQL texts of a file: all of an .sql file; of Python the literals that hold SQL."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sql":
        yield re.sub(r"\$\{(\w+)\}", r"\1", text).replace("$$", "$")
        return
    tree = ast.parse(text)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in documentation else None
        if isinstance(text, str) and re.search(r"\b(SELECT|FROM|CASE|CAST|FILTER|OVER|TABLE)\b|::[A-Z]|system\.main", text):
            yield text


def calls(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each name in front of a bracket, and whether it is qualified, also inside of texts, by DuckDB's own tokens."""
    tokens = duckdb.tokenize(text)
    ends = [start for start, _ in tokens[1:]] + [len(text)]
    for (start, kind), end in zip(tokens, ends, strict=True):
        token = text[start:end].rstrip()
        if kind == duckdb.token_type.string_const and "system.main." in token:
            yield from calls(token[1:-1].replace("''", "'"))
        name = re.fullmatch(r"[a-z_][a-z0-9_]*", token)
        if name and text[start + len(token) : start + len(token) + 1] == "(":
            yield name[0], text[:start].endswith("system.main.")


@pytest.fixture(scope="module")
def builtins() -> set[str]:
    with duckdb.connect() as con:
        return set(shadows.builtins(con))


@pytest.mark.sweep
@pytest.mark.parametrize("path", [*SQL, *PYTHON], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_call_is_qualified(path: Path, builtins: set[str]) -> None:
    for text in texts(path):
        bare = {name for name, qualified in calls(text) if not qualified and (name in builtins or OURS.fullmatch(name))}
        assert bare <= PARSED, f"write system.main.{min(bare - PARSED)}(...)"


def test_the_tokens_find_bare_calls() -> None:
    found = set(calls("SELECT sum(a), system.main.max(b) FROM system.main.query('SELECT system.main.min(c), ln(''x'')')"))
    assert found == {("sum", False), ("max", True), ("query", True), ("min", True), ("ln", False)}


@pytest.mark.everything
def test_no_built_in_is_called_that_is_a_macro_itself() -> None:
    """Its body calls other functions by bare names, which are looked for on the search path of the caller."""
    with duckdb.connect() as con:
        macros = set(shadows.builtins(con, "macro", "table_macro"))
    for path in (*SQL, *PYTHON):
        found = {name for text in texts(path) for name, qualified in calls(text) if qualified} & macros
        assert found <= HARMLESS, f"{path.name} calls {found - HARMLESS}"


def asked_for(con: duckdb.DuckDBPyConnection, statement: str) -> str | None:
    """Return the function for which DuckDB came upon a macro when it bound a statement."""
    try:
        con.execute(f"DESCRIBE {statement}")
    except duckdb.BinderException as error:
        found = re.search(r'Macro "?(.+?)"?\(\) does not support|Error: (\w+) is not an? \w+ function', str(error))
        if found is None:
            raise
        return found[1] or found[2]
    return None


@pytest.mark.everything
def test_the_gated_functions_are_those_that_binding_finds() -> None:
    """With a macro of 23 arguments in the place of every function, binding tells each that is asked for by a bare name."""
    found = set()
    arguments = ", ".join(f"a{place}" for place in range(23))
    with kanon_sql.connect() as con:
        con.execute(every_statement.SETUP)
        con.execute(every_statement.POLICY)
        statements = [
            con._statements.rewritten(each, con.raw.execute).replace("EXPLAIN ANONYMIZE", "")
            for each in (*every_statement.RELEASES, *every_statement.EXPLANATIONS, *every_statement.AUDITS)
        ]
        for text in macros():  # the audit macros without what looks for the functions
            head, check, _ = text.partition(",\n    -- Not used in the text")
            con.raw.execute(f"CREATE OR REPLACE TEMP MACRO {head}{'))' if check else ''}")
        names = shadows.builtins(con.raw)
        tables = shadows.builtins(con.raw, "table", "table_macro")
        con.raw.execute("; ".join(f'CREATE MACRO "{name}"({arguments}) AS 1' for name in names))
        con.raw.execute("; ".join(f'CREATE MACRO "{name}"({arguments}) AS TABLE SELECT 1' for name in tables))
        for statement in statements:
            while name := asked_for(con.raw, statement):
                assert name not in found
                found.add(name)
                con.raw.execute(f'DROP MACRO "{name}"')
    assert found == {*GATED, *REFUSED}


UNGATED = ("greedy_release", "interval_ends", "k_anonymize", "l_diversify", "pattern_guided", "t_close")
"""Macros without such syntax: a test of each puts a macro behind all of it."""


@pytest.mark.parametrize("path", [path for path in SQL if path.parent.name == "sql" and path.stem not in UNGATED])
def test_the_audit_macros_look_up_the_same_functions(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = ", ".join(f"'{name}'" for name in GATED)
    assert text.count(names) == text.count("CREATE OR REPLACE MACRO") - sum(f" MACRO {name}(" in text for name in UNGATED)
