"""Where DuckDB puts parts of large tables: in a private directory, which the next command cleans up after a kill."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from kanon_sql.engines.duckdb.files.staging import staging_directory
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.errors import SourceError


@contextmanager
def private_spilling(db: str, con: Any) -> Iterator[None]:
    """Let a connection spill into a private directory; close the connection before the end.

    By default DuckDB spills into a directory that the umask may open to every user, and raw rows stay there after a SIGKILL. If
    no directory can be made, the default remains: DuckDB cannot write there either.

    Parameters
    ----------
    db : str
        The database: the directory goes next to it, or into the working directory if it is in memory.
    """
    with ExitStack() as stack:
        with suppress(SourceError):
            folder = Path() if db == ":memory:" else Path(db).parent
            private = stack.enter_context(staging_directory(folder.absolute()))
            con.execute(f"SET temp_directory = {literal(str(private / 'spill'))}")
        yield
