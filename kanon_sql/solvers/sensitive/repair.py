"""Rows that no class took: they are placed at the least extra cost that a search finds, so that every class keeps the promise.

What keeps the promise still keeps it when it is merged. So the rows left behind form a new class under some mask, and where
that breaks the promise, other classes under finer masks give it rows that they can spare, or are dissolved into it. Where one
permitted mask shows no more than any other, this ends well at the latest when all rows that look alike under it are in one
class, or no release keeps the promise.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import Pieces, UnplacedError
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import row_cost

_CANDIDATES = 8
"""Patterns tried for one new class from either end: the cheapest, and the coarsest."""

_ROUNDS = 200
"""New classes, beyond one for each row type left behind, after which the search gives up."""


def settle(table: CodedTable, patterns: PatternSet, promise: Promise, pieces: Pieces, budget: Budget) -> Pieces:
    """Place every row left behind.

    Raises
    ------
    UnplacedError
        When the search finds no way to place them.

    Notes
    -----
    O(q m + q log q), and what `repair` takes; more where no permitted mask shows less than all others.
    """
    if pieces.placed.all():
        return pieces
    coarsest = coarsest_mask(patterns)
    if coarsest is not None:
        return _under_coarsest(table, promise, pieces, coarsest)
    for _ in range(_ROUNDS + int((~pieces.placed).sum())):
        left = np.flatnonzero(~pieces.placed)
        if not len(left):
            return pieces
        pieces = _open_class(table, patterns, promise, pieces, int(left[0]))
        if budget.over():
            break
    raise _infeasible(pieces, "could not be placed under the given masks")


def coarsest_mask(patterns: PatternSet) -> np.uint64 | None:
    """Return the permitted mask that shows nothing that any other hides, if there is one."""
    if not patterns.listed:
        return np.uint64(0)
    common = np.bitwise_and.reduce(patterns.shown)
    return np.uint64(common) if (patterns.shown == common).any() else None


def _infeasible(pieces: Pieces, what: str) -> UnplacedError:
    rows = int(pieces.count[~pieces.placed].sum())
    return UnplacedError(
        f"{rows} rows {what}, with a class around each that keeps the promise; hint: permit coarser masks, or the mask () "
        "that suppresses everything, or promise less"
    )


def _under_coarsest(table: CodedTable, promise: Promise, pieces: Pieces, shown: np.uint64) -> Pieces:
    """Place the rows left behind in the classes of the coarsest mask."""
    all_alike = replace(pieces, shown=np.full_like(pieces.shown, shown), placed=np.ones_like(pieces.placed))
    group = all_alike.classes(table)
    order = np.argsort(group, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(group[order], prepend=-1)), len(order))
    number = pieces.classes(table)
    take = np.zeros_like(pieces.count)
    for place in np.unique(group[~pieces.placed]):
        inside = order[ends[place] : ends[place + 1]]
        found = _joined(table, promise, pieces, number, inside, shown)
        if found is None:
            raise _infeasible(pieces, "look alike with no others, under the coarsest mask,")
        take[inside] = found
    return _moved(pieces, take, shown)


def _joined(
    table: CodedTable, promise: Promise, pieces: Pieces, number: Int64, inside: Int64, shown: np.uint64
) -> Int64 | None:
    """Return the rows of the pieces ``inside`` that make a class which keeps the promise; None if none is found.

    All rows left behind are in it, and all of the class that shows the same already.
    """
    from kanon_sql.kernels.requirements.repair import Donors, repair

    placed = pieces.placed[inside]
    founders = ~placed | (pieces.shown[inside] == shown)
    take: Int64 = np.where(founders, pieces.count[inside], 0)
    kind = promise.kind[pieces.row_type[inside]]
    held = promise.histograms(np.zeros(int(founders.sum()), np.int64), pieces.row_type[inside[founders]], take[founders])[0]
    giving = inside[~founders]
    _, sample, local = np.unique(number[giving], return_index=True, return_inverse=True)
    cost = row_cost(pieces.shown[giving[sample]], table.cost)
    extra = row_cost(np.array([shown]), table.cost)[0] - cost
    histograms = promise.histograms(local, pieces.row_type[giving], pieces.count[giving])
    given_kind = kind[~founders]
    order = np.lexsort((extra[local], given_kind))
    donors = Donors(
        promise.encoded,
        group=given_kind,
        copies=pieces.count[giving],
        number=local,
        order=order,
        first=np.searchsorted(given_kind[order], np.arange(len(promise.kinds) + 1)),
        extra=extra,
        rows=np.bincount(local, pieces.count[giving], len(sample)).astype(np.int64),
        histogram=histograms,
        counter=promise.kinds,
    )
    gives = np.zeros(len(giving), np.int64)
    if repair(donors, held, int(take.sum()), gives):
        take[~founders] = gives
        return take
    together = promise.histograms(np.zeros(len(inside), np.int64), pieces.row_type[inside], pieces.count[inside])
    return pieces.count[inside] if promise.met(together).all() else None


def _open_class(table: CodedTable, patterns: PatternSet, promise: Promise, pieces: Pieces, target: int) -> Pieces:
    """Open a class for a piece left behind, with all others that look like it: the one that costs least for each row it saves.

    Classes are dissolved into it where all of their rows look like it; if that does not suffice, all rows that do leave their
    classes, and what breaks its promise then is left behind.
    """
    same = table.codes[pieces.row_type] == table.codes[pieces.row_type[target]]
    agree = same.astype(np.uint64) @ (np.uint64(1) << np.arange(same.shape[1], dtype=np.uint64))
    number = pieces.classes(table)
    rows = np.bincount(number[pieces.placed], pieces.count[pieces.placed]).astype(np.int64)
    paid = np.where(pieces.placed, row_cost(pieces.shown, table.cost), 0)
    chosen = patterns.shown
    if len(chosen) > 2 * _CANDIDATES:
        chosen = np.append(chosen[:_CANDIDATES], chosen[-_CANDIDATES:])
    offers: list[tuple[bool, Fraction, Int64, np.uint64]] = []
    for shown, cost in zip(chosen, row_cost(chosen, table.cost).tolist(), strict=True):
        fits = (agree & shown) == shown
        inside = np.bincount(number[pieces.placed & fits], pieces.count[pieces.placed & fits], len(rows)).astype(np.int64)
        whole = np.flatnonzero(fits & (~pieces.placed | np.append(inside == rows, True)[number]))  # -1 is no class
        found, breaks = _joined(table, promise, pieces, number, whole, shown), False
        take = np.zeros_like(pieces.count)
        if found is not None:
            take[whole] = found
        else:
            take[fits], breaks = pieces.count[fits], True
            if not promise.met(
                promise.histograms(np.zeros(int(fits.sum()), np.int64), pieces.row_type[fits], take[fits])
            ).all():
                continue
        saved = int(take[~pieces.placed].sum())
        offers.append((breaks, Fraction(int(take @ (cost - paid)), saved), take, shown))
    if not offers:
        raise _infeasible(pieces, "are left, and some of them fit no permitted mask")
    _, _, take, shown = min(offers, key=lambda offer: offer[:2])
    return still_kept(table, promise, _moved(pieces, take, shown))


def still_kept(table: CodedTable, promise: Promise, pieces: Pieces) -> Pieces:
    """Leave the rows of classes behind that do not keep the promise."""
    number = pieces.classes(table)
    placed = pieces.placed
    kept = promise.met(promise.histograms(number[placed], pieces.row_type[placed], pieces.count[placed]))
    stays = placed.copy()
    stays[placed] = kept[number[placed]]
    return replace(pieces, placed=stays)


def _moved(pieces: Pieces, take: Int64, shown: np.uint64) -> Pieces:
    """Give rows of each piece a new pattern."""
    moved, stays = np.flatnonzero(take), np.flatnonzero(take < pieces.count)
    return Pieces(
        row_type=np.concatenate([pieces.row_type[stays], pieces.row_type[moved]]),
        shown=np.concatenate([pieces.shown[stays], np.full(len(moved), shown, np.uint64)]),
        count=np.concatenate([(pieces.count - take)[stays], take[moved]]),
        placed=np.concatenate([pieces.placed[stays], np.ones(len(moved), np.bool_)]),
    )
