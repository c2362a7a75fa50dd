"""SQL that counts the classes of a table by every set of known columns, some sets after the others.

Nothing here is shared with a solver: a class is what rows with the same values in a set are, and NULL is a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.guarantees import question
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.engines.guarantees import audited
from kanon_sql.model.how_many import how_many
from kanon_sql.model.linked_columns import Group, units
from kanon_sql.model.requirements import AlphaAnonymity, KnownColumns, People, SensitiveRequirement, of_known

_MOST_AT_ONCE = 2_000_000
"""Rows times sets of one step of the recursion, at least one set: 34,220 sets of 60 columns of 10,000 rows take 0.3 GB.

As one GROUP BY of all grouping sets, they took 3.2 GB, and planning alone 2.2 GB.
"""

_BATCH = 56
"""Grouping sets of one GROUP BY where people or values count."""


def coded_columns(unit_columns: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the slots of a text that numbers what rows show: a number for each value of each unit of columns."""
    numbers = range(1, len(unit_columns) + 1)
    keys = (
        f"system.main.create_sort_key(system.main.row({', '.join(map(quoted, names))}), 'ASC NULLS FIRST') AS c{place}"
        for place, names in zip(numbers, unit_columns, strict=True)
    )
    ranks = (f"system.main.dense_rank() OVER (ORDER BY c{place} ASC NULLS LAST) AS c{place}" for place in numbers)
    return {"keys": ",\n               ".join(keys), "ranks": ", ".join(ranks)}


def counted_sets(coded: str, sets: Sequence[Sequence[int]], k: int) -> str:
    """Return a query with a row per set: its smallest class, all its rows, and those in classes of fewer than k.

    Parameters
    ----------
    coded : str
        A table of the columns c1, c2, ... and ``size``, the rows that each of its rows stands for.
    sets : sequence of sequence of int
        Places of columns, from 0.
    k : int
        Rows below which a class is small.
    """
    columns = sorted({place for each in sets for place in each})
    number = {place: str(i) for i, place in enumerate(columns, 1)}
    widest = range(1, max(map(len, sets)) + 1)
    return text(
        "known_sets",
        coded=coded,
        columns=", ".join(f"c{place + 1}" for place in columns),
        sets=", ".join(f"[{', '.join(number[place] for place in each)}]" for each in sets),
        names=", ".join(f"v{place}" for place in widest),
        values=", ".join(f"system.main.list_extract(codes, chosen[{place}]) AS v{place}" for place in widest),
        most=str(_MOST_AT_ONCE),
        k=str(k),
    )


def counted_values(coded: str, sets: Sequence[Sequence[int]], requirement: SensitiveRequirement, tally: str) -> str:
    """Return the same for a requirement on people or values, with its classes that fail, and the figures of the worst.

    Parameters
    ----------
    coded : str
        A table as for `counted_sets`, with the number of a ``class``.
    sets : sequence of sequence of int
        Places of columns, from 0.
    requirement : SensitiveRequirement
        What every class by each set must meet.
    tally : str
        A table of the rows of each class by value.

    Raises
    ------
    PolicyError
        When a threshold has too many digits.
    """
    of_people, named = isinstance(requirement, People), isinstance(requirement, AlphaAnonymity)
    slots = {
        "coded": coded,
        "tally": tally,
        "value": "label" if of_people else "value",
        "texts": '"kanon#texts".texts' if named else "NULL",
        "texts_of_values": text("known_texts", tally=tally) if named else "",
        "question": question(requirement, '"kanon#by_sets"'),
    }
    found = []
    for first in range(0, len(sets), _BATCH):
        batch = sets[first : first + _BATCH]
        columns = sorted({place for each in batch for place in each})
        names = [f"c{place + 1}" for place in columns]
        grouped = (f"({', '.join([*(f'c{place + 1}' for place in each), 'value'])})" for each in batch)
        bits = " + ".join(f"(1 - GROUPING(c{place + 1})) * {1 << place}" for place in columns)
        found.append(text("known_values", bits=bits, names=", ".join(names), sets=", ".join(grouped), **slots))
    return " UNION ALL ".join(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedSets:
    """What was counted of a table by the sets of a requirement."""

    requirement: KnownColumns
    sets: int  # how many sets there are
    least: int | None  # the smallest class by any of them, in rows; None without rows
    failing: int  # classes that break it; of people, those with too few rows for them
    figure: str  # what the worst of these classes has, or the smallest

    @property
    def kept(self) -> bool:
        """Whether the requirement holds."""
        return self.failing == 0

    def described(self) -> str:
        """Return what was found in words."""
        if self.least is None:
            return "there are no rows"
        sets, rows = how_many(self.sets, "set"), how_many(self.least, "row")
        stated = f"the smallest class by any of {sets} of columns has {rows}"
        return stated if self.kept or not self.figure else f"{stated}; by some set {self.figure}"


def counted_known(
    con: Any, requirement: KnownColumns, names: Iterable[str], linked: Iterable[Group], table: str
) -> CountedSets:
    """Count the classes of a table by every set of known columns; whose the rows are, it does not tell."""
    unit_columns = units(names, linked)
    sets = requirement.sets_of(unit_columns)
    coded = text("known_table", table=quoted(table), **coded_columns(unit_columns))
    of = of_known(requirement)
    if of is None or isinstance(of, People):
        counted = counted_sets('"kanon#coded"', sets, requirement.least)
        query = text("known_smallest", coded=coded, counted=counted, k=str(requirement.least))
    else:
        value = f'"kanon#r".{quoted(of.sensitive)}'
        label = f'CAST({value} AS VARCHAR) COLLATE "binary"'
        tally = text("audit_tally", tally='"kanon#tally"', value=value, label=label, number="system.main.count(*)")
        counted = counted_values('"kanon#coded"', sets, of, '"kanon#tally"')
        query = text("known_worst", coded=coded, tally=tally, counted=counted)
    found = record(con, query, {})
    return CountedSets(
        requirement=requirement,
        sets=len(sets),
        least=found["least"],
        failing=found["failing"] or 0,
        figure=found["figure"] or "",
    )


def broken_by_known(con: Any, requested: Iterable[SensitiveRequirement], known: int, names: Sequence[str]) -> list[str]:
    """Return what is wrong with the table ``source`` if its classes by any so many known columns break a requirement.

    The sets are few enough for `k_known`.
    """
    found = []
    for each in requested:
        if not audited(each).only_measured:
            counted = counted_known(con, KnownColumns.against(each, known), names, (), "source")
            found += [] if counted.kept else [f"{counted.requirement.describe()} does not hold: {counted.described()}"]
    return found
