"""The fuzz without a database: the pipeline on coded tables, its recoding checked and compared with the brute force."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from fuzz.brute_force import MOST_ROWS, cheapest
from fuzz.coded_cases import Case, Row, Unit, case, coded
from fuzz.outcome import reason
from fuzz.requirement_rules import kept
from fuzz.trials import ONE_MASK, Verdict
from kanon_sql import pipeline
from kanon_sql.certificate import Certificate
from kanon_sql.errors import CertificateError, InfeasibleError, KanonError
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding
from kanon_sql.verification.claims import verify


def judge(seed: str) -> Verdict:
    """Draw a case, solve it, and say what is wrong."""
    drawn = case(seed)
    verdict = Verdict()
    small = len(drawn.rows) <= MOST_ROWS
    try:
        table, policy = coded(drawn)
        if drawn.summarized:
            recoding, division, certificate = pipeline.summarize(table, policy, drawn.null)
            number = division.number
        else:
            recoding, certificate = pipeline.run(table, policy)
            number = None
    except KanonError as error:
        verdict.reason = f"{type(error).__name__}: {reason(str(error))}"
        if isinstance(error, InfeasibleError) and small and drawn.algorithm not in ONE_MASK:
            verdict.judged = True
            best = optimum(drawn)
            if best is not None:
                verdict.found.append(f"{drawn.algorithm}: infeasible, though cost {best} is possible: {error}")
        return verdict
    except Exception as error:  # any other error is a finding
        verdict.found.append(f"{drawn.algorithm}: {type(error).__name__}: {error}")
        return verdict
    verdict.released = True
    try:
        cost = _cost(drawn, table, recoding, number)
    except AssertionError as error:
        verdict.found.append(f"{drawn.algorithm}: {error}")
        return verdict
    verdict.found += [f"{drawn.algorithm}: {each}" for each in _claims(drawn, certificate, cost)]
    proven = Fraction(0)
    if drawn.masked:
        try:
            proven = verify(certificate, table.codes.tolist(), table.weight.tolist(), table.sensitive)
        except CertificateError as error:
            verdict.found.append(f"{drawn.algorithm}: the verification refuses a true certificate: {error}")
    if small:
        verdict.judged = True
        best = optimum(drawn)
        if best is None:
            verdict.found.append(f"{drawn.algorithm}: released, though the brute force finds no release")
        else:
            least = Fraction(best) / drawn.unit
            if certificate.lower_bound > least:
                verdict.found.append(
                    f"{drawn.algorithm}: the lower bound {certificate.lower_bound} is above the optimum {least}"
                )
            if proven > least:
                verdict.found.append(f"{drawn.algorithm}: the verification proves {proven}, above the optimum {least}")
            if certificate.status.value == "OPTIMAL" and certificate.cost != least:
                verdict.found.append(f"{drawn.algorithm}: OPTIMAL at {certificate.cost}, the optimum is {least}")
            if certificate.cost < least:
                verdict.found.append(f"{drawn.algorithm}: cost {certificate.cost} is below the optimum {least}")
            if drawn.algorithm in EXACT and not drawn.person and certificate.cost != least:
                verdict.found.append(f"{drawn.algorithm}: cost {certificate.cost}, though it is exact and {least} is possible")
    return verdict


EXACT = ("optimal", "subset_dp", "row_assignment", "matching")
"""Solvers that guarantee the optimum where they accept a table and have no time limit."""


def _claims(drawn: Case, certificate: Certificate, cost: Fraction) -> list[str]:
    found = []
    if certificate.cost != cost / drawn.unit:
        found.append(f"the certificate says cost {certificate.cost}, the recoding has {cost / drawn.unit}")
    if certificate.lower_bound > certificate.cost:
        found.append(f"the lower bound {certificate.lower_bound} is above the cost {certificate.cost}")
    if (certificate.status.value == "OPTIMAL") != (certificate.lower_bound == certificate.cost):
        found.append(f"{certificate.status} with the bound {certificate.lower_bound} and the cost {certificate.cost}")
    if certificate.rows != len(drawn.rows):
        found.append(f"the certificate counts {certificate.rows} rows of {len(drawn.rows)}")
    return found


def _cost(drawn: Case, table: CodedTable, recoding: Recoding, number: np.ndarray | None) -> Fraction:
    """The cost of a recoding in units of the case; an AssertionError tells what is wrong with it."""
    types = [tuple(row) for row in np.hstack([table.codes, *(each.codes[:, None] for each in table.sensitive)]).tolist()]
    placed: Counter[Row] = Counter()
    classes: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    total = 0
    for piece, (row_type, shown, count) in enumerate(
        zip(recoding.row_type.tolist(), recoding.shown.tolist(), recoding.count.tolist(), strict=True)
    ):
        assert count > 0, "a piece has no rows"
        row = types[row_type]
        placed[row] += count
        if number is not None:
            classes[(int(number[piece]),)] += [row] * count
            continue
        levels = [_level(each, shown) for each in drawn.units]
        _require_permitted(drawn, levels)
        look = tuple(
            None if level is None else (level, row[each.places[level]]) for each, level in zip(drawn.units, levels, strict=True)
        )
        classes[look] += [row] * count
        total += count * sum(each.hiding(level) for each, level in zip(drawn.units, levels, strict=True))
    assert placed == Counter(drawn.rows), "the pieces are not the rows"
    keeps = rule(drawn)
    for rows in classes.values():
        assert keeps(rows), f"a class of {len(rows)} rows breaks the guarantee"
    if number is None:
        return Fraction(total)
    return sum((_lost(drawn, rows) for rows in classes.values()), Fraction(0))


def _level(unit: Unit, shown: int) -> int | None:
    """The level that a pattern shows; a level that is shown shows all coarser ones."""
    bits = [shown >> place & 1 for place in unit.places]
    assert bits == sorted(bits), "a pattern shows a level without those above"
    return bits.index(1) if 1 in bits else None


def _require_permitted(drawn: Case, levels: list[int | None]) -> None:
    for unit, level in zip(drawn.units, levels, strict=True):
        assert level is None or unit.shown[level], "a level is shown that may not be"
    mask = frozenset(n for n, level in enumerate(levels) if level is not None)
    assert drawn.masks is None or mask in drawn.masks, "a mask is used that is not permitted"


def rule(drawn: Case) -> Callable[[list[Row]], bool]:
    """Whether some rows may be a class."""
    width = drawn.width
    place = {name: width + n for n, name in enumerate(dict.fromkeys(each.column for each in drawn.requirements))}
    whole = {name: [str(row[at]) for row in drawn.rows] for name, at in place.items()}
    orders = {name: sorted({*held}, key=int) for name, held in whole.items()}

    def keeps(rows: list[Row]) -> bool:
        if drawn.person is not None:
            people = {row[drawn.person] for row in rows} - {drawn.nobody}
            return len(people) >= drawn.k
        return len(rows) >= drawn.k and all(
            kept(each, [str(row[place[each.column]]) for row in rows], whole[each.column], orders[each.column])
            for each in drawn.requirements
        )

    return keeps


def _lost(drawn: Case, rows: list[Row]) -> Fraction:
    """What a class loses by the ranges and sets that it shows."""
    lost = Fraction(0)
    for unit in drawn.units:
        place = unit.places[0]
        values = {row[place] for row in rows}
        others = len({row[place] for row in drawn.rows}) - 1
        null = drawn.null.get(unit.names[0], -1)
        known = values - {null}
        if not others:
            continue
        match unit.kind:
            case "plain":
                share = Fraction(len(values) > 1)
            case "set":
                share = Fraction(len(values) - 1, others)
            case _:
                share = Fraction(max(known) - min(known) + (null in values), others) if known else Fraction(0)
        lost += unit.cost[0] * share
    return lost * len(rows)


def _masked(drawn: Case, rows: list[Row]) -> int | None:
    """The cost of the cheapest permitted mask that the rows may be released under as one class."""
    finest: list[int | None] = []
    for unit in drawn.units:
        agreed = [
            level
            for level, (place, may) in enumerate(zip(unit.places, unit.shown, strict=True))
            if may and len({row[place] for row in rows}) == 1
        ]
        finest.append(agreed[0] if agreed else None)
    hidden = sum(unit.hiding(None) for unit in drawn.units)
    saved = [
        0 if level is None else unit.hiding(None) - unit.hiding(level) for unit, level in zip(drawn.units, finest, strict=True)
    ]
    if drawn.masks is None:
        return (hidden - sum(saved)) * len(rows)
    fitting = [sum(saved[n] for n in mask) for mask in drawn.masks if all(finest[n] is not None for n in mask)]
    return (hidden - max(fitting)) * len(rows) if fitting else None


def optimum(drawn: Case) -> Fraction | int | None:
    """The least cost of a release in units of the case, None where there is none."""
    keeps = rule(drawn)
    rows = len(drawn.rows)
    plain = drawn.person is None and not drawn.requirements
    costs: list[Fraction | int | None] = [None]
    for chosen in range(1, 1 << rows):
        members = [drawn.rows[n] for n in range(rows) if chosen >> n & 1]
        if len(members) < drawn.k or not (plain or keeps(members)):
            costs.append(None)
        else:
            costs.append(_lost(drawn, members) if drawn.summarized else _masked(drawn, members))
    return cheapest(costs, rows)
