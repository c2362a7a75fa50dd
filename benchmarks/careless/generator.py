"""Draws a table from a seed: its kind, its language, its people and their rows."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from benchmarks.careless.kinds import CONTROL, REPEATED, SINGLE
from benchmarks.careless.naming import Namer, language_name
from benchmarks.careless.people import Crowd
from benchmarks.careless.table import Column, Table
from benchmarks.careless.words import LANGUAGES

SHARE_SINGLE = 0.3
"""Share of the tables in which each person has one row."""

ALONE = "single."
"""How seeds begin whose tables have one row for each person; they are of further kinds, too."""

MOST = 40
"""Most rows of a person."""


def table(seed: str, single: bool | None = None) -> Table:
    """Draw a table.

    Parameters
    ----------
    seed : str
        The same seed gives the same table. One that begins with ``single.`` gives one of single people.
    single : bool, optional
        Whether each person has one row; None draws it.
    """
    random = np.random.default_rng(zlib.crc32(seed.encode()))
    drawn = bool(random.random() < SHARE_SINGLE)
    kinds = SINGLE if (drawn if single is None else single) else REPEATED
    if seed.startswith(ALONE):
        kinds = CONTROL
    kind = str(random.choice(list(kinds)))
    language = int(random.integers(0, len(LANGUAGES)))
    person, turn = _rows(random, repeated=kinds is REPEATED, monthly=kind == "payroll")
    keyed = bool(random.random() < 0.8)
    crowd = Crowd(random, Namer(random, language), language, person, turn)
    columns = kinds[kind](crowd, keyed)
    if random.random() < 0.3:  # the key is not always in front
        columns = [columns[each] for each in random.permutation(len(columns))]
    if random.random() < 0.8:
        order = random.permutation(len(person))
        person = person[order]
        columns = [Column(each.name, each.meaning, each.cells.take(order)) for each in columns]
    return Table(seed, kind, language_name(language), tuple(columns), person, keyed)


def _rows(random: np.random.Generator, *, repeated: bool, monthly: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the person of each row and how many rows of it come before; 60 to 3,000 rows."""
    rows = int(np.exp(random.uniform(np.log(60), np.log(3000))))
    if not repeated:
        return np.arange(rows), np.zeros(rows, dtype=np.int64)
    if monthly:
        months = int(random.choice([3, 6, 12, 24]))
        sizes = np.full(max(6, rows // months), months)
    else:
        mean = float(random.choice([1.5, 2.5, 5, 10]))
        skewed = random.geometric(1 / mean, rows) ** random.choice([1, 1, 2])
        sizes = np.minimum(skewed, min(MOST, rows // 8))
        sizes = sizes[np.cumsum(sizes) - sizes < rows]  # the last person may be above
    person = np.repeat(np.arange(len(sizes)), sizes)
    turn = np.concatenate([np.arange(each) for each in sizes])
    return person, turn
