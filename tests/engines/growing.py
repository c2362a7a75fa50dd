"""A table that grows, and an independent checker of its release: plain Python over what the tables hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

LEDGER, BATCHES = "kanon_ledger_released", "kanon_batches_released"


def state(con: Any) -> list[Any]:
    """Return all that an append may write."""
    found: list[Any] = []
    for table in ("released", LEDGER, BATCHES):
        there = con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [table]).fetchall() == [(1,)]
        found.append(sorted(con.execute(f"FROM {table}").fetchall(), key=repr) if there else None)
    return found


def added(before: Sequence[tuple[Any, ...]], after: Sequence[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """Return the rows that a release has got, none of which it may have lost."""
    assert not Counter(before) - Counter(after)
    return Counter(after) - Counter(before)


def check_batch(batch: Counter[tuple[Any, ...]], source: Counter[tuple[Any, ...]], qis: int, k: int) -> None:
    """Check a batch against the rows of the source that it may be made of: classes of k rows, and each row shown as it is.

    Rows have ``qis`` quasi-identifiers first, then a value that is different in each row and released unchanged.
    """
    classes: Counter[tuple[Any, ...]] = Counter()
    for row, number in batch.items():
        classes[row[:qis]] += number
    assert not classes or min(classes.values()) >= k
    origin = {row[-1]: row for row in source}
    assert len(origin) == source.total()
    assert batch.total() == len({row[-1] for row in batch})
    for row in batch:
        assert all(shown is None or shown == own for shown, own in zip(row, origin[row[-1]], strict=True))
