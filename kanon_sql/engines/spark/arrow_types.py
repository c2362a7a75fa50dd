"""Types whose values are the same as objects of Python: what the table functions take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from kanon_sql.errors import SourceError
from kanon_sql.model.validation import as_identifier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql.types import StructField

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


def arrow_schema(fields: Iterable[StructField], function: str, instead: str) -> pa.Schema:
    """Return the types of columns as those of Arrow.

    Raises
    ------
    SourceError
        When a function does not take one of them; ``instead`` names what does.
    """
    found = []
    for field in fields:
        kind = type(field.dataType).__name__
        if kind not in _ARROW:
            raise SourceError(
                f"{function} does not take the type of {as_identifier(field.name)}; hint: kanon_sql.spark.{instead}"
            )
        found.append((field.name, _ARROW[kind]))
    return pa.schema(found)
