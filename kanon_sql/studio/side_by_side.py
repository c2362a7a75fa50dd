"""Rows of the source, each with its released row.

A release is shuffled, so that its order shows nothing. The same statement runs again with the order of the source: its rows
must be those of the release, and everything that is released unchanged must agree, row by row.
"""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.engines.duckdb.audit.measures import is_hidden
from kanon_sql.engines.duckdb.files.spilling import private_spilling
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.studio.rows import brief
from kanon_sql.studio.search import RELEASED, Search

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.studio.run import Run
    from kanon_sql.studio.source import Source

MOST = 50
"""Rows that a page shows."""

SAME, CHANGED, GONE = "", "changed", "gone"
"""What happened to a cell: also the class that shows it."""

_PLACE = "kanon#place"

_OTHERS = "SELECT system.main.count(*) FROM (SELECT {cells} FROM one EXCEPT ALL SELECT {cells} FROM two)"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell before and after; None is an empty cell, or a suppressed one."""

    before: str | None
    after: str | None
    state: str  # one of `SAME`, `CHANGED` and `GONE`


@dataclass(frozen=True, slots=True)
class Pair:
    """A row of the source and its released row."""

    number: int  # the place in the source, from 1
    cells: tuple[Cell, ...]


class Aligning:
    """The release of a run, made again in the order of the source.

    Parameters
    ----------
    source : Source
        The opened table.
    run : Run
        A release.
    folder : Path, optional
        As for `Search.start`.
    """

    def __init__(self, source: Source, run: Run, folder: Path | None = None) -> None:
        self.source, self.run, self.folder = source, run, folder
        self._ended = threading.Event()
        self._search: Search | None = None

    @property
    def refusal(self) -> str | None:
        """Return why the rows cannot be shown at all; None if they can be tried."""
        if self.run.finished:
            return "This search was stopped early. Running it again would give another release, so its rows cannot be matched."
        if not self.run.release[0].repeatable:
            return "This release cannot be repeated, so its rows cannot be matched to those of the source."
        return None

    def align(self) -> None:
        """Make the release again and keep its rows with the run; blocks until it is made.

        Raises
        ------
        SourceError
            When the rows are not those of the release, or do not fit the source.
        """
        if self.run.in_order is not None:
            return
        if self.refusal is not None:
            raise SourceError(self.refusal)
        ordered = self.run.draft.policy.row_order == "source"
        rows = self.run.release[1] if ordered else self._again()
        _check(self.source, self.run, rows)
        self.run.in_order = rows

    def cancel(self) -> None:
        """End the process that makes the release again."""
        if self._search is not None:
            self._search.cancel()

    def _again(self) -> pa.Table:
        draft = self.run.draft
        *earlier, statement = draft.with_policy(replace(draft.policy, row_order="source")).statements
        self._ended.clear()
        self._search = Search(statement, earlier)
        self._search.start(self.source, self.folder, self._ended.set)
        self._ended.wait()
        if self._search.state != RELEASED or self._search.rows is None:
            raise SourceError(self._search.words or "cancelled; hint: choose Show the rows again")
        return self._search.rows


def _check(source: Source, run: Run, rows: pa.Table) -> None:
    """Raise an error unless rows are those of the release, and in the order of the source."""
    with closing(duckdb.connect()) as con, private_spilling(":memory:", con):
        con.register("one", run.release[1])
        con.register("two", rows)
        names = [name for name in rows.column_names if name not in run.draft.pseudonyms]  # tokens are drawn anew
        cells = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in names)
        others = con.execute(_OTHERS.format(cells=cells)).fetchall()[0][0]
        if others or rows.num_rows != run.release[1].num_rows:
            raise SourceError(
                "the same statement gave another release this time, so rows cannot be matched; hint: choose a higher effort or "
                "no time limit, and anonymize again"
            )
        before = source.before(run.draft.query)
        fits = before.num_rows == rows.num_rows
        if fits:
            _register(con, before, rows)
            policy = Policy.from_json(run.release[0].policy)
            recoded = {each.column for each in policy.quasi_identifiers if each.recoding is not None}
            chosen = {each.column for each in policy.quasi_identifiers}
            wrong = [
                f"(b.{quoted(name)} IS DISTINCT FROM a.{quoted(name)}"
                + (f" AND NOT {is_hidden(f'a.{quoted(name)}', policy.suppress)})" if name in chosen else ")")
                for name in names
                if name not in recoded
            ]
            query = f"SELECT system.main.count(*) FROM before AS b JOIN after AS a USING ({quoted(_PLACE)})"  # noqa: S608
            fits = not wrong or con.execute(f"{query} WHERE {' OR '.join(wrong)}").fetchall() == [(0,)]
        if not fits:
            raise SourceError(
                "the query does not keep the order of the source, so rows cannot be matched; hint: choose columns only"
            )


def _register(con: duckdb.DuckDBPyConnection, before: pa.Table, after: pa.Table) -> None:
    """Register both tables as texts with the places of their rows."""
    import pyarrow as pa

    for view, table in (("before", before), ("after", after)):
        con.register(f"{view}#rows", table.append_column(_PLACE, pa.array(range(table.num_rows), pa.int64())))
        texts = ", ".join(f"CAST({quoted(name)} AS VARCHAR) AS {quoted(name)}" for name in table.column_names)
        con.execute(f"CREATE TEMP VIEW {view} AS SELECT {texts}, {quoted(_PLACE)} FROM {quoted(f'{view}#rows')}")  # noqa: S608


def pairs(source: Source, run: Run, *, only_changed: bool = False, most: int = MOST) -> tuple[list[str], list[Pair]]:
    """Return the columns of a release that was aligned, and its first rows beside those of the source.

    Parameters
    ----------
    only_changed : bool
        Whether rows without a changed cell are left out.
    most : int
        How many rows are returned at most.

    Raises
    ------
    SourceError
        When the release was not aligned.
    """
    if run.in_order is None:
        raise SourceError("the rows are not matched yet; hint: choose Show the rows")
    names = run.in_order.column_names
    differ = " OR ".join(f"b.{quoted(name)} IS DISTINCT FROM a.{quoted(name)}" for name in names)
    before, after = ([f"{table}.{quoted(name)}" for name in names] for table in ("b", "a"))
    suppress = Policy.from_json(run.release[0].policy).suppress
    with closing(duckdb.connect()) as con:
        _register(con, source.before(run.draft.query), run.in_order)
        found = con.execute(
            f"SELECT {quoted(_PLACE)}, {', '.join([*before, *after])} FROM before AS b JOIN after AS a "  # noqa: S608
            f"USING ({quoted(_PLACE)}) WHERE {differ if only_changed else 'true'} ORDER BY {quoted(_PLACE)} ASC NULLS LAST "
            f"LIMIT {most:d}"
        ).fetchall()
    return names, [
        Pair(place + 1, tuple(_cell(one, two, suppress) for one, two in zip(row[: len(names)], row[len(names) :], strict=True)))
        for place, *row in found
    ]


def _cell(before: str | None, after: str | None, suppress: str | None) -> Cell:
    state = SAME if before == after else GONE if after is None or after == suppress else CHANGED
    return Cell(None if before is None else brief(before), None if after is None else brief(after), state)
