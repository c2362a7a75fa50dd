"""Strictness: the rows that no class took are placed at the least extra cost that a local search finds.

An unassigned row fits no open class (every class took all rows it fits), so each repair opens one new class: the
unassigned rows, joined by donors: surplus rows of their classes, then whole classes, then, if nothing else helps, every row
that fits, whose former classes are dissolved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix
from kanon_sql.table.patterns import LISTED_COLUMNS, PatternSet
from kanon_sql.table.recoding import Recoding, hidden_bits, row_cost

_CANDIDATES = 8
"""Patterns tried for one new class from either end: the cheapest, and the coarsest, which always find donors."""

_FEW = 3
"""Unassigned row types up to which placing them one by one is also tried."""

_MANY = 10_000
"""Row types of a table in which one more expensive class no longer shows, so that it is not searched for a cheaper way."""

_LATE = 20
"""New classes that may still be opened after the time is up."""

_ROUNDS = 200
"""New classes, beyond one for each unassigned row type, after which the search gives up."""


class UnplacedError(InfeasibleError):
    """Rows are left over; a release may exist all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialRecoding:
    """A recoding on its way: placed pieces and unassigned rows."""

    row_type: Int32  # [q]: as in `Recoding`
    shown: Words  # [q]: as in `Recoding`; without meaning where not placed
    count: Int64  # [q]: as in `Recoding`
    placed: NDArray[np.bool_]  # [q]: False for unassigned rows

    @classmethod
    def of_row_types(cls, table: CodedTable, placed: NDArray[np.bool_], shown: Words) -> PartialRecoding:
        """Return one piece per row type."""
        everyone = np.arange(table.row_types, dtype=np.int32)
        return cls(row_type=everyone, shown=shown, count=table.weight.copy(), placed=placed)

    @classmethod
    def of(cls, recoding: Recoding) -> PartialRecoding:
        """Return the pieces of a recoding, all placed."""
        everything = np.ones(len(recoding.count), np.bool_)
        return cls(row_type=recoding.row_type, shown=recoding.shown, count=recoding.count, placed=everything)

    def with_rest(self, rest: PartialRecoding, row_type: Int64) -> PartialRecoding:
        """Return the placed pieces and those of a table of the unassigned rows alone, whose row types are ``row_type`` here."""
        stays = self.placed
        return PartialRecoding(
            row_type=np.concatenate([self.row_type[stays], row_type[rest.row_type].astype(np.int32)]),
            shown=np.concatenate([self.shown[stays], rest.shown]),
            count=np.concatenate([self.count[stays], rest.count]),
            placed=np.concatenate([self.placed[stays], rest.placed]),
        )

    def recoding(self) -> Recoding:
        """Return the recoding, pieces of one row type under one pattern joined, in a fixed order."""
        order = np.lexsort((self.shown, self.row_type))
        row_type, shown, count = self.row_type[order], self.shown[order], self.count[order]
        first = np.flatnonzero(np.append(True, (row_type[1:] != row_type[:-1]) | (shown[1:] != shown[:-1])))
        joined = np.add.reduceat(count, first) if len(first) and len(count) else count
        return Recoding(row_type=row_type[first[: len(joined)]], shown=shown[first[: len(joined)]], count=joined)

    def classes(self, table: CodedTable) -> Int64:
        """Return the class number of each placed piece (-1 where unassigned), dense from 0; O(q (m + log q))."""
        number = np.full(len(self.row_type), -1, np.int64)
        here = np.flatnonzero(self.placed)
        visible = (table.codes[self.row_type[here]] + 1) * (1 - hidden_bits(self.shown[here], len(table.columns)))
        word, stride, words = mixed_radix(table.cardinality + 1)
        keys = [visible[:, word == index] @ stride[word == index] for index in range(words)]
        # The shown values alone tell the pattern: a hidden cell is 0, a shown one is not.
        order = np.lexsort(keys)
        fresh = np.zeros(len(here), np.bool_)
        for key in keys:
            fresh[1:] |= key[order][1:] != key[order][:-1]
        number[here[order]] = np.cumsum(fresh)
        return number


