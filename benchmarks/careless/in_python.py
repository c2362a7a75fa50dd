"""Python: `kanon_sql.anonymize`, and counts by `kanon_sql.protect`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

import kanon_sql
from benchmarks.careless.judge import UNKNOWN, Release, texts
from benchmarks.careless.refusals import SECRET, refusals
from benchmarks.careless.request import Request
from benchmarks.careless.table import Table


class Python:
    """``kanon_sql.anonymize`` of an Arrow table."""

    def prepare(self, _table: Table, random: np.random.Generator, request: Request) -> Request:
        """Ask for all columns, half of the time without naming a sensitive one."""
        return request if random.random() < 0.5 else replace(request, sensitive=None)

    def release(self, table: Table, request: Request) -> Release:
        """Release a table, or raise `RefusedError`."""
        given = table.arrow.select(replace(request, dropped=()).columns(table))
        options: dict[str, Any] = {"quasi_identifiers": list(request.by), "algorithm": "greedy", "secret": SECRET}
        if request.sensitive is not None:
            options |= {"sensitive": request.sensitive, "l": 2}
        if request.per is not None:
            options["per"] = request.per
        if request.dropped:
            options["drop"] = [each for each in request.dropped if each != request.per]
        with refusals():
            made = kanon_sql.anonymize(given, request.k, **options)
        ordered = kanon_sql.anonymize(given, request.k, **options, row_order="source").table
        return released(request, made.table, given.column_names, ordered)


class ProtectPython:
    """``kanon_sql.protect`` of an Arrow table."""

    def prepare(self, _table: Table, _random: np.random.Generator, request: Request) -> Request:
        """Ask for counts by two or three keys."""
        return replace(request, by=request.by[:3], sensitive=None)

    def release(self, table: Table, request: Request) -> Release:
        """Publish counts, or raise `RefusedError`."""
        given = keyed(table, request.by).select(replace(request, dropped=()).columns(table))
        options: dict[str, Any] = {} if request.per is None else {"per": request.per}
        if request.measure is not None and request.measure != request.per:
            options["measures"] = {"kanon_total": request.measure}
        with refusals():
            made = kanon_sql.protect(given, by=list(request.by), k=request.k, time_limit=5, **options)
        return Release(made.table, request.by, seen=tuple(given.column_names), counts="n")


def keyed(table: Table, keys: tuple[str, ...]) -> pa.Table:
    """Return a table in which keys of counts are texts without NULL, as the error about NULL asks."""
    found = table.arrow
    for name in keys:
        cells = [UNKNOWN if cell is None else cell for cell in texts(found[name])]
        found = found.set_column(found.column_names.index(name), name, pa.array(cells))
    return found


def released(request: Request, rows: pa.Table, seen: list[str], ordered: pa.Table | None) -> Release:
    """Return a release of a request."""
    sensitive = () if request.sensitive is None else (request.sensitive,)
    return Release(rows, request.by, sensitive, tuple(seen), ordered=ordered)
