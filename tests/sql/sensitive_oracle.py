"""l-diversity and t-closeness in plain Python, by their definitions: slow, short, and independent of the SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from math import exp, log

from ortools.graph.python import min_cost_flow

Pair = tuple[Hashable, Hashable]
"""A row: its quasi-identifiers as one value, and its sensitive value."""
Metric = Callable[[Hashable, Hashable], Fraction]


def classes_of(rows: Sequence[Pair]) -> list[Counter[Hashable]]:
    """Return the counts of the sensitive values of each class."""
    found: dict[Hashable, Counter[Hashable]] = {}
    for qi, value in rows:
        found.setdefault(qi, Counter())[value] += 1
    return list(found.values())


def l_diversity(rows: Sequence[Pair], l: int = 2) -> dict[str, object]:  # noqa: E741 - its name everywhere
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


def transport(have: Mapping[Hashable, int], want: Mapping[Hashable, int], cost: Callable[[Hashable, Hashable], int]) -> int:
    """Return the least cost of turning one distribution of whole masses into another of the same sum; all of it may flow."""
    flow = min_cost_flow.SimpleMinCostFlow()
    nodes = {("have", a): i for i, a in enumerate(have)}
    nodes |= {("want", b): len(have) + j for j, b in enumerate(want)}
    for a, mass in have.items():
        for b in want:
            flow.add_arc_with_capacity_and_unit_cost(nodes["have", a], nodes["want", b], mass, cost(a, b))
    for a, mass in have.items():
        flow.set_node_supply(nodes["have", a], mass)
    for b, mass in want.items():
        flow.set_node_supply(nodes["want", b], -mass)
    assert flow.solve() == flow.OPTIMAL
    return flow.optimal_cost()


def distance_to_whole(counts: Counter[Hashable], whole: Counter[Hashable], metric: Metric, scale: int) -> Fraction:
    """Return the earth mover's distance of two histograms; every distance times ``scale`` is whole."""
    n, size = sum(whole.values()), sum(counts.values())
    have = {value: count * n for value, count in counts.items()}
    want = {value: count * size for value, count in whole.items()}
    return Fraction(transport(have, want, lambda a, b: int(metric(a, b) * scale)), n * size * scale)


def t_closeness(rows: Sequence[Pair], metric: Metric, scale: int) -> dict[str, object]:
    classes = classes_of(rows)
    whole = Counter(value for _, value in rows)
    figures: dict[str, object] = {"classes": len(classes), "rows": len(rows)}
    if not rows:
        return dict.fromkeys(("t", "t_numerator", "t_denominator", "worst_classes", "worst_rows")) | figures
    distances = [distance_to_whole(counts, whole, metric, scale) for counts in classes]
    t = max(distances)
    worst = [sum(counts.values()) for counts, distance in zip(classes, distances, strict=True) if distance == t]
    return {
        "t": float(t),
        "t_numerator": t.numerator,
        "t_denominator": t.denominator,
        "worst_classes": len(worst),
        "worst_rows": sum(worst),
    } | figures


def equal(a: Hashable, b: Hashable) -> Fraction:
    return Fraction(a != b)


def ordered(values: Sequence[Hashable]) -> Metric:
    """Return the metric of the ranks of values given in their order."""
    rank = {value: i for i, value in enumerate(values)}
    return lambda a, b: Fraction(abs(rank[a] - rank[b]), max(len(rank) - 1, 1))


def numeric(values: Sequence[Fraction | int]) -> Metric:
    span = max(values) - min(values) or 1
    return lambda a, b: abs(Fraction(a) - Fraction(b)) / span  # type: ignore[arg-type]


def hierarchical(parents: Mapping[Hashable, Hashable]) -> Metric:
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
