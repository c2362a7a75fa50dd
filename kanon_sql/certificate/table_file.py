"""The certificate of a protected table as a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
from kanon_sql.certificate.table_evidence import Witness
from kanon_sql.table.cell_table import PricedCut

_A_LINE = 20


def _is_cut(value: object) -> bool:
    return is_list_of(int, value) and isinstance(value, list) and len(value) >= 3 and len(value) % 3 == 0


def _is_witness(value: object) -> bool:
    return is_list_of(int, value) and isinstance(value, list) and len(value) >= 2 and len(value) % 2 == 0


def _lines(items: Sequence[Any]) -> str:
    """Return a list as JSON, some items a line."""
    if not items:
        return "[]"
    starts = range(0, len(items), _A_LINE)
    return "[\n" + ",\n".join(", ".join(map(json.dumps, items[start : start + _A_LINE])) for start in starts) + "\n  ]"


def _cut(cut: PricedCut) -> list[int]:
    return [cut.row, cut.measure, cut.price, *(number for line in cut.lines for number in line)]


def _witness(witness: Witness) -> list[int]:
    return [*witness[:2], *(number for moved in witness[2] for number in moved)]


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
    words="a list of witnesses: row, measure, then each base cell and its change",
    fits=lambda value: isinstance(value, list) and all(map(_is_witness, value)),
    read=lambda value: tuple((each[0], each[1], tuple(zip(each[2::2], each[3::2], strict=True))) for each in value),
    write=lambda witnesses: _lines([_witness(each) for each in witnesses]),
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
    later={},
)
"""The certificate of a protected table."""
