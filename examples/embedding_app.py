"""An application that lets people query a clinic's patients, and never holds a raw row while it does.

`Clinic` releases the table once, when it starts. What answers the requests are processes that hold nothing but that release
(`query_process.py`): whatever is asked, there is no raw row to be found, and no query can take more time or memory than it
may. All answers come from one and the same release, so that they cannot be played off against each other.

Run it with `python examples/embedding_app.py`; `served_app.py` serves it over HTTP.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import duckdb
from query_process import QueryProcess, RefusedError

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

PROCESSES = 2
"""Queries that are answered at the same time."""

PATIENCE = 60.0
"""Seconds that a query waits for its turn."""


class Clinic:
    """Answers queries about the released patients of a clinic, from any number of threads.

    Parameters
    ----------
    path : Path
        A DuckDB file with the table ``patients``; it is read once and closed.
    seconds : float
        When a query is stopped.

    Raises
    ------
    KanonError
        When no release keeps the guarantee; then nothing is served. Its text holds counts and hints, never a value.
    """

    def __init__(self, path: Path, seconds: float = 5.0) -> None:
        with kanon_sql.connect(str(path), read_only=True) as source:
            source.execute(RELEASE)
            self._released = source.sql("FROM released").to_arrow_table()
        self._macros = files("kanon_sql.sql").joinpath("kanon.sql").read_text(encoding="utf-8")  # the audit: plain SQL
        self._seconds = seconds
        self._closed = False
        self._idle: Queue[QueryProcess] = Queue()
        for _ in range(PROCESSES):
            self._start()

    def answer(self, sql: str, parameters: Mapping[str, object] | None = None) -> bytes:
        """Answer one SELECT over the table ``patients``, as a JSON array of objects.

        Parameters
        ----------
        sql : str
            The SELECT.
        parameters : mapping, optional
            Values for ``$name`` in it.

        Raises
        ------
        RefusedError
            When the text is anything but one SELECT over the table, fails, takes too long or too much memory, or has too
            long an answer.
        """
        try:
            process = self._idle.get(timeout=PATIENCE)
        except Empty:
            raise RefusedError("too many queries wait; hint: ask again later") from None
        try:
            return process.ask(sql, dict(parameters or {}))
        finally:
            if process.alive:
                self._idle.put(process)
            else:  # another one takes its place, and nobody waits for it
                Thread(target=self._start).start()

    def query(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Return the rows of `answer`."""
        rows: list[dict[str, Any]] = json.loads(self.answer(sql, parameters))
        return rows

    def audit(self) -> dict[str, Any]:
        """Return what the audit counts in the rows that are served: the smallest class, and the risks."""
        counted: dict[str, Any] = {}
        for function in ("k_anonymity", "reidentification_risk"):
            counted |= self.query(f"FROM {function}('patients', $names)", {"names": QUASI_IDENTIFIERS})[0]
        return counted

    def close(self) -> None:
        """End the processes, and with them the release."""
        self._closed = True
        while not self._idle.empty():
            self._idle.get().close()

    def _start(self) -> None:
        process = QueryProcess(self._released, self._macros, self._seconds)
        if self._closed:
            process.close()
        else:
            self._idle.put(process)


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
            for row in clinic.query("SELECT disease, count(*) AS patients FROM patients GROUP BY ALL ORDER BY ALL"):
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
