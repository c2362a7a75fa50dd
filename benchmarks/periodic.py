"""Twelve months of visits: append, against releasing the whole table again each month, and against one release at the end."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

import kanon_sql

MONTHS, VISITS, K = 12, 5_000, 5

QUASI_IDENTIFIERS = ["zip", "age", "job"]

_POLICY: dict[str, Any] = {"k": K, "quasi_identifiers": QUASI_IDENTIFIERS, "unlisted_limit": 1}

Seen = dict[int, tuple[Any, ...]]
"""By its bill, which is different in each row and released unchanged, the quasi-identifiers of a visit as they are shown."""


def visits(month: int, number: int, seed: int) -> pa.Table:
    """Return the visits of a month: many zip codes and jobs are rare."""
    chance = random.Random(f"{seed} {month}")
    numbers = range(month * number, (month + 1) * number)
    return pa.table(
        {
            "visit": [*numbers],
            "zip": [f"98{int(chance.expovariate(0.1)):03}" for _ in numbers],
            "age": [5 * min(int(chance.gauss(9, 4.5)) % 20, 19) for _ in numbers],
            "job": [f"job {min(int(chance.expovariate(0.15)), 60)}" for _ in numbers],
            "reason": [chance.choice(("flu", "asthma", "ulcer", "stroke", "fall")) for _ in numbers],
            "bill": [each * 7_919 % 1_000_003 for each in numbers],
        }
    )


def candidates(releases: list[Seen]) -> list[int]:
    """Return for each visit how many visits came in the same month and are shown alike in every release.

    Notes
    -----
    The reader diffs all releases: rows are paired by their bills; those that a release is the first to have came in its month.
    """
    told: dict[int, list[Any]] = {}
    for month, release in enumerate(releases):
        for bill, shown in release.items():
            told.setdefault(bill, [month]).append(shown)
    sizes = Counter(map(tuple, told.values()))
    return [sizes[tuple(each)] for each in told.values()]


def measure(months: int = MONTHS, number: int = VISITS, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Yield a record for each batch of append, then one for each way of releasing the same visits."""
    for leftover in ("wait", "suppress"):
        yield from _appended(months, number, seed, leftover)
    yield from _again(months, number, seed)


def _appended(months: int, number: int, seed: int, leftover: str) -> Iterator[dict[str, Any]]:
    releases: list[Seen] = []
    seconds = cells = 0.0
    with kanon_sql.connect(secret="benchmark") as con:
        for month in range(months):
            _load(con, visits(month, number, seed))
            start = time.process_time()
            batch = kanon_sql.append("visits", "released", key="visit", con=con, leftover=leftover, **_POLICY)
            seconds += time.process_time() - start
            certificate = batch.certificate
            assert certificate is not None
            cells += certificate.suppressed_cells
            releases.append(_seen(con.execute("FROM released").fetchall()))
            if leftover == "wait":
                yield {
                    "work": f"batch {month + 1}",
                    "released": batch.released,
                    "waiting": batch.waiting,
                    "loss": certificate.suppressed_cells / certificate.cells,
                    "smallest_class": certificate.smallest_class,
                    "seconds": time.process_time() - start,
                }
    yield _way(f"append, leftover = {leftover}", releases, cells, seconds, months * number)


def _again(months: int, number: int, seed: int) -> list[dict[str, Any]]:
    """Release the whole table again each month; the last release is the one at the end."""
    releases: list[Seen] = []
    seconds = 0.0
    with kanon_sql.connect(secret="benchmark") as con:
        for month in range(months):
            _load(con, visits(month, number, seed))
            start = time.process_time()
            query = (
                f"FROM (SELECT * EXCLUDE (visit) FROM visits) ANONYMIZE BY {', '.join(QUASI_IDENTIFIERS)} GUARANTEE k >= {K} "
                "USING auto (unlisted_limit = 1)"
            )
            releases.append(_seen(con.execute(query).fetchall()))
            last = time.process_time() - start
            seconds += last
        cells = kanon_sql.releases(con)[-1].suppressed_cells
    once = _way("one release at the end", releases[-1:], cells, last, months * number)
    return [_way("monthly releases of all rows", releases, cells, seconds, months * number), once]


def _load(con: Any, table: pa.Table) -> None:
    con.register("arrow", table)
    con.execute("CREATE TABLE IF NOT EXISTS visits AS FROM arrow LIMIT 0; INSERT INTO visits FROM arrow")
    con.unregister("arrow")


def _seen(rows: list[tuple[Any, ...]]) -> Seen:
    return {row[-1]: row[: len(QUASI_IDENTIFIERS)] for row in rows}


def _way(name: str, releases: list[Seen], cells: float, seconds: float, rows: int) -> dict[str, Any]:
    left = candidates(releases)
    released = len(releases[-1])
    return {
        "work": name,
        "released": released,
        "waiting": rows - released,
        "loss": cells / released / len(QUASI_IDENTIFIERS),
        "candidates": min(left),
        "risk": sum(1 / size for size in left) / len(left),
        "below_k": sum(size < K for size in left) / len(left),
        "seconds": seconds,
    }


def show(console: Console, records: list[dict[str, Any]]) -> None:
    """Print the batches, then the ways of releasing."""
    batches = Table(title=f"append, k = {K}, month by month")
    ways = Table(title="The same visits")
    for drawn, names in (
        (batches, ("batch", "released", "waiting", "loss %", "smallest class", "CPU s")),
        (ways, ("way", "released", "waiting", "loss %", "fewest candidates", f"below {K} candidates %", "CPU s")),
    ):
        for name in names:
            drawn.add_column(name, justify="left" if name in ("batch", "way") else "right")
    for each in records:
        shared = (each["work"], f"{each['released']:,}", f"{each['waiting']:,}", f"{100 * each['loss']:.2f}")
        if "candidates" in each:
            ways.add_row(*shared, str(each["candidates"]), f"{100 * each['below_k']:.1f}", f"{each['seconds']:.1f}")
        else:
            batches.add_row(*shared, str(each["smallest_class"]), f"{each['seconds']:.1f}")
    console.print(batches)
    console.print(ways)
