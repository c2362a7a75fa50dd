"""Whether the classes of a release show the means and the medians of the source, worked out again from its cells."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction

from fuzz.guarantee import Guarantee
from fuzz.table import Look, Table

KINDS = ("means", "medians")


def typed(guarantee: Guarantee, name: str, kind: str) -> str | None:
    """The type that a column of means or medians is released in; None of any other column, or where all is text."""
    recoding = guarantee.recodings.get(name)
    if guarantee.suppress is not None or recoding is None or recoding.kind not in KINDS:
        return None
    return "DOUBLE" if recoding.kind == "means" else kind


def check(source: Table, released: Table, guarantee: Guarantee) -> Iterator[str]:
    """What is wrong with the numbers: of each class where the other columns tell its rows, else of all rows together."""
    chosen = {name: each.kind for name, each in guarantee.recodings.items() if each.kind in KINDS}
    if not chosen:
        return
    outside = [name for name in released.names if name not in guarantee.qi]
    place = [source.column(name) for name in outside]
    origin: dict[tuple[Look, ...], int] = {tuple(row[c] for c in place): number for number, row in enumerate(source.looks)}
    shown = [tuple(row[released.column(name)] for name in outside) for row in released.looks]
    known = len(origin) == len(source.looks) and set(origin) == set(shown)
    classes: dict[tuple[Look, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(released.looks):
        classes[tuple(row[released.column(name)] for name in guarantee.qi)].append(number)
    for name, kind in chosen.items():
        told, own = released.seen(name), source.seen(name)
        if known:
            for rows in classes.values():
                values = [own[origin[shown[row]]] for row in rows]
                yield from _class(kind, told[rows[0]], [each for each in values if each is not None])
        elif kind == "means" and None not in own:
            yield from _sums([Fraction(each) for each in told if each is not None], [Fraction(each) for each in own if each])
        elif kind == "medians" and not {each for each in told if each is not None} <= set(own):
            yield "a median is no value of the source"


def _class(kind: str, told: Look, values: list[str]) -> Iterator[str]:
    if not values or told is None:
        if values or told is not None:
            yield "a class shows a number that it has not, or none of those that it has"
        return
    if kind == "medians":
        order = sorted(values, key=_place)
        if _place(told) != _place(order[(len(order) - 1) // 2]):
            yield "a class shows another number than its lower median"
        return
    mean = float(sum(map(Fraction, values), Fraction(0)) / len(values))
    if abs(float(told) - mean) > math.ulp(mean):  # two classes that show one number are one
        yield "a class shows another number than its mean"


def _sums(told: list[Fraction], own: list[Fraction]) -> Iterator[str]:
    margin = sum(abs(each) * rows for each, rows in Counter(told).items()) / Fraction(2**52)
    if len(told) == len(own) and abs(sum(told) - sum(own)) > margin:
        yield "the means do not add up to the numbers of the source"


def _place(text: str) -> tuple[int, Fraction, str]:
    try:
        return 0, Fraction(text), ""
    except ValueError:
        return 1, Fraction(0), datetime.fromisoformat(text).isoformat()
