"""By what a reader tells whether a report is about the tables in their hands."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kanon_sql.engines.duckdb.names import quoted

_ROWS = """SELECT system.main.sha256(coalesce(system.main.string_agg(hash, '' ORDER BY hash ASC NULLS LAST), ''))
    FROM (
        SELECT system.main.sha256(CAST(system.main.to_json(system.main.list_value(*COLUMNS(*))) AS VARCHAR)) AS hash
        FROM (SELECT CAST(COLUMNS(*{without}) AS VARCHAR) FROM {table})
    )"""


def rows_hash(con: Any, table: str, without: Sequence[str] = ()) -> str:
    """Return the SHA-256 of the sorted rows of a table: of the sorted SHA-256 hashes of all rows, one behind the other.

    Parameters
    ----------
    table : str
        A table of it.
    without : sequence of str
        Columns that do not count.

    Notes
    -----
    A row counts as the JSON list of its cells as texts. Time O(n log n); memory 64 bytes a row.
    """
    left_out = f" EXCLUDE ({', '.join(map(quoted, without))})" if without else ""
    return str(con.execute(_ROWS.format(table=quoted(table), without=left_out)).fetchall()[0][0])


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, as ``sha256sum`` does."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
