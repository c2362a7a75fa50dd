"""`kanon_pseudonym(value)`: a token in the place of an identifier, equal for equal values under one secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.model.secret import PSEUDONYMS

if TYPE_CHECKING:
    import pyarrow as pa


def pseudonym(session: Session, values: pa.ChunkedArray) -> pa.Array:
    """Return 128 bits of HMAC-SHA256 of each text under a key for this purpose alone, as 32 hexadecimal digits; NULL for NULL.

    Parameters
    ----------
    values : texts
        The identifiers.

    Notes
    -----
    Of a billion values, two share a token by chance once in 10^20 times.
    """
    import pyarrow as pa

    texts = (None if each is None else each.encode("utf-8", "surrogatepass") for each in values.to_pylist())
    return pa.array(session.secret.tokens(PSEUDONYMS, texts), pa.string())


FUNCTION = Function(name="kanon_pseudonym", returns="VARCHAR", call=pseudonym, arrow=True)
