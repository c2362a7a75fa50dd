"""A careless user gives each surface a table with a column of names: each refuses it with one text, and writes nothing.

- The clause: `connect`, `kanon run`, the shell, Spark; the notebook in ``test_people_notebook.py``; dbt in ``tests/dbt``.
- The functions: a registered connection, Python with each kind of table, `append`, Spark, the table function of Spark.
- The command: CSV, Parquet, databases, pipes.
- Plain SQL without Python has macros of its own: see ``tests/sql``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import UnlistedColumnError

REFUSED = (
    "columns have no role and look like identifiers of people: person_id (by its name); name (by its name); nothing was "
    "released; hint: "
)

HINTS = {
    "clause": "remove them from the SELECT, or write KEEP person_id, name, age to release them on purpose",
    "function": "pass drop := ['person_id', 'name'], or pass keep := ['person_id', 'name', 'age'] to release them on purpose",
    "python": "pass drop=['person_id', 'name'], or pass keep=['person_id', 'name', 'age'] to release them on purpose",
    "command": "pass --drop person_id,name, or pass --keep person_id,name,age to release them on purpose",
}
"""What each surface says to do, in its own words."""

APPEND_REFUSED = "a column has no role and looks like an identifier of people: name (by its name); nothing was released; hint: "
"""The column by which an append tells rows apart is not released."""

APPEND_HINTS = {
    "python": "pass drop=['name'], or pass keep=['name', 'age'] to release it on purpose",
    "command": "pass --drop name, or pass --keep name,age to release it on purpose",
}

MEASURED = (
    "2 columns have no role and identify people: position singles out 100.0% of the rows (values shared by fewer than 5 rows); "
    "label singles out 100.0% of the rows (values shared by fewer than 5 rows); nothing was released; hint: "
)
"""What is said of the same columns with names that say nothing."""

MEASURED_HINTS = {
    "clause": "remove them from the SELECT, add them to BY, or write KEEP position, label, age to release them on purpose",
    "function": (
        "pass drop := ['position', 'label'], add them to qi, or pass keep := ['position', 'label', 'age'] to release them on "
        "purpose"
    ),
    "python": (
        "pass drop=['position', 'label'], add them to quasi_identifiers, or pass keep=['position', 'label', 'age'] "
        "to release them on purpose"
    ),
    "command": "pass --drop position,label, add them to --qi, or pass --keep position,label,age to release them on purpose",
}

APPEND_MEASURED = (
    "a column has no role and identifies people: label singles out 100.0% of the rows (values shared by fewer than 5 rows); "
    "nothing was released; hint: "
)

APPEND_MEASURED_HINTS = {
    "python": "pass drop=['label'], add it to quasi_identifiers, or pass keep=['label', 'age'] to release it on purpose",
    "command": "pass --drop label, add it to --qi, or pass --keep label,age to release it on purpose",
}

CELLS = re.compile("N[0-9]|0213")
"""Names and codes of the table."""

BEFORE = {
    "connect": "",
    "register": "Invalid Input Error: UnlistedColumnError: ",
    "Python": "",
    "kanon run": "error: stdin, statement 1 (line 1): ",
    "kanon shell": "error: stdin, statement 1 (line 1): ",
    "kanon anonymize": "error: ",
    "kanon append": "error: ",
}
"""What a surface says before the refusal."""

QUERY = "SELECT * FROM people ANONYMIZE BY zip, sex GUARANTEE k >= 5"

SPARK_FUNCTION = "FROM k_anonymize(TABLE(people), 5, array('zip', 'sex'))"

OPTIONS: dict[str, Any] = {"k": 5, "quasi_identifiers": ["zip", "sex"]}

ANONYMIZE = ("anonymize", "--qi", "zip,sex", "--k", "5")

Surface = Callable[[], str]
"""Asks for the release in the folder of the table, and returns the words of the refusal."""


def connected(statement: str) -> str:
    with kanon_sql.connect("clinic.duckdb") as con, pytest.raises(UnlistedColumnError) as refusal:
        con.execute(statement)
    return str(refusal.value)


def registered() -> str:
    function = "CREATE TABLE out AS FROM k_anonymize('people', 5, qi := ['zip', 'sex'])"
    with kanon_sql.register(duckdb.connect("clinic.duckdb")) as con, pytest.raises(duckdb.Error) as refusal:
        con.execute(function)
    return str(refusal.value)


def from_python(kind: str) -> str:
    with duckdb.connect("clinic.duckdb") as con:
        table = con.table("people")
        made = {"arrow": table.to_arrow_table, "pandas": table.df, "polars": table.pl, "relation": lambda: table}[kind]()
        with pytest.raises(UnlistedColumnError) as refusal:
            kanon_sql.anonymize(made, **OPTIONS)
    return str(refusal.value)


def appended() -> str:
    with kanon_sql.connect("clinic.duckdb") as con, pytest.raises(UnlistedColumnError) as refusal:
        kanon_sql.append("people", "out", key="person_id", con=con, **OPTIONS)
    return str(refusal.value)


def commanded(*arguments: str, given: str | None = None, code: int = 1) -> str:
    done = CliRunner().invoke(main, arguments, input=given, catch_exceptions=False)
    assert (done.exit_code, done.stdout) == (code, "")
    return done.stderr


def piped() -> str:
    command = [sys.executable, "-m", "kanon_sql.cli", *ANONYMIZE, "-", "-o", "-"]
    done = subprocess.run(command, input=Path("people.csv").read_bytes(), capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    return done.stderr.decode()


SURFACES: dict[str, Surface] = {
    "connect, query": partial(connected, QUERY),
    "connect, table": partial(connected, f"CREATE TABLE out AS {QUERY}"),
    "connect, view of the rows": partial(connected, f"CREATE TABLE out AS FROM ({QUERY}) LIMIT 10"),
    "connect, copy": partial(connected, f"COPY ({QUERY}) TO 'out.csv'"),
    "register, function": registered,
    "Python, Arrow": partial(from_python, "arrow"),
    "Python, pandas": partial(from_python, "pandas"),
    "Python, Polars": partial(from_python, "polars"),
    "Python, relation": partial(from_python, "relation"),
    "Python, append": appended,
    "kanon run, query": partial(commanded, "run", "-", "--db", "clinic.duckdb", given=QUERY),
    "kanon run, copy": partial(commanded, "run", "-", "--db", "clinic.duckdb", given=f"COPY ({QUERY}) TO 'out.csv'"),
    "kanon shell": partial(commanded, "shell", "clinic.duckdb", given=f"CREATE TABLE out AS {QUERY};"),
    "kanon anonymize, CSV": partial(commanded, *ANONYMIZE, "people.csv", "-o", "out.csv"),
    "kanon anonymize, quiet": partial(commanded, *ANONYMIZE, "-q", "people.csv", "-o", "out.csv"),
    "kanon anonymize, certificate": partial(commanded, *ANONYMIZE, "people.csv", "-o", "out.csv", "--certificate", "c.json"),
    "kanon anonymize, Parquet": partial(commanded, *ANONYMIZE, "people.parquet", "-o", "out.parquet"),
    "kanon anonymize, database": partial(commanded, *ANONYMIZE, "clinic.duckdb::people", "-o", "clinic.duckdb::out"),
    "kanon anonymize, new database": partial(commanded, *ANONYMIZE, "people.parquet", "-o", "new.duckdb::out"),
    "kanon anonymize, over a file": partial(commanded, *ANONYMIZE, "people.csv", "-o", "people.parquet", "--force"),
    "kanon anonymize, pipe": piped,
    "kanon append": partial(
        commanded, "append", "clinic.duckdb::people", "out", "--key", "person_id", "--qi", "zip,sex", "--k", "5"
    ),
}  # fmt: skip


def words_of(surface: str) -> str:
    """Return whose words the surface speaks."""
    kinds = {"register": "function", "Python": "python", "kanon anonymize": "command", "kanon append": "command"}
    return kinds.get(kind_of(surface), "clause")


def kind_of(surface: str) -> str:
    return surface.partition(",")[0]


def renamed(**names: str) -> None:
    """Give columns of the table names that say nothing."""
    with duckdb.connect("clinic.duckdb") as con:
        for column, name in names.items():
            con.execute(f"ALTER TABLE people RENAME {column} TO {name}")
        con.execute("COPY people TO 'people.csv'")
        con.execute("COPY people TO 'people.parquet'")


def state(folder: Path) -> dict[str, bytes]:
    """Return what the folder holds; of databases the tables, since to open one may change its bytes."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".duckdb":
            with duckdb.connect(str(path)) as con:
                found[path.name] = repr(con.sql("SELECT table_name, estimated_size FROM duckdb_tables()").fetchall()).encode()
        else:
            found[path.name] = path.read_bytes()
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("surface", SURFACES)
def test_names_are_refused_and_nothing_is_written(clinic: Path, surface: str) -> None:
    before = state(clinic)
    said = SURFACES[surface]().removesuffix("\n")
    refused, hints = (APPEND_REFUSED, APPEND_HINTS) if "append" in surface else (REFUSED, HINTS)
    assert said == BEFORE[kind_of(surface)] + refused + hints[words_of(surface)]
    assert state(clinic) == before


