"""Keyed hashes, each under a key for its purpose alone: nobody can compute them without the secret.

- `kanon_keyed_hash(key)`: a number for each row of a split row type.
- `kanon_pseudonym(value)`: a token in the place of an identifier, equal for equal values under one secret.
- `kanon_ledger_token(purpose, text)`: stands for a key, a row or a person, in the ledger of a release that grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.model.secret import PSEUDONYMS

if TYPE_CHECKING:
    import pyarrow as pa


def keyed_hash(session: Session, keys: pa.ChunkedArray) -> pa.Array:
    """Return HMAC-SHA256 of sort keys, cut to 64 bits.

    Parameters
    ----------
    keys : blobs
        Sort keys of rows: their row type, what else they hold, and the number of the copy.
    """
    return numbers(session.secret.numbers("rows of split row types", keys.to_pylist()))


def pseudonym(session: Session, values: pa.ChunkedArray) -> pa.Array:
    """Return the tokens of identifiers.

    Notes
    -----
    Of a billion values, two share a token by chance once in 10^20 times.
    """
    return _tokens(session, PSEUDONYMS, values)


def ledger_token(session: Session, purposes: pa.ChunkedArray, values: pa.ChunkedArray) -> pa.Array:
    """Return the tokens of texts; what they are for is the same for all."""
    return _tokens(session, f"ledger: {purposes[0].as_py()}" if len(values) else "", values)


def _tokens(session: Session, purpose: str, values: pa.ChunkedArray) -> pa.Array:
    """Return 128 bits of HMAC-SHA256 of each text, as 32 hexadecimal digits; NULL for NULL."""
    import pyarrow as pa

    messages = (None if each is None else each.encode("utf-8", "surrogatepass") for each in values.to_pylist())
    return pa.array(session.secret.tokens(purpose, messages), pa.string())


FUNCTIONS = (
    Function(name="kanon_keyed_hash", returns="UBIGINT", call=keyed_hash, arrow=True),
    Function(name="kanon_pseudonym", returns="VARCHAR", call=pseudonym, arrow=True),
    Function(name="kanon_ledger_token", returns="VARCHAR", call=ledger_token, arrow=True),
)
