"""Random coded tables, built without the encoder, and what is guaranteed about them in plain numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from random import Random
from typing import Any

import numpy as np

from fuzz.guarantee import Requirement
from kanon_sql.model.distances import equal, ordered
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Ranges, Sets
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    People,
    TCloseness,
)
from kanon_sql.table.coded_table import CodedTable, Sensitive

PLAIN = (
    *["greedy"] * 8, *["subset_dp"] * 8, *["row_assignment"] * 5, *["cover"] * 3, *["balls"] * 5, *["merge_small"] * 5,
    *["log_cover"] * 5, *["forest"] * 5, *["mondrian"] * 4, *["full_domain"] * 3, *["attribute"] * 2, "refine", "optimal",
    "matching",
)  # fmt: skip
"""How often each solver is drawn: those that search take twenty times as long as the others."""
GUARANTEED = (*["greedy"] * 6, *["subset_dp"] * 11, "refine", "optimal", "matching")

Row = tuple[int, ...]


@dataclass(frozen=True)
class Unit:
    """A column, a linked group, or one with levels: its coded columns, finest first, their costs, which may be shown."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    cost: tuple[int, ...]
    shown: tuple[bool, ...]
    kind: str = ""

    def hiding(self, level: int | None) -> int:
        """What a row costs that shows a level, None for none."""
        return sum(self.cost if level is None else self.cost[:level])


@dataclass(frozen=True)
class Case:
    """Rows as codes: of the coded columns, then of what classes are measured by."""

    seed: str
    rows: tuple[Row, ...]
    units: tuple[Unit, ...]
    unit: int
    k: int
    masks: tuple[frozenset[int], ...] | None
    requirements: tuple[Requirement, ...]
    person: int | None
    nobody: int
    algorithm: str
    null: dict[str, int]

    @property
    def width(self) -> int:
        """The number of coded columns."""
        return sum(len(each.places) for each in self.units)

    @property
    def masked(self) -> bool:
        """Whether columns are shown or suppressed and nothing else, at costs that the weights of the policy tell."""
        weights = [Fraction(each.cost[0], self.unit) for each in self.units]
        plain = all(each.kind == "" and len(each.places) == 1 for each in self.units)
        return plain and lcm(*(weight.denominator for weight in weights)) == self.unit

    @property
    def summarized(self) -> bool:
        """Whether classes show ranges or sets of their own values."""
        return any(each.kind in ("range", "set") for each in self.units)


