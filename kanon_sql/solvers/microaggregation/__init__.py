"""Solvers where classes show the mean or the median of their own numbers."""

from __future__ import annotations

from kanon_sql.errors import PolicyError

UNIVARIATE, EXCHANGE, MDAV, MONDRIAN = "univariate", "exchange", "mdav", "mondrian"

_REASONS = {
    UNIVARIATE: "one column of numbers alone: dynamic programming over its order is exact",
    EXCHANGE: "all columns show means or medians: MDAV, then exchanges of rows that reduce the cost",
    MDAV: "as requested: classes of k rows around the outermost rows",
    MONDRIAN: "means and medians with other columns, or with a guarantee beyond k: numbers are cut like ranges",
}


def chosen(requested: str, columns: int, *, only: bool, plain: bool) -> tuple[str, str]:
    """Return the algorithm of a policy with means or medians, and why it is this one.

    Parameters
    ----------
    requested : str
        Name of an algorithm, or ``'auto'``.
    columns : int
        Quasi-identifiers.
    only : bool
        Whether all of them show means or medians.
    plain : bool
        Whether nothing but k is guaranteed.

    Raises
    ------
    PolicyError
        When the algorithm does not take such a policy.
    """
    fitting = [MONDRIAN]
    if only and plain:
        fitting = [*([UNIVARIATE] if columns == 1 else []), EXCHANGE, MDAV, MONDRIAN]
    name = fitting[0] if requested == "auto" else requested
    if name not in fitting:
        listed = ", ".join(map(repr, fitting))
        raise PolicyError(
            f"the algorithm {name!r} cannot compute MEANS or MEDIANS for this policy; hint: use {listed}, or omit it"
        )
    return name, reason(name)


def reason(name: str, instead_of: str = "") -> str:
    """Return why an algorithm was taken, maybe in the place of another that could not take the column."""
    if instead_of in ("", name):
        return _REASONS[name]
    return f"{instead_of} had too little time, or the column is too long for it or has NULL"
