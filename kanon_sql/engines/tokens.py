"""Tokens for what classes show of their own values: these texts may be long, and each is in many pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.built_arrays import numbers, texts
from kanon_sql.errors import SourceError
from kanon_sql.model.validation import as_identifier
from kanon_sql.table.arrays import Int64
from kanon_sql.table.ladder import Label

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(slots=True, kw_only=True)
class Tokens:
    """Short texts that stand for long ones until the rows are handed out."""

    prefix: str  # what each token begins with: it is longer, so no token is what a suppressed cell shows
    memory: int  # bytes that the texts may take in all rows together
    _known: list[tuple[int, str, str]] = field(default_factory=list)
    _bytes: int = 0

    def of(self, place: int, column: str, labels: Sequence[Label], rows: Int64) -> list[Label]:
        """Return a token for what each class shows of a column, the same for the same text, in the order of the texts.

        Parameters
        ----------
        place : int
            The number of the column.
        column : str
            Its name.
        labels : sequence of Label
            What each class shows.
        rows : int64 array
            The rows of each class that show it.

        Raises
        ------
        SourceError
            When the rows would show more bytes than there is memory for.

        Notes
        -----
        O(bytes), and O(c log c) comparisons for c classes. Rows are sorted by tokens as they would be by texts.
        """
        size = np.array([0 if label is None else len(label.encode()) for label in labels], np.int64)
        self._bytes += int(size @ rows)
        if self._bytes > self.memory:
            raise SourceError(
                f"the values released for {as_identifier(column)} would take {_megabytes(self._bytes)}, "
                f"but memory_limit allows {_megabytes(self.memory)}; hint: raise the limit, shorten the column's "
                "values, or use a smaller k"
            )
        distinct = sorted({label for label in labels if label is not None}, key=str.encode)
        width = len(str(len(distinct)))
        token = {text: f"{self.prefix}{rank:0{width}}" for rank, text in enumerate(distinct)}
        self._known += [(place, token[text], text) for text in distinct]
        return [None if label is None else token[label] for label in labels]

    def listed(self) -> pa.Array:
        """Return one list, with a list for each column up to the last, of the token and the text of each."""
        import pyarrow as pa

        places, tokens, words = zip(*self._known, strict=True) if self._known else ((), (), ())
        parts = pa.StructArray.from_arrays([texts(tokens), texts(words)], ["token", "word"])
        ends = np.searchsorted(np.array(places, np.int64), np.arange(max(places, default=0) + 1), "right")
        columns = pa.ListArray.from_arrays(numbers(ends.astype(np.int32)), parts)
        return pa.ListArray.from_arrays(numbers(np.array([0, len(columns)], np.int32)), columns)


def _megabytes(size: int) -> str:
    return f"{max(1, size // 1_000_000):,} MB"
