"""The usefulness of a release in plain NumPy: each row is spread over its values by an outer product, one row at a time."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
from label_oracle import stands_for

Column = Sequence[str | None]
Tables = dict[str, Column]
Matrix = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Domain:
    """The values of a column of the source, in order, NULL first, and their bins."""

    def __init__(self, source: Column, bins: int) -> None:
        shown = [text for text in source if text is not None]
        self.numbers = all(map(_is_number, shown)) and bool(shown)
        ordered = sorted(set(shown), key=lambda text: (float(text) if self.numbers else 0.0, text.encode()))
        self.values: list[str | None] = [None, *ordered]
        counts = [shown.count(text) for text in ordered]
        before = np.concatenate([[0], np.cumsum(counts)])[:-1]
        small = len(ordered) <= bins
        places = [n if small else int(start) * bins // len(shown) for n, start in enumerate(before)]
        self.bins = np.array([0, *(place + 1 for place in places)])
        self.count = dict.fromkeys(self.values, 0) | {text: source.count(text) for text in set(source)}

    def shares(self, released: Column, suppress: str | None = "*") -> Matrix:
        """Return the share of each value in each row of a release."""
        size, known = len(self.values), {text for text in self.values if self.count[text]}
        read: dict[str | None, Matrix | None] = {}
        for cell in set(released):
            meant = set() if cell in (None, suppress) else ({cell} if cell in known else stands_for(str(cell), known))
            read[cell] = np.array([text in meant for text in self.values]) / len(meant) if meant else None
        shown = np.zeros(size)
        behind = 0.0
        for cell in released:
            if (share := read[cell]) is not None:
                shown += share
                behind += share[0]
        shown[0] = 0
        if shown.sum() == 0:
            shown = np.array([0.0] + [1.0] * (size - 1))
        hidden = sum(cell in (None, suppress) for cell in released)
        some = size > 1
        empty = min(1.0, max(0.0, self.count[None] - behind) / hidden) if hidden and some else 1.0
        elsewhere = shown / shown.sum() if some else np.array([1.0])
        null = np.eye(size)[0] * empty + elsewhere * (1 - empty)
        rows = [null if cell in (None, suppress) else elsewhere if read[cell] is None else read[cell] for cell in released]
        return np.array(rows).reshape(len(released), size)

    def binned(self, shares: Matrix) -> Matrix:
        """Return the shares of the bins."""
        found = np.zeros((len(shares), int(self.bins.max()) + 1))
        np.add.at(found.T, self.bins, shares.T)
        return found


def joint(source: Tables, released: Tables, size: int, bins: int) -> dict[tuple[str, ...], tuple[Matrix, Matrix]]:
    """Return the counts of both tables for each set of columns."""
    both = {}
    for name, column in source.items():
        domain = Domain(column, bins)
        both[name] = domain.binned(domain.shares(column, None)), domain.binned(domain.shares(released[name]))
    return {
        names: (_together([both[name][0] for name in names]), _together([both[name][1] for name in names]))
        for names in itertools.combinations(source, size)
    }


def _together(columns: list[Matrix]) -> Matrix:
    total = np.zeros([column.shape[1] for column in columns])
    for row in zip(*columns, strict=True):
        total += functools.reduce(np.multiply.outer, row)
    return total


def marginals(tables: dict[tuple[str, ...], tuple[Matrix, Matrix]]) -> dict[tuple[str, ...], float]:
    """Return the total variation of each set."""
    return {names: float(np.abs(one / one.sum() - two / two.sum()).sum() / 2) for names, (one, two) in tables.items()}


def propensity(tables: dict[tuple[str, ...], tuple[Matrix, Matrix]]) -> dict[tuple[str, ...], tuple[float, float | None]]:
    """Return pMSE and its ratio to the expected one, from the fitted score of each row."""
    found: dict[tuple[str, ...], tuple[float, float | None]] = {}
    for names, (one, two) in tables.items():
        both = (one + two)[(one + two) > 0]
        score = two[(one + two) > 0] / both
        pmse = float((both * (score - 0.5) ** 2).sum() / both.sum())
        expected = (len(both) - 1) * 0.5**3 / both.sum()
        found[names] = pmse, (pmse / expected if len(both) > 1 else None)
    return found


def cramer(table: Matrix, source: Matrix) -> float | None:
    """Return Cramer's V by the observed and the expected counts of every cell, for the number of values of the source."""
    least = min(int((source.sum(axis=axis) > 0).sum()) for axis in (0, 1)) - 1
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    some = expected > 0
    square = ((table - expected)[some] ** 2 / expected[some]).sum() / table.sum()
    return float(np.sqrt(square / least)) if least else None


