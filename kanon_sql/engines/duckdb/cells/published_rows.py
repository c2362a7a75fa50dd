"""A published table of counts as a system of equations: its rows, and the base cells that they add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import cells_text
from kanon_sql.errors import SourceError
from kanon_sql.model.validation import as_identifier
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import PublishedCells

_MOST = 1_000_000
"""Base cells of a system."""

_COUNT = 'SELECT system.main.count(*) FROM "kanon#{}"'

OTHERS = "(others)"
"""What stands for values of a key that no row shows, and for the rows of a total that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRows:
    """A published table."""

    cells: PublishedCells  # its equations
    keys: list[tuple[str | None, ...]]  # the keys of each row; None for a total
    unit: int  # how many units of the equations are 1
    # how many of the rows are in the table; the others are those that it left out, and groups that its rows name together
    published: int
    rests: list[tuple[tuple[str | None, ...], int]]  # what the shown rows leave of a shown total for its other rows


def published_rows(
    con: Any,
    by: Sequence[str],
    measure: str,
    *,
    total: str | None,
    suppressed: Sequence[str],
    least: int,
    absent: bool,
    possible: Sequence[str] = (),
) -> PublishedRows:
    """Read the table ``source`` of a connection.

    Parameters
    ----------
    con : DuckDBPyConnection
        A connection of one's own: it gets temporary tables.
    by, measure : str
        The columns of the keys and of the counts.
    total : str, optional
        A text in a key that means all of its values, as NULL does.
    suppressed : sequence of str
        Texts that mean a suppressed count, as NULL does.
    least : int
        The least value of a suppressed cell.
    absent : bool
        Whether the table leaves suppressed cells out, so that a cell that is not there may have any value, and keys may have
        values that no row shows.
    possible : sequence of str
        Keys whose combinations are only possible if the table ``possible`` has them.

    Raises
    ------
    SourceError
        When a count is no number or negative, two rows have the same keys, or there are too many base cells.
    """
    columns = [f"kanon#k{place}" for place in range(len(by))]
    _read(con, by, columns, measure, total, suppressed)
    published = _one(con, _COUNT.format("cells"))
    _check(con, columns, measure)
    shown = ", ".join(f"{quoted(each)} IS NOT NULL" for each in columns)
    patterns = con.execute(f'FROM "kanon#cells" SELECT DISTINCT {shown} ORDER BY ALL DESC NULLS LAST').fetchall()
    other = _other(con, columns)
    con.execute(_base(columns, patterns, other if absent else None))
    if possible:
        same = [f"b.{quoted(columns[by.index(name)])} = CAST(p.{quoted(name)} AS VARCHAR)" for name in possible]
        same = [f"({text} OR b.{quoted(columns[by.index(name)])} = {other})" for text, name in zip(same, possible, strict=True)]
        con.execute(cells_text("possible_base", same=" AND ".join(same)))
    if _one(con, _COUNT.format("base")) > _MOST:
        raise SourceError(f"the table has more than {_MOST:,} base cells; hint: check fewer dimensions at once")
    pairs, sets = [], [(pattern, absent) for pattern in patterns]
    for pattern, open_ends in (*sets, *((each, True) for each in _joined_patterns(patterns))):
        names = [quoted(name) for name, own in zip(columns, pattern, strict=True) if own]
        matched = {
            "pattern": _where(columns, pattern),
            "same": " AND ".join(f"c.{name} = b.{name}" for name in names) or "true",
        }
        if open_ends:
            keys = ", ".join(quoted(name) if own else "NULL" for name, own in zip(columns, pattern, strict=True))
            con.execute(cells_text("left_out_rows", keys=keys, names=", ".join(names) or "1", **matched))
        pairs.append(con.execute(cells_text("published_pairs", **matched)).fetchnumpy())
    marked = " OR ".join(f"{quoted(each)} = {other}" for each in columns)
    joined = " OR ".join(f"({_where(columns, each)})" for each in _joined_patterns(patterns)) or "false"
    listed = ", ".join(f"CASE WHEN {quoted(each)} = {other} THEN {literal(OTHERS)} ELSE {quoted(each)} END" for each in columns)
    unseen = f"coalesce({marked}, false) OR ({joined})"
    rows = con.execute(f'FROM "kanon#cells" SELECT {listed}, {unseen}, v ORDER BY id ASC NULLS LAST').fetchall()
    values = [row[-1] for row in rows]
    unit = 10 ** max((-int(each.normalize().as_tuple().exponent) for each in values if each), default=0)
    unit = max(unit, 1)
    hidden = np.array([each is None for each in values], np.bool_)
    rests = _rests(con, columns, patterns) if absent or not least else ()
    return PublishedRows(
        cells=PublishedCells(
            value=np.array([0 if each is None else int(each * unit) for each in values], np.int64),
            hidden=hidden,
            least=np.where(hidden & (np.arange(len(values)) < published), least * unit, 0),
            row=_joined(pairs, "id"),
            base=_joined(pairs, "base"),
            base_cells=_one(con, _COUNT.format("base")),
            unseen=np.array([row[-2] for row in rows], np.bool_),
        ),
        keys=[tuple(row[:-2]) for row in rows],
        unit=unit,
        published=published,
        rests=[(keys, int(value * unit)) for keys, value in rests],
    )


def _joined_patterns(patterns: Sequence[tuple[bool, ...]]) -> list[tuple[bool, ...]]:
    """Return the keys of the groups that rows of two published sets, or of all, name together."""
    sets = [{place for place, own in enumerate(pattern) if own} for pattern in patterns]
    unions = [one | other for one, other in combinations(sets, 2)] + [set[int]().union(*sets)]
    found = dict.fromkeys(tuple(place in each for place in range(len(patterns[0]))) for each in unions) if patterns else {}
    return [each for each in found if each not in patterns]


