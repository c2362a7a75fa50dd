"""Composition: several releases of the same people, each of which keeps its guarantee."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.attacks import split_rows
from benchmarks.attacks.people import Columns, people
from benchmarks.attacks.trials import Expected, Trial, computed, sampled
from benchmarks.attacks.victim import Rows, Victim

NAME = "composition"
KNOWS = "two releases of the same people, and a person's quasi-identifiers"
TRIES = "intersects what the two releases permit"
NULL = "the second release tells nothing beyond the first"
SAYS = "nothing: k, l and t are statements about one table"
ADVICE = "one release for all readers; if the same people are released again, the same policy and the same secret"

ROWS = 300


def run(tables: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    with Victim() as victim, Victim("another secret") as other:
        yield two_policies(victim, seed)
        yield two_ks(victim, seed)
        yield two_dates(victim, max(tables // 10, 1), seed)
        yield from two_secrets(victim, other, max(tables // 5, 1), seed)
        yield learned(victim, max(tables // 10, 1), seed)


def two_policies(victim: Victim, seed: int) -> dict[str, Any]:
    """Release by zip code and by age: the disease must fit both."""
    source = people(ROWS, seed)
    diseases = source["disease"]
    by_zip = victim.clause(source, "ANONYMIZE BY zip GUARANTEE k >= 5 AND l(disease) >= 2")
    by_age = victim.clause(source, "ANONYMIZE BY age GUARANTEE k >= 5 AND l(disease) >= 2")
    right = single = certain = 0.0
    for zipcode, age, own in zip(source["zip"], source["age"], diseases, strict=True):
        first = _diseases(by_zip, 0, zipcode)
        second = _diseases(by_age, 1, age)
        whole = Counter(diseases)
        both = Counter({name: first[name] * second[name] / whole[name] for name in first if second[name]})
        right += own == max(both, key=lambda name: (both[name], name))
        single += own == max(first, key=lambda name: (first[name], name))
        certain += len(both) == 1
    note = f"one disease left for {certain / ROWS:.1%}; guessing has the release by zip code alone"
    return computed(NAME, "two policies", "open", trials=ROWS, rate=right / ROWS, guessing=single / ROWS, note=note)


def _diseases(rows: Rows, column: int, value: int) -> Counter[Any]:
    """Return the diseases of the rows that show the value, or of those that hide theirs where none shows it."""
    shown = Counter(row[3] for row in rows if row[column] == value)
    return shown or Counter(row[3] for row in rows if row[column] is None)


def two_ks(victim: Victim, seed: int) -> dict[str, Any]:
    """Release with k = 20, then with k = 5: a number that is different in every row pairs them."""
    source = people(ROWS, seed)
    strict, loose = (victim.function(source, f"{k}, qi := ['zip', 'age', 'sex']") for k in (20, 5))
    cells = {row[-1]: row[:3] for row in loose}
    hidden = [(row[-1], place) for row in strict for place in range(3) if row[place] is None]
    read = sum(cells[visit][place] is not None for visit, place in hidden)
    guess = {
        place: max(Counter(row[place] for row in strict if row[place] is not None).values(), default=0) for place in range(3)
    }
    shown = {place: sum(row[place] is not None for row in strict) for place in range(3)}
    guessing = sum(guess[place] / max(shown[place], 1) for _, place in hidden) / len(hidden)
    note = "share of the cells that k = 20 hides and k = 5 shows; a unique column is kept"
    return computed(NAME, "two k", "open", trials=len(hidden), rate=read / len(hidden), guessing=guessing, note=note)


def two_dates(victim: Victim, newcomers: int, seed: int) -> dict[str, Any]:
    """Release before and after one person came: the disease counted once more is that person's."""
    source = people(ROWS, seed)
    right = guessing = 0.0
    for place in range(newcomers):
        earlier: Columns = {name: values[:place] + values[place + 1 :] for name, values in source.items()}
        first, second = (
            Counter(row[3] for row in victim.function(each, "5, qi := ['zip', 'age', 'sex']")) for each in (earlier, source)
        )
        right += list((second - first).elements()) == [source["disease"][place]]
        guessing += max(second.values()) / ROWS
    note = "the sensitive column is released unchanged, so its counts differ by the newcomer's value"
    return computed(
        NAME, "two dates", "open", trials=newcomers, rate=right / newcomers, guessing=guessing / newcomers, note=note
    )


def two_secrets(victim: Victim, other: Victim, tables: int, seed: int) -> Iterator[dict[str, Any]]:
    """Release a split row type twice: B's row is suppressed both times, a row of A with two secrets by chance alone."""
    chance = random.Random(seed)
    sources = [split_rows.table(chance, 2**40) for _ in range(tables)]
    first = [split_rows.released(victim, source) for source in sources]
    cases: list[tuple[str, Victim, Expected, str]] = [
        ("one secret", victim, "chance", ""),
        ("two secrets", other, "success", "positive control: B's row is in both releases, a row of A hardly"),
    ]
    for name, again, expected, note in cases:
        second = [split_rows.released(again, source, split_rows.K + 1) for source in sources]
        trials = (_both(both, source, chance) for *both, source in zip(first, second, sources, strict=True))
        yield sampled(NAME, f"split rows released with k = 4 and k = 5, {name}", expected, trials, note)


def _both(releases: Sequence[Rows], columns: dict[str, list[Any]], chance: random.Random) -> Trial:
    """Guess one of the rows that are suppressed in every release."""
    hidden = [{d for zipcode, d in rows if zipcode is None} for rows in releases]
    common = sorted(set.intersection(*hidden))
    return Trial(hit=chance.choice(common) == split_rows.value_of_b(columns), chance=1 / split_rows.K)


def learned(victim: Victim, series: int, seed: int) -> dict[str, Any]:
    """Release twelve tables of other people with a column of few values: the suppressed rows of A may follow its values."""
    chance = random.Random(seed)
    trials = []
    for _ in range(series):
        shown: Counter[int] = Counter()
        hidden: Counter[int] = Counter()
        for _ in range(12):
            for zipcode, d in split_rows.released(victim, split_rows.table(chance, 5)):
                (hidden if zipcode is None else shown)[d] += 1
        last = split_rows.table(chance, 5)
        rows = Counter(d for zipcode, d in split_rows.released(victim, last) if zipcode is None)
        guess = min(rows, key=lambda d: (hidden[d] / (hidden[d] + shown[d] or 1), d))
        best = max(rows.values()) / split_rows.K
        trials.append(Trial(hit=guess == split_rows.value_of_b(last), chance=rows[guess] / split_rows.K, best=best))
    note = "guesses the value that is suppressed least often in twelve earlier releases under the same secret"
    return sampled(NAME, "split rows, learned from earlier tables", "open", trials, note)
