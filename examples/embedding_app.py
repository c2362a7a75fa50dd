"""An application that lets people query a clinic's patients, and never holds a raw row while it does.

`Clinic` releases the table once, when it starts. What serves the requests is a second, locked database in memory that
holds nothing but that release: whatever is asked, there is no raw row to be found. All answers come from one and the same
release, so that they cannot be played off against each other.

Run it with `python examples/embedding_app.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import pandas as pd

import kanon_sql
from kanon_sql.errors import KanonError

RELEASE = """
    CREATE TEMP TABLE released AS
    SELECT zip, age, sex, disease
    FROM patients
    ANONYMIZE BY zip, age, sex
    GUARANTEE k >= 5
    ORDER BY ALL
"""


class Clinic:
    """Answers queries about the released patients of a clinic.

    Parameters
    ----------
    path : Path
        A DuckDB file with the table ``patients``; it is read once and closed.

    Raises
    ------
    KanonError
        When no release keeps the promise; then nothing is served. Its text holds counts and hints, never a value.
    """

    def __init__(self, path: Path) -> None:
        with kanon_sql.connect(str(path), read_only=True) as source:
            source.execute(RELEASE)
            released = source.sql("FROM released").to_arrow_table()
        self._con = kanon_sql.register(duckdb.connect())
        self._con.register("released", released)
        self._con.execute("CREATE TABLE patients AS SELECT * FROM released")
        self._con.unregister("released")
        # From here on no statement opens a file, sees a Python variable, or changes a setting.
        for setting in ("enable_external_access = false", "python_enable_replacements = false", "lock_configuration = true"):
            self._con.execute(f"SET {setting}")

    def query(self, sql: str) -> pd.DataFrame:
        """Answer one SELECT over the table ``patients``.

        Raises
        ------
        ValueError
            When the text is anything but one SELECT.
        """
        statements = self._con.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise ValueError("only one SELECT is answered")
        with self._con.cursor() as cursor:
            return cursor.execute(statements[0]).df()

    def close(self) -> None:
        """Forget the release."""
        self._con.close()


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
            print(clinic.query("SELECT disease, count(*) AS patients FROM patients GROUP BY ALL ORDER BY ALL").to_string())
            print(clinic.query("SELECT k, classes, rows FROM k_anonymity('patients', ['zip', 'age', 'sex'])").to_string())
            for attempt in (f"FROM '{path}'", f"ATTACH '{path}' AS raw", "SELECT patient FROM patients"):
                try:
                    clinic.query(attempt)
                except (ValueError, duckdb.Error) as error:
                    print(f"{attempt.split()[0]}: refused ({type(error).__name__})")
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
