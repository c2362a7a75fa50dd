"""`protect(tbl, by := [...])`: a table of counts and sums from which no small count follows."""

from __future__ import annotations

from typing import Any

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.policies.stored_policies import Policies
from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_identifier, as_tuple, named

_SHAPE = {"by": "NULL", "measures": "NULL", "grouping": "'cube'", "recodings": "NULL"}

_ROWS = ("show_rows", "hide", "impossible")

_OPTIONS = (
    "p", "dominance", "k", "per", "per_row", "show_sets", *_ROWS, "cost", "rows", "contributors", "algorithm", "time_limit",
    "earlier", "suppressed",
)  # fmt: skip
"""What a policy says, if there is one; NULL is the default of each. ``SHOW`` is a word of SQL, and its sets are no rows."""

_NAMED = {**_SHAPE, "policy": "NULL", **dict.fromkeys(_OPTIONS, "NULL")}


def plan(session: Session, tbl: str, database: str, *arguments: Any) -> str:
    """Return the SQL of the protected table; runs when the statement is bound and touches no data but stored policies."""
    from kanon_sql.engines.duckdb.cells.arguments import TableArguments

    given = dict(zip(_NAMED, arguments, strict=True))
    shape, name = {each: given.pop(each) for each in _SHAPE}, given.pop("policy")
    if given["time_limit"] is not None:
        given["time_limit"] = float(given["time_limit"])
    for each in _ROWS:
        given[each] = _listed(given[each], each)
    sets = [as_tuple(each, "a set of show_sets") for each in as_tuple(given.pop("show_sets") or (), "show_sets")]
    if shown := [*sets, *(given.pop("show_rows") or ())]:
        given["show"] = shown
    policy = None
    if name is not None:
        stored = named(name, "policy", "the name of a policy", "policy := 'weekly'")
        policy = Policies.committed(session, database).protection(stored)
    arguments, released = TableArguments(table=tbl, **shape, policy=policy, options=given), session.protected_tables
    return arguments.query(released.countings, held=released.holds_still(tbl))


def _listed(rows: Any, option: str) -> list[dict[str, Any]] | None:
    """Return rows as mappings of the keys that each names: SQL gives all structs of a list the same keys, with NULL for others.

    Raises
    ------
    PolicyError
        When they are no list of structs or maps, or a key is NULL wherever it is named.
    """
    if rows is None:
        return None
    if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
        raise PolicyError(f"{option} must be a list of rows; hint: pass {option} := [{{'sex': 'F'}}]")
    for key in {key for each in rows for key in each}:
        if all(each.get(key) is None for each in rows):
            raise PolicyError(f"{option} has no value for {as_identifier(key)}; hint: omit the key for a total")
    return [{key: value for key, value in each.items() if value is not None} for each in rows]


FUNCTIONS = (Function(name="kanon_plan_protect", returns="VARCHAR", call=plan, refused=refusing_query),)

_GIVEN = ", ".join(map(quoted, _NAMED))

MACROS = (
    f"protect(tbl, {', '.join(f'{quoted(name)} := {default}' for name, default in _NAMED.items())}) AS TABLE "
    f"FROM system.main.query(system.main.kanon_plan_protect(tbl, system.main.current_database(), {_GIVEN}))",
)
