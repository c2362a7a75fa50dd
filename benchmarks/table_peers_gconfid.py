"""Runs G-Confid in its own environment, which has nothing of ours: people in, rows with suppressed cells out."""

from __future__ import annotations

import sys

import duckdb
from gconfid import Sensitivity, Suppression

_TOTAL = "0000"


def main(source: str, target: str, k: int, cost: str, keys: list[str]) -> None:
    """Write the rows of a cube; those that G-Confid suppresses have no count.

    Parameters
    ----------
    source, target : str
        Parquet files: a row per person, with a column ``one``, and the rows of the table.
    k : int
        The least number of respondents.
    cost : str
        The cost function of the suppression.
    keys : list of str
        The columns of the cube.
    """
    listed = ", ".join(keys)
    people = duckdb.sql(
        f"SELECT CAST(row_number() OVER () AS VARCHAR) AS id, {listed}, CAST(one AS DOUBLE) AS one FROM '{source}'"
    )
    frame = people.df()
    codes = {key: {text: f"{place:04}" for place, text in enumerate(sorted(frame[key].unique()), 1)} for key in keys}
    for key in keys:
        frame[key] = frame[key].map(codes[key])
    found = Sensitivity(
        indata=frame,
        unit_id="id",
        var="one",
        dimension=" ".join(keys),
        hierarchy=" ".join(f"{_TOTAL} {' '.join(codes[key].values())};" for key in keys),
        s_rule="pq 0.15",
        min_resp=k,
        capture=True,
    )
    cells = found.outcell
    made = Suppression(incell=cells, inconstraint=found.outconstraint, cost_function1=cost, capture=True).outsuppress
    words = {key: {code: text for text, code in codes[key].items()} for key in keys}
    rows = cells.to_pandas() if hasattr(cells, "to_pandas") else cells
    marked = made.to_pandas() if hasattr(made, "to_pandas") else made
    rows = rows.merge(marked[["CellId", "OutStatus"]], on="CellId")
    rows = rows[rows["Type"] == "C"]  # aggregates are no rows of the table
    shown = rows[keys].apply(lambda column: column.map(words[column.name]))
    shown["n"] = rows["TotalVar"].where(rows["OutStatus"] != "X").astype("Int64")
    duckdb.sql(f"COPY shown TO '{target}' (FORMAT parquet)")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:])