def case(seed: str) -> Case:
    """Draw a case."""
    draw = Random(seed)
    rows = draw.randint(1, 7) if draw.random() < 0.75 else draw.randint(8, 30)
    k = draw.choice([1, 2, 2, 2, 3, 3, 4])
    summarized = draw.random() < 0.03
    units, columns = [], []
    for number in range(draw.choice([1, 2, 2, 3, 3, 4])):
        size = draw.choice([1, 2, 2, 3, 4, 8])
        values = [draw.randrange(size) for _ in range(rows)]
        weight = draw.choice([1, 1, 1, 2, 3, 7])
        names, kind, place = (f"c{number}",), "", len(columns)
        if summarized:
            kind = draw.choice(["range", "set", "plain"])
            units.append(Unit(names, (place,), (weight,), (True,), kind))
            columns.append(values)
        elif draw.random() < 0.25:
            levels, own = [values], values
            for _ in range(draw.choice([1, 1, 2])):
                above = [draw.randrange(max(1, size // 2)) for _ in range(size)]
                own = [above[value] for value in own]
                levels.append(own)
            cost = tuple(draw.randint(1, 5) * weight for _ in levels)
            shown = (draw.random() < 0.7, *[True] * (len(levels) - 1))
            units.append(Unit(names, tuple(range(place, place + len(levels))), cost, shown))
            columns += levels
        else:
            if draw.random() < 0.15:
                names = (f"c{number}", f"d{number}")
            units.append(Unit(names, (place,), (weight * len(names),), (True,)))
            columns.append(values)
    columns = [_dense(each) for each in columns]
    if summarized and all(each.kind == "plain" for each in units):
        units[0] = Unit(units[0].names, units[0].places, units[0].cost, units[0].shown, "set")
    null = {
        each.names[0]: max(columns[each.places[0]]) if draw.random() < 0.3 else -1
        for each in units
        if each.kind in ("range", "set")
    }
    masks = None
    if not summarized and draw.random() < 0.3:
        listed = {frozenset(n for n in range(len(units)) if draw.random() < 0.6) for _ in range(draw.randint(1, 4))}
        masks = tuple(sorted(listed | ({frozenset()} if draw.random() < 0.85 else set()), key=sorted))
    requirements: tuple[Requirement, ...] = ()
    person, nobody = None, -1
    asked = draw.random()
    if asked < 0.3:
        for name in ("s", "z") if draw.random() < 0.2 else ("s",):
            size = draw.choice([1, 2, 2, 3, 4])
            columns.append(_dense([draw.randrange(size) for _ in range(rows)]))
            requirements += _asked(draw, name, len({*columns[-1]}))
    elif asked < 0.32:
        columns.append(_dense([draw.randrange(max(1, rows * 2 // 3)) for _ in range(rows)]))
        person = len(columns) - 1
        nobody = max(columns[-1]) if draw.random() < 0.3 else -1
    if summarized:
        algorithm = "auto"
    elif requirements or person is not None:
        algorithm = draw.choice(GUARANTEED) if person is None else draw.choice(["auto", "greedy", "refine"])
    else:
        algorithm = draw.choice(PLAIN)
    if algorithm == "matching":
        k = draw.choice([1, 2]) if requirements else 2
        requirements = tuple(
            Requirement(kind="l", column=each.column, number=Fraction(2), form="frequency") for each in requirements[:1]
        )
    if algorithm in ("subset_dp", "optimal", "row_assignment") and rows > 12:
        algorithm = "greedy"
    if algorithm == "matching" and len({each.column for each in requirements}) > 1:
        algorithm = "greedy"
    if requirements:  # columns that nothing is asked of are not coded
        used = {each.column for each in requirements}
        columns = [
            each for number, each in enumerate(columns) if number < _width(units) or ("s", "z")[number - _width(units)] in used
        ]
    return Case(
        seed,
        tuple(zip(*columns, strict=True)),
        tuple(units),
        draw.choice([1, 1, 10]),
        k,
        masks,
        requirements,
        person,
        nobody,
        algorithm,
        null,
    )


def _width(units: list[Unit]) -> int:
    return sum(len(each.places) for each in units)


def _dense(values: list[int]) -> list[int]:
    place = {value: code for code, value in enumerate(sorted({*values}))}
    return [place[value] for value in values]


def _asked(draw: Random, name: str, values: int) -> tuple[Requirement, ...]:
    kind = draw.choice(["l", "l", "t", "alpha", "beta", "delta"])
    if kind in ("beta", "delta"):
        return (Requirement(kind=kind, column=name, number=draw.choice([Fraction(1, 3), Fraction(1), Fraction(5, 2)])),)
    if kind == "t":
        number = draw.choice([Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(4, 5), Fraction(0)])
        return (Requirement(kind="t", column=name, number=number, form=draw.choice(["equal", "ordered"])),)
    if kind == "alpha":
        share = draw.choice([Fraction(1, 2), Fraction(2, 3), Fraction(3, 4)])
        return (Requirement(kind="alpha", column=name, number=share, value=str(draw.randrange(values))),)
    form = draw.choice(["frequency", "distinct", "entropy", "recursive"])
    number = draw.choice([Fraction(2), Fraction(3, 2), Fraction(6, 5), Fraction(5, 2)])
    if form == "recursive":
        return (
            Requirement(
                kind="l", column=name, number=Fraction(2), form=form, c=draw.choice([Fraction(1), Fraction(2), Fraction(3)])
            ),
        )
    return (Requirement(kind="l", column=name, number=number, form=form),)


def coded(drawn: Case) -> tuple[CodedTable, Policy]:
    """The case as the pipeline takes it."""
    types = Counter(drawn.rows)
    width = drawn.width
    order = sorted(types, key=lambda row: (row[:width][::-1], row[width:][::-1]))  # the last column counts most
    every = np.array(order, np.int32).reshape(len(order), -1)
    weight = np.array([types[row] for row in order], np.int64)
    measured = list(dict.fromkeys(each.column for each in drawn.requirements)) if drawn.person is None else ["person"]
    sensitive = []
    for number, name in enumerate(measured):
        own = np.ascontiguousarray(every[:, width + number])
        size = int(own.max()) + 1
        count = np.bincount(own, weights=weight, minlength=size).astype(np.int64)
        metrics = {each.form for each in drawn.requirements if each.kind == "t" and each.column == name}
        sensitive.append(
            Sensitive(
                column=name,
                codes=own,
                count=count,
                named={str(code): code for code in range(size)},
                distances={metric: equal(size) if metric == "equal" else ordered(size) for metric in metrics},
                empty=drawn.nobody if drawn.person is not None else -1,
            )
        )
    hidden_levels = sum(1 << each.places[0] for each in drawn.units if not each.shown[0])
    table = CodedTable(
        columns=tuple(each.names for each in drawn.units for _ in each.places),
        codes=np.ascontiguousarray(every[:, :width]),
        weight=weight,
        origin=np.arange(len(order), dtype=np.int64),
        cost=np.array([cost for each in drawn.units for cost in each.cost], np.int64),
        unit=drawn.unit,
        hidden_levels=hidden_levels,
        sensitive=tuple(sensitive),
    )
    return table, _policy(drawn)


def _policy(drawn: Case) -> Policy:
    recodings: dict[str, Any] = {"range": Ranges(), "set": Sets()}
    asked = [KAnonymity(k=drawn.k), *([] if drawn.person is None else [People(k=drawn.k, per="person")])]
    for each in drawn.requirements:
        match each.kind:
            case "l":
                asked.append(LDiversity(sensitive=each.column, l=each.number, variant=each.form, c=each.c))  # type: ignore[arg-type]
            case "t":
                asked.append(TCloseness(sensitive=each.column, t=each.number, metric=each.form))  # type: ignore[arg-type]
            case "beta":
                asked.append(BetaLikeness(sensitive=each.column, beta=each.number))
            case "delta":
                asked.append(DeltaDisclosure(sensitive=each.column, delta=each.number))
            case _:
                asked.append(AlphaAnonymity(sensitive=each.column, value=each.value, alpha=each.number))  # type: ignore[arg-type]
    masks = drawn.masks
    return Policy(
        quasi_identifiers=tuple(
            QuasiIdentifier(
                column=name, weight=Fraction(each.cost[0], drawn.unit * len(each.names)), recoding=recodings.get(each.kind)
            )
            for each in drawn.units
            for name in each.names
        ),
        requirements=tuple(asked),
        masks=None
        if masks is None
        else tuple(tuple(name for n in sorted(mask) for name in drawn.units[n].names) for mask in masks),
        linked=tuple(each.names for each in drawn.units if len(each.names) > 1),
        algorithm=drawn.algorithm,
    )
