"""`protect(TABLE(t), k, array('region', ...))` in plain Spark SQL, for tables that one executor takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kanon_sql.engines.spark.arrow_types import arrow_schema
from kanon_sql.errors import PolicyError, SourceError, UnknownColumnError
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from pyspark.sql.types import StructField, StructType

NAME = "protect"

_WHOLE = ("ByteType", "ShortType", "IntegerType", "LongType")


def protect_function() -> type:
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
                raise PolicyError(f"the arguments are a table and constants; hint: {NAME}(TABLE(t), 5, array('region', 'sex'))")
            sums = {} if measures is None else dict(measures.value)
            shown = StructType()
            if per is not None:
                _field(table.dataType, per.value)
            for name in by.value:
                shown.add(name, _field(table.dataType, name).dataType)
            arrow_schema(shown.fields, NAME, "protect(df, ...)")
            for name in sums.values():
                if type(_field(table.dataType, name).dataType).__name__ not in _WHOLE:
                    raise SourceError(f"{NAME} adds up whole numbers only; hint: kanon_sql.spark.protect(df, ...)")
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
            keys = arrow_schema(self._shown[: len(self._by)], NAME, "protect(df, ...)")
            schema = pa.schema(list((self._kinds | dict(zip(map(same_name, keys.names), keys.types, strict=True))).items()))
            rows = pa.Table.from_pylist(self._rows, schema)
            for row in protected(rows, self._by, self._options, surface="spark function").table.to_pylist():
                yield tuple(row.values())

    return Protect


def _field(kind: StructType, name: str) -> StructField:
    found = next((each for each in kind.fields if same_name(each.name) == same_name(name)), None)
    if found is None:
        raise UnknownColumnError.of(name, [each.name for each in kind.fields], NAME)
    return found
