"""The reference names every parameter, option and word that the code knows, and nothing that it does not know."""

from __future__ import annotations

import re

import click
import duckdb
import pytest
from pages import DOCS, PAGES, ROOT

import kanon_sql
from kanon_sql import errors
from kanon_sql.clause import parse, recodings
from kanon_sql.cli import main
from kanon_sql.cli.options import DIALECT
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import POLICY_DEFAULTS
from kanon_sql.model.recodings import PERIODS
from kanon_sql.model.requirements import METRICS, VARIANTS

SQL = (DOCS / "reference" / "sql.md").read_text(encoding="utf-8")
AUDIT = "".join((DOCS / "reference" / name).read_text(encoding="utf-8") for name in ("audit.md", "usefulness.md"))
COMMANDS = (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8")
ERRORS = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
PYTHON = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
ALL = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)

SHARED = COMMANDS[: COMMANDS.index("## kanon demo")]
"""What holds for the files of all commands."""

RELEASES = {"kanon", "greedy_release", "k_anonymize", "l_diversify", "pattern_guided", "t_close"}
AUDIT_MACROS = {path.stem for path in (ROOT / "sql").glob("*.sql")} - RELEASES


def parameters() -> dict[str, list[str]]:
    """Return the parameters of every macro, as DuckDB lists them."""
    with kanon_sql.register(duckdb.connect()) as con:
        rows = con.execute(
            "SELECT DISTINCT function_name, parameters FROM duckdb_functions() "
            "WHERE NOT internal AND function_type IN ('macro', 'table_macro') AND NOT starts_with(function_name, 'kanon_plan_')"
        ).fetchall()
    return dict(rows)


PARAMETERS = parameters()


def signature(text: str, name: str) -> list[str] | None:
    """Return the arguments of the call of ``name`` that a table of ``text`` begins a row with."""
    row = re.search(rf"^\|[^|]*`{name}\(([^)`]*)\)`", text, re.MULTILINE)
    return None if row is None else [part.split(":=")[0].strip() for part in row[1].split(",") if part.strip()]


def names_in(table_head: str, text: str) -> set[str]:
    """Return what stands in code in the first column of the table with this head."""
    table = text[text.index(table_head) :].split("\n\n")[0]
    return {name for row in table.split("\n")[2:] for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


@pytest.mark.parametrize("name", sorted(AUDIT_MACROS))
def test_audit_macros_have_the_arguments_that_the_page_says(name: str) -> None:
    assert signature(AUDIT, name) == PARAMETERS[name]


@pytest.mark.parametrize("name", sorted(PARAMETERS.keys() - AUDIT_MACROS))
def test_table_functions_have_the_arguments_that_the_page_says(name: str) -> None:
    shown = signature(SQL, name) or signature(ALL, name)
    assert shown is not None, f"no table has a row for {name}"
    found = PARAMETERS[name]
    positional = len(shown)
    assert found[:positional] == shown
    named = names_in("| argument | meaning | default |", SQL)
    written = "".join(line for line in ALL.split("\n") if f"`{name}(" in line)
    missing = [each for each in found[positional:] if each not in named and f"{each} := " not in written]
    assert not missing, f"{name}: {missing}"


def test_no_argument_is_made_up() -> None:
    known = {each for found in PARAMETERS.values() for each in found}
    assert names_in("| argument | meaning | default |", SQL) <= known


def test_the_grammar_has_every_option_recoding_and_guarantee() -> None:
    grammar = SQL[SQL.index("\nitem:\n") :].split("```")[0]
    assert tuple(re.split(r"[\s|]+", grammar.partition("option:\n")[2].strip())) == parse._OPTIONS
    for word in recodings.KINDS:
        assert re.search(rf"\b{word}\b", ALL), word
    for word in (*VARIANTS, *METRICS):
        assert f"'{word}'" in ALL, word
    for word in PERIODS:
        assert re.search(rf"`{word}`", ALL), word
    for word in ("k >=", "l(column", "t(column", "alpha(column", "beta(column", "delta(column", "IN table", "presence(table"):
        assert word in grammar, word


def test_the_policies_of_the_page_are_policies() -> None:
    found = re.findall(r"^```json\n(\{.*?)^```", SQL, re.DOTALL | re.MULTILINE)
    assert found
    for text in found:
        policy = Policy.from_json(text)
        assert Policy.from_json(policy.to_json()) == policy


@pytest.mark.parametrize("name", [*kanon_sql.__all__, "spark"])
def test_every_public_name_has_its_example_on_the_page_of_python(name: str) -> None:
    assert re.search(rf"^\|[^|]*`{name}\b", PYTHON, re.MULTILINE), f"{name} is not in the table"
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", PYTHON, re.DOTALL | re.MULTILINE))
    assert re.search(rf"\b{name}\b", code), f"{name} has no example"


@pytest.mark.parametrize("option", sorted(POLICY_DEFAULTS))
def test_every_option_of_anonymize_is_on_the_page_of_python(option: str) -> None:
    assert f"`{option}`" in PYTHON


@pytest.mark.parametrize("name", sorted(name for name in vars(errors) if name.endswith("Error")))
def test_every_error_is_on_the_page_of_errors(name: str) -> None:
    assert f"`{name}`" in ERRORS or f".{name}`" in ERRORS


@pytest.mark.parametrize("name", sorted(main.commands) if isinstance(main, click.Group) else [])
def test_every_command_has_its_options_in_its_section(name: str) -> None:
    assert isinstance(main, click.Group)
    sections = re.findall(rf"^## kanon {name}\n(.*?)(?=^## |\Z)", COMMANDS, re.DOTALL | re.MULTILINE)
    shared = COMMANDS.partition("\n## Shared options\n")[2].partition("\n## ")[0]
    section = sections[0] + shared if sections else ALL
    for like in re.findall(r"as for \[`kanon \w+`\]\(#kanon-(\w+)\)", section):
        section += COMMANDS.partition(f"\n## kanon {like}\n")[2].partition("\n## ")[0]
    assert f"kanon {name}" in ALL
    for parameter in main.commands[name].params:
        shared = SHARED if parameter.name in DIALECT else ""
        for option in parameter.opts if isinstance(parameter, click.Option) else ():
            assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", section + shared), (
                f"kanon {name} {option} is in no document"
            )
