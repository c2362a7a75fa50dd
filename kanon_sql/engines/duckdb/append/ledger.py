"""The ledger of a release that grows: which rows are in it, as keyed hashes, and in which state it was left.

It is two tables next to the source: ``kanon_ledger_R`` has a row for each row of the release R,
``kanon_batches_R`` one for each batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.append.batch_terms import Terms, text_of
from kanon_sql.engines.duckdb.names import literal, qualified, quoted
from kanon_sql.engines.duckdb.policies.stored_policies import Ask
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.secret import Secret
from kanon_sql.model.validation import same_name

_ROWS = (("key", "VARCHAR"), ("batch", "INTEGER"), ("row", "VARCHAR"), ("people", "VARCHAR[]"))

_BATCHES = (
    ("batch", "INTEGER"),
    ("released_at", "TIMESTAMP"),
    ("rows", "BIGINT"),
    ("waiting", "BIGINT"),
    ("terms", "VARCHAR"),
    ("secret", "VARCHAR"),
    ("release", "VARCHAR"),
    ("release_rows", "BIGINT"),
    ("fingerprint", "VARCHAR"),
)

_COLUMNS = """SELECT column_name, data_type FROM system.main.duckdb_columns()
    WHERE database_name = {} AND schema_name = {} AND table_name = {} ORDER BY column_index ASC NULLS LAST"""

_LAST = "SELECT batch, terms, secret, release, release_rows, fingerprint FROM {} ORDER BY batch DESC NULLS LAST LIMIT 1"

_COUNT = "SELECT system.main.count(*), system.main.count(DISTINCT key) FROM {}"

# in the order of the keys: that of the release would tell which row is whose
_NOTE = """INSERT INTO {ledger}
    SELECT "kanon#r"."kanon#key", {batch}, "kanon#s"."kanon#row", "kanon#s"."kanon#people"
    FROM temp.main."kanon#released" AS "kanon#r"
    JOIN temp.main."kanon#read" AS "kanon#s" ON "kanon#s"."kanon#key" = "kanon#r"."kanon#key"
    ORDER BY "kanon#r"."kanon#key" ASC NULLS LAST"""

_CLOSE = "INSERT INTO {} SELECT {}, CAST({} AS TIMESTAMP), {}, {}, {}, {}, {}, {}, {}"

_CHECK = "kanon_sql.append"
"""What the token of the secret stands for."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How a source and its ledger differ."""

    unkeyed: int  # rows whose key is NULL
    repeated: int  # rows whose key another row has too
    fresh: int  # rows that were never released
    changed: int  # rows that hold something else than when they were released
    deleted: int  # released rows that are gone


