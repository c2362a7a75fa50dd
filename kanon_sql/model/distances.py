"""Earth mover's distances between the values of a sensitive attribute, exact in whole numbers.

Most ground distances of t-closeness are lengths of paths in a tree with the values at its leaves. There the earth mover's
distance is a plain sum over the edges: what has to cross an edge is what one distribution has more of below it. Any other
metric is a matrix of costs, and its distance a transport.

References
----------
Li, Li, Venkatasubramanian: t-closeness, ICDE 2007 (Sections 4 and 5: equal, ordered and hierarchical distances).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import gcd, lcm
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import PolicyError
from kanon_sql.model.distance_texts import distance_of
from kanon_sql.model.how_many import how_many

Int64 = NDArray[np.int64]

_SCALE = 1 << 31
"""Distances that need a larger common denominator could overflow 64 bits when they are multiplied with counts of rows."""

_TREE_VALUES = 10_000
"""Values of an attribute whose distance is a tree: an edge and a value take a byte."""

_MATRIX_VALUES = 1_000
"""Values of an attribute whose distance is a matrix: a pair takes eight bytes, and a triangle is looked at."""

_NUMBER = re.compile(r"-?[0-9]{1,22}(\.[0-9]{1,15})?")
"""Numbers that are decimals of 15 places without a rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeDistance:
    """A ground distance along the edges of a tree: EMD(P, Q) = sum_e length_e * |P(below_e) - Q(below_e)| / scale."""

    below: NDArray[np.bool_]  # [e, v]: the values below each edge
    length: Int64  # [e]: length of each edge, at least 0, in units of ``1 / scale``
    scale: int  # below 2^31


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixDistance:
    """Any metric: EMD(P, Q) is the least cost of moving P to Q, where moving all of i to j costs ``cost[i, j] / scale``."""

    cost: Int64  # [v, v]: symmetric, 0 on the diagonal, at most ``scale``, no pair farther apart than its detour
    scale: int  # below 2^31


Distance = TreeDistance | MatrixDistance
"""What a metric of t-closeness says about the values that occur, in the order of their codes."""


def equal(values: int) -> TreeDistance:
    """Return the distance in which any two of the values are 1 apart."""
    _refuse_many(values, _TREE_VALUES)
    return TreeDistance(below=np.eye(values, dtype=np.bool_), length=np.ones(values, np.int64), scale=2)


def ordered(values: int) -> TreeDistance:
    """Return the distance of ranks: neighbours are 1 / (v - 1) apart."""
    return numeric(range(values))


def numeric(values: Sequence[int | Fraction]) -> TreeDistance:
    """Return the distance of numbers: their difference, over the largest difference.

    Parameters
    ----------
    values : sequence of int or Fraction [v]
        The number that each value stands for, in any order.

    Raises
    ------
    PolicyError
        When the numbers are too far apart, or too fine, for exact sums.
    """
    _refuse_many(len(values), _TREE_VALUES)
    rank = sorted(range(len(values)), key=lambda value: values[value])
    exact = [Fraction(values[value]) for value in rank]
    lengths, scale = _whole([high - low for low, high in pairwise(exact)], sum_is_scale=True)
    below = np.zeros((len(lengths), len(values)), np.bool_)
    for edge, value in enumerate(rank[:-1]):
        below[edge:, value] = True
    return TreeDistance(below=below, length=np.array(lengths, np.int64), scale=scale)


Node = TypeVar("Node", bound=Hashable)


def hierarchical(paths: Sequence[Sequence[Node]], height: Mapping[Node, int]) -> TreeDistance:
    """Return the distance in a generalization hierarchy: the height of the lowest common ancestor, over that of the root.

    Parameters
    ----------
    paths : sequence of sequence of node [v]
        For each value the nodes from its leaf, of height 0, up to the root.
    height : mapping
        Height of each node on a path, growing upward.

    Notes
    -----
    Two values are as far apart as the path between their leaves is long: twice the height at which it turns.
    """
    _refuse_many(len(paths), _TREE_VALUES)
    edges: dict[Node, tuple[int, list[int]]] = {}
    for value, path in enumerate(paths):
        for node, parent in pairwise(path):
            edges.setdefault(node, (height[parent] - height[node], []))[1].append(value)
    below = np.zeros((len(edges), len(paths)), np.bool_)
    for edge, (_, values) in enumerate(edges.values()):
        below[edge, values] = True
    length = np.array([length for length, _ in edges.values()], np.int64)
    tallest = max((height[path[-1]] for path in paths), default=0)
    return TreeDistance(below=below, length=length, scale=max(1, 2 * tallest))


