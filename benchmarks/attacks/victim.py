"""Who makes the releases: a DuckDB instance with a secret that the attacker does not know."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

import kanon_sql
from kanon_sql.certificate import Certificate

Rows = list[tuple[Any, ...]]

_PERMITTED = 1
"""The limit of a column without a role: the tables number their rows, so that an attack can tell them apart."""


class Victim:
    """Releases tables called ``source`` under one secret.

    Parameters
    ----------
    name : str
        Whose secret; the same name has the same one.
    secret : bytes, optional
        The secret itself.
    """

    def __init__(self, name: str = "victim", secret: bytes | None = None) -> None:
        self._secret = hashlib.sha256(name.encode()).digest() if secret is None else secret
        self.con = kanon_sql.connect(secret=self._secret)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.con.close()

    def load(self, columns: Mapping[str, Sequence[Any]], name: str = "source") -> None:
        """Give the connection a table; an older one of this name goes."""
        self.con.raw.register("arrow", pa.table(dict(columns)))
        self.con.raw.execute(f"CREATE OR REPLACE TABLE {name} AS FROM arrow")
        self.con.raw.unregister("arrow")

    def function(self, columns: Mapping[str, Sequence[Any]], arguments: str, *, source_order: bool = False) -> Rows:
        """Return the rows of ``k_anonymize('source', arguments)`` in the order in which they come."""
        option = f", unlisted_limit := {_PERMITTED}" + (", row_order := 'source'" if source_order else "")
        self.load(columns)
        return self.con.raw.execute(f"FROM k_anonymize('source', {arguments}{option})").fetchall()

    def clause(self, columns: Mapping[str, Sequence[Any]], clause: str) -> Rows:
        """Return the rows of ``SELECT * FROM source`` with an ANONYMIZE clause behind it."""
        self.load(columns)
        rows: Rows = self.con.execute(f"SELECT * FROM source {clause} USING auto (unlisted_limit = {_PERMITTED})").fetchall()
        return rows

    def python(self, columns: Mapping[str, Sequence[Any]], **policy: Any) -> Rows:
        """Return the rows of ``kanon_sql.anonymize``."""
        table = kanon_sql.anonymize(pa.table(dict(columns)), **policy, unlisted_limit=_PERMITTED, secret=self._secret).table
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    @property
    def certificate(self) -> Certificate:
        """The certificate of the last release."""
        return self.con.session.releases[-1]
