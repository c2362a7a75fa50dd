"""`k_anonymize(TABLE(t), k, array('zip', ...), array('name', ...))` in plain Spark SQL, for tables that one executor takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kanon_sql.engines.spark.arrow_types import arrow_schema
from kanon_sql.engines.spark.protect_function import NAME, protect_function
from kanon_sql.errors import PolicyError
from kanon_sql.model.secret import secret_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NAME = "k_anonymize"


def register(session: SparkSession, secret: str | bytes | None = None) -> None:
    """Make ``k_anonymize`` and ``protect`` table functions of a session, for small tables.

    In ``k_anonymize(TABLE(t), k, array('zip', ...), array('note', ...))`` the second array is optional. It names the columns
    that are kept, as ``keep`` of `anonymize` does. ``protect(TABLE(t), k, array('region', ...), map('total', 'income'))``
    publishes the cube of some keys; the map is optional, and names sums of whole numbers.

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
    session.udtf.register(NAME, udtf(protect_function()))


def _function(key: bytes) -> type:
    """Return the class of the function; the key is part of it, so each execution draws the same rows."""
    from pyspark.sql.udtf import AnalyzeResult

    class KAnonymize:
        """Collects the rows of a table, and releases them."""

        def __init__(self, analyze_result: Any) -> None:
            self._schema = arrow_schema(analyze_result.schema.fields, _NAME, "anonymize(df, ...)")
            self._rows: list[dict[str, Any]] = []
            self._options: dict[str, Any] = {}

        @staticmethod
        def analyze(table: Any, k: Any, columns: Any, keep: Any = None) -> Any:
            """Return the columns of the table, which has to come whole."""
            constants = [k, columns] if keep is None else [k, columns, keep]
            if not table.isTable or any(each.value is None for each in constants):
                raise PolicyError(f"the arguments are a table and constants; hint: {_NAME}(TABLE(t), 5, array('zip', 'age'))")
            arrow_schema(table.dataType.fields, _NAME, "anonymize(df, ...)")
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
