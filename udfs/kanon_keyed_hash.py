"""`kanon_keyed_hash(key)`: a number for each row of a split row type that nobody can compute without the secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    import pyarrow as pa

PURPOSE = "rows of split row types"


def keyed_hash(session: Session, keys: pa.ChunkedArray) -> pa.Array:
    """Return HMAC-SHA256 of sort keys under a key for this purpose alone, cut to 64 bits.

    Parameters
    ----------
    keys : blobs
        Sort keys of rows: their row type, what else they hold, and the number of the copy.
    """
    return numbers(session.secret.numbers(PURPOSE, keys.to_pylist()))


FUNCTION = Function(name="kanon_keyed_hash", returns="UBIGINT", call=keyed_hash, arrow=True)
