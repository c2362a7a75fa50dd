"""Known columns: an attacker who knows some columns of everybody, where the release protects against any three."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import kanon_sql
from benchmarks import generated
from benchmarks.attacks.linking import linked
from benchmarks.attacks.trials import computed
from benchmarks.attacks.victim import Rows, Victim

NAME = "known columns"
KNOWS = "some columns of everybody in the table"
TRIES = "looks for the rows that fit a person by these columns and takes one of those that show most"
NULL = "none: the rates are computed, by the worst set of so many columns; guessing takes any row of the table"
SAYS = "k >= 5 FOR ANY 3 COLUMNS: at least 5 rows fit by any 3 columns; by more, nothing"
ADVICE = "count the columns that others can know of one person, and ask for so many"

ROWS, COLUMNS, K, KNOWN = 2000, 8, 5, 3

BATCHES = 4


def by_sets(rows: Rows, people_of_rows: Rows, size: int) -> tuple[float, float]:
    """Return what `linked` does, by the worst set of so many columns."""
    found = [
        linked(*([(*(row[place] for place in chosen), row[-1]) for row in each] for each in (rows, people_of_rows)), size)
        for chosen in combinations(range(COLUMNS), size)
    ]
    return max(rate for rate, _ in found), max(unique for _, unique in found)


def appended(victim: Victim, source: dict[str, list[Any]]) -> Rows:
    """Return the rows that are released batch by batch; those of a batch have successive visits, and none waits."""
    victim.load(source, "everything")
    victim.con.execute("CREATE OR REPLACE TABLE visits AS FROM everything LIMIT 0")
    policy = {"k": K, "known": KNOWN, "quasi_identifiers": list(source)[:COLUMNS], "keep": ["visit"], "unlisted_limit": 1}
    for batch in range(BATCHES):
        victim.con.execute(f"INSERT INTO visits FROM everything WHERE visit * {BATCHES} // {ROWS} = {batch}")
        kanon_sql.append("visits", "appended", key="visit", con=victim.con, **policy)
    return victim.con.raw.execute("FROM appended").fetchall()


def in_batches(rows: Rows, people_of_rows: Rows, size: int) -> tuple[float, float]:
    """Return what `by_sets` does, by the worst batch: the attacker knows in which one each person came."""
    found = [
        by_sets(*([row for row in each if row[-1] * BATCHES // ROWS == batch] for each in (rows, people_of_rows)), size)
        for batch in range(BATCHES)
    ]
    return max(rate for rate, _ in found), max(unique for _, unique in found)


def run(_: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack; the table is the same for every seed."""
    del seed
    source = generated.answers(ROWS, COLUMNS).to_pydict() | {"visit": list(range(ROWS))}
    raw = list(zip(*source.values(), strict=True))
    by = ", ".join(list(source)[:COLUMNS])
    with Victim() as victim:
        rows = victim.clause(source, f"ANONYMIZE BY {by} GUARANTEE k >= {K} FOR ANY {KNOWN} COLUMNS")
        grown = appended(victim, source)
    for size in (KNOWN - 1, KNOWN, KNOWN + 1, COLUMNS):
        rate, unique = by_sets(rows, raw, size)
        note = f"{unique:.1%} of the people fit one row alone"
        told = {"trials": ROWS, "guessing": 1 / ROWS, "note": note}
        knows = f"knows {'all' if size == COLUMNS else 'any'} {size} columns"
        if size <= KNOWN:
            yield computed(NAME, knows, "bound", rate=rate, bound=1 / K, **told)
            yield computed(NAME, f"{knows}: one row alone", "bound", trials=ROWS, rate=unique, guessing=0.0, bound=0.0)
        else:
            without, _ = by_sets(raw, raw, size)
            yield computed(NAME, knows, "open", rate=rate, **told)
            yield computed(NAME, f"{knows}, nothing suppressed", "open", trials=ROWS, rate=without, guessing=1 / ROWS)
    rate, unique = in_batches(grown, raw, KNOWN)
    knows = f"knows any {KNOWN} columns and the batch of {BATCHES}"
    yield computed(NAME, knows, "bound", trials=ROWS, rate=rate, guessing=BATCHES / ROWS, bound=1 / K)
    yield computed(NAME, f"{knows}: one row alone", "bound", trials=ROWS, rate=unique, guessing=0.0, bound=0.0)
