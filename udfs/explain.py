"""`kanon_explain(run, row_types, exposed, tokens, ...)`: what a release would be up against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.gathered_row_types import RowTypeGathering
from kanon_sql.engines.duckdb.histories.linking import foreseen
from kanon_sql.engines.duckdb.release.explanation import Line, empty_explanation, explanation, exposure_lines
from kanon_sql.engines.histogram import coded
from kanon_sql.solvers.budget import Budget

if TYPE_CHECKING:
    import pyarrow as pa


def explain(
    session: Session,
    run: pa.ChunkedArray,
    row_types: pa.ChunkedArray,
    exposed: pa.ChunkedArray,
    tokens: pa.ChunkedArray,
    *tables: Any,
) -> pa.Array:
    """Return one list: a struct per line of the explanation.

    Parameters
    ----------
    run, row_types, tables
        As for `kanon_fit`.
    exposed : struct or NULL
        What unchanged columns tell.
    tokens : list of structs or NULL
        What tokens link at least; see `kanon_histories`.
    """
    import pyarrow as pa

    key = run[0].as_py()
    with session.gatherings.ending(key), session.gatherings.solving(key, row_types[0].as_py(), session.search) as gathering:
        policy = gathering.policy
        lines = [*_lines(session, gathering, tables), *exposure_lines(exposed[0].as_py(), policy)]
        if policy.pseudonyms:
            linked = pa.Table.from_struct_array(tokens.combine_chunks().flatten())  # no list is that of no tokens
            lines += [Line(property="refusal", value=each) for each in foreseen(session, linked, policy)]
    columns = {
        "property": pa.array([line.property for line in lines], pa.string()),
        "value": pa.array([line.value for line in lines], pa.string()),
        "cost": pa.array([None if line.cost is None else float(line.cost) for line in lines], pa.float64()),
        "rows_failing": pa.array([line.rows_failing for line in lines], pa.int64()),
    }
    rows = pa.StructArray.from_arrays(list(columns.values()), list(columns))
    return pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), rows)


def _lines(session: Session, gathering: RowTypeGathering, tables: tuple[Any, ...]) -> list[Line]:
    policy = gathering.policy
    if not gathering.row_types:
        return empty_explanation(policy)
    budget = Budget(seconds=policy.time_limit, seed=policy.seed, progress=session.search.report, ended=session.search.ended)
    types = gathering.whole()
    if types is None:
        return explanation(*gathering.coded(budget.report), most=gathering.capacity, budget=budget)
    read = coded(types, policy, tables, budget)
    return explanation(read.table, read.policy, budget=budget)


FUNCTIONS = (
    Function(
        name="kanon_explain",
        returns='STRUCT("property" VARCHAR, "value" VARCHAR, "cost" DOUBLE, "rows_failing" BIGINT)[]',
        call=explain,
        arrow=True,
        side_effects=True,
    ),
)
