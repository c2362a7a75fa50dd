"""People, and the columns that describe them: row by row, because some move, change their job and grow older."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.careless.naming import Namer
from benchmarks.careless.table import Column, Meaning
from benchmarks.careless.words import CITIES, FAMILY, GIVEN, JOBS, SEXES, STREETS

Numbers = NDArray[np.int64]

MANY = 1 << 30
"""More rows than a person has."""


class Crowd:
    """The people of one table, and the rows that are about them.

    Parameters
    ----------
    random : numpy.random.Generator
        Draws everything.
    namer : Namer
        Names the columns.
    language : int
        Of names, cities and jobs.
    person : int64 [rows]
        The person of each row; rows of one person come in the order of time.
    turn : int64 [rows]
        How many rows of the person come before it.

    Attributes
    ----------
    day : int64 [rows]
        When it was; rows of one person come in this order.
    moves : float
        Share of the people who move, and of those who change their job, once each.
    """

    def __init__(self, random: np.random.Generator, namer: Namer, language: int, person: Numbers, turn: Numbers) -> None:
        self.random, self.namer, self.language, self.person, self.turn = random, namer, language, person, turn
        self.count = int(person.max()) + 1
        self.given = random.integers(0, len(GIVEN[language]), self.count)
        shared = random.random() < 0.5  # families share their name, and a crowd has few names
        self.family = random.integers(0, 12 * 8 if not shared else 12, self.count)
        self.moves = float(random.choice([0.0, 0.0, 0.1, 0.3]))
        span = int(random.choice([90, 365, 2000]))
        days = random.integers(0, span, len(person))
        self.day: Numbers = days[np.lexsort((days, person))]
        self._years: Numbers | None = None
        self._blank = float(random.choice([0.0, 0.0, 0.01, 0.05]))
        self._sloppy = float(random.choice([0.0, 0.0, 0.02, 0.06]))

    def column(self, meaning: str, about: Meaning, cells: list[object], *, blank: bool = True) -> Column:
        """Return a column of cells for each row, some of them NULL."""
        if blank and self._blank:
            there = self.random.random(len(cells)) >= self._blank
            cells = [cell if keep else None for cell, keep in zip(cells, there, strict=True)]
        return Column(self.namer.name(meaning), about, pa.array(cells))

    def of_person(self, values: Sequence[object]) -> list[object]:
        """Return for each row the value of its person."""
        return [values[place] for place in self.person]

    def drifting(self, values: int, share: float) -> Numbers:
        """Return for each row a number below ``values`` that a person keeps, or changes once if the person is of this share."""
        random = self.random
        skewed = np.minimum(random.integers(0, values, self.count), random.integers(0, values, self.count))
        rows = np.bincount(self.person, minlength=self.count)
        change = np.where(random.random(self.count) < share, random.integers(0, np.maximum(rows, 1)) + 1, MANY)
        later = random.integers(0, values, self.count)
        return np.where(self.turn >= change[self.person], later[self.person], skewed[self.person])

    def keys(self, meaning: str) -> list[Column]:
        """Return the key: numbers, texts, UUIDs, hashes, or two columns together."""
        random, numbers = self.random, self.random.permutation(self.count)
        kind = str(random.choice(["number", "wide", "text", "uuid", "hash", "two"]))
        if kind == "two":
            sites = int(random.integers(2, 6))
            site, number = numbers % sites, numbers // sites + 1
            cells = [f"{'ABCDEF'[each]}{each + 1}" for each in site]
            return [
                self.column("site", "group", self.of_person(cells), blank=False),
                self.column(meaning, "part", self.of_person([int(each) for each in number]), blank=False),
            ]
        salt = int(random.integers(0, 2**31))
        spelled = {
            "number": lambda each: each + 1000,
            "wide": lambda each: 10_000_000 + each * 7919 % 89_999_999,
            "text": lambda each: f"P-{each:05}",
            "uuid": lambda each: str(uuid.UUID(int=hash_of(salt, each))),
            "hash": lambda each: f"{hash_of(salt, each):032x}",
        }[kind]
        return [self.column(meaning, "key", self.of_person([spelled(int(each)) for each in numbers]), blank=False)]

    def full(self) -> list[str]:
        """Return the full name of each person; names repeat."""
        return [f"{self.given_of(place)} {self.family_of(place)}" for place in range(self.count)]

    def given_of(self, place: int) -> str:
        """Return the given name of a person."""
        return str(GIVEN[self.language][self.given[place]])

    def family_of(self, place: int) -> str:
        """Return the family name of a person."""
        number = int(self.family[place])
        told = FAMILY[self.language][number % 12]
        return told if number < 12 else f"{told}-{FAMILY[self.language][number // 12]}"

    def names(self) -> list[Column]:
        """Return a full name, or given and family name; some are spelled in another way."""
        if self.random.random() < 0.5:
            return [self.column("name", "name", self._spelled(self.full()))]
        return [
            self.column("given", "name", self._spelled([self.given_of(each) for each in range(self.count)])),
            self.column("family", "name", self._spelled([self.family_of(each) for each in range(self.count)])),
        ]

    def _spelled(self, values: list[str]) -> list[object]:
        """Return a name for each row, some in capitals, with a space behind it, or with another accent."""
        chances = self.random.random(len(self.person))
        return [
            told if chance >= self._sloppy else (told.upper(), f"{told} ", told.replace("e", "é", 1))[int(1e6 * chance) % 3]
            for told, chance in zip((values[place] for place in self.person), chances, strict=True)
        ]

    def contacts(self, kinds: tuple[str, ...]) -> list[Column]:
        """Return e-mail, telephone or street."""
        ids = range(self.count)
        made = {
            "email": lambda: [f"{plain(self.given_of(each))}.{plain(self.family_of(each))}{each}@example.org" for each in ids],
            "phone": lambda: [f"+49 171 {int(each):07}" for each in self.random.choice(9_999_999, self.count, replace=False)],
            "street": lambda: [STREETS[self.language].format(each) for each in self.random.integers(1, 400, self.count)],
        }
        return [self.column(kind, "contact", self.of_person(list(made[kind]()))) for kind in kinds]

    def born(self) -> Column:
        """Return dates of birth, as dates, timestamps or texts."""
        days = self.random.integers(0, 365 * 65, self.count)
        self._years = 2024 - 1938 - days // 365
        dates = [date(1938, 1, 1) + timedelta(days=int(each)) for each in days]
        spelled = str(self.random.choice(["date", "iso", "dots", "slashes", "timestamp"]))
        written: list[object] = [_written(each, spelled) for each in dates]
        return self.column("born", "birth", self.of_person(written))

    def personal(self, meanings: tuple[str, ...]) -> list[Column]:
        """Return attributes that many people share."""
        found = [self._attribute(meaning) for meaning in meanings if meaning not in ("zip", "city")]
        places = [meaning for meaning in meanings if meaning in ("zip", "city")]
        return found + self._places(places) if places else found

    def _places(self, meanings: list[str]) -> list[Column]:
        """Return postal code and city of where a person lives; the code determines the city."""
        cities = CITIES[self.language]
        number = self.drifting(int(self.random.integers(8, 60)), self.moves)
        cells = {
            "zip": [f"{10_000 + 37 * each:05}" for each in number],
            "city": [cities[each % len(cities)] for each in number],
        }
        return [self.column(meaning, "personal", list(cells[meaning])) for meaning in meanings]

    def _attribute(self, meaning: str) -> Column:
        random, rate = self.random, self.moves
        if meaning == "age":
            first = random.integers(18, 90, self.count) if self._years is None else self._years
            return self.column(meaning, "personal", [int(each) for each in first[self.person] + self.day // 365])
        words: tuple[object, ...] = {
            "sex": lambda: SEXES[self.language],
            "job": lambda: tuple(JOBS[self.language]),
            "marital": lambda: tuple(range(1, 5)),
            "nation": lambda: ("DE", "FR", "PL", "IT", "TR", "NL"),
            "income": lambda: ("<20k", "20-40k", "40-60k", ">60k"),
            "smoker": lambda: (False, True),
        }[meaning]()
        fixed = meaning in ("sex", "nation")
        numbers = self.drifting(len(words), 0.0 if fixed else rate)
        return self.column(meaning, "personal", [words[each] for each in numbers])


def _written(day: date, spelled: str) -> object:
    """Return a day as a date, a timestamp or a text."""
    match spelled:
        case "date":
            return day
        case "timestamp":
            return datetime(day.year, day.month, day.day)
    return day.strftime({"iso": "%Y-%m-%d", "dots": "%d.%m.%Y", "slashes": "%m/%d/%Y"}[spelled])


def hash_of(salt: int, number: int) -> int:
    """Return 128 bits."""
    return int(hashlib.md5(f"{salt}:{number}".encode()).hexdigest(), 16)


def plain(text: str) -> str:
    """Return the letters of a name that an e-mail address may have."""
    return "".join(letter for letter in text.lower() if letter.isascii() and letter.isalpha()) or "x"