def metric(
    labels: Sequence[str | None], a: Sequence[str | None], b: Sequence[str | None], distance: Sequence[str | None]
) -> MatrixDistance:
    """Return the distance that a table gives, divided by its largest entry.

    Parameters
    ----------
    labels : sequence of str or None [v]
        The text of each value that occurs.
    a, b, distance : sequence of str or None
        The columns of the table as texts; a pair may stand in one direction only, and the diagonal may be missing.

    Raises
    ------
    PolicyError
        When the table is no metric, a pair is missing, or the distances are too fine. The message counts pairs and names
        none: they are values of the data.

    Notes
    -----
    O(v^3) time and O(v^2) memory. The scale is free: distances of 1, 2 and 3 are those of 1/3, 2/3 and 1.

    Examples
    --------
    >>> found = metric(["a", "b", "c"], ["a", "b", "a"], ["b", "c", "c"], ["1/3", "0.6666666666666666", "1"])
    >>> found.cost.tolist(), found.scale
    ([[0, 1, 3], [1, 0, 2], [3, 2, 0]], 3)
    """
    _refuse_many(len(labels), _MATRIX_VALUES)
    table, known = _pairs(a, b, distance), {*a, *b}
    largest = max(table.values(), default=Fraction(1))
    if len(known) > 1 and largest == 0:
        raise PolicyError("all distances in the table are 0; hint: set at least one distance above 0")
    missing = sum(label not in known for label in labels)
    if missing and len(labels) > 1:
        raise PolicyError(
            f"{missing} of the {len(labels)} distinct values are missing from the table of distances; hint: add them"
        )
    exact: dict[tuple[int, int], Fraction] = {}
    missing = 0
    for (i, one), (j, other) in product(enumerate(labels), repeat=2):
        if one != other:
            if (one, other) in table:
                exact[i, j] = table[one, other]
            else:
                missing += i < j
    if missing:
        raise PolicyError(
            f"the table of distances lacks {_pairs_of(missing)} of values; hint: add a row for each pair of values"
        )
    different = list({id(value): value for value in exact.values()}.values())
    whole, scale = _whole(
        [value / (largest or 1) for value in different], hint="round to fewer digits, and write a third as '1/3'"
    )
    of_value = {id(value): each for value, each in zip(different, whole, strict=True)}
    cost = np.zeros((len(labels), len(labels)), np.int64)
    for place, value in exact.items():
        cost[place] = of_value[id(value)]
    for over in range(len(labels)):
        detour = cost[:, over, None] + cost[over]
        if (detour < cost).any():
            raise PolicyError(
                f"for {_pairs_of(int((detour < cost).sum()) // 2)}, the distance is longer than the path via a third value; "
                "hint: make the distances obey the triangle inequality"
            )
    return MatrixDistance(cost=cost, scale=scale)


def number(text: str | None) -> Fraction | None:
    """Return the number that a text is, exactly; None where it is none, has an exponent or more than 15 decimal places."""
    return None if text is None or not _NUMBER.fullmatch(text) else Fraction(text)


def _pairs(
    a: Sequence[str | None], b: Sequence[str | None], distance: Sequence[str | None]
) -> dict[tuple[str | None, str | None], Fraction]:
    """Return the distance of each pair of the table in both directions."""
    table: dict[tuple[str | None, str | None], Fraction] = {}
    unread = looped = torn = 0
    read = {text: distance_of(text) for text in set(distance)}  # many pairs are as far apart as others
    for one, other, text in zip(a, b, distance, strict=True):
        value = read[text]
        if value is None:
            unread += 1
            continue
        looped += one == other and value > 0
        torn += table.setdefault((one, other), value) != value or table.setdefault((other, one), value) != value
    if unread:
        raise PolicyError(
            f"for {_pairs_of(unread)}, the distance must be a non-negative number with at most 37 digits; hint: "
            "write a number such as 3, 0.25 or '1/3'"
        )
    if looped:
        raise PolicyError(
            f"the table has {how_many(looped, 'nonzero distance')} from a value to itself; hint: set such distances to 0"
        )
    if torn:
        raise PolicyError(
            f"the table has two different distances for {_pairs_of(torn)}; hint: use the same distance in both directions"
        )
    return table


def _whole(
    lengths: Sequence[Fraction], *, sum_is_scale: bool = False, hint: str = "round to fewer digits"
) -> tuple[list[int], int]:
    """Return lengths as whole numbers without a common factor, and how many of them make a distance of 1."""
    unit = lcm(*(length.denominator for length in lengths))
    whole = [length.numerator * (unit // length.denominator) for length in lengths]
    scale = sum(whole) if sum_is_scale else unit
    common = gcd(*whole, scale)
    if common == 0:
        return whole, 1
    if scale // common >= _SCALE:
        raise PolicyError(f"the distances span too wide a range, or have too many digits, to be added exactly; hint: {hint}")
    return [length // common for length in whole], scale // common


def _refuse_many(values: int, most: int) -> None:
    if values > most:
        raise PolicyError(
            f"the sensitive column has {values} values, but this metric supports at most {most}; hint: generalize it "
            "first, for example to ranges"
        )


def _pairs_of(number: int) -> str:
    return f"{number} pair{'s' if number != 1 else ''}"
