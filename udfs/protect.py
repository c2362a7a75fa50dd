"""`protect(tbl, by := [...])`: a table of counts and sums from which no small count follows."""

from __future__ import annotations

from typing import Any

from kanon_sql.engines.duckdb.cells.arguments import TableArguments
from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.session import Session

_SHAPE = {"by": "NULL", "measures": "NULL", "grouping": "'cube'", "recodings": "NULL", "p": "NULL", "dominance": "NULL"}

_OPTIONS = {
    "k": "5",
    "cost": "'cells'",
    "rows": "'null'",
    "contributors": "false",
    "algorithm": "'auto'",
    "time_limit": "NULL",
    "earlier": "'fixed'",
    "suppressed": "false",
}

_NAMED = {**_SHAPE, **_OPTIONS}


def plan(session: Session, tbl: str, *arguments: Any) -> str:
    """Return the SQL of the protected table; runs when the statement is bound and touches no data."""
    given = dict(zip(_NAMED, arguments, strict=True))
    shape = {name: given.pop(name) for name in _SHAPE}
    if given["time_limit"] is not None:
        given["time_limit"] = float(given["time_limit"])
    return TableArguments(table=tbl, **shape, options=given).query(session.protected_tables.countings)


FUNCTION = Function(name="kanon_plan_protect", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = (
    f"protect(tbl, {', '.join(f'{quoted(name)} := {default}' for name, default in _NAMED.items())}) AS TABLE "
    f"FROM system.main.query(system.main.kanon_plan_protect(tbl, {', '.join(map(quoted, _NAMED))}))"
)
