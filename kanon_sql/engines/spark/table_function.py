"""`k_anonymize(TABLE(t), k, array('zip', ...), array('name', ...))` in plain Spark SQL, for tables that one executor takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.secret import secret_of
from kanon_sql.model.validation import as_identifier

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

_NAME = "k_anonymize"

_ARROW = {
    "BooleanType": pa.bool_(),
    "ByteType": pa.int8(),
    "ShortType": pa.int16(),
    "IntegerType": pa.int32(),
    "LongType": pa.int64(),
    "DoubleType": pa.float64(),
    "StringType": pa.string(),
    "DateType": pa.date32(),
}
"""Types whose values are the same as objects of Python."""


def register(session: SparkSession, secret: str | bytes | None = None) -> None:
    """Make ``k_anonymize(TABLE(t), k, array('zip', ...), array('note', ...))`` a table function of a session, for small tables.

    The second array is optional. It names the columns that are kept, as ``keep`` of `anonymize` does.

    Parameters
    ----------
    session : SparkSession
        The session. Its executors need kanon-sql.
    secret : str or bytes, optional
        As for `anonymize`.

    Notes
    -----
    All rows go to one executor, which releases and audits them with DuckDB. Spark computes the rows again where it needs
    them: they are the same as long as the source is. For what is published use `anonymize`, which returns what was written.

    Examples
    --------
    >>> kanon_sql.spark.register(spark)  # doctest: +SKIP
    >>> spark.sql("SELECT * FROM k_anonymize(TABLE(patients), 5, array('zip', 'age'))")  # doctest: +SKIP
    """
    from pyspark.sql.functions import udtf

    session.udtf.register(_NAME, udtf(_function(secret_of(secret).derived("table function of Spark"))))


def _function(key: bytes) -> type:
    """Return the class of the function; the key is part of it, so each execution draws the same rows."""
    from pyspark.sql.udtf import AnalyzeResult

    class KAnonymize:
        """Collects the rows of a table, and releases them."""

        def __init__(self, analyze_result: Any) -> None:
            self._schema = _arrow_schema(analyze_result.schema)
            self._rows: list[dict[str, Any]] = []
            self._options: dict[str, Any] = {}

        @staticmethod
        def analyze(table: Any, k: Any, columns: Any, keep: Any = None) -> Any:
            """Return the columns of the table, which has to come whole."""
            constants = [k, columns] if keep is None else [k, columns, keep]
            if not table.isTable or any(each.value is None for each in constants):
                raise PolicyError(f"the arguments are a table and constants; hint: {_NAME}(TABLE(t), 5, array('zip', 'age'))")
            _arrow_schema(table.dataType)
            return AnalyzeResult(schema=table.dataType, withSinglePartition=True)

        def eval(self, row: Any, k: int, columns: list[str], keep: list[str] | None = None) -> None:
            """Take a row."""
            self._rows.append(row.asDict())
            self._options = {"k": k, "quasi_identifiers": columns, "keep": keep}

        def terminate(self) -> Iterator[tuple[Any, ...]]:
            """Yield the released rows."""
            from kanon_sql.engines.duckdb.anonymization import anonymize

            if self._rows:
                table = pa.Table.from_pylist(self._rows, self._schema)
                released = anonymize(table, secret=key, **self._options).table
                for row in released.to_pylist():
                    yield tuple(row.values())

    return KAnonymize


def _arrow_schema(kind: StructType) -> pa.Schema:
    for field in kind.fields:
        if type(field.dataType).__name__ not in _ARROW:
            raise SourceError(
                f"{_NAME} does not take the type of {as_identifier(field.name)}; hint: kanon_sql.spark.anonymize(df, ...)"
            )
    return pa.schema([(field.name, _ARROW[type(field.dataType).__name__]) for field in kind.fields])
