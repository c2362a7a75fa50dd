"""Conversions between libraries: their errors quote cells, so none of them is passed on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import duckdb

from kanon_sql.engines.duckdb.connect.resources import MEANINGS
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.errors import KanonError, SourceError

_Result = TypeVar("_Result")

TWICE = "a column name occurs twice (SQL ignores case); hint: rename one of them"


def converted(convert: Callable[[], _Result], refusal: str) -> _Result:
    """Return what ``convert`` returns.

    Raises
    ------
    SourceError
        With the text ``refusal``, in place of any error but a `KanonError`; nothing is left of that error, no context either.
    """
    failure: KanonError = SourceError(refusal)
    with suppress(Exception):
        try:
            return convert()
        except KanonError as error:
            failure = error
    raise failure


def unreadable(name: str, kind: object) -> str:
    """Return the refusal of a column whose values cannot be given to DuckDB and taken back unchanged."""
    return (
        f'the column "{name}" of type {kind} cannot be read exactly; hint: cast it to text, or to a type that DuckDB supports'
    )


def answer_of(session: Session, ask: Callable[[], _Result]) -> _Result:
    """Return the answer to a question to DuckDB that makes a release.

    Raises
    ------
    KanonError
        What went wrong inside a function, in the audit, or that DuckDB could not run the statement; DuckDB's own message may
        quote a cell.
    """
    failure: KanonError
    try:
        return ask()
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        failure = session.failures.cause_of(str(error)) or SourceError(
            f"DuckDB could not run the release: {MEANINGS.get(type(error).__name__, 'its message may quote a cell')}; hint: "
            "release the table with kanon_sql.connect() to see which statement fails"
        )
    raise failure
