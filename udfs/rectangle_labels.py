"""`rectangle_labels(tbl, x, y, k, algorithm)`: the rectangles of at least k rows that the points of a table are put into."""

from __future__ import annotations

from kanon_sql.udfs.labels import groups

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.model.recodings import Rectangles


def plan(_session: Session, tbl: str, x: str, y: str, k: int, algorithm: str) -> str:
    """Return the SQL of the rectangles; runs when the statement is bound and touches no data."""
    sides = {"x_side": ("x", x), "y_side": ("y", y)}
    beside = {"x_side": "y_side", "y_side": "x_side"}
    recodings = {side: Rectangles(beside=other, algorithm=algorithm) for side, other in beside.items()}
    return groups(tbl, k, sides, recodings)


FUNCTION = Function(name="kanon_plan_rectangle_labels", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = (
    f"rectangle_labels(tbl, x, y, k, algorithm := 'auto') "
    f"AS TABLE FROM system.main.query(system.main.{FUNCTION.name}(tbl, x, y, k, algorithm))"
)
