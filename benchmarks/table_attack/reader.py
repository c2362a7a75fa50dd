"""What a reader knows who has the published rows and the text of their statements: sums over atoms.

The reader lists all combinations of the values of the columns that the statements mention, and lets plain DuckDB say for each
in which groups it would be. Combinations that are in the same groups are one atom. Nothing here is code of the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.table_attack.statement import Statement

Bools = NDArray[np.bool_]
Int64 = NDArray[np.int64]
Row = tuple[Any, ...]

VALUE, MARKED, EMPTY, OPEN = "value", "marked", "empty", "open"
"""What a table says of a group: its count, that somebody is there, that nobody is, or nothing."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group that a grouping set names, whether it has a row or not.

    Attributes
    ----------
    atoms : bool array [a]
        Which atoms it is made of.
    table : int
        The table.
    words : str
        Its keys.
    says : str
        `VALUE`, `MARKED`, `EMPTY` or `OPEN`. A suppressed row that nobody is in is `OPEN`: the reader even knows which are.
    count : int
        The published count, of `VALUE`.
    sums : dict of str to int
        The published sums, of `VALUE`.
    keys : tuple of (str, value)
        SQL and value of each key, of a row.
    """

    atoms: Bools
    table: int
    words: str
    says: str
    count: int = 0
    sums: dict[str, int] = field(default_factory=dict)
    keys: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that a reader has.

    Attributes
    ----------
    groups : list of Group
        Of all tables.
    names : list of str
        An atom in words.
    truth : int64 array [a]
        How many people each atom has. The reader does not know it.
    sums : dict of str to int64 array [a]
        The true sums. The reader does not know them.
    wrong : list of str
        Published rows that are not true.
    apart : dict of str to int
        For each key and condition the number of its part: keys of the same columns, and keys of which one determines another
        one, say something about each other.
    """

    groups: list[Group]
    names: list[str]
    truth: Int64
    sums: dict[str, Int64]
    wrong: list[str]
    apart: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Named:
    """A group before it is made of atoms: the combinations in it, and how its row looks.

    Its part is 0 if it is the row, else it is the count under a condition of that number.
    """

    places: list[int]
    table: int
    words: str
    look: Row
    part: int
    keys: tuple[tuple[str, Any], ...] = ()


def knowledge(source: str, tables: Sequence[tuple[Statement, list[Row] | None]]) -> Knowledge:
    """Return what a reader of some tables knows.

    Parameters
    ----------
    source : str
        A statement that makes the table ``people``: the values of each column, and the truth.
    tables : sequence of (Statement, rows)
        The published tables; None for one of which all rows are suppressed.
    """
    columns = sorted(frozenset().union(*(each.reads for each, _ in tables)))
    with duckdb.connect(config={"threads": 1}) as con:
        con.execute(source)
        con.execute(f"CREATE TABLE world AS SELECT row_number() OVER () - 1 AS id, * FROM {_crossed(columns)}")
        named = [each for place, (statement, _) in enumerate(tables) for each in _named(con, place, statement)]
        size = con.execute("SELECT count(*) FROM world").fetchall()[0][0]
        measures = sorted({name for statement, _ in tables for name in statement.sums})
        truth = _truth(con, columns, measures, size)
        worlds = con.execute("FROM world ORDER BY id").fetchall()
        apart = _parts(con, [statement for statement, _ in tables])
    member = np.zeros((len(named), size), np.bool_)
    for group, each in zip(member, named, strict=True):
        group[each.places] = True
    _, first, atom = np.unique(np.packbits(member, axis=0), axis=1, return_index=True, return_inverse=True)
    people, *sums = (np.bincount(atom.reshape(-1), own, len(first)).astype(np.int64) for own in truth)
    atoms = member[:, first]
    groups, wrong = _read(tables, named, atoms, people, dict(zip(measures, sums, strict=True)))
    told = [", ".join(f"{name} = {value}" for name, value in zip(columns, worlds[each][1:], strict=True)) for each in first]
    return Knowledge(groups, told, people, dict(zip(measures, sums, strict=True)), wrong, apart)


def _parts(con: Any, statements: Sequence[Statement]) -> dict[str, int]:
    """Return the part of each key and condition, see `Knowledge`."""
    reads = {text: each.reads for statement in statements for each in statement.dimensions for text in each.levels}
    for statement in statements:
        conditions = [*(each for each, _ in statement.counted), *([statement.where] if statement.where else [])]
        reads |= {f"coalesce({each.sql}, false)": each.reads for each in conditions}
    part = {text: number for number, text in enumerate(reads)}
    # the rows of a table alone may say that a key determines another one
    rows = {"people", *(f"people WHERE {each.where.sql}" for each in statements if each.where)}
    for one, other in combinations(reads, 2):
        pairs = f"SELECT count(DISTINCT row({one})), count(DISTINCT row({other})), count(DISTINCT row({one}, {other}))"
        counts = [con.execute(f"{pairs} FROM {each}").fetchall()[0] for each in rows]
        if reads[one] & reads[other] or any(
            min(mine, theirs) > 1 and both <= max(mine, theirs) for mine, theirs, both in counts
        ):
            part = {text: part[one] if own == part[other] else own for text, own in part.items()}
    return part


def _crossed(columns: Sequence[str]) -> str:
    return ", ".join(f"(SELECT DISTINCT {each} FROM people)" for each in columns)


