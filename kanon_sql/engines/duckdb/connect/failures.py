"""What is reported of an error that DuckDB raises while it runs a release: its own words may quote cells of the source."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.engines.duckdb.connect.first_use import RELEASES
from kanon_sql.engines.duckdb.connect.remembered_failures import worded
from kanon_sql.engines.duckdb.connect.resources import MEANINGS, way_out
from kanon_sql.engines.duckdb.connect.wrong_arguments import for_the_other, unknown_argument
from kanon_sql.errors import ClauseError, KanonError, KanonWarning, SourceError, UnknownColumnError

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.connect.session import Session

HINT = "run its query without the release to see DuckDB's own message, which may quote values"

_SPEAKING = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ConnectionException,
    duckdb.DependencyException,
    duckdb.IOException,
    duckdb.NotImplementedException,
    duckdb.OutOfMemoryException,
    duckdb.ParserException,
    duckdb.PermissionException,
    duckdb.SyntaxException,
    duckdb.TransactionException,
)
"""Errors about names, types, files and memory; all others may quote a cell."""

_HARMLESS = re.compile("Invalid Input Error: (?:Cannot execute statement of type|Values were not provided for)")
"""What else is about the statement: that the database is read-only, that a parameter is missing."""

_QUOTING = re.compile(r'ENUM\(|"?kanon#|\bkanon_')
"""A type that lists its values, or a text that the program generated."""

_PASSED_ON = (duckdb.InterruptException, KanonError, KanonWarning, AttributeError, ImportError, TypeError)
"""What is wrong with the call, not with the data."""

_INTERRUPTED = "Query interrupted"
"""What DuckDB says of Ctrl-C while it hands over rows."""

_PLACE = re.compile(r"\n(?P<head>LINE \d+: )(?P<excerpt>[^\n]*)\n(?P<before> *)\^")

_LACKING = re.compile(r'Referenced table "([^"]+)" not found!\s+Candidate tables: "kanon#columns"')
"""What DuckDB says where a population lacks a column, in a query that a function has written."""

_MORE = re.compile(r"\n\n|\n\s*(?:LINE \d|Candidate functions)")
"""What follows the first paragraph: the excerpt, and every function of that name."""

_OURS_MEANT = re.compile(r' Did you mean "(?:[^"]*kanon[_#]|pg_|duckdb_|sqlite_|information_schema)[^"]*"\?')
"""A guess that names a table of ours, such as that of the policies, or of DuckDB."""

_KIND = re.compile(r"[A-Z][A-Za-z /-]* Error")


@dataclass(slots=True)
class RequestedStatement:
    """A statement that a connection runs."""

    text: str = ""  # the statement as the user wrote it
    # whether there is a release in it, as far as is known: a view may hold one, which shows when it is bound
    released: bool = False
    # makes the macros that are not there yet, before somebody writes SQL that we do not see
    everything: Callable[[], None] | None = None

    @classmethod
    def of(cls, written: object, sent: object) -> RequestedStatement:
        """Return what is known of a statement before it runs, given what was written and what is sent to DuckDB."""
        text = written if isinstance(written, str) else ""
        return cls(text=text, released=written != sent or _releases().search(text) is not None)


@cache
def _releases() -> re.Pattern[str]:
    """Return a pattern for what a statement without the clause calls to release or to label."""
    return re.compile(rf"\b(?:{'|'.join(RELEASES)})\b", re.IGNORECASE)


def error_to_raise(error: Exception, statement: RequestedStatement, session: Session) -> KanonError | KeyboardInterrupt | None:
    """Return the error to raise in the place of one that a statement failed with; None lets that through as it is.

    Parameters
    ----------
    session : Session
        Knows the errors of our own functions, of which DuckDB hands on the text.
    """
    if isinstance(error, duckdb.Error):
        cause = session.failures.cause_of(str(error))
        if cause is not None:
            return _located(cause, statement.text)
        wrong = _mistake(error, statement.text)
        if wrong is not None:
            return wrong
    if isinstance(error, RuntimeError) and str(error) == _INTERRUPTED:
        return KeyboardInterrupt()
    if not statement.released or isinstance(error, _PASSED_ON):
        return None
    if not isinstance(error, duckdb.Error) or _is_broken(statement.text):
        why = ": the text contains half of a surrogate pair" if _is_broken(statement.text) else ""
        return SourceError(f"the rows of the release could not be returned{why}; hint: fetch them as an Arrow table")
    where = _place(str(error), statement.text)
    return SourceError(f"DuckDB could not run the statement: {spoken(error)}{where}; hint: {way_out(error) or HINT}")


def spoken(error: duckdb.Error) -> str:
    """Return what may be reported of an error of DuckDB: its first paragraph where it is about names, else its kind alone."""
    words = _OURS_MEANT.sub("", " ".join(_MORE.split(worded(str(error)), maxsplit=1)[0].split()))
    kind = _KIND.match(words)
    if (isinstance(error, _SPEAKING) or _HARMLESS.match(words)) and not _QUOTING.search(words):
        return words[kind.end() :].lstrip(": ") if kind else words
    return MEANINGS.get(type(error).__name__, "its message is not shown")


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _place(message: str, text: str) -> str:
    """Return where in the user's own text an error points to; the excerpt itself is not reported."""
    found = _PLACE.search(message)
    if found is None:
        return ""
    cut = 3 * found["excerpt"].startswith("...")
    shown = found["excerpt"][cut:].removesuffix("...")
    if not shown.strip() or text.count(shown) != 1:
        return ""
    start = text.index(shown) + max(0, len(found["before"]) - len(found["head"]) - cut)
    return f" at line {text.count(chr(10), 0, start) + 1}, column {start - text.rfind(chr(10), 0, start)}"


def _mistake(error: duckdb.Error, text: str) -> KanonError | None:
    """Return the error for a word that is nearly one of the clause, or for a wrong argument of a function of ours."""
    if isinstance(error, duckdb.ParserException):
        from kanon_sql.clause import not_our_word  # sqlglot is only loaded where DuckDB has refused the text

        return not_our_word(text)
    if isinstance(error, duckdb.ConversionException):
        return for_the_other(text, str(error))
    if not isinstance(error, duckdb.BinderException):
        return None
    if (lacking := _LACKING.search(str(error))) is not None:
        hint = "list only columns of both tables, as in qi := ['zip', 'age']"
        return SourceError(f"{lacking[1]} lacks one of the quasi-identifiers; hint: {hint}")
    return unknown_argument(text, str(error))


def _located(cause: KanonError, text: str) -> KanonError:
    """Return an error about a column of a clause as one that says where the clause names it."""
    if not isinstance(cause, UnknownColumnError) or "anonymiz" not in text.casefold():
        return cause
    from kanon_sql.clause import place_of  # sqlglot is only loaded where the word occurs

    try:
        found = place_of(cause.column, text, str(cause))
    except ClauseError:  # the text was no clause after all
        return cause
    return found or cause
