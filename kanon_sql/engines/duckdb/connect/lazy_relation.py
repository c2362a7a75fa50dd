"""A lazy relation over a release: its errors are reported without values, whenever it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.engines.duckdb.connect.caller import as_caller
from kanon_sql.engines.duckdb.connect.failures import RequestedStatement, error_to_raise
from kanon_sql.errors import raise_alone

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.engines.duckdb.connect.session import Session


def run(session: Session, requested: RequestedStatement, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call what may run a statement; return its result, guarded where it runs later.

    Parameters
    ----------
    requested : RequestedStatement
        The statement; a release that shows when it is bound is noted there.
    call : callable
        What to call, with ``arguments`` and ``options``.
    """
    bound = session.binding.touched
    try:
        with session.announcements.waiting(), session.search.statement():
            result = call(*map(_bare, arguments), **{name: _bare(value) for name, value in options.items()})
    except Exception as error:
        requested.released = requested.released or session.binding.touched != bound
        cause = error_to_raise(error, requested, session)
        if cause is None:
            raise
        raise_alone(cause)
    requested.released = requested.released or session.binding.touched != bound
    return _guarded(session, requested, result) if requested.released else result


def _bare(value: Any) -> Any:
    return value.bare if type(value) is Relation else value


def _guarded(session: Session, requested: RequestedStatement, result: Any) -> Any:
    kind = type(result)
    if isinstance(result, duckdb.DuckDBPyRelation) or kind.__name__ == "GroupedRelation":
        return Relation(session, requested, result)
    if kind.__name__ == "RecordBatchReader":
        return _reader(session, requested, result)
    if kind.__name__ == "LazyFrame":  # polars would tell the error itself, when it collects
        return run(session, requested, result.collect).lazy()
    if isinstance(result, Iterator):
        return _rows(session, requested, result)
    return result


def _rows(session: Session, requested: RequestedStatement, rows: Iterator[Any]) -> Iterator[Any]:
    end = object()
    while (row := run(session, requested, next, rows, end)) is not end:
        yield row


def _reader(session: Session, requested: RequestedStatement, reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
    import pyarrow as pa

    return pa.RecordBatchReader.from_batches(reader.schema, _rows(session, requested, reader))


class Relation:
    """A relation of DuckDB over a release; everything that it does is DuckDB's own, but for the words of its errors.

    Attributes
    ----------
    bare : DuckDBPyRelation
        The relation itself.
    """

    __slots__ = ("_requested", "_session", "bare")

    def __init__(self, session: Session, requested: RequestedStatement, bare: Any) -> None:
        self._session, self._requested, self.bare = session, requested, bare

    __class__ = property(lambda self: type(self.bare))  # isinstance takes it for what it stands for

    def __getattr__(self, name: str) -> Any:
        value = run(self._session, self._requested, getattr, self.bare, name)
        if not callable(value) or type(value) is Relation:
            return value

        def call(*arguments: Any, **options: Any) -> Any:
            given = (*arguments, *options.values())
            if self._requested.everything is not None and not all(each is None or isinstance(each, int) for each in given):
                self._requested.everything()  # a text may call a macro
            return run(self._session, self._requested, as_caller, value, *arguments, **options)

        return call

    def __getitem__(self, name: Any) -> Any:
        return run(self._session, self._requested, self.bare.__getitem__, name)

    def __contains__(self, name: object) -> bool:
        return name in self.bare

    def __len__(self) -> int:
        return run(self._session, self._requested, len, self.bare)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return run(self._session, self._requested, repr, self.bare)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return run(self._session, self._requested, str, self.bare)  # type: ignore[no-any-return]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        table = run(self._session, self._requested, self.bare.to_arrow_table)
        return table.__arrow_c_stream__(requested_schema)
