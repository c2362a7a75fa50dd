"""The reference names every parameter, option and word that the code knows, and nothing that it does not know."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click
import duckdb
import pytest
from pages import DOCS, PAGES, ROOT, named

import kanon_sql
from kanon_sql import errors
from kanon_sql.clause import parse, recodings
from kanon_sql.cli import main
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

sys.path.insert(0, str(DOCS / "site"))

import mkdocs_hooks  # noqa: E402


def commands_with_options(group: click.Group, prefix: str = "") -> dict[str, click.Command]:
    """Return the commands that are no groups, by their names after ``kanon``."""
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        inner = isinstance(command, click.Group)
        found |= commands_with_options(command, f"{prefix}{name} ") if inner else {f"{prefix}{name}": command}
    return found


COMMANDS_WITH_OPTIONS = commands_with_options(main)

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


@pytest.mark.parametrize("name", sorted(COMMANDS_WITH_OPTIONS))
def test_every_command_has_a_section_with_its_options(name: str) -> None:
    (section,) = re.findall(rf"^## kanon {name.split()[0]}\n(.*?)(?=^## |\Z)", COMMANDS, re.DOTALL | re.MULTILINE)
    before, marker, _ = section.partition(f"\n<!-- options: {name} -->\n")
    assert f"`kanon {name}" in before
    assert marker, f"kanon {name} has no marker"
    assert f"`kanon {name} --help`" in " ".join(before.split()), (
        "those who read the page as text do not know where the options are"
    )


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_marker_names_a_command(page: Path) -> None:
    markers = re.findall(r"<!-- options: (.*?) *-->", page.read_text(encoding="utf-8"))
    assert set(markers) <= {*COMMANDS_WITH_OPTIONS, mkdocs_hooks.SHARED}
    assert len(markers) == len(set(markers))


def option_rows(text: str) -> dict[str, str]:
    """Return the options in tables of options, and their meanings."""
    rows = [
        re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", lambda code: code[0].replace("|", "/"), row))
        for row in text.split("\n")
        if row.startswith("| `-")
    ]
    assert all(len(row) == 5 for row in rows)
    return {name: row[2].strip() for row in rows for name in re.findall(r"(?<=`)--?[a-z-]+", row[1])}


@pytest.mark.parametrize(("name", "command"), COMMANDS_WITH_OPTIONS.items())
def test_the_table_of_a_command_has_every_option_and_its_meaning(name: str, command: click.Command) -> None:
    text = mkdocs_hooks.options_of(name)
    shared = option_rows(mkdocs_hooks.options_of(mkdocs_hooks.SHARED))
    rows = option_rows(text)
    also = re.findall(r"`(--[a-z-]+)`", "".join(re.findall(r"^\[Shared options\].*", text, re.MULTILINE)))
    meanings = rows | {each: shared[each] for each in also}
    for parameter in command.params:
        for option in parameter.opts if isinstance(parameter, click.Option) else ():
            if option.startswith("--"):
                assert re.search(r"\w{3}", meanings[option]), f"kanon {name} {option} has no meaning"
    assert not set(meanings) - {option for each in command.params for option in each.opts}


def test_values_and_options_in_help_are_code() -> None:
    text = mkdocs_hooks.options_of("anonymize")
    assert "such as `zip IN DIGITS (3),age`; repeatable. `''` shows no column." in text
    assert "| `--known-rows M` | Link each person's rows (`--per`) with tokens" in text
    assert "maximum \\|ln(share in the class / share in the table)\\| of any value" in text
    assert "| `-o`, `--output OUT` | Where to write the release; the extension determines the format | required |" in text
    assert "(1 to 65535) | 8765 |" in mkdocs_hooks.options_of("serve")
