"""Any error as one line for people, without a value."""

from __future__ import annotations

from kanon_sql.engines.duckdb.connect.resources import is_out_of_memory, system_words, way_out
from kanon_sql.engines.duckdb.files.places import plain
from kanon_sql.errors import InternalError, KanonError


def error_line(error: Exception) -> str:
    """Return the line about an error that a person reads."""
    if isinstance(error, KanonError):
        return error.on_command_line()
    if isinstance(error, OSError):
        return f"{f'{error.filename}: ' if error.filename else ''}{system_words(error)}"
    if is_out_of_memory(error):
        return f"there is not enough memory; hint: {way_out(error)}"
    if type(error).__module__.partition(".")[0] in ("duckdb", "_duckdb"):
        return plain(error)
    return str(InternalError.of(error))
