"""`kanon_ledger_token(purpose, text)`: a keyed hash of a key, a row or a person, for the ledger of a release that grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    import pyarrow as pa

PURPOSE = "ledger: {}"


def ledger_token(session: Session, purposes: pa.ChunkedArray, texts: pa.ChunkedArray) -> pa.Array:
    """Return 128 bits of HMAC-SHA256 of each text under a key for its purpose alone, as 32 hexadecimal digits; NULL for NULL.

    Parameters
    ----------
    purposes : texts
        What the tokens are for, the same for all.
    texts : texts
        What they stand for.
    """
    import pyarrow as pa

    if not len(texts):
        return pa.array([], pa.string())
    messages = (None if each is None else each.encode("utf-8", "surrogatepass") for each in texts.to_pylist())
    return pa.array(session.secret.tokens(PURPOSE.format(purposes[0].as_py()), messages), pa.string())


FUNCTION = Function(name="kanon_ledger_token", returns="VARCHAR", call=ledger_token, arrow=True)
