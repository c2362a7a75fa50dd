"""`bin_labels(tbl, col, k, algorithm)`: the bins of at least k rows that the labels of a column are put into."""

from __future__ import annotations

from kanon_sql.udfs.labels import groups

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.model.recodings import Bins


def plan(_session: Session, tbl: str, col: str, k: int, algorithm: str) -> str:
    """Return the SQL of the bins; runs when the statement is bound and touches no data."""
    return groups(tbl, k, {"bin": ("label", col)}, {"bin": Bins(algorithm=algorithm)})


FUNCTION = Function(name="kanon_plan_bin_labels", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = (
    f"bin_labels(tbl, col, k, algorithm := 'auto') "
    f"AS TABLE FROM system.main.query(system.main.{FUNCTION.name}(tbl, col, k, algorithm))"
)