def repair(
    table: CodedTable, patterns: PatternSet, k: int, partial: PartialRecoding, budget: Budget = UNLIMITED
) -> PartialRecoding:
    """Place every unassigned row: all in one new class, or one after the other, whichever costs less.

    Raises
    ------
    InfeasibleError
        When rows fit no permitted pattern with k - 1 others.
    UnplacedError
        When the search finds no way to place them.

    Notes
    -----
    O(q m + 2^m) a new class where all patterns are permitted; the number of new classes is at most the number of unassigned
    row types, and nearly always 0 or 1.
    """
    if partial.placed.all():
        return partial
    left = np.flatnonzero(~partial.placed)
    together = _open_class(table, patterns, k, partial, left)
    few = 1 < len(left) <= _FEW and table.row_types <= _MANY
    if together is not None and together.placed.all() and (not few or budget.over()):
        return together
    one_by_one = partial
    for number in range(_ROUNDS + len(left)):
        if number > _LATE and budget.over():
            break
        unassigned = np.flatnonzero(~one_by_one.placed)
        if not len(unassigned):
            found = [each for each in (one_by_one, together) if each is not None and each.placed.all()]
            return min(found, key=lambda each: each.recoding().cost(table))
        opened = _open_class(table, patterns, k, one_by_one, unassigned[:1])
        if opened is None:
            rows = int(one_by_one.count[unassigned].sum())
            raise InfeasibleError(
                f"{how_many(rows, 'row is left, and it does', 'rows are left, and some do')} not fit into any class of at "
                f"least {how_many(k, 'row')} under any permitted mask; hint: permit masks that show less, or the mask (), "
                "which suppresses everything"
            )
        one_by_one = opened
    rows = int(one_by_one.count[~one_by_one.placed].sum())
    raise UnplacedError(
        f"no release was found: {how_many(rows, 'row')} could not be placed under the given masks "
        f"with k = {k}; hint: permit the mask (), which suppresses everything, or allow more time"
    )


def _open_class(
    table: CodedTable, patterns: PatternSet, k: int, partial: PartialRecoding, targets: Int64
) -> PartialRecoding | None:
    """Open the cheapest new class that holds all the pieces ``targets``; None if no pattern can."""
    wanted = table.codes[partial.row_type[targets]]
    same = (table.codes[partial.row_type] == wanted[0]) & (wanted == wanted[0]).all(axis=0)
    agree = same.astype(np.uint64) @ (np.uint64(1) << np.arange(same.shape[1], dtype=np.uint64))
    feasible = _support(patterns.shown, agree, partial.count, same.shape[1]) >= k
    feasible &= (patterns.shown & agree[targets[0]]) == patterns.shown
    candidates = np.flatnonzero(feasible)
    if not len(candidates):
        return None
    if len(candidates) > 2 * _CANDIDATES:
        candidates = np.append(candidates[:_CANDIDATES], candidates[-_CANDIDATES:])
    classes = _Classes.of(table, partial)
    offers = [_offer(patterns, int(p), agree, classes, k, partial) for p in candidates]
    return _accept(min(offers, key=lambda offer: (offer.dissolves, offer.price)), classes, k, partial)


