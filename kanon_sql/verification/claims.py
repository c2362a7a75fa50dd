"""The claims of a certificate against its policy, the row types of the table, and the proof of its bound."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import CertificateError
from kanon_sql.model.all_columns_known import by_all_columns
from kanon_sql.model.how_many import how_many
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name
from kanon_sql.verification.certificates import require_bound
from kanon_sql.verification.dual_bound import PricedTable, gains
from kanon_sql.verification.known_columns import rows_cost
from kanon_sql.verification.mask_costs import by_hidden_columns, denominators
from kanon_sql.verification.people_bound import gains_of_people, without_people
from kanon_sql.verification.sensitive_bound import gains_under

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate
    from kanon_sql.table.coded_table import Sensitive

_BY_PRICES = ("Lagrangian relaxation", "row distance", "sets of known columns", "classes by known columns")
"""Methods whose bound the prices prove in full; others rest on a search."""

_UNDER_REQUIREMENTS = "Lagrangian relaxation under the requirements"
"""How the name of such a method begins where the sensitive values are known, too; a least size may follow."""

_COUNTING_PEOPLE = ("Lagrangian relaxation, counting people", "row distance, counting people")
"""The same methods where it is known whose each row is."""


def verify(
    certificate: Certificate, codes: Sequence[Sequence[Any]], counts: Sequence[int], sensitive: Sequence[Sensitive] = ()
) -> Fraction:
    """Return the lower bound that the prices of a certificate prove; its other claims must fit it, the table and the policy.

    Parameters
    ----------
    certificate : Certificate
        Nothing in it is taken for granted but what only the released rows can tell: ``cost``, ``suppressed_cells``,
        ``classes``, ``smallest_class`` and ``smallest_class_people``.
    codes : sequence of tuple [t]
        For each row type a value for each quasi-identifier, or group of linked ones; only their equality counts. Row types
        are in the order of :class:`~kanon_sql.table.coded_table.CodedTable`.
    counts : sequence of int [t]
        Rows of each row type.
    sensitive : sequence of Sensitive, optional
        The sensitive attributes that requirements are about; without them these prove nothing. Row types of equal codes
        stand next to each other.

    Returns
    -------
    Fraction
        A cost below which there is no release under the policy; 0 without prices. It may be less than ``lower_bound``
        where that rests on a search, as ``bound_method`` tells: no search is repeated here.

    Raises
    ------
    CertificateError
        When the certificate contradicts the table, its policy or itself.

    Notes
    -----
    See :mod:`kanon_sql.verification.dual_bound`.
    """
    policy = Policy.from_json(certificate.policy)
    weights = {qi.column: qi.weight for qi in policy.quasi_identifiers}
    columns = units(weights, policy.linked)
    exact = [sum((weights[name] for name in names), Fraction(0)) for names in columns]
    costed = policy.costed_masks
    unit = lcm(*(cost.denominator for cost in exact if costed is None), *(() if costed is None else denominators(costed)))
    if any(len(code) != len(columns) for code in codes):
        raise CertificateError(
            "policy", f"it creates {len(columns)} coded columns, but the row types have a different number of columns"
        )
    _check(certificate, policy, len(codes), sum(counts), unit)
    policy = by_all_columns(policy)
    if not certificate.prices:
        return Fraction(0)
    order = sorted(range(len(columns)), key=lambda c: -len({code[c] for code in codes}))  # so that groups fall below k early
    cost = [int(exact[c] * unit) * certificate.scale for c in order]
    masks = policy.permitted_masks
    permitted = None if masks is None else {tuple(set(columns[c]) <= set(mask) for c in order) for mask in masks}
    table = [[code[c] for code in codes] for c in order]
    if costed is not None:
        by_mask = {
            tuple(set(columns[c]) <= set(mask) for c in order): int(each * unit) * certificate.scale
            for mask, each in costed.items()
        }
        table, cost, permitted = by_hidden_columns(table, by_mask)
    prices = certificate.prices
    total = sum(count * price for count, price in zip(counts, prices, strict=True))
    priced = PricedTable(codes=table, counts=counts, prices=prices, cost=cost, permitted=permitted)
    whose = _whose(policy, sensitive)
    if policy.known_requirements:
        needed = max(prices) > 0 or certificate.charges
        if needed and (costed is not None or not rows_cost(policy, table, counts, cost, order, prices, certificate.charges)):
            raise CertificateError("prices", "a price exceeds the minimum cost of a row of this type")
        proven = total
    elif whose is not None and certificate.bound_method.startswith(_UNDER_REQUIREMENTS):
        proven = total - gains_under(policy, *without_people(whose, sensitive, priced))
    elif whose is not None and policy.people is not None:
        proven = total - gains_of_people(policy.people.k, policy.least_class_size, whose, priced)
    elif sensitive and policy.people is None:
        proven = total - gains_under(policy, sensitive, priced)
    else:
        proven = total - gains(priced, policy.least_class_size)
    bound = Fraction(max(0, -(-proven // certificate.scale)), unit)
    if bound > certificate.cost:
        raise CertificateError("cost", f"{certificate.cost}, but the prices prove that no release costs less than {bound}")
    known = sensitive and certificate.bound_method.startswith(_UNDER_REQUIREMENTS)
    known = known or (whose is not None and certificate.bound_method in _COUNTING_PEOPLE)
    if bound < certificate.lower_bound and (known or certificate.bound_method in _BY_PRICES):
        require_bound(certificate.lower_bound, bound)
    return bound


def _whose(policy: Policy, sensitive: Sequence[Sensitive]) -> Sensitive | None:
    """Return whose each row is, if people are counted and that is known."""
    if policy.people is None:
        return None
    return next((each for each in sensitive if same_name(each.column) == same_name(policy.people.per)), None)


def _check(c: Certificate, policy: Policy, row_types: int, rows: int, unit: int) -> None:
    """Refuse claims that contradict the table, the policy or each other."""
    required = tuple(requirement.describe() for requirement in policy.requirements)
    k, people = policy.least_class_size, policy.people_of_classes
    fewest = 0 if people is None else people.k
    facts = [
        ("requirements", c.requirements == required, f"the policy guarantees {', '.join(required)}"),
        ("rows", c.rows == rows, f"{c.rows}, but the table has {how_many(rows, 'row')}"),
        ("row_types", c.row_types == row_types, f"{c.row_types}, but the table has {row_types} row types"),
        (
            "cells",
            c.cells == rows * len(policy.quasi_identifiers),
            f"{c.cells} is not the number of rows times quasi-identifiers",
        ),
        ("suppressed_cells", 0 <= c.suppressed_cells <= c.cells, f"{c.suppressed_cells} is not between 0 and {c.cells}"),
        ("cost", c.cost >= 0 and (c.cost * unit).denominator == 1, f"{c.cost} is not a sum of weights"),
        (
            "smallest_class",
            c.smallest_class is None or c.smallest_class >= k,
            f"{how_many(c.smallest_class or 0, 'row')}, fewer than {k}",
        ),
        (
            "smallest_class_people",
            c.smallest_class_people is None or policy.people is not None,
            f"{c.smallest_class_people}, but the policy counts rows",
        ),
        (
            "smallest_class_people",
            c.smallest_class_people is None or fewest <= c.smallest_class_people <= (c.smallest_class or 0),
            f"{c.smallest_class_people}, but a class of {how_many(c.smallest_class or 0, 'row')} has at least {fewest} people, "
            "and at most one person per row",
        ),
        ("lower_bound", 0 <= c.lower_bound <= c.cost, f"{c.lower_bound}, but the cost is {c.cost}"),
        (
            "status",
            (c.status.name == "OPTIMAL") == (c.lower_bound == c.cost),
            f"{c.status.name}, but the cost is {c.cost} and the lower bound {c.lower_bound}",
        ),
    ]
    if c.prices is not None:
        facts += [
            ("unit", c.unit == unit, f"{c.unit}, but the common denominator of the weights is {unit}"),
            ("scale", c.scale >= 1, f"{c.scale} is below 1"),
            ("prices", len(c.prices) == row_types, f"{len(c.prices)} prices for {row_types} row types"),
        ]
    for field, holds, fact in facts:
        if not holds:
            raise CertificateError(field, fact)