def pearson(first: Domain, second: Domain, left: Matrix, right: Matrix) -> float | None:
    """Return Pearson's coefficient of all pairs of values that the rows can stand for, weighted by their shares."""
    x, y = (np.array([0.0, *map(float, each.values[1:])]) for each in (first, second))  # type: ignore[arg-type]
    weights = sum(np.outer(one[1:], two[1:]) for one, two in zip(left, right, strict=True))
    if not np.any(weights):
        return None
    mean_x, mean_y = (np.average(v[1:], weights=weights.sum(axis=a)) for v, a in ((x, 1), (y, 0)))
    dx, dy = x[1:] - mean_x, y[1:] - mean_y
    spread = (dx**2 @ weights.sum(axis=1)) * (dy**2 @ weights.sum(axis=0))
    return float((dx @ weights @ dy) / np.sqrt(spread)) if spread > 1e-12 else None


def predictability(source: Tables, released: Tables, target: str, bins: int) -> tuple[float, float, float]:
    """Return the accuracy of the largest class, and of naive Bayes after the source and after the release."""
    domains = {name: Domain(column, bins) for name, column in source.items()}
    own = {name: domains[name].binned(domains[name].shares(column, None)) for name, column in source.items()}
    other = {name: domains[name].binned(domains[name].shares(column)) for name, column in released.items()}
    classes = np.flatnonzero(own[target].sum(axis=0))
    truth = own[target].argmax(axis=1)
    found = [float(own[target].sum(axis=0).max() / len(truth))]
    for learned in (own, other):
        prior = learned[target].sum(axis=0)[classes]
        with np.errstate(divide="ignore"):
            score = np.log(prior / len(truth))[None, :].repeat(len(truth), axis=0)
        for name in source:
            if name != target:
                values = int((own[name].sum(axis=0) > 0).sum())
                table = learned[name].T @ learned[target][:, classes]
                score += np.log((table + 1) / (prior + values))[own[name].argmax(axis=1)]
        found.append(float((classes[np.round(score, 9).argmax(axis=1)] == truth).mean()))
    return found[0], found[1], found[2]


def group_loss(source: Tables, released: Tables, qi: Sequence[str], by: str) -> dict[str | None, tuple[int, float, float]]:
    """Return the rows of the source, the suppressed share and the loss of each group."""
    rows = len(source[by])
    losses, hidden = np.zeros(rows), np.zeros(rows)
    for name in qi:
        known = set(source[name])
        takes = {
            cell
            for cell in released[name]
            if cell is not None and cell not in known and (not (meant := stands_for(cell, known)) or None in meant)
        }
        empty = sum(cell is None for cell in released[name])
        behind = sum(cell in takes for cell in released[name])
        share = (empty - max(0, source[name].count(None) - behind)) / empty if empty else 0.0
        for row, cell in enumerate(released[name]):
            meant = {cell} if cell in known else stands_for(cell, known) if cell is not None else set()
            if cell is None:
                losses[row] += share if len(known) > 1 else 0
                hidden[row] += share
            elif len(known) > 1:
                losses[row] += (len(meant) - 1) / (len(known) - 1) if meant else 1
    groups = sorted(set(source[by]), key=repr)
    members = np.zeros((rows, len(groups)))
    for row, cell in enumerate(released[by]):
        meant = set() if cell is None else {cell} if cell in groups else stands_for(cell, set(groups))
        members[row] = [group in meant for group in groups]
    empty_rows = members.sum(axis=1) == 0
    members[~empty_rows] /= members[~empty_rows].sum(axis=1, keepdims=True)
    count = np.array([source[by].count(group) for group in groups], dtype=float)
    left = np.maximum(count - members.sum(axis=0), 0)
    members[empty_rows] = left / left.sum() if left.sum() > 0 else count / count.sum()
    weight = members.sum(axis=0)
    with np.errstate(invalid="ignore"):
        each = (members.T @ hidden) / weight / len(qi), (members.T @ losses) / weight / len(qi)
    return {group: (int(count[n]), float(each[0][n]), float(each[1][n])) for n, group in enumerate(groups)}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
