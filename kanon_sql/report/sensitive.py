"""A sensitive attribute in the classes of a release: how diverse they are, and how far from the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.guarantees import audited
from kanon_sql.report.columns import Bar

_BUCKETS = 20
"""Into so many parts the distances from 0 to 1 are divided."""

_DISTANCES = """WITH cells AS (
        SELECT system.main.create_sort_key(
                   system.main.row(*COLUMNS(lambda name: system.main.list_contains($qi, name))), 'ASC NULLS FIRST') AS class,
               system.main.create_sort_key(system.main.row({sensitive}), 'ASC NULLS FIRST') AS value,
               {size}::HUGEINT AS held
        FROM equivalence_classes('released', system.main.list_concat($qi, system.main.list_value($sensitive)))
    ),
    masses AS (
        SELECT value, system.main.sum(held) AS mass, system.main.sum(system.main.sum(held)) OVER () AS all_rows
        FROM cells GROUP BY value
    ),
    classes AS (SELECT class, system.main.sum(held) AS size FROM cells GROUP BY class)
    SELECT system.main.least(bucket, $buckets - 1)::BIGINT AS bucket, system.main.sum(size)::BIGINT
    FROM (
        SELECT size, $buckets * system.main.sum(system.main.greatest(0, held * all_rows - mass * size))
                         // (size * system.main.any_value(all_rows)) AS bucket
        FROM cells JOIN masses USING (value) JOIN classes USING (class)
        GROUP BY class, size
    )
    GROUP BY 1 ORDER BY 1 ASC NULLS LAST"""
"""Rows by the distance of their class from the whole table: the total variation, in whole numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitive:
    """A sensitive attribute in the classes of the release."""

    name: str  # the column
    figures: tuple[tuple[str, str], ...]  # what was measured, and its value
    distances: tuple[Bar, ...]  # rows of the release by the distance of their class


def sensitive_of(con: Any, name: str, names: list[str], figures: Mapping[Any, Mapping[str, Any]]) -> Sensitive:
    """Return what is reported of a sensitive attribute.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the audit macros and the table ``released``.
    name : str
        The sensitive attribute.
    names : list of str
        The quasi-identifiers.
    figures : mapping
        By their requirements, the figures that were measured.

    Notes
    -----
    One GROUP BY over the table, one over the pairs of a class and a value.
    """
    worst = [pair for each, found in figures.items() if each.sensitive == name for pair in audited(each).words(found)]
    query = _DISTANCES.format(sensitive=quoted(name), size=size_column([*names, name]))
    rows = dict(con.execute(query, {"qi": names, "sensitive": name, "buckets": _BUCKETS}).fetchall())
    bars = [
        Bar(label=f"{bucket / _BUCKETS:.2f} to {(bucket + 1) / _BUCKETS:.2f}", before=None, after=rows.get(bucket, 0))
        for bucket in range(max(rows, default=-1) + 1)
    ]
    return Sensitive(name=name, figures=tuple(dict.fromkeys(worst)), distances=tuple(bars))


def size_column(names: Sequence[str]) -> str:
    """Return what `equivalence_classes` calls the size of a class."""
    return "class_size_1" if any(name.lower() == "class_size" for name in names) else "class_size"
