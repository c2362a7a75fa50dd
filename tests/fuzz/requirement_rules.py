"""The requirements on sensitive values, by their definitions, in whole numbers and fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import accumulate, pairwise

from fuzz.guarantee import Requirement
from fuzz.table import Look


def kept(requirement: Requirement, held: Sequence[Look], whole: Sequence[Look], order: Sequence[Look] = ()) -> bool:
    """Whether a class keeps a requirement.

    Parameters
    ----------
    requirement : Requirement
        What is asked.
    held : sequence
        The sensitive values of the class.
    whole : sequence
        Those of the whole table.
    order : sequence
        The values in the order of their type, NULL last: for the metrics ``'ordered'`` and ``'numeric'``.
    """
    count, n = Counter(held), len(held)
    descending = sorted(count.values(), reverse=True)
    match requirement.kind, requirement.form:
        case "alpha", _:
            return count[requirement.value] <= requirement.number * n
        case "beta", _:
            return _beta(requirement, count, n, Counter(whole))
        case "delta", _:
            return _delta(requirement, count, n, Counter(whole))
        case "t", _:
            return distance(requirement.form, count, Counter(whole), order) <= requirement.number
        case "l", "frequency":
            return descending[0] * requirement.number <= n
        case "l", "distinct":
            return len(descending) >= requirement.number
        case "l", "recursive":
            assert requirement.c is not None
            return descending[0] < requirement.c * sum(descending[int(requirement.number) - 1 :])
        case "l", "entropy":  # |G|^|G| >= l^|G| prod r^r
            power = requirement.number**n
            for each in descending:
                power *= Fraction(each) ** each
            return Fraction(n) ** n >= power
    raise AssertionError(f"an unknown requirement {requirement}")


def _beta(requirement: Requirement, count: Counter[Look], n: int, whole: Counter[Look]) -> bool:
    """Whether each gain (q - p) / p is at most beta and -ln p."""
    for value, held in count.items():
        p = Fraction(whole[value], whole.total())
        gain = (Fraction(held, n) - p) / p
        most = -(Decimal(p.numerator) / Decimal(p.denominator)).ln()
        if gain > 0 and (gain > requirement.number or Decimal(gain.numerator) / Decimal(gain.denominator) > most):
            return False
    return True


def _delta(requirement: Requirement, count: Counter[Look], n: int, whole: Counter[Look]) -> bool:
    """Whether each |ln(q / p)| is below delta, for all values of the table."""
    delta = Decimal(requirement.number.numerator) / Decimal(requirement.number.denominator)
    return all(
        count[value] > 0 and abs((Decimal(count[value] * whole.total()) / Decimal(n * held)).ln()) < delta
        for value, held in whole.items()
    )


def distance(metric: str, own: Counter[Look], whole: Counter[Look], order: Sequence[Look]) -> Fraction:
    """The earth mover's distance of two distributions."""
    size, total = own.total(), whole.total()
    if metric == "equal":
        return sum((abs(Fraction(own[v], size) - Fraction(whole[v], total)) for v in whole), Fraction(0)) / 2
    values = [v for v in order if v in whole]
    places = [Fraction(place) for place in range(len(values))] if metric == "ordered" else [number(v) for v in values]
    if len(values) < 2 or places[-1] == places[0]:
        return Fraction(0)
    crossing = list(accumulate(Fraction(own[v], size) - Fraction(whole[v], total) for v in values))
    steps = [high - low for low, high in pairwise(places)]
    return sum((abs(flow) * step for flow, step in zip(crossing, steps, strict=False)), Fraction(0)) / (places[-1] - places[0])


def number(text: Look) -> Fraction:
    """The number that a text is."""
    assert text is not None
    return Fraction(Decimal(text))


def in_order(held: Sequence[Look], key: Callable[[str], object] | None) -> list[Look]:
    """The different values in their order, NULL last; ``key`` is that of their type."""
    known = {each for each in held if each is not None}
    found: list[Look] = sorted(known, key=key or _as_number)  # type: ignore[arg-type]
    return [*found, None] if None in held else found


def _as_number(text: str) -> Fraction:
    try:
        return Fraction(Decimal(text))
    except InvalidOperation as error:
        raise AssertionError("an order of numbers was asked for texts") from error