def _other(con: Any, columns: list[str]) -> str:
    """Return the SQL of a text that is longer than every value of a key: it stands for the values that no row shows."""
    longest = [f"system.main.max(system.main.length({quoted(each)}))" for each in columns]
    most = _one(con, f'SELECT coalesce(system.main.greatest({", ".join(longest)}), 0) FROM "kanon#cells"')  # noqa: S608
    return literal("*" * (most + 1))


def _rests(con: Any, columns: list[str], patterns: Sequence[tuple[bool, ...]]) -> Iterator[tuple[tuple[str | None, ...], Any]]:
    """Yield what the shown rows of a finer set leave of each shown row for the others."""
    for coarse in patterns:
        for fine in patterns:
            if coarse == fine or not all(other or not own for own, other in zip(coarse, fine, strict=True)):
                continue
            names = [f"c.{quoted(name)}" for name, own in zip(columns, coarse, strict=True) if own]
            keys = [
                f"c.{quoted(name)}" if own else literal(OTHERS) if other else "NULL"
                for name, own, other in zip(columns, coarse, fine, strict=True)
            ]
            same = " AND ".join(f"{name} = f.{name.removeprefix('c.')}" for name in names) or "true"
            matched = {"pattern": _where(columns, coarse, "c"), "finer": _where(columns, fine, "f")}
            joined = "".join(f"{name}, " for name in names)
            for *found, rest in con.execute(
                cells_text("shown_rests", keys=", ".join(keys), same=same, names=joined, **matched)
            ).fetchall():
                yield tuple(found), rest


def _read(con: Any, by: Sequence[str], columns: list[str], measure: str, total: str | None, suppressed: Sequence[str]) -> None:
    """Make the table of all rows: texts of the keys, and the value, NULL where it is suppressed."""
    keys = [f"CAST({quoted(name)} AS VARCHAR)" for name in by]
    if total is not None:
        keys = [f"CASE WHEN {key} <> {literal(total)} THEN {key} END" for key in keys]
    text = f"CAST({quoted(measure)} AS VARCHAR)"
    markers = f"{text} IN ({', '.join(map(literal, suppressed))})" if suppressed else "false"
    con.execute(
        cells_text(
            "published_rows",
            keys=", ".join(f"{key} AS {quoted(column)}" for key, column in zip(keys, columns, strict=True)),
            measure=quoted(measure),
            suppressed=f"{quoted(measure)} IS NULL OR {markers}",
        )
    )


def _check(con: Any, columns: list[str], measure: str) -> None:
    """Refuse counts that are none, and rows that are there twice."""
    name = as_identifier(measure)
    if _one(con, _COUNT.format("cells") + " WHERE v IS NULL AND NOT suppressed"):
        raise SourceError(
            f"the column {name} contains non-numeric text; hint: pass the text used for suppressed cells, as in "
            "suppressed=['*'] or --suppressed '*'"
        )
    if _one(con, _COUNT.format("cells") + " WHERE v < 0"):
        raise SourceError(f"the column {name} has negative numbers; hint: check only counts and nonnegative sums")
    listed = ", ".join(map(quoted, columns))
    if con.execute(f'FROM "kanon#cells" SELECT 1 GROUP BY {listed} HAVING system.main.count(*) > 1').fetchall():
        raise SourceError(
            "two rows of the table have the same keys; hint: list all keys, and replace missing key values with text, "
            "because NULL in a key marks a total"
        )


def _where(columns: list[str], pattern: Sequence[bool], table: str = "") -> str:
    of = f"{table}." if table else ""
    return " AND ".join(f"{of}{quoted(name)} IS {'NOT ' * shown}NULL" for name, shown in zip(columns, pattern, strict=True))


def _base(columns: list[str], patterns: list[tuple[bool, ...]], other: str | None) -> str:
    """Return the statement that finds the base cells: those of which no finest row is missing.

    If rows may be missing, all combinations are base cells, also those of ``other``, which stands for values without a row.
    """
    of = {pattern: [quoted(name) for name, shown in zip(columns, pattern, strict=True) if shown] for pattern in patterns}
    known = [quoted(name) for place, name in enumerate(columns) if any(pattern[place] for pattern in patterns)]
    if other is not None:
        parts = [([name], f"{name} IS NOT NULL") for name in known]
    else:
        finest = [one for one in patterns if not any(set(of[one]) < set(of[other]) for other in patterns)]
        parts = [(of[pattern], _where(columns, pattern)) for pattern in finest]
    joined, seen = "(SELECT 1 AS one)", set[str]()
    for names, condition in parts:
        common = ", ".join(name for name in names if name in seen)
        rows = f'FROM "kanon#cells" SELECT DISTINCT {", ".join(names) or "1"} WHERE {condition}'
        rows = f"({rows}{'' if other is None else f' UNION ALL SELECT {other}'})"
        joined += f" JOIN {rows} USING ({common})" if common else f" CROSS JOIN {rows}"
        seen |= set(names)
    return cells_text("published_base", shown=", ".join(known) or "1", joined=joined, most=str(_MOST + 1))


def _joined(pairs: list[dict[str, Any]], name: str) -> Int64:
    return np.concatenate([np.asarray(each[name], np.int64) for each in pairs] or [np.zeros(0, np.int64)])


def _one(con: Any, query: str) -> int:
    return int(con.execute(query).fetchall()[0][0])
