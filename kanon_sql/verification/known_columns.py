"""What a certificate claims of known columns: the classes of the release by every set, and a bound proven row by row.

Every row has to hide a cell of each set of known columns by which fewer than k rows of the source have its values: the rows
that show the same there are some of these. The cheapest cells that meet all such sets are what the row costs at least. With
charges for classes, a certificate may prove more: see :mod:`~kanon_sql.verification.class_charges`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.audit.known_classes import counted_known
from kanon_sql.errors import CertificateError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import People
from kanon_sql.verification.certificates import require_between
from kanon_sql.verification.class_charges import Charge, charged_rows_cost, terms_of
from kanon_sql.verification.rare_sets import apart, few_alike, known_sets

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate


def check_known(con: Any, claimed: Certificate, policy: Policy) -> None:
    """Count the classes of the table ``released`` by every set of known columns, and compare them with the claims.

    Raises
    ------
    CertificateError
        When a guarantee does not hold, or a claim is another one.
    """
    names = [qi.column for qi in policy.quasi_identifiers]
    sets, smallest, people = 0, list[int](), list[tuple[int, int]]()
    for requirement in policy.known_requirements:
        found = counted_known(con, requirement, names, policy.linked, "released")
        sets += found.sets
        if not found.kept:
            raise CertificateError("requirements", f"{requirement.describe()} does not hold: {found.described()}")
        if found.least is not None:
            smallest.append(found.least)
            people += [(requirement.of.k, found.least)] if isinstance(requirement.of, People) else []
    columns = [each.columns for each in policy.known_requirements if each.columns is not None]
    requested = bool(policy.known_requirements) and claimed.rows > 0
    facts: dict[str, int | None] = {
        "known_columns": max(columns, default=None) if requested else None,
        "sets_audited": sets if requested else None,
        "smallest_class_known": min(smallest, default=None) if requested else None,
    }
    for field, counted in facts.items():
        if getattr(claimed, field) != counted:
            raise CertificateError(field, f"{getattr(claimed, field)}, but it is {counted}")
    _check_people(claimed, people)


def _check_people(claimed: Certificate, counted: Sequence[tuple[int, int]]) -> None:
    """Check the fewest people of a class, given for each requirement its k and its smallest class: who is who is not shown."""
    field, stated = "smallest_class_known_people", claimed.smallest_class_known_people
    if stated is None:
        return
    if not counted:
        raise CertificateError(field, f"{stated}, but no guarantee for known columns counts people")
    least, most = (min(each) for each in zip(*counted, strict=True))
    require_between(field, stated, (least, most), "the guarantee and the rows of the smallest class allow a number")


def rows_cost(
    policy: Policy,
    table: Sequence[Sequence[Any]],
    counts: Sequence[int],
    cost: Sequence[int],
    order: Sequence[int],
    prices: Sequence[int],
    charges: Sequence[Charge] = (),
) -> bool:
    """Return whether a row of each row type costs at least its price.

    Parameters
    ----------
    policy : Policy
        With a guarantee for known columns.
    table : sequence of sequence [m, t]
        For each unit of columns the values of the row types; only their equality counts.
    counts : sequence of int [t]
        Rows of each row type.
    cost : sequence of int [m]
        Cost of hiding each unit in a row.
    order : sequence of int [m]
        Which of the units of the policy each is.
    prices : sequence of int [t]
        What is claimed.
    charges : sequence of tuple, optional
        What rows pay for classes, see :mod:`~kanon_sql.verification.class_charges`.

    Raises
    ------
    CertificateError
        When a charge is not about a class of the table.

    Notes
    -----
    All rows are counted by every set. Many thousands of sets take minutes: 34,220 sets of 10,000 rows are 342 million keys.
    """
    if charges:
        *_, rare = few_alike(policy, table, counts, order)
        return charged_rows_cost(rare, terms_of(charges, table, counts, order, known_sets(policy, order)), cost, prices)
    for few in few_alike(policy, table, counts, order):
        distinct = {(tuple(masks), price) for masks, price in zip(few, prices, strict=True)}
        if not any(_may_cost_less(masks, cost, price) for masks, price in distinct):
            return True
    return False


def _may_cost_less(masks: tuple[int, ...], cost: Sequence[int], price: int) -> bool:
    """Return whether some columns meet all masks and cost less: one column of the first mask after the other is tried."""
    if apart(masks, cost) >= price:
        return False
    if not masks:
        return True
    first = min(masks, key=lambda mask: mask.bit_count())
    tried = 0
    for place in (place for place in range(len(cost)) if first >> place & 1):
        # columns that were tried before are not chosen again: the others have to do without them
        rest = tuple(mask & ~tried for mask in masks if not mask >> place & 1)
        if all(rest) and _may_cost_less(rest, cost, price - cost[place]):
            return True
        tried |= 1 << place
    return False
