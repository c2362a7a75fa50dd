"""The protected tables that one DuckDB instance has released, in the order of their release."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.earlier_tables import EarlierTable
from kanon_sql.engines.cells.table_release import TableRelease


class ProtectedTables:
    """What later tables of the same source have to respect.

    Notes
    -----
    Only one table is solved at a time: each has to know those before it.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._released: list[TableRelease] = []
        self.certificates: list[TableCertificate] = []

    @property
    def countings(self) -> list[Counting]:
        """Return what was counted for each table that was released."""
        return [each.released.counting for each in self._released]

    @contextmanager
    def turn(self) -> Iterator[Sequence[EarlierTable]]:
        """Give the tables that were released before, while no other table is solved."""
        with self._turn:
            yield tuple(each.released for each in self._released)

    def add(self, release: TableRelease) -> TableCertificate:
        """Keep a table that passed the gate, once; the same table once more has the same certificate."""
        new = release.released
        alike = [
            each
            for each in self._released
            if each.released.repeats(new) and np.array_equal(each.released.suppressed, new.suppressed)
        ]
        if not alike:
            self._released.append(release)
        shown = (new.tabulation, new.protection)
        same = next((each for each in alike if (each.released.tabulation, each.released.protection) == shown), release)
        certificate = replace(same.certificate, number=len(self.certificates) + 1)
        self.certificates.append(certificate)
        return certificate