def _support(shown: Words, agree: Words, count: Int64, columns: int) -> Int64:
    """Return the rows that look like the target under each pattern, int64 [p]."""
    if columns <= LISTED_COLUMNS:
        rows = np.bincount(agree.astype(np.int64), weights=count, minlength=1 << columns).astype(np.int64)
        for column in range(columns):  # sums over supersets, a column at a time
            halves = rows.reshape(-1, 2, 1 << column)
            halves[:, 0] += halves[:, 1]
        return rows[shown.astype(np.int64)]
    distinct, which = np.unique(agree, return_inverse=True)
    rows = np.bincount(which, weights=count).astype(np.int64)
    return np.array([rows[(distinct & each) == each].sum() for each in shown], np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Classes:
    """The classes of the placed pieces: number and cost of a row per piece, rows per class."""

    number: Int64
    cost: Int64
    size: Int64

    @classmethod
    def of(cls, table: CodedTable, partial: PartialRecoding) -> _Classes:
        number = partial.classes(table)
        cost = row_cost(partial.shown, table.cost)
        size = np.zeros(number.max(initial=-1) + 1, np.int64)
        np.add.at(size, number[partial.placed], partial.count[partial.placed])
        return cls(number=number, cost=np.where(partial.placed, cost, 0), size=size)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """A new class: how many rows of each piece it takes, and what that costs for each row it saves."""

    shown: np.uint64
    take: Int64
    dissolves: bool
    price: Fraction


def _offer(patterns: PatternSet, p: int, agree: Words, classes: _Classes, k: int, partial: PartialRecoding) -> _Offer:
    shown = patterns.shown[p]
    fits = (agree & shown) == shown
    extra = patterns.cost[p] - classes.cost
    saved = np.where(fits & ~partial.placed, partial.count, 0)
    donors = np.flatnonzero(fits & partial.placed)
    need = k - int(saved.sum())
    gifts = [
        gift
        for gift in (_surplus_rows(donors, extra, need, classes, k, partial), _whole_class(donors, extra, classes, partial))
        if gift is not None
    ]
    if need <= 0:
        gifts = [np.zeros_like(saved)]
    dissolves = not gifts
    if dissolves:
        gifts = [np.where(fits & partial.placed, partial.count, 0)]
    take = min((saved + gift for gift in gifts), key=lambda each: int(each @ extra))
    return _Offer(shown=shown, take=take, dissolves=dissolves, price=Fraction(int(take @ extra), int(saved.sum())))


def _surplus_rows(donors: Int64, extra: Int64, need: int, classes: _Classes, k: int, partial: PartialRecoding) -> Int64 | None:
    """Return the cheapest ``need`` surplus rows of classes above k, or None if there are too few."""
    surplus = classes.size - k
    donors = donors[surplus[classes.number[donors]] > 0]
    gift = np.zeros(len(partial.count), np.int64)
    for donor in donors[np.argsort(extra[donors], kind="stable")]:
        rows = min(need, int(partial.count[donor]), int(surplus[classes.number[donor]]))
        gift[donor] = rows
        surplus[classes.number[donor]] -= rows
        need -= rows
        if need <= 0:
            return gift
    return None


def _whole_class(donors: Int64, extra: Int64, classes: _Classes, partial: PartialRecoding) -> Int64 | None:
    """Return all rows of the class that is cheapest to coarsen, or None if no class fits as a whole."""
    fitting = np.zeros_like(classes.size)
    np.add.at(fitting, classes.number[donors], partial.count[donors])
    price = np.zeros_like(classes.size)
    np.add.at(price, classes.number[donors], partial.count[donors] * extra[donors])
    whole = np.flatnonzero(fitting == classes.size)
    if not len(whole):
        return None
    chosen = whole[np.argmin(price[whole])]
    return np.where(classes.number == chosen, partial.count, 0)


def _accept(offer: _Offer, classes: _Classes, k: int, partial: PartialRecoding) -> PartialRecoding:
    """Move the offered rows to the new class; classes that fall below k give up their other rows."""
    size = classes.size.copy()
    moved = np.flatnonzero(offer.take)
    former = moved[partial.placed[moved]]
    np.subtract.at(size, classes.number[former], offer.take[former])
    kept = partial.count - offer.take
    stays = kept > 0
    stands = partial.placed & (np.append(size, 0)[classes.number] >= k)
    return replace(
        partial,
        row_type=np.concatenate([partial.row_type[stays], partial.row_type[moved]]),
        shown=np.concatenate([partial.shown[stays], np.full(len(moved), offer.shown, np.uint64)]),
        count=np.concatenate([kept[stays], offer.take[moved]]),
        placed=np.concatenate([stands[stays], np.ones(len(moved), np.bool_)]),
    )
