"""One quasi-identifier before and after the release, as counts of values that nobody stands out by."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable

SOURCE, RELEASED = "kanon#source", "kanon#released"
"""The source and the release, with NULL in each cell that looks suppressed."""

MAX_BARS = 12
"""Values or intervals that are shown of a column."""

MAX_LABEL = 60
"""Characters of a value that are shown."""

_COUNTS = """CREATE OR REPLACE TEMP TABLE "kanon#counts" AS
    SELECT coalesce(b.value, a.value) AS value, coalesce(b.n, 0) AS before, coalesce(a.n, 0) AS after
    FROM (SELECT system.main.encode(CAST({column} AS VARCHAR)) AS value, system.main.count(*) AS n
          FROM {source} GROUP BY 1) AS b
    FULL JOIN (SELECT system.main.encode(CAST({column} AS VARCHAR)) AS value, system.main.count(*) AS n
               FROM {released} GROUP BY 1) AS a
        ON a.value IS NOT DISTINCT FROM b.value"""
"""Texts are distinguished by their bytes, whatever the collation of the column."""

_TOTALS = """SELECT coalesce(system.main.sum(before) FILTER (value IS NULL), 0)::BIGINT,
    coalesce(system.main.sum(after) FILTER (value IS NULL), 0)::BIGINT,
    coalesce(system.main.sum(after) FILTER (value IS NOT NULL AND before = 0), 0)::BIGINT,
    system.main.count(value) FILTER (before > 0), system.main.count(value) FILTER (after > 0),
    coalesce(system.main.sum(before), 0)::BIGINT
    FROM "kanon#counts"
"""

_SHOWN = """SELECT system.main.decode(value) AS value, before, after FROM "kanon#counts"
    WHERE value IS NOT NULL AND after >= $least"""

_NUMBER = "^-?(0|[1-9][0-9]{0,14})([.][0-9]{1,12})?$"
"""A number as it is written; 02138 is a code, not a number."""

_SPAN = f"""SELECT system.main.count(*),
    coalesce(system.main.bool_and(system.main.regexp_full_match(value, '{_NUMBER}')), false),
    system.main.min(TRY_CAST(value AS DOUBLE)), system.main.max(TRY_CAST(value AS DOUBLE))
    FROM ({_SHOWN})"""  # noqa: S608

_TOP = f"""SELECT value, system.main.nullif(before, 0), after
    FROM ({_SHOWN}) ORDER BY after DESC NULLS LAST, value ASC NULLS LAST LIMIT {MAX_BARS}"""  # noqa: S608

_BINS = f"""SELECT system.main.floor((CAST(value AS DOUBLE) - $low) / $step)::BIGINT AS bin,
    system.main.sum(before)::BIGINT, system.main.sum(after)::BIGINT
    FROM ({_SHOWN}) GROUP BY ALL ORDER BY bin ASC NULLS LAST"""  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Rows with a value, or with one of several."""

    label: str  # the value, or what the values have in common
    before: int | None  # rows of the source; None for a label that is coarser than the values of the source
    after: int  # rows of the release


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A quasi-identifier before and after."""

    name: str  # the column
    empty: int  # cells of the source that are empty or look suppressed
    hidden: int  # cells of the release that are empty or look suppressed
    suppressed: int  # cells that the source shows and the release does not: what `utility` counts
    coarsened: int  # cells of the release that show what is no value of the source
    distinct: tuple[int, int]  # different values shown before and after
    bars: tuple[Bar, ...]  # values of at least ``least`` rows of the release, or intervals of such values
    binned: bool  # whether the bars are intervals


def column_of(con: Any, name: str, least: int) -> Column:
    """Return the figures of a column of the tables `SOURCE` and `RELEASED`.

    Parameters
    ----------
    con : connection
        A DuckDB connection with both tables.
    name : str
        The column.
    least : int
        Rows of the release that a value needs to be reported; all other values are counted together.

    Raises
    ------
    AuditError
        When the release shows more cells than the source.

    Notes
    -----
    One GROUP BY over each table.
    """
    con.execute(_COUNTS.format(column=quoted(name), source=quoted(SOURCE), released=quoted(RELEASED)))
    empty, hidden, coarsened, distinct, left, rows = con.execute(_TOTALS).fetchall()[0]
    if hidden < empty and not coarsened:
        raise AuditError(f'the column "{name}" shows {how_many(empty - hidden, "more cell")} in the release than in the source')
    shown, numeric, low, high = con.execute(_SPAN, {"least": least}).fetchall()[0]
    binned = numeric and shown > MAX_BARS
    bars = _bins(con, least, low, high) if binned else _top(con, least, numeric)
    others = Bar(
        label="other values",
        before=rows - empty - sum(bar.before or 0 for bar in bars),
        after=rows - hidden - sum(bar.after for bar in bars),
    )
    return Column(
        name=name,
        empty=empty,
        hidden=hidden,
        suppressed=_suppressed(con, name) if coarsened else hidden - empty,
        coarsened=coarsened,
        distinct=(distinct, left),
        bars=(*bars, others, Bar(label="suppressed or empty", before=empty, after=hidden)),
        binned=binned,
    )


def _suppressed(con: Any, name: str) -> int:
    """Return the suppressed cells of a column whose labels may stand for empty cells too."""
    tables = {"released": quoted(RELEASED), "source": quoted(SOURCE), "qi": [name]}
    return int(record(con, "FROM utility($released, $source, $qi, suppress := NULL)", tables)["suppressed_cells"])


def _top(con: Any, least: int, numeric: bool) -> list[Bar]:
    found = con.execute(_TOP, {"least": least}).fetchall()
    if numeric:
        found.sort(key=lambda row: float(row[0]))
    return [Bar(label=_label(value), before=before, after=after) for value, before, after in found]


def _label(value: str) -> str:
    text = printable(value) or "(empty text)"
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1] + "…"


def _bins(con: Any, least: int, low: float, high: float) -> list[Bar]:
    step = _step((high - low) / MAX_BARS)
    low = floor(low / step) * step
    found = con.execute(_BINS, {"least": least, "low": low, "step": step}).fetchall()
    return [Bar(label=_interval(low + place * step, step), before=before, after=after) for place, before, after in found]


def _step(width: float) -> float:
    """Return the least of 1, 2, 5, 10, 20, ... (or of these over a power of ten) that is no smaller."""
    unit = 10.0 ** floor(log10(width))
    return next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= width * (1 - 1e-9))


def _interval(low: float, step: float) -> str:
    digits = max(0, ceil(-log10(step)))
    return f"[{low:,.{digits}f}, {low + step:,.{digits}f})"