class Ledger:
    """The ledger of one release, inside a transaction.

    Parameters
    ----------
    ask : callable
        Runs a statement and returns its rows.
    place : tuple of str
        Database and schema of the ledger.
    release : tuple of str
        Database, schema and name of the release.
    secret : Secret
        The key behind its tokens.
    """

    def __init__(self, ask: Ask, place: tuple[str, str], release: tuple[str, str, str], secret: Secret) -> None:
        self._ask = ask
        self._place = place
        self._parts = release
        self._secret = secret
        self._last: tuple[Any, ...] | None = None
        self.release = qualified(release)
        self._own = qualified(release[1:])  # a file may be moved, and the database then has another name
        self.rows = qualified([*place, f"kanon_ledger_{release[-1]}"])
        self.batches = qualified([*place, f"kanon_batches_{release[-1]}"])

    @property
    def database(self) -> str:
        """Return the database of the ledger, which is that of the release."""
        return self._place[0]

    @property
    def name(self) -> str:
        """Return the release as it is called in its database."""
        return self._own

    @property
    def batch(self) -> int:
        """Return the number of the last batch; 0 before the first."""
        return 0 if self._last is None else int(self._last[0])

    @property
    def size(self) -> int:
        """Return the number of rows of the release after the last batch."""
        return 0 if self._last is None else int(self._last[4])

    def open(self, terms: Terms) -> None:
        """Read the state in which the last batch left the release; make an empty ledger for the first.

        Raises
        ------
        SourceError
            When the ledger is not of this release, secret or policy, or the release is not as it was left.
        """
        tables = [self._columns(name) for name in (self.rows, self.batches)]
        if not any(tables):
            if self._columns(self.release):
                raise SourceError(
                    f"{self.release} exists but has no ledger {self.rows}; hint: drop it or choose a different name, because "
                    "append creates this table"
                )
            for name, columns in ((self.rows, _ROWS), (self.batches, _BATCHES)):
                own = ", ".join(f"{quoted(column)} {kind}" for column, kind in columns)
                key = ", PRIMARY KEY (batch)" if name == self.batches else ""  # of two appends at once, one fails
                self._ask(f"CREATE TABLE {name} ({own}{key})")
            return
        if tables != [list(_ROWS), list(_BATCHES)]:
            raise SourceError(f"{self.rows} and {self.batches} are not ledger tables; hint: rename or restore them")
        found = self._ask(_LAST.format(self.batches))
        if not found:
            raise SourceError(f"{self.batches} is empty; hint: restore the ledger from a backup")
        self._last = found[0]
        _, earlier, secret, release, rows, fingerprint = found[0]
        if secret != self._token():
            raise SourceError("the ledger was written with a different secret; hint: use the secret of the first batch")
        if release != self._own:
            raise SourceError(f"the ledger belongs to {release}, not to {self._own}; hint: rename the release")
        if others := terms.changed(earlier):
            raise SourceError(
                f"the ledger belongs to a different policy: {', '.join(others)} differed in earlier batches; hint: use the "
                "policy of the first batch, or start a new release"
            )
        if self._ask(_COUNT.format(self.rows)) != [(rows, rows)]:
            raise SourceError(
                f"the rows of {self.rows} changed after batch {self.batch}; hint: restore the table from a backup"
            )
        if not self._columns(self.release):
            raise SourceError(
                f"{self.release} no longer exists; hint: restore it from a backup, or drop its ledger to start again"
            )
        if self._fingerprint() != (rows, fingerprint):
            raise SourceError(
                f"{self.release} was altered since batch {self.batch}; hint: restore it, and make changes only in a copy or a "
                "view"
            )

    def counts(self) -> Counts:
        """Return how the source that was read differs from the ledger."""
        return Counts(*map(int, self._ask(text("batch_counts", ledger=self.rows))[0]))

    def add(self, terms: Terms, rows: int, waiting: int, moment: str) -> None:
        """Put the released batch into the release, and note it.

        Parameters
        ----------
        rows, waiting : int
            How many rows are in it, and how many wait.
        moment : str
            When, in UTC.

        Raises
        ------
        SourceError
            When the batch has other columns than the release.
        """
        released = [(name, kind) for name, kind in self._described('temp.main."kanon#released"') if name != "kanon#key"]
        names = ", ".join(quoted(name) for name, _ in released)
        # rows are sorted by what they show: no other order could tell less; by a key of it, or DuckDB 1 makes 0.0 of -0.0
        batch = f"""SELECT {names} FROM temp.main."kanon#released"
            ORDER BY system.main.create_sort_key(system.main.row({names}), 'ASC NULLS LAST') ASC NULLS LAST"""  # noqa: S608
        if self._last is None:
            self._ask(f"CREATE TABLE {self.release} AS {batch}")
        else:
            there = self._columns(self.release)
            if there != released:
                others = sorted({name for name, _ in {*there} ^ {*released}})
                raise SourceError(
                    f"the columns of the batch differ from those of the release: {', '.join(others) or 'their order'}; hint: "
                    "cast them in a view over the source"
                )
            self._ask(f"INSERT INTO {self.release} {batch}")
        number = self.batch + 1
        self._ask(_NOTE.format(ledger=self.rows, batch=number))
        size, fingerprint = self._fingerprint()
        recorded = [terms.to_json(), self._token(), self._own]
        values = [moment, str(rows), str(waiting), *recorded, str(size), fingerprint]
        self._ask(_CLOSE.format(self.batches, number, *map(literal, values)))
        if size != self.size + rows:
            raise SourceError(
                f"{self.release} changed while the batch was added; nothing was released; hint: run the append again"
            )

    def _token(self) -> str:
        (token,) = self._secret.tokens("ledger: secret", [_CHECK.encode()])
        return str(token)

    def _columns(self, name: str) -> list[tuple[str, str]]:
        parts = {self.release: self._parts[1:]}.get(name, (self._place[1], name.rpartition('."')[2][:-1].replace('""', '"')))
        database = self._parts[0] if name == self.release else self._place[0]
        return self._ask(_COLUMNS.format(literal(database), *map(literal, parts)))

    def _described(self, table: str) -> list[tuple[str, str]]:
        return [(row[0], row[1]) for row in self._ask(f"DESCRIBE FROM {table}")]

    def _fingerprint(self) -> tuple[int, str]:
        columns = self._described(self.release)
        values = ", ".join(text_of(quoted(name), kind) for name, kind in columns)
        names = literal(repr([(same_name(name), kind) for name, kind in columns]))
        rows, fingerprint = self._ask(text("table_fingerprint", values=values, names=names, release=self.release))[0]
        return int(rows), str(fingerprint)


def refuse(counts: Counts, keys: Sequence[str], *, changed: str, deleted: str) -> None:
    """Refuse a source that does not fit its ledger.

    Raises
    ------
    SourceError
        When a key is NULL or not unique, or rows were changed or deleted that may not be.
    """
    key = ", ".join(f'"{name}"' for name in keys)
    if counts.unkeyed:
        raise SourceError(
            f"{how_many(counts.unkeyed, 'row has', 'rows have')} no key: {key} is NULL; hint: give each row its own key"
        )
    if counts.repeated:
        raise SourceError(
            f"{how_many(counts.repeated, 'row has', 'rows have')} the key of another row, but {key} must be unique; hint: add "
            "columns to the key"
        )
    if counts.changed and changed == "refuse":
        raise SourceError(
            f"{how_many(counts.changed, 'row was changed since it was', 'rows were changed since they were')} "
            "released; hint: pass changed='ignore' to leave them unchanged in the release"
        )
    if counts.deleted and deleted == "refuse":
        raise SourceError(
            f"{how_many(counts.deleted, 'row was deleted since it was', 'rows were deleted since they were')} "
            "released; hint: pass deleted='ignore' to leave them in the release"
        )