@pytest.mark.everything
@pytest.mark.parametrize("surface", SURFACES)
def test_what_singles_out_rows_by_its_values_is_refused_and_nothing_is_written(clinic: Path, surface: str) -> None:
    append = "append" in surface
    renamed(**{"name": "label"} if append else {"name": "label", "person_id": "position"})
    before = state(clinic)
    said = SURFACES[surface]().removesuffix("\n")
    refused, hints = (APPEND_MEASURED, APPEND_MEASURED_HINTS) if append else (MEASURED, MEASURED_HINTS)
    assert said == BEFORE[kind_of(surface)] + refused + hints[words_of(surface)]
    assert state(clinic) == before


@pytest.mark.everything
def test_spark_refuses_names_and_writes_nothing(clinic: Path, spark: Any) -> None:
    from pyspark.errors import PySparkException

    import kanon_sql.spark

    before = state(clinic)
    source = spark.read.parquet(str(clinic / "people.parquet"))
    source.createOrReplaceTempView("people")
    kanon_sql.spark.register(spark)
    asked: tuple[tuple[str, Callable[[], object]], ...] = (
        ("python", lambda: kanon_sql.spark.anonymize(source, into="out", **OPTIONS)),
        ("clause", lambda: kanon_sql.spark.sql(f"CREATE TABLE out AS {QUERY}", session=spark)),
        ("clause", lambda: kanon_sql.spark.sql(QUERY, session=spark)),
    )
    try:
        for words, ask in asked:
            with pytest.raises(UnlistedColumnError) as refusal:
                ask()
            assert str(refusal.value) == REFUSED + HINTS[words]
        with pytest.raises(PySparkException) as failure:
            spark.sql(SPARK_FUNCTION).write.saveAsTable("out")
        assert f"UnlistedColumnError: {REFUSED}" in str(failure.value)
        assert CELLS.search(str(failure.value).partition(REFUSED)[2]) is None
    finally:
        spark.catalog.dropTempView("people")
    assert state(clinic) == before
    assert [table.name for table in spark.catalog.listTables()] == []


@pytest.mark.everything
def test_the_hint_of_the_table_function_of_spark_names_its_arguments(clinic: Path, spark: Any) -> None:
    from pyspark.errors import PySparkException

    import kanon_sql.spark

    spark.read.parquet(str(clinic / "people.parquet")).createOrReplaceTempView("people")
    kanon_sql.spark.register(spark)
    try:
        with pytest.raises(PySparkException) as failure:
            spark.sql(SPARK_FUNCTION).collect()
        said = str(failure.value).partition(REFUSED)[2]
        ways = "drop => array('person_id', 'name')", "keep => array('person_id', 'name', 'age')"
        assert said.startswith(f"{', or '.join(ways)} to release them on purpose")
        call = SPARK_FUNCTION.removesuffix(")")
        assert spark.sql(f"{call}, {ways[0]})").columns == ["zip", "age", "sex"]
        for way in ways:
            assert spark.sql(f"{call}, {way})").count() == 5000
    finally:
        spark.catalog.dropTempView("people")
