"""`k_anonymize(TABLE(t), k, array('zip', ...), array('name', ...))` in plain Spark SQL, for tables that one executor takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kanon_sql.engines.spark.arrow_types import arrow_schema
from kanon_sql.engines.spark.protect_function import NAME, protect_function
from kanon_sql.errors import PolicyError
from kanon_sql.model.dropped_columns import dropped_columns, remaining
from kanon_sql.model.policy import Policy
from kanon_sql.model.secret import secret_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NAME, _INSTEAD = "k_anonymize", "anonymize(df, ...)"


def register(session: SparkSession, secret: str | bytes | None = None) -> None:
    """Make ``k_anonymize`` and ``protect`` table functions of a session, for small tables.

    ``k_anonymize(TABLE(t), k, array('zip', ...))`` also takes ``keep``, ``drop``, ``per`` and ``per_row`` of `anonymize`, by
    their names: ``drop => array('name')``. ``protect(TABLE(t), k, array('region', ...), map('total', 'income'))`` publishes the
    cube of some keys; the map is optional, and names sums of whole numbers. It takes ``per`` and ``per_row``, too.

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
    from pyspark.sql.types import StructType
    from pyspark.sql.udtf import AnalyzeResult

    @dataclass(kw_only=True)
    class Analyzed(AnalyzeResult):  # type: ignore[misc]
        """The columns of the release, with those of the source, what is guaranteed and what is left out."""

        source: StructType
        policy: Policy
        drop: list[str] | None

    class KAnonymize:
        """Collects the rows of a table, and releases them."""

        def __init__(self, analyze_result: Analyzed) -> None:
            self._schema = arrow_schema(analyze_result.source.fields, _NAME, _INSTEAD)
            self._policy, self._drop = analyze_result.policy, analyze_result.drop
            self._rows: list[dict[str, Any]] = []

        @staticmethod
        def analyze(
            table: Any, k: Any, qi: Any, keep: Any = None, drop: Any = None, per: Any = None, per_row: Any = None
        ) -> Any:
            """Return the columns of the release; the source has to come whole."""
            constants = [each for each in (k, qi, keep, drop, per, per_row) if each is not None]
            if not table.isTable or any(each.value is None for each in constants):
                raise PolicyError(f"the arguments are a table and constants; hint: {_NAME}(TABLE(t), 5, array('zip', 'age'))")
            arrow_schema(table.dataType.fields, _NAME, _INSTEAD)
            policy = Policy.of(
                k=k.value, quasi_identifiers=qi.value, keep=_value(keep), per=_value(per), per_row=_value(per_row) or False
            )
            columns = [field.name for field in table.dataType.fields]
            left = remaining(columns, dropped_columns(_value(drop), policy, columns))
            policy.resolve(left)
            shown = set(remaining(left, policy.dropped))
            return Analyzed(
                schema=StructType([field for field in table.dataType.fields if field.name in shown]),
                withSinglePartition=True,
                source=table.dataType,
                policy=policy,
                drop=_value(drop),
            )

        def eval(self, row: Any, *_: Any, **__: Any) -> None:
            """Take a row."""
            self._rows.append(row.asDict())

        def terminate(self) -> Iterator[tuple[Any, ...]]:
            """Yield the released rows."""
            from kanon_sql.engines.duckdb.release.anonymization import released

            if self._rows:
                table = pa.Table.from_pylist(self._rows, self._schema)
                found = released(table, self._policy, self._drop, surface="spark function", secret=key)
                for row in found.table.to_pylist():
                    yield tuple(row.values())

    return KAnonymize


def _value(argument: Any) -> Any:
    return None if argument is None else argument.value
