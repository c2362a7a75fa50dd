"""Suggestions for wide tables: against attackers who know any few quasi-identifiers, with figures of what they see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kanon_sql.engines.duckdb.audit.counted_people import Counted
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.guarantees.known_columns import KnownColumns
from kanon_sql.model.requirements import KAnonymity, Requirement

_NARROW = 12
"""Quasi-identifiers up to which all of them may be known: with more, k-anonymity suppresses most of a table."""

_KNOWN = 3
"""Columns that the attacker is taken to know."""

_MOST_SETS = 5_000
"""Sets of columns up to which they are counted."""

_WORK = 50_000_000
"""Rows times sets up to which the figures are counted, in some seconds."""

_RARE, _REPORTED = 0.01, 5
"""Share of the rows with rare values from which on a column is reported, and the most columns that are."""

_ROWS = "SELECT system.main.count(*) FROM {table}"

_HASHES = "SELECT {cells} FROM {table}"

Words: TypeAlias = NDArray[np.uint64]


def is_wide(columns: Sequence[str]) -> bool:
    """Return whether there are more quasi-identifiers than an attacker is likely to know."""
    return len(columns) > _NARROW


def by_known(columns: Sequence[str], requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """Return the guarantees against an attacker who knows any three of the quasi-identifiers, or two where they are many."""
    size = _KNOWN if comb(len(columns), _KNOWN) <= _MOST_SETS else 2
    return tuple(
        KnownColumns.against(each.k if isinstance(each, KAnonymity) else each, size)  # type: ignore[arg-type]
        for each in requirements
    )


def wide_notes(counted: Counted, columns: Sequence[str], k: int) -> tuple[str, ...]:
    """Return what known columns reveal of a table, and which columns to generalize first.

    Notes
    -----
    A GROUP BY for each column, and if that is not too much work, a sort for each set of two and three columns.
    """
    notes = [
        f"{len(columns)} quasi-identifiers: the policy does not stop an attacker who knows all of them. "
        "See how_to/wide_tables.md."
    ]
    sets = comb(len(columns), 2) + comb(len(columns), 3)
    rows = counted.con.execute(_ROWS.format(table=counted.table)).fetchall()[0][0]
    if rows and comb(len(columns), 3) <= _MOST_SETS and rows * sets <= _WORK:
        words, person = _words(counted, columns)
        two, three = (max(_below(key, person, k) for key in _keys(words, size)) / rows for size in (2, 3))
        small = f"of the rows are in classes of fewer than {k} {counted.what}"
        notes.append(f"For the worst set of 2 columns, {two:.1%} {small}; for the worst set of 3, {three:.1%}.")
    rare = [(counted.share_below([quoted(column)], k), column) for column in columns]
    for share, column in sorted(rare, reverse=True, key=lambda each: each[0])[:_REPORTED]:
        if share >= _RARE:
            what = counted.what
            notes.append(
                f"{column}: {share:.1%} of the {what} have a value that fewer than {k} {what} have. Generalize it first."
            )
    return tuple(notes)


def _words(counted: Counted, columns: Sequence[str]) -> tuple[Words, Words | None]:
    """Return a hash of each cell, another one in each column, and one of the person of each row; rows by their person."""
    cells = [f"system.main.hash({quoted(name)}, {place}) AS c{place}" for place, name in enumerate(columns)]
    cells += [] if counted.per is None else [f"system.main.hash({quoted(counted.per)}) AS person"]
    found = counted.con.execute(_HASHES.format(cells=", ".join(cells), table=counted.table)).fetchnumpy()
    words = np.stack([found[f"c{place}"] for place in range(len(columns))])
    if counted.per is None:
        return words, None
    order = np.argsort(found["person"], kind="stable")
    return words[:, order], found["person"][order]


def _keys(words: Words, size: int) -> Iterator[Words]:
    """Yield the hash of each row by every set of so many columns, two or three."""
    for one, other in combinations(range(len(words)), 2):
        pair = words[one] + words[other]
        if size == 2:
            yield pair
        else:
            yield from (pair + words[third] for third in range(other + 1, len(words)))


def _below(key: Words, person: Words | None, k: int) -> int:
    """Return the rows in classes of fewer than k people, or rows; rows come by their person."""
    order = np.argsort(key, kind="stable")
    begins = np.r_[True, key[order[1:]] != key[order[:-1]]]
    starts = np.flatnonzero(begins)
    sizes = np.diff(np.r_[starts, len(key)])
    if person is None:
        return int(sizes[sizes < k].sum())
    whose = person[order]
    people = np.add.reduceat((begins | np.r_[True, whose[1:] != whose[:-1]]).astype(np.int64), starts)
    return int(sizes[people < k].sum())
