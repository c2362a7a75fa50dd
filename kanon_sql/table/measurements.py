"""The numbers of a column that is microaggregated: exact, whatever its type, so that no sum depends on an order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.errors import PolicyError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Aggregate, Means
from kanon_sql.table.ladder import Label
from kanon_sql.table.numbers import exact
from kanon_sql.table.sensitive_values import moment

if TYPE_CHECKING:
    import pyarrow as pa

GRAIN = Fraction(1, 10**9)
"""Losses of a column are rounded up to so many cells: their exact fractions have denominators of hundreds of digits."""

_LARGEST = 1e292
"""A sum of 10^16 numbers up to this one is a DOUBLE still, and so is their mean."""


def measurable(policy: Policy, texts: Mapping[str, pa.Array], types: pa.StructType) -> dict[str, pa.Array]:
    """Return the texts of generalized columns, those of means and medians as `exact_texts`.

    Parameters
    ----------
    policy : Policy
        Resolved.
    texts : mapping of StringArray [t]
        For each column of `Policy.generalized`, and maybe others, the text of its value in each row type.
    types : StructType
        The columns and their types.

    Raises
    ------
    PolicyError
        When a column has no such numbers; the message names the column.
    """
    found = dict(texts)
    for name, recoding in policy.aggregated.items():
        try:
            found[name] = exact_texts(texts[name], types.field(name).type, recoding)
        except PolicyError as error:
            raise_alone(error.within(f'the column "{name}"'))
    return found


def exact_texts(texts: pa.Array, kind: pa.DataType, recoding: Aggregate) -> pa.Array:
    """Return the values of a column as texts that say them exactly: 0.1 as a DOUBLE is 0.1000000000000000055...

    Parameters
    ----------
    texts : StringArray [t]
        The values as DuckDB writes them.
    kind : DataType
        The Arrow type of the column.
    recoding : Aggregate
        What classes show.

    Raises
    ------
    PolicyError
        When the column has no numbers (for medians: no dates either), or some that are not finite; the message counts them.
    """
    import pyarrow as pa

    if pa.types.is_floating(kind):
        encoded = texts.dictionary_encode()
        single = kind.bit_width == 32
        values = [float(np.float32(text)) if single else float(text) for text in encoded.dictionary.to_pylist()]
        endless = sum(not math.isfinite(value) for value in values)
        if endless:
            raise PolicyError(f"{endless} of its {len(values)} values are infinite or NaN; hint: exclude these rows")
        _check_sums(values, recoding)
        written = pa.array([format(Decimal(value + 0.0), "f") for value in values], pa.string())
        return pa.DictionaryArray.from_arrays(encoded.indices, written).dictionary_decode()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        _check_written(texts.unique().drop_null().to_pylist(), recoding)
        return texts
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return texts
    if isinstance(recoding, Means):
        raise PolicyError("a mean needs numbers; hint: use MEDIANS for dates, and RANGES or SETS for other types")
    if pa.types.is_date(kind) or (pa.types.is_timestamp(kind) and kind.tz is None and kind.unit != "ns"):
        return texts
    raise PolicyError(
        "a median needs numbers or dates; hint: cast the column to a number, DATE or TIMESTAMP, or use RANGES or SETS"
    )


def _check_written(texts: Sequence[str], recoding: Aggregate) -> None:
    """Refuse texts that are not all numbers, nor, for medians, all dates."""
    numbers = [exact(text) for text in texts]
    wrong = numbers.count(None)
    if not isinstance(recoding, Means):
        wrong = min(wrong, sum(moment(text) is None for text in texts))
    if wrong:
        what = "numbers" if isinstance(recoding, Means) else "numbers or dates"
        raise PolicyError(f"{wrong} of its {len(texts)} values are not {what}; hint: use RANGES or SETS")
    _check_sums([value for value in numbers if value is not None], recoding)


def _check_sums(values: Sequence[float | Fraction], recoding: Aggregate) -> None:
    """Refuse numbers whose sum may be too large to be shown; a median is none."""
    large = sum(not -_LARGEST <= value <= _LARGEST for value in values) if isinstance(recoding, Means) else 0
    if large:
        raise PolicyError(f"{large} of its {len(values)} values are above 1e292; hint: exclude these rows, or use MEDIANS")


def numbers_of(labels: Sequence[Label]) -> list[Fraction]:
    """Return the number of each value of a column, the microseconds up to a date; of NULL, which is the last, 0.

    Raises
    ------
    PolicyError
        When a date is not between the years 1 and 9999.

    Examples
    --------
    >>> numbers_of(["1.5", "2", None])
    [Fraction(3, 2), Fraction(2, 1), Fraction(0, 1)]
    """
    known = [text for text in labels if text is not None]
    for read in (exact, moment):
        found = [read(text) for text in known]
        if None not in found:
            return [*(value for value in found if value is not None), *([Fraction(0)] * (len(labels) - len(known)))]
    raise PolicyError("some values are outside the years 1 to 9999, or too large; hint: exclude these rows")
