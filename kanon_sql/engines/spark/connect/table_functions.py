"""`k_anonymize(TABLE(t), 5, array('zip'))` and `protect(TABLE(t), 5, array('region'))` in plain Spark SQL, for small tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kanon_sql.errors import PolicyError, SourceError, UnknownColumnError
from kanon_sql.model.dropped_columns import dropped_columns, remaining
from kanon_sql.model.policy import Policy
from kanon_sql.model.secret import secret_of
from kanon_sql.model.validation import as_identifier, same_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructField, StructType

_ANONYMIZE, _PROTECT = "k_anonymize", "protect"

_INSTEAD = {_ANONYMIZE: "anonymize(df, ...)", _PROTECT: "protect(df, ...)"}

_WHOLE = ("ByteType", "ShortType", "IntegerType", "LongType")

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

    session.udtf.register(_ANONYMIZE, udtf(_anonymize_function(secret_of(secret).derived("table function of Spark"))))
    session.udtf.register(_PROTECT, udtf(_protect_function()))


def _anonymize_function(key: bytes) -> type:
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
            self._schema = arrow_schema(analyze_result.source.fields, _ANONYMIZE)
            self._policy, self._drop = analyze_result.policy, analyze_result.drop
            self._rows: list[dict[str, Any]] = []

        @staticmethod
        def analyze(
            table: Any, k: Any, qi: Any, keep: Any = None, drop: Any = None, per: Any = None, per_row: Any = None
        ) -> Any:
            """Return the columns of the release; the source has to come whole."""
            constants = [each for each in (k, qi, keep, drop, per, per_row) if each is not None]
            if not table.isTable or any(each.value is None for each in constants):
                raise PolicyError(
                    f"the arguments must be a table and constants; hint: write {_ANONYMIZE}(TABLE(t), 5, array('zip', 'age'))"
                )
            arrow_schema(table.dataType.fields, _ANONYMIZE)
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


def arrow_schema(fields: Iterable[StructField], function: str) -> pa.Schema:
    """Return the types of columns as those of Arrow.

    Raises
    ------
    SourceError
        When a function does not take one of them.
    """
    found = []
    for field in fields:
        kind = type(field.dataType).__name__
        if kind not in _ARROW:
            raise SourceError(
                f"{function} does not support the type of {as_identifier(field.name)}; hint: use "
                f"kanon_sql.spark.{_INSTEAD[function]}"
            )
        found.append((field.name, _ARROW[kind]))
    return pa.schema(found)


def _protect_function() -> type:
    """Return the class of the function; the table follows from the rows alone, so it is the same whenever it is computed."""
    from pyspark.sql.types import LongType, StructType
    from pyspark.sql.udtf import AnalyzeResult

    class Protect:
        """Collects the rows of a table, and publishes counts of them."""

        def __init__(self, analyze_result: Any) -> None:
            self._shown = analyze_result.schema.fields
            self._rows: list[dict[str, Any]] = []
            self._by: list[str] = []
            self._options: dict[str, Any] = {}
            self._kinds: dict[str, Any] = {}

        @staticmethod
        def analyze(table: Any, k: Any, by: Any, measures: Any = None, per: Any = None, per_row: Any = None) -> Any:
            """Return the columns of the protected table; the source has to come whole."""
            constants = [each for each in (k, by, measures, per, per_row) if each is not None]
            if not table.isTable or any(each.value is None for each in constants):
                raise PolicyError(
                    f"the arguments must be a table and constants; hint: write {_PROTECT}(TABLE(t), 5, array('region', 'sex'))"
                )
            sums = {} if measures is None else dict(measures.value)
            shown = StructType()
            if per is not None:
                _field(table.dataType, per.value)
            for name in by.value:
                shown.add(name, _field(table.dataType, name).dataType)
            arrow_schema(shown.fields, _PROTECT)
            for name in sums.values():
                if type(_field(table.dataType, name).dataType).__name__ not in _WHOLE:
                    raise SourceError(f"{_PROTECT} sums whole numbers only; hint: use kanon_sql.spark.protect(df, ...)")
            for name in ("n", *sums):
                shown.add(name, LongType())
            return AnalyzeResult(schema=shown, withSinglePartition=True)

        def eval(
            self,
            row: Any,
            k: int,
            by: list[str],
            measures: dict[str, str] | None = None,
            per: str | None = None,
            per_row: bool = False,
        ) -> None:
            """Take a row; columns that are not counted are evidence of whom it describes, as texts."""
            named = {same_name(name) for name in (*by, *(measures or {}).values())}
            values = {same_name(name): value for name, value in row.asDict().items()}
            self._rows.append({name: value if name in named or value is None else str(value) for name, value in values.items()})
            summed = [same_name(name) for name in (measures or {}).values()]
            self._options = {"k": k, "measures": measures, "per": per, "per_row": per_row}
            self._by = by
            self._kinds = dict.fromkeys(values, pa.string()) | dict.fromkeys(summed, pa.int64())

        def terminate(self) -> Iterator[tuple[Any, ...]]:
            """Yield the rows of the protected table."""
            from kanon_sql.engines.duckdb.cells.protecting import protected

            if not self._rows:
                return
            keys = arrow_schema(self._shown[: len(self._by)], _PROTECT)
            schema = pa.schema(list((self._kinds | dict(zip(map(same_name, keys.names), keys.types, strict=True))).items()))
            rows = pa.Table.from_pylist(self._rows, schema)
            for row in protected(rows, self._by, self._options, surface="spark function").table.to_pylist():
                yield tuple(row.values())

    return Protect


def _field(kind: StructType, name: str) -> StructField:
    found = next((each for each in kind.fields if same_name(each.name) == same_name(name)), None)
    if found is None:
        raise UnknownColumnError.of(name, [each.name for each in kind.fields], _PROTECT)
    return found
