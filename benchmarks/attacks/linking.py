"""Linking: a table of the population with names, joined to the release by the quasi-identifiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

from benchmarks.attacks.people import QUASI_IDENTIFIERS, people
from benchmarks.attacks.trials import computed
from benchmarks.attacks.victim import Rows, Victim

NAME = "linking"
KNOWS = "zip code, age, sex and name of everybody in the table"
TRIES = "looks for the rows that fit a person and takes one of those that show most"
NULL = "none: the rate is computed; guessing takes any row of the table"
SAYS = "k >= 5: at least 5 rows fit, and of those that show the same none is likelier"
ADVICE = "list every column that others can know behind BY"

ROWS = 2000
COLUMNS = 3


def linked(rows: Rows, people_of_rows: Rows, columns: int = COLUMNS) -> tuple[float, float]:
    """Return the probability of taking the right row by the first columns, and the share of people whom one row alone fits."""
    classes = Counter(row[:columns] for row in rows)
    shown = {row[-1]: row[:columns] for row in rows}
    right = unique = 0.0
    for person in people_of_rows:
        cells = product(*((value, None) for value in person[:columns]))
        fitting = {each: classes[each] for each in cells if classes[each]}
        closest = min(fitting, key=lambda each: (sum(cell is None for cell in each), fitting[each]))
        right += (closest == shown[person[-1]]) / fitting[closest]
        unique += sum(fitting.values()) == 1
    return right / len(people_of_rows), unique / len(people_of_rows)


def run(_: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    source = people(ROWS, seed)
    raw = list(zip(*source.values(), strict=True))
    rate, unique = linked(raw, raw)
    note = f"{unique:.1%} of the people fit one row alone"
    yield computed(NAME, "names dropped, nothing suppressed", "open", trials=ROWS, rate=rate, guessing=1 / ROWS, note=note)
    with Victim() as victim:
        for k in (2, 5, 20):
            rate, unique = linked(victim.function(source, f"{k}, qi := {QUASI_IDENTIFIERS}"), raw)
            note = f"{unique:.1%} of the people fit one row alone"
            yield computed(NAME, f"k = {k}", "bound", trials=ROWS, rate=rate, guessing=1 / ROWS, bound=1 / k, note=note)
            yield computed(NAME, f"k = {k}: one row alone", "bound", trials=ROWS, rate=unique, guessing=0.0, bound=0.0)
