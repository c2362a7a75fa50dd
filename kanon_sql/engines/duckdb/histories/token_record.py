"""The tokens of earlier releases: remembered in the database, and compared with those of a new release.

Two tables in the schema ``main`` of a database remember its releases with tokens: ``kanon_token_releases`` has a row for each,
``kanon_tokens`` one for each token of each. What the rows of a token show is only remembered as a number: tokens of one release
have the same number where their rows show the same. Tokens are equal across releases where secret and identifier are, whatever
the columns are called, so nothing else has to be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.certificate.histories import HistoryRisk
from kanon_sql.engines.duckdb.names import literal, qualified
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.errors import SourceError, raise_alone

if TYPE_CHECKING:
    import pyarrow as pa

Ask = Callable[[str], list[tuple[Any, ...]]]
"""Run a statement and return its rows."""

RELEASES, TOKENS = "kanon_token_releases", "kanon_tokens"

_COLUMNS = {
    RELEASES: (("release", "BIGINT"), ("released_at", "TIMESTAMP"), ("name", "VARCHAR")),
    TOKENS: (("release", "BIGINT"), ("token", "VARCHAR"), ("history", "BIGINT")),
}

_THERE = """SELECT database_name, table_name, system.main.list([column_name, data_type] ORDER BY column_index ASC NULLS LAST)
    FROM system.main.duckdb_columns() WHERE schema_name = 'main' AND table_name IN ({}) GROUP BY ALL
    ORDER BY database_name ASC NULLS LAST, table_name ASC NULLS LAST"""

_NOTHING = """SELECT CAST(NULL AS BIGINT) AS home, CAST(NULL AS BIGINT) AS release, CAST(NULL AS VARCHAR) AS token,
    CAST(NULL AS BIGINT) AS history WHERE false"""

_EARLIER = "SELECT CAST({} AS BIGINT) AS home, release, token, history FROM {}"

_OF_TABLE = "{0} WHERE release IN (SELECT release FROM {1})"
"""A row of a release that is no longer listed does not count: nobody got that release."""

_OTHERS = "SELECT * FROM ({}) WHERE (home, release) NOT IN ({})"

_NEXT = """SELECT 1 + coalesce(system.main.max(release), 0)
    FROM (SELECT release FROM {} UNION ALL SELECT release FROM {})"""

_NOTE = "INSERT INTO {} VALUES ({}, CAST({} AS TIMESTAMP), {})"

_NOTE_TOKENS = 'INSERT INTO {} SELECT {}, token, history FROM "kanon#now" ORDER BY token ASC NULLS LAST'

OVERTAKEN = "another release of tokens was recorded at the same time; nothing was released; hint: run it again"

_SESSION = 0
"""The home of releases that only the session remembers; those of databases are numbered from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What the tokens of one column give away."""

    risk: HistoryRisk  # the figures
    below: int  # people with fewer candidates than a class must have
    links: bool  # whether a token is on several rows, here and in earlier releases


class TokenRecord:
    """The tokens of earlier releases as a connection sees them, and those of a new one.

    Parameters
    ----------
    con : DuckDBPyConnection
        The connection, which is shown the tokens.
    ask : callable
        Runs a statement on it, in its transaction, and returns the rows.
    now : pyarrow.Table
        Of each token of the new release its ``history``, its ``entries`` and in which of the columns it is (``places``).
    remembered : sequence of pyarrow.Table
        The same of earlier releases that only the session remembers.
    """

    def __init__(self, con: Any, ask: Ask, now: pa.Table, remembered: Sequence[pa.Table] = ()) -> None:
        self._con = con
        self._ask = ask
        self._now = now
        self._homes = self._databases()
        sources = [self._of_database(name) for name in self._homes]
        if remembered:
            import pyarrow as pa

            numbers = (pa.repeat(number, len(each)) for number, each in enumerate(remembered))
            numbered = [each.append_column("release", one) for each, one in zip(remembered, numbers, strict=True)]
            con.register("kanon#remembered", pa.concat_tables(numbered))
            sources.insert(0, _EARLIER.format(_SESSION, '"kanon#remembered"'))
        self._earlier = " UNION ALL ".join(sources or [_NOTHING])
        con.register("kanon#now", now)
        rows = self._ask(text("token_releases", earlier=self._earlier))
        self._again = [(home, release) for home, release, again, _ in rows if again]
        self._sharing = sum(shares for _, _, again, shares in rows if not again)

    def close(self) -> None:
        """Let go of the tokens that the connection was shown; a transaction that failed takes them back itself."""
        for name in ("kanon#now", "kanon#remembered"):
            with suppress(duckdb.TransactionException):
                self._con.unregister(name)

    def risks(self, columns: Sequence[str], k: int) -> list[Linked]:
        """Return what the tokens of each column give away together with all earlier releases.

        Parameters
        ----------
        columns : sequence of str
            The columns, in the order of ``places``.
        k : int
            People with fewer candidates are counted.

        Notes
        -----
        O(n log n) for n tokens of all releases together.
        """
        earlier = self._earlier if self._sharing else _NOTHING
        if self._again and self._sharing:
            earlier = _OTHERS.format(earlier, ", ".join(map(str, self._again)))
        rows = self._ask(text("history_risks", earlier=earlier, columns=str(len(columns)), k=str(k)))
        found = {place: (counts, bool(linked)) for place, *counts, linked in rows}
        return [self._linked(name, *found.get(place, ([0, 0, 0, 0, 0], False))) for place, name in enumerate(columns)]

    def _linked(self, column: str, counts: Sequence[int], links: bool) -> Linked:
        people, alone, fewest, squares, below = counts
        average = Fraction(squares, people) if people else Fraction(0)
        risk = HistoryRisk(column=column, people=people, alone=alone, fewest=fewest, average=average, releases=self._sharing)
        return Linked(risk=risk, below=below, links=links)

    @property
    def known(self) -> bool:
        """Return whether the session remembers such a release already."""
        return any(home == _SESSION for home, _ in self._again)

    def count(self, database: str, name: str) -> int:
        """Return how many releases of a name a database remembers."""
        if database not in self._homes:
            return 0
        query = f"SELECT system.main.count(*) FROM {qualified([database, 'main', RELEASES])} WHERE name = {literal(name)}"  # noqa: S608
        return int(self._ask(query)[0][0])

    def note(self, database: str, name: str, *, again: bool = False) -> None:
        """Remember the tokens in a database; those of a release that was made again, or has none, only with ``again``.

        Raises
        ------
        SourceError
            When another connection does the same at the same time, or the tables cannot be written.
        """
        if not again and (not len(self._now) or any(home == self._homes.get(database) for home, _ in self._again)):
            return
        releases, tokens = (qualified([database, "main", table]) for table in (RELEASES, TOKENS))
        try:
            if database not in self._homes:
                for table, columns in _COLUMNS.items():
                    own = ", ".join(f'"{column}" {kind}' for column, kind in columns)
                    key = ", PRIMARY KEY (release)" if table == RELEASES else ""  # of two releases at once, one fails
                    self._ask(f"CREATE TABLE {qualified([database, 'main', table])} ({own}{key})")
            number = self._ask(_NEXT.format(releases, tokens))[0][0]
            moment = literal(datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"))
            self._ask(_NOTE.format(releases, number, moment, literal(name)))
            self._ask(_NOTE_TOKENS.format(tokens, number))
        except (duckdb.ConstraintException, duckdb.TransactionException):
            raise_alone(SourceError(OVERTAKEN))

    def _databases(self) -> dict[str, int]:
        """Return the databases that remember tokens, with their numbers."""
        there: dict[str, dict[str, Any]] = {}
        for database, table, columns in self._ask(_THERE.format(", ".join(map(literal, _COLUMNS)))):
            there.setdefault(database, {})[table] = [tuple(each) for each in columns]
        for database, tables in there.items():
            if tables != {table: list(columns) for table, columns in _COLUMNS.items()}:
                raise SourceError(
                    f"{' and '.join(qualified([database, 'main', each]) for each in sorted(tables))} are not kanon-sql's "
                    "token tables; hint: rename them, or restore them from a backup"
                )
        return {database: number for number, database in enumerate(there, 1)}

    def _of_database(self, name: str) -> str:
        releases, tokens = (qualified([name, "main", table]) for table in (RELEASES, TOKENS))
        return _OF_TABLE.format(_EARLIER.format(self._homes[name], tokens), releases)
