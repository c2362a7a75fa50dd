"""Labels that are put together until at least k rows share them: bins, optimal intervals, regions and rectangles."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.model.grouping_algorithms import AUTO, GroupingAlgorithm
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Bins, Intervals, Regions
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64
from kanon_sql.table.ladder import Label
from kanon_sql.table.numbers import Place, in_order, place
from kanon_sql.table.sensitive_values import refuse_far_moments

_FEW_COORDINATES = 16
"""Coordinates on an axis up to which the best rectangles are found, mostly in less than a second."""

_FEW_PLACES = 14
"""Labels of a map up to which the best regions are found, in half a second where all are neighbours."""


def grouped(
    recoding: Bins | Intervals | Regions, texts: Sequence[Label], rows: Int64, k: int, tables: Mapping[str, Any], budget: Budget
) -> tuple[list[Label], str]:
    """Return the label of the group of each value, and how the groups were chosen.

    Parameters
    ----------
    recoding : Bins, Intervals or Regions
        How labels are put together.
    texts : sequence of Label [v]
        The values, sorted as texts, NULL last.
    rows : int64 array [v]
        Rows of each value.
    k : int
        Least number of rows of a group.
    tables : mapping
        The table of neighbours, column by column.

    Raises
    ------
    InfeasibleError
        When there are no such groups.
    PolicyError
        When a value has no place among the others.
    """
    match recoding:
        case Bins():
            name = _chosen(recoding.algorithm, "balanced")  # of few labels it is exact itself
            found = _bins(GroupingAlgorithm.read(name, Bins.ALGORITHMS, "BINS"), rows, k, budget)
            return _numbered("bin", texts, found), f"BINS ({name}): {found.described(rows)}"
        case Regions():
            name = _chosen(recoding.algorithm, "region_exact" if len(texts) <= _FEW_PLACES else "regions")
            found = _regions(recoding, name, texts, rows, k, tables[recoding.edges], budget)
            return _numbered("region", texts, found), f"REGIONS ({name}): {found.described(rows)}"
        case Intervals():
            return _intervals(recoding, texts, rows, k, budget), ""


def grouped_again(
    recoding: Bins | Intervals | Regions, texts: Sequence[Label], rows: Int64, policy: Policy, tables: Mapping[str, Any]
) -> tuple[list[Label], str]:
    """Return what `grouped` returned for a policy without a time limit."""
    return grouped(recoding, texts, rows, policy.fewest_rows, tables, Budget(seed=policy.seed))


def rectangles(
    algorithm: str, texts: Sequence[Sequence[Label]], value: Sequence[Int64], rows: Int64, k: int, budget: Budget
) -> tuple[list[list[Label]], str]:
    """Return for each axis the side of the rectangle that each point is in, and how the rectangles were chosen.

    Parameters
    ----------
    algorithm : str
        The name of the requested one.
    texts : two sequences of Label
        The coordinates on each axis, each once.
    value : two int64 arrays [n]
        The coordinates of the points, as places in ``texts``; each point once.
    rows : int64 array [n]
        Rows at each point.
    """
    ranked = [_ranked(_numbers(each)) for each in texts]
    places = np.stack([rank[place] for (rank, _, _), place in zip(ranked, value, strict=True)])
    points, point = np.unique(places, axis=1, return_inverse=True)  # 0 and 0.0 are one place
    weight = np.zeros(points.shape[1], np.int64)
    np.add.at(weight, point, rows)
    few = max(len(first) for _, first, _ in ranked) <= _FEW_COORDINATES
    name = _chosen(algorithm, "rectangle_exact" if few else "kd_tree")
    found = _solver(name)(*points, weight, k, budget)
    labels = []
    for axis, (_, first, last) in enumerate(ranked):
        low, high = _ends(found.group, points[axis])
        ends = [str(each) for each in texts[axis]]
        sides = [interval(ends[first[a]], ends[last[b]], ()) for a, b in zip(low, high, strict=True)]
        labels.append([sides[group] for group in found.group[point]])
    return labels, f"RECTANGLES ({name}): {found.described(weight)}"


def _chosen(requested: str, automatic: str) -> str:
    return automatic if requested == AUTO else requested


def _solver(name: str) -> Any:
    return import_module(f"kanon_sql.solvers.labels.{name}").group


def _bins(algorithm: GroupingAlgorithm, rows: Int64, k: int, budget: Budget) -> Grouping:
    """Return bins of labels, which are packed in the order that the algorithm names."""
    group = _solver(algorithm.name)
    order, options = np.arange(len(rows)), {"epsilon": algorithm.epsilon} if algorithm.epsilon else {}
    if algorithm.order:
        by_weight = np.argsort(-rows, kind="stable")
        order = by_weight if algorithm.order == "sorted" else np.random.default_rng(budget.seed).permutation(len(rows))
    found: Grouping = group(rows[order], k, budget, **options)
    place = np.empty_like(order)
    place[order] = found.group
    return Grouping.of(place, found.lower_bound, found.bound, found.guarantee)


def _numbered(kind: str, texts: Sequence[Label], found: Grouping) -> list[Label]:
    """Return the name of each group; where a value has such a name, the numbers get more digits."""
    groups = int(found.group.max(initial=0)) + 1
    digits = len(str(groups))
    values = set(texts)
    while not values.isdisjoint(f"{kind} {group + 1:0{digits}}" for group in range(groups)):
        digits += 1
    return [f"{kind} {group + 1:0{digits}}" for group in found.group.tolist()]


def _intervals(recoding: Intervals, texts: Sequence[Label], rows: Int64, k: int, budget: Budget) -> list[Label]:
    """Return the interval of each value; NULL has no place in the order and stays what it is."""
    known = [text for text in texts if text is not None]
    refuse_far_moments(known)
    rank, first, last = _ranked(in_order(known))
    weight = np.zeros(len(first), np.int64)
    np.add.at(weight, rank, rows[[text is not None for text in texts]])
    group = np.zeros(len(first), np.int64)  # too few rows for an interval are one, which no class can show
    if weight.sum() >= k:
        group = _solver("intervals")(weight, k, budget, objective=recoding.objective).group
    low, high = _ends(group, np.arange(len(first)))
    values = set(known)
    sides = [interval(known[first[a]], known[last[b]], values) for a, b in zip(low, high, strict=True)]
    own = iter(group[rank].tolist())
    return [None if text is None else sides[next(own)] for text in texts]


def _ranked(values: Sequence[Any]) -> tuple[Int64, Int64, Int64]:
    """Return the rank of each value, equal ones alike, and for each rank the first and the last place of a value.

    Texts such as 1 and 1.0 are equal as numbers: a label that names both ends tells that there were several.
    """
    first: dict[Any, int] = {}
    last: dict[Any, int] = {}
    for number, value in enumerate(values):
        first.setdefault(value, number)
        last[value] = number
    ranks = {value: rank for rank, value in enumerate(sorted(first))}
    rank = np.array([ranks[value] for value in values], np.int64)
    firsts, lasts = (np.array([place[value] for value in ranks], np.int64) for place in (first, last))
    return rank, firsts, lasts


def _ends(group: Int64, rank: Int64) -> tuple[list[int], list[int]]:
    """Return the lowest and the highest rank of each group."""
    count = int(group.max(initial=-1)) + 1
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(low, group, rank)
    np.maximum.at(high, group, rank)
    return low.tolist(), high.tolist()


def interval(low: str, high: str, values: Container[Label]) -> str:
    """Return the interval from one of the values of a column to another, or to itself."""
    return alone(low) if low == high else listed("[", (low, high), "]", values)


def _numbers(texts: Sequence[Label]) -> list[Place]:
    found = [where for text in texts if text is not None and (where := place(text)) is not None and not where[0]]
    if len(found) < len(texts):
        raise PolicyError(
            f"{len(texts) - len(found)} of the {len(texts)} coordinates are empty, infinite or not numbers; "
            "hint: exclude these rows"
        )
    return found


def _regions(
    recoding: Regions,
    name: str,
    texts: Sequence[Label],
    rows: Int64,
    k: int,
    neighbours: Mapping[str, Sequence[Label]],
    budget: Budget,
) -> Grouping:
    """Return the regions that the solver of that name makes of the labels."""
    columns = {name.lower(): column for name, column in neighbours.items()}
    if columns.keys() != {"a", "b"}:
        raise PolicyError(
            f"the table {recoding.edges!r} must have the columns a and b; hint: add a row for each pair of neighbours"
        )
    if None in texts:
        raise PolicyError("empty cells belong to no region; hint: exclude these rows, or fill the cells")
    place = {text: number for number, text in enumerate(texts)}
    pairs = list(zip(columns["a"], columns["b"], strict=True))
    loops = sum(a == b for a, b in pairs)
    if loops:
        raise PolicyError(
            f"{how_many(loops, 'label')} in {recoding.edges!r} "
            f"{'is its own neighbour' if loops == 1 else 'are their own neighbours'}; hint: delete the rows WHERE a = b"
        )
    edges = np.array([(place[a], place[b]) for a, b in pairs if a in place and b in place], np.int64).reshape(-1, 2)
    if recoding.components == "refuse":
        small = import_module("kanon_sql.solvers.labels.small_components").too_small(rows, edges, k).tolist()
        if small:
            mapped = {label for pair in pairs for label in pair}
            unmapped = sum(texts[label] not in mapped for label in small)
            alone = f" ({unmapped} of them not in {recoding.edges!r})" if unmapped else ""
            raise PolicyError(
                f"{how_many(len(small), 'label is in a part of the map that has', 'labels are in parts of the map that have')} "
                f"fewer than k = {k} rows in total{alone}; "
                f"hint: add neighbours, exclude these rows, or merge them with IN REGIONS map ('merge')"
            )
    found: Grouping = _solver(name)(rows, edges, k, budget, merge=recoding.components == "merge")
    return found


def alone(text: str) -> str:
    """Return what a class shows of its only value.

    Examples
    --------
    >>> alone("Smith, John"), alone("[draft]")
    ('Smith, John', '"[draft]"')
    """
    return quoted(text) if text.startswith(("[", "{", '"')) or text.endswith(" or NULL") else text


def listed(opening: str, texts: Sequence[Label], closing: str, values: Container[Label]) -> str:
    """Return several values between brackets, NULL as ``NULL``.

    Parameters
    ----------
    opening, closing : str
        The brackets.
    texts : sequence of Label
        The values that are listed.
    values : container of Label
        The values of the column; where the label is one of them, all its words get quotes.

    Examples
    --------
    >>> listed("{", ["flu", "gout, acute", None], "}", ())
    '{flu, "gout, acute", NULL}'
    """
    plain = opening + ", ".join(map(_word, texts)) + closing
    if plain not in values:
        return plain
    return opening + ", ".join("NULL" if text is None else quoted(text) for text in texts) + closing


def quoted(text: str) -> str:
    """Return a text in double quotes, those within it doubled."""
    return '"' + text.replace('"', '""') + '"'


def _word(text: Label) -> str:
    if text is None:
        return "NULL"
    return quoted(text) if ", " in text or text.startswith('"') or text == "NULL" else text
