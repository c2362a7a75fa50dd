"""Labels next to the group that a release shows for them.

- `bin_labels(tbl, col, k, algorithm)`: the bins of at least k rows that the labels of a column are put into.
- `region_labels(tbl, col, edges, k, ...)`: the connected regions of at least k rows that the labels of a column are put in.
- `rectangle_labels(tbl, x, y, k, algorithm)`: the rectangles of at least k rows that the points of a table are put into.
"""

from __future__ import annotations

from collections.abc import Mapping

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.policy_columns import columns_heard
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Bins, Generalization, Rectangles, Regions
from kanon_sql.model.validation import named


def bins(_session: Session, tbl: str, col: str, k: int, algorithm: str) -> str:
    """Return the SQL of the bins; runs when the statement is bound and touches no data."""
    return _groups(tbl, k, {"bin": ("label", col)}, {"bin": Bins(algorithm=algorithm)})


def regions(_session: Session, tbl: str, col: str, edges: str, k: int, components: str, algorithm: str) -> str:
    """Return the SQL of the regions; runs when the statement is bound and touches no data."""
    recoding = Regions(edges=edges, components=components, algorithm=algorithm)
    return _groups(tbl, k, {"region": ("label", col)}, {"region": recoding})


def rectangles(_session: Session, tbl: str, x: str, y: str, k: int, algorithm: str) -> str:
    """Return the SQL of the rectangles; runs when the statement is bound and touches no data."""
    sides = {"x_side": ("x", x), "y_side": ("y", y)}
    partner_of = {"x_side": "y_side", "y_side": "x_side"}
    recodings = {side: Rectangles(beside=other, algorithm=algorithm) for side, other in partner_of.items()}
    return _groups(tbl, k, sides, recodings)


def _groups(tbl: str, k: int, columns: Mapping[str, tuple[str, str]], recodings: Mapping[str, Generalization]) -> str:
    """Return the SQL of the labels and their groups, a row for each.

    Parameters
    ----------
    tbl : str
        The table.
    k : int
        Least number of rows of a group.
    columns : mapping
        For each column of the result that shows a group, the one that shows the label, and the column of the table.
    recodings : mapping
        How the groups are made.

    Notes
    -----
    The release itself is run, with a copy of the labels that it leaves alone: so what is shown has passed its audit.
    """
    policy = Policy.of(k=k, quasi_identifiers=list(columns), recodings=recodings)
    pairs = [
        f"{quoted(named(source, 'the labels'))} AS {quoted(name)}"
        for group, (label, source) in columns.items()
        for name in (label, group)
    ]
    heard = columns_heard([(table_name(tbl), [("the function", source) for _, source in columns.values()])])
    released = release_query(f"SELECT {', '.join(pairs)} FROM {heard}{table_name(tbl)}", policy, query=True, unchanged=False)  # noqa: S608
    shown = ", ".join(quoted(name) for group, (label, _) in columns.items() for name in (label, group))
    return f"SELECT DISTINCT {shown} FROM ({released}) ORDER BY ALL ASC NULLS LAST"  # noqa: S608


FUNCTIONS = (
    Function(name="kanon_plan_bin_labels", returns="VARCHAR", call=bins, refused=refusing_query),
    Function(name="kanon_plan_region_labels", returns="VARCHAR", call=regions, refused=refusing_query),
    Function(name="kanon_plan_rectangle_labels", returns="VARCHAR", call=rectangles, refused=refusing_query),
)

MACROS = (
    "bin_labels(tbl, col, k, algorithm := 'auto') "
    "AS TABLE FROM system.main.query(system.main.kanon_plan_bin_labels(tbl, col, k, algorithm))",
    "region_labels(tbl, col, edges, k, components := 'refuse', algorithm := 'auto') "
    "AS TABLE FROM system.main.query(system.main.kanon_plan_region_labels(tbl, col, edges, k, components, algorithm))",
    "rectangle_labels(tbl, x, y, k, algorithm := 'auto') "
    "AS TABLE FROM system.main.query(system.main.kanon_plan_rectangle_labels(tbl, x, y, k, algorithm))",
)
