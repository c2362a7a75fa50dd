"""A reader of a protected table who solves an integer program over everything that the table shows, or people of it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Any

from ortools.sat.python import cp_model

Row = tuple[Any, ...]


def most(
    rows: Sequence[Row],
    keys: int,
    row: Row,
    *,
    measure: int = 0,
    known: Sequence[tuple[Row, int]] = (),
    least: Sequence[tuple[Row, int]] = (),
    empty: Collection[Row] = (),
    lowest: bool = False,
) -> int:
    """Return the most that the reader thinks possible in a row, or the least.

    Parameters
    ----------
    rows : sequence of tuple
        The table: keys, then measures, the count first.
    keys : int
        How many columns are keys.
    row : tuple
        The keys of the row.
    measure : int
        Which measure.
    known : sequence of (tuple, int)
        Rows whose value the reader knows as a contributor.
    least : sequence of (tuple, int)
        Rows of which the reader knows that they have so much at least.
    empty : collection of tuple
        Suppressed rows that may be empty for all that the reader knows; people are in the others.
    lowest : bool
        Whether the least is asked for.
    """
    model = cp_model.CpModel()
    values = [sorted({each[key] for each in rows if each[key] is not None}) for key in range(keys)]
    cell = {combination: model.new_int_var(0, 100_000, "") for combination in itertools.product(*values)}

    def total(shown: Row) -> Any:
        return sum(each for combination, each in cell.items() if _fits(combination, shown))

    published = {each[:keys]: each[keys + measure] for each in rows}
    sets = {_absent(shown) for shown in published}
    for shown in itertools.product(*[[*value, None] for value in values]):
        if _absent(shown) not in sets:
            continue
        if shown not in published:
            model.add(total(shown) == 0)
        elif published[shown] is None:
            model.add(total(shown) >= (1 if measure == 0 and shown not in empty else 0))
        else:
            model.add(total(shown) == int(published[shown]))
    for shown, value in known:
        model.add(total(shown) == value)
    for shown, value in least:
        model.add(total(shown) >= value)
    (model.minimize if lowest else model.maximize)(total(row))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return int(solver.objective_value)


def _absent(shown: Row) -> tuple[bool, ...]:
    return tuple(value is None for value in shown)


def _fits(combination: Row, shown: Row) -> bool:
    return all(value is None or value == own for own, value in zip(combination, shown, strict=True))
