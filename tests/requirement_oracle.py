"""What each requirement asks of a class, and what the audit says of a table: by definition, in plain Python, slow and short.

Nothing is shared with the package but the names of the requirements. The fuzz has rules of its own (`fuzz.requirement_rules`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import exp, lcm, log
from typing import Any

from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
)

Histogram = Mapping[Any, int]
"""Rows by value."""

Apart = Callable[[Any, Any], Fraction]
"""How far two values are apart."""

Pair = tuple[Hashable, Hashable]
"""A row: its quasi-identifiers as one value, and its sensitive value."""


def kept(
    requirement: Requirement,
    counts: Histogram,
    whole: Histogram,
    apart: Apart | None = None,
    named: Callable[[str | None], Any] = lambda value: value,
) -> bool:
    """Whether a class meets a requirement; ``apart`` is the distance of t-closeness, ``named`` gives the value of a name."""
    rows, all_rows = sum(counts.values()), sum(whole.values())
    match requirement:
        case KAnonymity():
            return rows >= requirement.k
        case LDiversity():
            return diverse(requirement, counts)
        case AlphaAnonymity():
            return counts.get(named(requirement.value), 0) <= requirement.alpha * rows
        case BetaLikeness():
            return all(gains_at_most(requirement.beta, n, rows, whole[value], all_rows) for value, n in counts.items() if n)
        case DeltaDisclosure():
            most = Decimal(requirement.delta.numerator) / Decimal(requirement.delta.denominator)
            return all(
                counts.get(value, 0) > 0 and disclosed(counts[value], rows, n, all_rows) < most for value, n in whole.items()
            )
        case TCloseness():
            assert apart is not None
            return moved(counts, whole, apart) <= requirement.t
    raise AssertionError(f"no definition of {requirement}")


def diverse(requirement: LDiversity, counts: Histogram) -> bool:
    """Whether a class is l-diverse, in the variant that is asked for."""
    rows, descending = sum(counts.values()), sorted((n for n in counts.values() if n), reverse=True)
    match requirement.variant:
        case "frequency":
            return descending[0] * requirement.l <= rows
        case "distinct":
            return len(descending) >= requirement.l
        case "recursive":
            assert requirement.c is not None
            return descending[0] < requirement.c * sum(descending[int(requirement.l) - 1 :])
        case "entropy":  # |G|^|G| >= l^|G| prod r^r
            power = requirement.l**rows
            for each in descending:
                power *= Fraction(each) ** each
            return Fraction(rows) ** rows >= power
    raise AssertionError(f"no definition of {requirement.variant}")


def gains_at_most(beta: Fraction, held: int, size: int, total: int, rows: int) -> bool:
    """Whether (q - p) / p <= min(beta, -ln p), the definition of Cao and Karras."""
    p, q = Fraction(total, rows), Fraction(held, size)
    gain = (q - p) / p
    logarithm = -(Decimal(total) / Decimal(rows)).ln()
    return gain <= beta and (gain <= 0 or Decimal(gain.numerator) / Decimal(gain.denominator) <= logarithm)


def disclosed(held: int, size: int, total: int, rows: int) -> Decimal:
    """|ln(q / p)|, of Brickell and Shmatikov."""
    return abs((Decimal(held * rows) / Decimal(size * total)).ln())


def moved(have: Histogram, want: Histogram, apart: Apart) -> Fraction:
    """The earth mover's distance of two histograms: the cheapest transport, whatever the distance is made of."""
    cost = {(a, b): apart(a, b) for a in have for b in want}
    scale = lcm(*(each.denominator for each in cost.values()))
    masses = sum(have.values()), sum(want.values())
    flow, node = SimpleMinCostFlow(), {("have", a): i for i, a in enumerate(have)}
    node |= {("want", b): len(node) + j for j, b in enumerate(want)}
    for (a, b), each in cost.items():
        flow.add_arc_with_capacity_and_unit_cost(node["have", a], node["want", b], masses[0] * masses[1], int(each * scale))
    for a, rows in have.items():
        flow.set_node_supply(node["have", a], rows * masses[1])
    for b, rows in want.items():
        flow.set_node_supply(node["want", b], -rows * masses[0])
    assert flow.solve() == flow.OPTIMAL
    return Fraction(flow.optimal_cost(), masses[0] * masses[1] * scale)


