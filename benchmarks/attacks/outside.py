"""Columns outside the guarantee: they give suppressed cells back, and single rows out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.csv as csv

from benchmarks.attacks.people import people
from benchmarks.attacks.trials import computed
from benchmarks.attacks.victim import Victim

NAME = "columns outside the guarantee"
KNOWS = "the release"
TRIES = (
    "fills in a suppressed cell from the rows with the same value beside it; counts the rows that the other columns single out"
)
NULL = "none: the rates are computed; guessing takes the value that is shown most often"
SAYS = "nothing: columns that are not listed are released unchanged and not counted"
ADVICE = "list the column too, LINK it with the one that it determines, or leave it out of the SELECT"

ADULT: tuple[str, ...] = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def run(_: int, seed: int, data: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack, on Adult where it is there, else on generated people."""
    path = data / "adult_full.csv.gz"
    if path.exists():
        source = csv.read_csv(path).to_pydict()
        listed, hidden, beside = ADULT, "education", "education-num"
        name = "Adult"
    else:
        source = people(1000, seed)
        listed, hidden, beside = ("zip", "age", "sex"), "zip", "county"
        source["county"] = [f"county {zipcode}" for zipcode in source["zip"]]
        name = "generated people; no data set in the folder of --data"
    with Victim() as victim:
        columns = list(source)
        rows = victim.function(source, f"5, qi := {list(listed)}")
    own, key = columns.index(hidden), columns.index(beside)
    whole = Counter(row[own] for row in rows if row[own] is not None)
    known: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in rows:
        known[row[key]].update(() if row[own] is None else (row[own],))
    truth = dict(zip(source[beside], source[hidden], strict=True))
    empty = [row[key] for row in rows if row[own] is None]
    right = sum((known[value] or whole).most_common(1)[0][0] == truth[value] for value in empty)
    guessing = Counter(truth[value] for value in empty)[whole.most_common(1)[0][0]] / max(len(empty), 1)
    note = f"{len(empty):,} suppressed cells of {hidden}, by {beside}; {name}"
    rate = right / max(len(empty), 1)
    yield computed(NAME, "suppressed cells given back", "open", trials=len(empty), rate=rate, guessing=guessing, note=note)
    others = [place for place, column in enumerate(columns) if column not in listed]
    looks = Counter(tuple(row[place] for place in others) for row in rows)
    unique = sum(count == 1 for count in looks.values()) / len(rows)
    note = "rows whose unlisted columns are in no other row"
    yield computed(NAME, "rows singled out", "open", trials=len(rows), rate=unique, guessing=0.0, note=note)
