"""The kinds of tables: what happens to people again and again, and lists of single people as the control."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

import numpy as np

from benchmarks.careless.people import Crowd, Numbers
from benchmarks.careless.table import Column

Columns = list[Column]


def about(crowd: Crowd, key: str, *, keyed: bool, personal: tuple[str, ...]) -> Columns:
    """Return the columns that describe the person: the key, names, contacts, birth date, attributes."""
    random, found = crowd.random, Columns()
    if keyed:
        found += crowd.keys(key)
    if random.random() < 0.6:
        found += crowd.names()
    kinds = tuple(each for each, share in (("email", 0.3), ("phone", 0.2), ("street", 0.25)) if random.random() < share)
    found += crowd.contacts(kinds)
    if random.random() < 0.5:
        found.append(crowd.born())
    count = int(random.integers(2, len(personal) + 1))
    chosen = sorted(random.choice(len(personal), count, replace=False))
    return found + crowd.personal(tuple(personal[each] for each in chosen))


def visits(crowd: Crowd, keyed: bool) -> Columns:
    """Return visits of patients."""
    random, rows = crowd.random, len(crowd.person)
    usual = random.integers(0, 14, crowd.count)[crowd.person]  # people come with what they have
    other = random.integers(0, 14, rows)
    codes = [f"{'EIJKM'[int(each) % 5]}{10 + int(each)}" for each in (usual if random.random() < 0.5 else other)]
    return [
        *about(crowd, "patient", keyed=keyed, personal=("zip", "city", "sex", "job", "marital", "nation", "age")),
        *_event(crowd),
        crowd.column("diagnosis", "category", list(codes)),
        *_sometimes(
            crowd, 0.6, lambda: crowd.column("cost", "measure", [int(each) for each in random.integers(20, 900, rows)])
        ),
        *_sometimes(crowd, 0.3, lambda: _notes(crowd)),
    ]


def orders(crowd: Crowd, keyed: bool) -> Columns:
    """Return orders of customers."""
    random, rows = crowd.random, len(crowd.person)
    products, shops = random.integers(0, 60, rows), random.integers(0, 12, rows)
    return [
        *about(crowd, "customer", keyed=keyed, personal=("zip", "city", "sex", "age", "income")),
        *_event(crowd),
        crowd.column("product", "category", [f"A{int(each):03}" for each in products]),
        crowd.column("shop", "group", [int(each) + 1 for each in shops]),
        crowd.column("quantity", "measure", [int(each) for each in random.integers(1, 6, rows)]),
        *_sometimes(
            crowd, 0.5, lambda: crowd.column("cost", "measure", [float(each) / 4 for each in random.integers(4, 400, rows)])
        ),
    ]


def payroll(crowd: Crowd, keyed: bool) -> Columns:
    """Return employees by months."""
    random = crowd.random
    crowd.day = crowd.turn * 30
    wage = random.integers(40, 160, crowd.count)[crowd.person] * 50
    months = [f"{2024 + int(each) // 12}-{1 + int(each) % 12:02}" for each in crowd.turn]
    return [
        *about(crowd, "employee", keyed=keyed, personal=("sex", "job", "zip", "age", "marital", "nation")),
        crowd.column("department", "group", crowd.of_person([f"D{int(each)}" for each in random.integers(1, 9, crowd.count)])),
        crowd.column("month", "event", list(months), blank=False),
        crowd.column("salary", "measure", [int(each) for each in wage + 10 * (crowd.turn // 12)]),
    ]


def logins(crowd: Crowd, keyed: bool) -> Columns:
    """Return log-ins of users."""
    random, rows = crowd.random, len(crowd.person)
    devices = random.integers(0, 5, crowd.count)[crowd.person]
    addresses = [f"10.{each // 250}.{each % 250}.{int(last)}" for each, last in enumerate(random.integers(1, 250, crowd.count))]
    return [
        *about(crowd, "user", keyed=keyed, personal=("age", "sex", "city", "nation", "job")),
        _moments(crowd),
        *_sometimes(crowd, 0.6, lambda: crowd.column("address", "contact", crowd.of_person(list(addresses)))),
        crowd.column("device", "category", [("phone", "laptop", "tablet", "desktop", "tv")[int(each)] for each in devices]),
        crowd.column("outcome", "category", [("ok", "ok", "ok", "failed")[int(each)] for each in random.integers(0, 4, rows)]),
    ]


def classes(crowd: Crowd, keyed: bool) -> Columns:
    """Return pupils with class and teacher: a row is a person."""
    random = crowd.random
    room = crowd.drifting(max(2, crowd.count // 24), 0.0)
    teacher = [f"{crowd.given_of(int(each) % crowd.count)} T{int(each)}" for each in room // 2]
    return [
        *about(crowd, "subject", keyed=keyed, personal=("age", "sex", "zip", "nation", "city")),
        crowd.column("class", "group", [f"{1 + int(each) % 12}{'abcd'[int(each) % 4]}{int(each)}" for each in room]),
        *_sometimes(crowd, 0.6, lambda: crowd.column("teacher", "group", list(teacher))),
        crowd.column("grade", "category", [int(each) for each in random.integers(1, 7, crowd.count)]),
    ]


def households(crowd: Crowd, keyed: bool) -> Columns:
    """Return members of households, which share address and income."""
    random = crowd.random
    home = random.integers(0, max(2, crowd.count // 3), crowd.count)
    place, income = random.integers(0, 40, home.max() + 1)[home], random.integers(0, 4, home.max() + 1)[home]
    crowd.family = random.integers(0, 96, home.max() + 1)[home]  # a family has one name
    words = ("<20k", "20-40k", "40-60k", ">60k")
    return [
        crowd.column("household", "group", [int(each) + 100 for each in home], blank=False),
        *about(crowd, "subject", keyed=keyed, personal=("age", "sex", "job", "marital")),
        crowd.column("zip", "personal", [f"{20_000 + 41 * int(each)}" for each in place]),
        crowd.column("income", "personal", [words[int(each)] for each in income]),
        *_sometimes(
            crowd,
            0.5,
            lambda: crowd.column("diagnosis", "category", [f"I{int(each)}" for each in random.integers(10, 19, crowd.count)]),
        ),
    ]


def survey(crowd: Crowd, keyed: bool) -> Columns:
    """Return answers of single people; answers and attributes follow one another."""
    random = crowd.random
    hidden = random.normal(size=crowd.count)
    answers = [
        crowd.column(
            "answer", "category", [int(each) for each in (hidden * 1.2 + random.normal(size=crowd.count) + 3).clip(1, 5)]
        )
        for _ in range(int(random.integers(2, 7)))
    ]
    return [
        *about(crowd, "subject", keyed=keyed, personal=("age", "sex", "zip", "city", "job", "marital", "nation", "smoker")),
        *answers,
        *_sometimes(
            crowd, 0.4, lambda: crowd.column("cost", "measure", [int(each) for each in random.integers(1, 60, crowd.count)])
        ),
    ]


def families(crowd: Crowd, keyed: bool) -> Columns:
    """Return members of families with one name and one address, which no number of the household tells."""
    random = crowd.random
    home = random.integers(0, max(2, crowd.count // 3), crowd.count)
    homes = int(home.max()) + 1
    crowd.family = random.integers(0, 96, homes)[home]
    street, place = random.integers(1, 400, homes)[home], random.integers(0, 40, homes)[home]
    income, nation = random.integers(0, 4, homes)[home], random.integers(0, 6, homes)[home]
    return [
        *about(crowd, "subject", keyed=keyed, personal=("age", "sex", "job", "marital")),
        *_sometimes(crowd, 0.5, lambda: crowd.column("street", "contact", [f"{int(each)} Elm Street" for each in street])),
        crowd.column("zip", "personal", [f"{20_000 + 41 * int(each)}" for each in place]),
        crowd.column("city", "personal", [f"Town {int(each) % 9}" for each in place]),
        crowd.column("income", "personal", [("<20k", "20-40k", "40-60k", ">60k")[int(each)] for each in income]),
        crowd.column("nation", "personal", [("DE", "FR", "PL", "IT", "TR", "NL")[int(each)] for each in nation]),
    ]


def register(crowd: Crowd, keyed: bool) -> Columns:
    """Return single people whose attributes nearly follow from one another: job, income, shop and place."""
    random, count = crowd.random, crowd.count
    noise = float(random.choice([0.0, 0.02, 0.1, 0.3]))
    place = random.integers(0, int(random.integers(10, 120)), count)

    def follows(values: int, of: Numbers) -> Numbers:
        """Return numbers that follow from others, but for some of the people."""
        other = random.integers(0, values, count)
        return np.where(random.random(count) < noise, other, of * 7919 % values)

    job, shop = follows(12, place), follows(30, place)
    income = follows(4, job)
    return [
        *about(crowd, "subject", keyed=keyed, personal=("age", "sex", "marital", "smoker")),
        crowd.column("zip", "personal", [f"{20_000 + 41 * int(each)}" for each in place]),
        crowd.column("city", "personal", [f"Town {int(each) % 9}" for each in follows(60, place)]),
        crowd.column("job", "personal", [f"job {int(each)}" for each in job]),
        crowd.column("income", "personal", [("<20k", "20-40k", "40-60k", ">60k")[int(each)] for each in income]),
        crowd.column("shop", "group", [int(each) + 1 for each in shop]),
        crowd.column("department", "group", [f"D{int(each)}" for each in follows(40, job)]),
    ]


REPEATED: dict[str, Callable[[Crowd, bool], Columns]] = {
    "visits": visits,
    "orders": orders,
    "payroll": payroll,
    "log-ins": logins,
}
SINGLE: dict[str, Callable[[Crowd, bool], Columns]] = {"classes": classes, "households": households, "survey": survey}
CONTROL = SINGLE | {"families": families, "register": register}
"""Lists of single people alone, by which false refusals are counted."""


def _sometimes(crowd: Crowd, share: float, made: Callable[[], Column]) -> Columns:
    return [made()] if crowd.random.random() < share else []


def _event(crowd: Crowd) -> Columns:
    """Return what numbers the rows, and when it was."""
    rows = len(crowd.person)
    numbers = [int(each) for each in 1 + crowd.random.permutation(rows)]
    return [
        *_sometimes(crowd, 0.4, lambda: crowd.column("event", "event", list(numbers), blank=False)),
        *_sometimes(crowd, 0.6, lambda: _days(crowd)),
    ]


def _days(crowd: Crowd) -> Column:
    days = [date(2020, 1, 1) + timedelta(days=int(each)) for each in crowd.day]
    written: list[object] = list(days) if crowd.random.random() < 0.6 else [each.isoformat() for each in days]
    return crowd.column("when", "event", written)


def _moments(crowd: Crowd) -> Column:
    seconds = crowd.day * 86_400 + crowd.random.integers(0, 86_400, len(crowd.person))
    return crowd.column("when", "event", [datetime(2020, 1, 1) + timedelta(seconds=int(each)) for each in seconds])


def _notes(crowd: Crowd) -> Column:
    """Return notes: a few words that repeat, or texts that name the person."""
    rows = len(crowd.person)
    if crowd.random.random() < 0.4:
        words = ("ok", "follow-up", "referred", "no show", "stable")
        return crowd.column("text", "category", [words[int(each)] for each in crowd.random.integers(0, 5, rows)])
    full = crowd.full()
    return crowd.column(
        "text",
        "text",
        [
            f"Spoke with {full[place]} on the phone, {turn + 1}. call, will come again next week"
            for place, turn in zip(crowd.person, crowd.turn, strict=True)
        ],
    )
