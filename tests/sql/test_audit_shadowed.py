"""The audit macros without Python: macros in the place of DuckDB's functions change no figure, or there is none."""

from __future__ import annotations

import duckdb
import every_statement
import pytest
import shadows

from kanon_sql.engines.duckdb.connect.shadowing import GATED, REFUSED

pytestmark = pytest.mark.own_connection


def figures(con: duckdb.DuckDBPyConnection, statement: str) -> list[str]:
    """The rows of a statement: they come in any order, and the last digits of a sum depend on it."""
    rows = con.execute(statement).fetchall()
    return sorted(repr([round(each, 9) if isinstance(each, float) else each for each in row]) for row in rows)


@pytest.mark.everything
def test_a_macro_in_the_place_of_every_function_changes_no_figure(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(every_statement.SETUP)
    right = [figures(con, statement) for statement in every_statement.AUDITS]
    for body in ("true", "NULL"):
        shadows.shadow_all(con, body, leave={*GATED, *REFUSED})
        assert [figures(con, statement) for statement in every_statement.AUDITS] == right


@pytest.mark.sweep
@pytest.mark.parametrize("name", [*GATED, *REFUSED])
def test_a_macro_behind_the_syntax_gives_no_figure(con: duckdb.DuckDBPyConnection, name: str) -> None:
    con.execute(every_statement.SETUP)
    statement = "FROM k_anonymity('p')"
    right = con.execute(statement).fetchall()
    con.execute(shadows.scalar(name, "NULL", "TEMP"))
    try:
        assert con.execute(statement).fetchall() == right
    except duckdb.Error as error:
        told = str(error)
    else:
        told = ""
    # DuckDB itself refuses the last ones, where the syntax occurs; texts put together by a macro are no SQL
    expected = {"||": " Error: ", "list_value": "kanon: "} | dict.fromkeys(REFUSED, name if told else "")
    assert expected.get(name, f"the macro {name} takes the place of a built-in function (drop or rename it)") in told
