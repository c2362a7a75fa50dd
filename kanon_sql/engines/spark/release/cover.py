"""Whether labels cover the values that they stand for: tested for the pairs of both, in DuckDB on the driver."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.engines.duckdb.release.cover import cover
from kanon_sql.engines.engine import Histogram
from kanon_sql.engines.pieces import PiecesByNumber
from kanon_sql.errors import AuditError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Levels
from kanon_sql.table.sensitive_values import labelled

_AUDIT = "kanon audit: "


def check_cover(policy: Policy, histogram: Histogram, pieces: PiecesByNumber) -> None:
    """Check each label of a release against the value of each row type that shows it.

    Raises
    ------
    AuditError
        When a label does not cover a value.
    """
    if not policy.generalized:
        return
    own = {name: f"kanon_table_{place}" for place, name in enumerate(policy.tables)}
    renamed = replace(
        policy,
        quasi_identifiers=tuple(
            replace(qi, recoding=replace(qi.recoding, table=own[qi.recoding.table])) if isinstance(qi.recoding, Levels) else qi
            for qi in policy.quasi_identifiers
        ),
    )
    slots = cover(renamed, tokens=False)
    with duckdb.connect() as con:
        con.register("kanon#fitted", _pairs(policy, histogram, pieces))
        for name, rows in zip(policy.tables, histogram.tables, strict=True):
            values = rows.combine_chunks().values
            con.register(own[name], pa.table(values.flatten(), [field.name for field in values.type]))
        try:
            con.execute(
                'WITH "kanon#one" AS (SELECT 1)' + slots["covers"] + " SELECT CASE " + slots["uncovered"] + " ELSE true END"
            ).fetchall()
        except duckdb.Error as error:
            message = str(error)
            found = message.partition(_AUDIT)[2].partition("\n")[0]
            raise_alone(
                AuditError(found or "the labels cannot be compared with the values they represent; nothing was released")
            )


def _pairs(policy: Policy, histogram: Histogram, pieces: PiecesByNumber) -> pa.Table:
    """Return for each piece the texts of its generalized values and its labels, as `cover` reads them."""
    first = histogram.types.type.get_field_index("kanon#label1") + len(labelled(policy)) - len(policy.generalized)
    every = histogram.types.flatten()
    lists = pieces.of(np.arange(len(histogram.types)))
    row_type = np.repeat(np.arange(len(lists)), np.asarray(pa.compute.list_value_length(lists)))
    labels = lists.flatten().flatten()[4]
    texts = [every[first + place].take(numbers(row_type)) for place, _ in enumerate(policy.generalized)]
    values = pa.StructArray.from_arrays(texts, list(policy.generalized))
    return pa.table({"qi": values, "labels": labels})