def _truth(con: Any, columns: Sequence[str], measures: Sequence[str], size: int) -> list[Int64]:
    """Return the people and the sums of each combination."""
    same = " AND ".join(f"w.{each} IS NOT DISTINCT FROM p.{each}" for each in columns)
    added = "".join(f", sum(p.{each})" for each in measures)
    found = con.execute(f"SELECT w.id, count(*){added} FROM world w JOIN people p ON {same} GROUP BY w.id").fetchall()
    truth = [np.zeros(size, np.int64) for _ in range(1 + len(measures))]
    for place, *values in found:
        for own, value in zip(truth, values, strict=True):
            own[place] = value
    return truth


def _named(con: Any, table: int, statement: Statement) -> list[_Named]:
    """Return the groups of a table over all combinations, those too that no row shows."""
    levels = [(place, level, text) for place, each in enumerate(statement.dimensions) for level, text in enumerate(each.levels)]
    where = f"WHERE {statement.where.sql}" if statement.where else ""
    asked = [*(text for *_, text in levels), *(f"coalesce({each.sql}, false)" for each, _ in statement.counted)]
    found = con.execute(f"SELECT id, {', '.join(asked)} FROM world {where}").fetchall()
    column = {(place, level): 1 + number for number, (place, level, _) in enumerate(levels)}
    groups = []
    for chosen in statement.sets:
        level_of = dict(chosen)
        members = dict[Row, list[Row]]()
        for row in found:
            members.setdefault(tuple(row[column[each]] for each in chosen), []).append(row)
        if not chosen:
            members.setdefault((), [])  # the total of nobody is a row, too
        for values, own in members.items():
            value_of = dict(zip(level_of, values, strict=True))
            look = tuple(value_of.get(place) for place in range(len(statement.dimensions)))
            told = tuple(int(statement.dimensions.index(each) not in level_of) for each in statement.grouping)
            words = [f"{statement.dimensions[place].name} = {value}" for place, value in value_of.items()]
            words += [f"where {statement.where.sql}"] if statement.where else []
            texts = (statement.dimensions[place].levels[level] for place, level in chosen)
            keys = tuple(zip(texts, values, strict=True))
            groups.append(_Named([row[0] for row in own], table, ", ".join(words) or "all", (*look, *told), 0, keys))
            for part, (condition, _) in enumerate(statement.counted, 1):
                met = [row[0] for row in own if row[len(levels) + part]]
                groups.append(_Named(met, table, ", ".join([*words, f"counted if {condition.sql}"]), (*look, *told), part))
    return groups


def _read(
    tables: Sequence[tuple[Statement, list[Row] | None]],
    named: Sequence[_Named],
    atoms: Bools,
    truth: Int64,
    measured: dict[str, Int64],
) -> tuple[list[Group], list[str]]:
    """Return what the rows say of each group, and which of them are not true."""
    shown = [_by_look(statement, rows) for statement, rows in tables]
    groups, wrong, seen = [], [], set[tuple[int, Row]]()
    maybe_empty = [
        own
        for each, own in zip(named, atoms, strict=True)
        if not each.part and (row := shown[each.table].get(each.look)) is not None and row[0] is None and not truth[own].any()
    ]
    for each, own in zip(named, atoms, strict=True):
        statement, rows = tables[each.table]
        true = int(truth[own].sum())
        values: Row | None = shown[each.table].get(each.look)
        seen.add((each.table, each.look))
        if rows is None and true:  # as if all of it were suppressed
            values = None if statement.absent else (None,) * (1 + len(statement.sums) + len(statement.counted))
        if each.part:
            value = values[len(statement.sums) + each.part] if values else None
            if value is not None:
                says = VALUE
            elif values and values[0] is not None:  # 0 is shown, unless it would say that an empty row is empty
                says = OPEN if any(not (row & ~own).any() for row in maybe_empty) else MARKED
            else:  # of a suppressed row, its further counts may be anything
                says = OPEN if values else _without(statement)
            told = dict[str, int]()
        else:
            value = values[0] if values else None
            says = VALUE if value is not None else _without(statement) if not values else MARKED if true else OPEN
            sums = values[1 : 1 + len(statement.sums)] if values else ()
            told = dict(zip(statement.sums, (int(amount or 0) for amount in sums), strict=True)) if says == VALUE else {}
        groups.append(Group(own, each.table, each.words, says, int(value or 0), told, each.keys))
        agrees = {VALUE: value == true, MARKED: true > 0, EMPTY: not true, OPEN: True}[says]
        if not agrees or any(amount != measured[name][own].sum() for name, amount in told.items()):
            wrong.append(f"table {each.table}: {each.words} says {says} {value} {told}, and has {true}")
    wrong += [
        f"table {place}: a row that no group is: {look}"
        for place, found in enumerate(shown)
        for look in found
        if (place, look) not in seen
    ]
    return groups, wrong


def _without(statement: Statement) -> str:
    """Return what a missing row says."""
    return OPEN if statement.absent else EMPTY


def _by_look(statement: Statement, rows: list[Row] | None) -> dict[Row, Row]:
    """Return the measures of each row, by its keys."""
    keys = len(statement.columns) - 1 - len(statement.sums) - len(statement.counted)
    found = {row[:keys]: row[keys:] for row in rows or []}
    if len(found) != len(rows or []):
        raise AssertionError("two rows of a table look alike")
    return found
