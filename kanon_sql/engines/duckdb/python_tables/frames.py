"""What a release needs of a table in Python, whatever library holds it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.python_tables.conversions import converted, unreadable
from kanon_sql.table.arrays import Int64

if TYPE_CHECKING:
    import pyarrow as pa


class Frame(ABC):
    """A table whose columns are known by their place; its rows are given back by their number, so no value is converted."""

    names: list[str]  # the columns as SQL calls them
    rows: int  # number of rows

    def column(self, place: int) -> pa.ChunkedArray:
        """Return a column as Arrow: equal values there are equal values here.

        Raises
        ------
        SourceError
            When there is no exact way to Arrow.
        """
        return converted(lambda: self.exact_values(place), unreadable(self.names[place], self.kind(place)))

    @abstractmethod
    def kind(self, place: int) -> str:
        """Return what a column's type is called, without any value that the type lists."""

    @abstractmethod
    def values(self, place: int) -> pa.ChunkedArray:
        """Return a column as Arrow, or raise whatever the library raises; different values may be equal there."""

    @abstractmethod
    def order(self, place: int) -> list[str] | None:
        """Return the texts that a column's type puts in an order of its own, in that order; None where it does not."""

    def exact_values(self, place: int) -> pa.ChunkedArray:
        """Return a column as Arrow, or raise where values would be altered."""
        return self.values(place)

    @abstractmethod
    def objects(self, place: int) -> list[Any]:
        """Return the cells of a column as Python objects."""

    @abstractmethod
    def taken(self, place: int, rows: Int64) -> Any:
        """Return the cells of a column in these rows, exactly as they are."""

    @abstractmethod
    def shown(self, place: int, values: pa.ChunkedArray) -> Any:
        """Return a quasi-identifier of the release in the type of the source, without values that no row shows.

        Parameters
        ----------
        place : int
            The column.
        values : ChunkedArray
            Its cells, in the Arrow type of `column`; NULL where they are suppressed.
        """

    @abstractmethod
    def made(self, values: pa.ChunkedArray) -> Any:
        """Return a column that has become texts, or means as 64-bit floats."""

    @abstractmethod
    def table(self, columns: Mapping[int, Any]) -> Any:
        """Return a table of the kind of the source with these columns, without its index and metadata."""
