"""Costs of masks: as the weights that a proof of a bound adds up, and those of a release counted from its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from kanon_sql.model.masks import Mask, columns_of
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name
from kanon_sql.verification.dual_bound import Shown
from kanon_sql.verification.readings import Reading
from kanon_sql.verification.shown_cells import Cells


def denominators(costed: Mapping[Mask, Fraction]) -> list[int]:
    """Return the denominators of the costs."""
    return [cost.denominator for cost in costed.values()]


def by_hidden_columns(table: list[list[Any]], priced: Mapping[Shown, int]) -> tuple[list[list[Any]], list[int], set[Shown]]:
    """Return the same problem with a cost for each hidden column.

    Parameters
    ----------
    table : list of list
        The codes of the row types, column by column.
    priced : mapping of int
        What a row costs under each mask.

    Returns
    -------
    tuple
        The table, the cost of hiding each column, and the masks. The given columns cost nothing. For each binary digit of
        the costs there is one more column, in which all rows agree: the masks with that digit hide it.

    Examples
    --------
    >>> by_hidden_columns([[1, 2]], {(True,): 1, (False,): 2})[1]
    [0, 1, 2]
    """
    digits = max(priced.values()).bit_length()
    rows = len(table[0]) if table else 0
    masks = {(*mask, *(not cost >> digit & 1 for digit in range(digits))) for mask, cost in priced.items()}
    return (
        [*table, *([0] * rows for _ in range(digits))],
        [*(0 for _ in table), *(1 << digit for digit in range(digits))],
        masks,
    )


def mask_loss(policy: Policy, cells: Cells, readings: Sequence[Reading]) -> tuple[Fraction, Fraction]:
    """Return the least and greatest cost of the rows of a release, over the masks that each row may show.

    Notes
    -----
    A cell that was empty before looks suppressed, so that a row may fit several masks. A row that fits none costs nothing
    here: it is refused as one that no mask shows. O(p m) for each combination of cells, p masks of m columns.
    """
    domains = cells.domains
    known = [same_name(qi.column) for qi in policy.quasi_identifiers]
    masks = [({same_name(name) for name in columns_of(mask)}, cost) for mask, cost in (policy.costed_masks or {}).items()]
    may_be_empty = [bool(domain.rows[each.empty].sum()) for domain, each in zip(domains, readings, strict=True)]
    low = high = Fraction(0)
    for labels, count in zip(cells.released.codes.tolist(), cells.released.count.tolist(), strict=True):
        gone = [label == domain.hidden for label, domain in zip(labels, domains, strict=True)]
        costs = [
            cost
            for shown, cost in masks
            if all(
                (empty or not hidden) if name in shown else hidden
                for name, hidden, empty in zip(known, gone, may_be_empty, strict=True)
            )
        ]
        low += count * min(costs, default=Fraction(0))
        high += count * max(costs, default=Fraction(0))
    return low, high
