"""An application that lets people query a clinic's patients, and never holds a raw row while it does.

`Clinic` releases the table once, when it starts. What serves the requests is a second, locked database in memory that
holds nothing but that release: whatever is asked, there is no raw row to be found. All answers come from one and the same
release, so that they cannot be played off against each other.

Run it with `python examples/embedding_app.py`; `served_app.py` serves it over HTTP.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from threading import Timer
from typing import Any

import duckdb
import pyarrow as pa

import kanon_sql
from kanon_sql.errors import KanonError

QUASI_IDENTIFIERS = ["zip", "age", "sex"]

RELEASE = """
    CREATE TEMP TABLE released AS
    SELECT zip, age, sex, disease
    FROM patients
    ANONYMIZE BY zip, age, sex
    GUARANTEE k >= 5
    ORDER BY ALL
"""

SETTINGS = (
    "memory_limit = '500MB'",
    "temp_directory = ''",  # nothing is written to a disk
    "secret_directory = ''",  # by default a path of this machine, which a query could read
    "enable_external_access = false",  # no files, no other databases, no extensions
    "python_enable_replacements = false",  # no variables of this program
    "lock_configuration = true",
)

FUNCTIONS = {"unnest", "range", "generate_series", "k_anonymity", "reidentification_risk"}
"""Table functions that may be asked: they read what they are given, or count."""

MOST_ROWS = 10_000


class RefusedError(ValueError):
    """A query that is not answered; the text says why, and was written before any row was read."""


class Clinic:
    """Answers queries about the released patients of a clinic, from any number of threads.

    Parameters
    ----------
    path : Path
        A DuckDB file with the table ``patients``; it is read once and closed.
    seconds : float
        When a query is stopped. DuckDB stops between two pieces of work, and a single value of it can be large: who serves
        people who mean harm also limits the time and the memory of the process.

    Raises
    ------
    KanonError
        When no release keeps the guarantee; then nothing is served. Its text holds counts and hints, never a value.
    """

    def __init__(self, path: Path, seconds: float = 5.0) -> None:
        with kanon_sql.connect(str(path), read_only=True) as source:
            source.execute(RELEASE)
            released = source.sql("FROM released").to_arrow_table()
        self._seconds = seconds
        self._con = duckdb.connect()
        self._con.execute(files("kanon_sql.sql").joinpath("kanon.sql").read_text(encoding="utf-8"))  # the audit: plain SQL
        self._con.register("released", released)
        self._con.execute("CREATE TABLE patients AS SELECT * FROM released")
        self._con.unregister("released")
        self._views = {name for (name,) in self._con.execute("SELECT view_name FROM duckdb_views()").fetchall()}
        for setting in SETTINGS:
            self._con.execute(f"SET {setting}")

    def query(self, sql: str, parameters: Mapping[str, object] | None = None) -> pa.Table:
        """Answer one SELECT over the table ``patients``.

        Parameters
        ----------
        sql : str
            The SELECT.
        parameters : mapping, optional
            Values for ``$name`` in it.

        Raises
        ------
        RefusedError
            When the text is anything but one SELECT over the table, takes too long, or has too long an answer.
        duckdb.Error
            When the SELECT fails over the rows; the text may quote them.
        """
        with self._con.cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION READ ONLY")  # also a SELECT could change rows: WITH x AS (DELETE ...)
            watch = Timer(self._seconds, cursor.interrupt)
            watch.start()
            try:
                answer = self._bound(cursor, sql, parameters).limit(MOST_ROWS + 1).to_arrow_table()
            except duckdb.InterruptException:
                raise RefusedError(f"the query takes more than {self._seconds:g} s") from None
            finally:
                watch.cancel()
                watch.join()
        if answer.num_rows > MOST_ROWS:
            raise RefusedError(f"the answer has more than {MOST_ROWS:,} rows; hint: LIMIT")
        return answer

    def audit(self) -> dict[str, object]:
        """Return what the audit counts in the rows that are served: the smallest class, and the risks."""
        counted: dict[str, object] = {}
        for function in ("k_anonymity", "reidentification_risk"):
            counted |= self.query(f"FROM {function}('patients', $names)", {"names": QUASI_IDENTIFIERS}).to_pylist()[0]
        return counted

    def close(self) -> None:
        """Forget the release."""
        self._con.close()

    def _bound(
        self, cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, object] | None
    ) -> duckdb.DuckDBPyRelation:
        """Return a SELECT ready to run."""
        try:
            self._require_select(json.loads(cursor.execute("SELECT json_serialize_sql($1)", [sql]).fetchall()[0][0]))
            return cursor.sql(sql, params=parameters)
        except duckdb.Error as error:
            raise RefusedError(str(error)) from None
        except RecursionError:
            raise RefusedError("the query is nested too deeply") from None

    def _require_select(self, read: dict[str, Any]) -> None:
        """Refuse all but one SELECT over the table, by what DuckDB's own parser makes of the text."""
        if read["error"] and read["error_type"] == "parser":
            raise RefusedError(read["error_message"])
        if read["error"] or len(read["statements"]) != 1:
            raise RefusedError("only one SELECT is answered")
        for node in _nodes(read):
            match node.get("type"):
                case "TABLE_FUNCTION":
                    known = node["function"]["function_name"].lower() in FUNCTIONS
                case "BASE_TABLE":  # or the name of a CTE; besides the table there is nothing but views of the catalog
                    path = node["qualified_name"]["path"]
                    known = len(path) == 1 and path[0].lower() not in self._views
                case kind:
                    known = kind != "SHOW_REF"
            if not known:
                raise RefusedError("only the table patients can be asked")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a syntax tree."""
    rest = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield node
            rest.extend(node.values())
        elif isinstance(node, list):
            rest.extend(node)


def generate(path: Path, rows: int) -> None:
    """Write a clinic of invented patients."""
    with duckdb.connect(str(path)) as con:
        con.execute(
            """
            CREATE TABLE patients AS
            SELECT 'P' || i AS patient,
                   printf('%05d', 2100 + (hash(i) % 9)::BIGINT) AS zip,
                   (20 + hash(i, 1) % 14 * 5)::INTEGER AS age,
                   CASE WHEN hash(i, 2) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
                   ['flu', 'asthma', 'fracture'][1 + (hash(i, 3) % 3)::BIGINT] AS disease
            FROM range($1) AS patients(i)
            """,
            [rows],
        )


def main() -> None:
    """Serve a clinic, try to get behind the release, and fail to serve a clinic that is too small."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clinic.duckdb"
        generate(path, 1500)
        clinic = Clinic(path)
        try:
            for row in clinic.query("SELECT disease, count(*) AS patients FROM patients GROUP BY ALL ORDER BY ALL").to_pylist():
                print(row)
            counted = clinic.audit()
            print({name: counted[name] for name in ("k", "classes", "rows")})
            for attempt in (f"FROM '{path}'", f"ATTACH '{path}' AS raw", "SELECT patient FROM patients"):
                try:
                    clinic.query(attempt)
                except RefusedError as error:
                    print(f"{attempt.split()[0]}: refused: {error}".split("\n")[0])
                else:
                    raise SystemExit("a raw row was reached")
        finally:
            clinic.close()
        small = Path(folder) / "small.duckdb"
        generate(small, 3)
        try:
            Clinic(small)
        except KanonError as error:
            print(f"small clinic: {error}")


if __name__ == "__main__":
    main()
