"""The certificate of a protected table as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.certificate.file import (
    SECONDS,
    STATUS,
    TEXT,
    TEXTS,
    WHOLE,
    WHOLE_OR_NULL,
    Kind,
    Layout,
    is_list_of,
)
from kanon_sql.table.cell_table import PricedCut

Move = tuple[int, int, int]
"""A measure, a base cell, and by how much it changes there."""

Witness = tuple[int, int, tuple[Move, ...]]
"""A row, the measure that requires the witness, and its moves: those in that measure first, then by measure."""

_A_LINE = 20

_OBJECT = Kind(
    words="a JSON object",
    fits=lambda value: isinstance(value, dict),
    read=lambda value: json.dumps(value, sort_keys=True),
    write=str,
)

_OBJECT_OR_NULL = Kind(
    words="a JSON object, or null",
    fits=lambda value: value is None or _OBJECT.fits(value),
    read=lambda value: None if value is None else _OBJECT.read(value),
    write=lambda value: "null" if value is None else value,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEvidence:
    """The pattern of a table, or of several that were solved together, its witnesses, and the prices of its lower bound.

    Base cells are numbered by their keys in ascending order, NULL last; empty cells follow. Rows are numbered by grouping set:
    those of the tabulation in their order, then the joined ones. Within a set, the first base cell counts. Measure 0 is the
    count; sums follow.
    """

    primaries: tuple[int, ...]  # the primary suppressed rows of the tables
    secondaries: tuple[int, ...]  # the others
    # Another table that agrees with everything shown: one for each primary row and measure that requires it, of a sum one of
    # more and one of less, and one for each row of ``joined_sets`` with too few people. With ``AGAINST CONTRIBUTORS``, some
    # rows have several, each of which raises another base cell that contributors know.
    witnesses: tuple[Witness, ...]
    # cuts with their multipliers; where an integer program proves more, these prove a part of the bound
    cuts: tuple[PricedCut, ...]
    scale: int  # see `PricedCut.price`
    # The keys of grouping sets that no table has. Their rows are groups that rows of several grouping sets name together.
    joined_sets: tuple[tuple[int, ...], ...] = ()
    # base cells without people that the published rows permit: for each key, the number of a base cell with the same value
    empty_cells: tuple[tuple[int, ...], ...] = ()


def _is_cut(value: object) -> bool:
    return is_list_of(int, value) and isinstance(value, list) and len(value) >= 3 and len(value) % 3 == 0


def _is_witness(value: object) -> bool:
    if not isinstance(value, list):
        return False
    own = next((place for place, each in enumerate(value) if isinstance(each, list)), len(value))
    others = value[own:]
    return (
        is_list_of(int, value[:own])
        and own >= 2
        and own % 2 == 0
        and all(is_list_of(int, each) and len(each) >= 3 and len(each) % 2 == 1 for each in others)
    )


def _is_list_of_numbers(value: object) -> bool:
    return isinstance(value, list) and all(is_list_of(int, each) for each in value)


def _lines(items: Sequence[Any]) -> str:
    """Return a list as JSON, some items a line."""
    if not items:
        return "[]"
    starts = range(0, len(items), _A_LINE)
    return "[\n" + ",\n".join(", ".join(map(json.dumps, items[start : start + _A_LINE])) for start in starts) + "\n  ]"


def _cut(cut: PricedCut) -> list[int]:
    return [cut.row, cut.measure, cut.price, *(number for line in cut.lines for number in line)]


def _witness(witness: Witness) -> list[Any]:
    row, measure, moves = witness
    of: dict[int, list[int]] = {measure: []}
    for place, base, change in moves:
        of.setdefault(place, []).extend((base, change))
    own = of.pop(measure)
    return [row, measure, *own, *([place, *numbers] for place, numbers in of.items())]


def _read_witness(value: list[Any]) -> Witness:
    row, measure, *rest = value
    own = [each for each in rest if not isinstance(each, list)]
    moves = [(measure, *moved) for moved in _pairs(own)]
    moves += [(place, *moved) for place, *numbers in rest[len(own) :] for moved in _pairs(numbers)]
    return row, measure, tuple(moves)


def _pairs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    return zip(numbers[::2], numbers[1::2], strict=True)


_NUMBERS = Kind(
    words="a list of whole numbers",
    fits=lambda value: isinstance(value, list) and is_list_of(int, value),
    read=tuple,
    write=_lines,
)
_CUTS = Kind(
    words="a list of cuts: row, measure, price, then the row, the grouping set and the multiple of each line",
    fits=lambda value: isinstance(value, list) and all(map(_is_cut, value)),
    read=lambda value: tuple(
        PricedCut(row=row, measure=measure, price=price, lines=tuple(zip(*[iter(lines)] * 3, strict=True)))
        for row, measure, price, *lines in value
    ),
    write=lambda cuts: _lines([_cut(each) for each in cuts]),
)
_WITNESSES = Kind(
    words=(
        "a list of witnesses: row, measure, each base cell and its change; then one list for each other "
        "measure, starting with that measure"
    ),
    fits=lambda value: isinstance(value, list) and all(map(_is_witness, value)),
    read=lambda value: tuple(map(_read_witness, value)),
    write=lambda witnesses: _lines([_witness(each) for each in witnesses]),
)
_LISTS = Kind(
    words="a list of lists of whole numbers",
    fits=_is_list_of_numbers,
    read=lambda value: tuple(map(tuple, value)),
    write=_lines,
)

PROTECTED = Layout(
    format="kanon-sql table certificate 1",
    claims={
        "tabulation": _OBJECT,
        "protection": _OBJECT,
        "together": _OBJECT_OR_NULL,
        "requirements": TEXTS,
        "rows": WHOLE,
        "primary": WHOLE,
        "secondary": WHOLE,
        "empty_rows": WHOLE,
        "base_cells": WHOLE,
        "primaries": _NUMBERS,
        "secondaries": _NUMBERS,
        "cost": WHOLE,
        "witnesses": _WITNESSES,
        "status": STATUS,
        "lower_bound": WHOLE,
        "bound_method": TEXT,
        "scale": WHOLE,
        "cuts": _CUTS,
        "algorithm": TEXT,
        "seconds": SECONDS,
        "warnings": TEXTS,
        "number": WHOLE_OR_NULL,
    },
    later={"empty_rows": 0},
    lists={"joined_sets": _LISTS, "empty_cells": _LISTS},
)
"""The certificate of a protected table."""