def total(classes: Sequence[Histogram]) -> dict[Any, int]:
    """Return the histogram of all classes together."""
    return dict(sum((Counter(counts) for counts in classes), Counter()))


def equal(a: Hashable, b: Hashable) -> Fraction:
    return Fraction(a != b)


def ordered(values: Sequence[Hashable]) -> Apart:
    """Return the metric of the ranks of values given in their order."""
    rank = {value: i for i, value in enumerate(values)}
    return lambda a, b: Fraction(abs(rank[a] - rank[b]), max(len(rank) - 1, 1))


def numeric(values: Sequence[Fraction | int]) -> Apart:
    span = max(values) - min(values) or 1
    return lambda a, b: abs(Fraction(a) - Fraction(b)) / span


def hierarchical(parents: Mapping[Hashable, Hashable]) -> Apart:
    """Return the metric of a tree given by the parent of every node but the root."""

    def climb(node: Hashable) -> list[Hashable]:
        return [node, *(climb(parents[node]) if node in parents else [])]

    height: Counter[Hashable] = Counter()
    for node in {*parents, *parents.values()}:
        for steps, above in enumerate(climb(node)):
            height[above] = max(height[above], steps)
    tallest = max(height.values(), default=0) or 1

    def distance(a: Hashable, b: Hashable) -> Fraction:
        if a == b:
            return Fraction(0)
        over_b = set(climb(b))
        return Fraction(next(height[node] for node in climb(a) if node in over_b), tallest)

    return distance


def classes_of(rows: Sequence[Pair]) -> list[Counter[Hashable]]:
    """Return the counts of the sensitive values of each class."""
    found: dict[Hashable, Counter[Hashable]] = {}
    for qi, value in rows:
        found.setdefault(qi, Counter())[value] += 1
    return list(found.values())


def l_diversity(rows: Sequence[Pair], l: int = 2) -> dict[str, object]:  # noqa: E741 - its name everywhere
    """Return the figures of the audit macro of the same name."""
    classes = classes_of(rows)
    sorted_counts = [sorted(counts.values(), reverse=True) for counts in classes]

    def entropy(counts: list[int]) -> float:
        n = sum(counts)
        return round(exp(-sum(r / n * log(r / n) for r in counts)), 9)

    def ratio(counts: list[int]) -> Fraction | float:
        rest = sum(counts[l - 1 :])
        return Fraction(counts[0], rest) if rest else float("inf")

    figures: dict[str, object] = {
        "distinct_below": sum(len(counts) < l for counts in sorted_counts),
        "frequency_below": sum(Fraction(sum(counts), counts[0]) < l for counts in sorted_counts),
        "entropy_below": sum(entropy(counts) < l for counts in sorted_counts),
        "classes": len(classes),
        "rows": len(rows),
    }
    names = ("distinct_l", "frequency_l", "entropy_l", "recursive_c", "highest_share", "worst_size", "worst_count")
    if not rows:
        return dict.fromkeys((*names, "recursive_top", "recursive_rest")) | figures
    share, size = max((Fraction(counts[0], sum(counts)), sum(counts)) for counts in sorted_counts)
    c, top, rest = max((ratio(counts), counts[0], sum(counts[l - 1 :])) for counts in sorted_counts)
    return {
        "distinct_l": min(map(len, sorted_counts)),
        "frequency_l": float(1 / share),
        "entropy_l": min(map(entropy, sorted_counts)),
        "recursive_c": float(c),
        "highest_share": float(share),
        "worst_size": size,
        "worst_count": int(share * size),
        "recursive_top": top,
        "recursive_rest": rest,
    } | figures


def t_closeness(rows: Sequence[Pair], apart: Apart) -> dict[str, object]:
    """Return the figures of the audit macro of the same name."""
    classes = classes_of(rows)
    figures: dict[str, object] = {"classes": len(classes), "rows": len(rows)}
    if not rows:
        return dict.fromkeys(("t", "t_numerator", "t_denominator", "worst_classes", "worst_rows")) | figures
    distances = [moved(counts, total(classes), apart) for counts in classes]
    t = max(distances)
    worst = [sum(counts.values()) for counts, distance in zip(classes, distances, strict=True) if distance == t]
    return {
        "t": float(t),
        "t_numerator": t.numerator,
        "t_denominator": t.denominator,
        "worst_classes": len(worst),
        "worst_rows": sum(worst),
    } | figures
