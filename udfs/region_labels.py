"""`region_labels(tbl, col, edges, k, ...)`: the connected regions of at least k rows that the labels of a column are put in."""

from __future__ import annotations

from kanon_sql.udfs.labels import groups

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.model.recodings import Regions


def plan(_session: Session, tbl: str, col: str, edges: str, k: int, components: str, algorithm: str) -> str:
    """Return the SQL of the regions; runs when the statement is bound and touches no data."""
    recoding = Regions(edges=edges, components=components, algorithm=algorithm)
    return groups(tbl, k, {"region": ("label", col)}, {"region": recoding})


FUNCTION = Function(name="kanon_plan_region_labels", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = (
    f"region_labels(tbl, col, edges, k, components := 'refuse', algorithm := 'auto') "
    f"AS TABLE FROM system.main.query(system.main.{FUNCTION.name}(tbl, col, edges, k, components, algorithm))"
)
