"""What an audit of a table counts, on any engine."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

from kanon_sql.engines.guarantees import audited_class
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy_options import ThresholdOptions
from kanon_sql.model.requirements import THRESHOLDS, ThresholdRequirement, named_requirements

FIRST = "anonymize the table first, with a guarantee at least this strong"
"""Hint about a table that breaks a guarantee. The audit cannot tell a raw table from the release of another guarantee."""


def too_small(smallest: int | None, k: int | None, *, people: bool = False) -> str | None:
    """Return what is wrong if the smallest class has fewer than k rows or people, None if it has enough, or there is none."""
    return None if k is None else _fewer("class", smallest, k, people=people)


def unless_known(asked: str) -> str:
    """Return the hint about classes that are too small: the release may be for few known columns, which must be asked for."""
    return f"{FIRST}; if the release is for attackers who know any 3 columns, pass {asked}"


def too_few_known(smallest: int | None, known: int, k: int | None, *, people: bool = False) -> str | None:
    """Return the same of the smallest class by any set of ``known`` columns."""
    return None if k is None else _fewer(f"class by any {how_many(known, 'column')}", smallest, k, people=people)


def _fewer(what: str, smallest: int | None, k: int, *, people: bool) -> str | None:
    if smallest is None or smallest >= k:
        return None
    counted = f"rows of {how_many(smallest, 'person', 'people')}" if people else how_many(smallest, "row")
    return f"the smallest {what} has {counted}, fewer than k = {k}"


def measured_requirements(sensitive: str | None, **requested: Unpack[ThresholdOptions]) -> tuple[ThresholdRequirement, ...]:
    """Return what an audit measures of a sensitive attribute: l-diversity and t-closeness, also where none is requested.

    Parameters
    ----------
    sensitive : str, optional
        The sensitive attribute; None where there is none.
    **requested
        As in `named_requirements`, but that a metric needs no ``t``.
    """
    if sensitive is not None:
        # What every table keeps: l >= 1 and t <= 1.
        if requested.get("l") is None and requested.get("variant") is None and requested.get("c") is None:
            requested["l"] = 1
        if requested.get("t") is None:
            requested["t"] = 1
    return named_requirements(sensitive, **requested)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What the audit counted on a table.

    Attributes
    ----------
    k : int or None
        Rows of the smallest class, or with ``per`` the people whose rows it has; None for an empty table.
    rows, classes, uniques : int
        Rows, equivalence classes, and classes of a single row; with ``per``, people who are alone in a class.
    highest_risk, average_risk : float or None
        Prosecutor risk of the worst row and of the average row, or person: one over the size of its class.
    journalist_risk : float or None
        One over the fewest rows of the population that match what a row shows; None where no population was given.
    population_uniques : float or None
        How many rows of the population are unique in it, estimated by the model that suits the fraction. This and what
        follows is None where no fraction was given, or the model has no answer.
    population_uniques_zayatz, population_uniques_pitman, population_uniques_snb : float or None
        The same by each model: Zayatz, Pitman, and the slide negative binomial.
    distinct_l : int or None
        The fewest different values of the sensitive attribute in a class. This and what follows is None for an empty table,
        and where no sensitive attribute was named.
    frequency_l : Fraction or None
        One over the highest share that a value has in its class.
    entropy_l : float or None
        The number of equally frequent values that have the entropy of the least diverse class.
    t : Fraction or None
        The distance of the farthest class from the whole table.
    beta : Fraction or None
        The greatest gain of a value in a class over its share of the table; None where no ``beta`` was requested.
    delta : float or None
        The greatest distance of ln of the share of a value in a class from that in the table, infinite where a class has not
        every value; None where no ``delta`` was requested.
    k_map : int or None
        The fewest rows of the population that match what a class shows; None where no ``k_map`` was requested.
    presence : Fraction or None
        The greatest sum of shares of a row of the population, each rounded up to a multiple of about 2^-80. None without
        ``presence``.
    k_known : int or None
        Rows of the smallest class by any set of ``known`` columns, or with ``per`` its people. This and what follows is None
        without ``known``.
    known_sets : int or None
        How many such sets there are.
    known_worst_set : tuple of str or None
        The set with the smallest class; None for an empty table, too.
    known_rows_below, known_rows_below_next : int or None
        Rows in classes of fewer than k rows, or people (5 without ``k``), by the worst set of ``known`` columns. For one
        column more, None if there are no such sets, or more than 5,000.
    people : int or None
        People in the table, if ``per`` tells them apart.
    history_candidates : int or None
        The fewest people who have the same ``known_rows`` rows of a person, for any of these; None for an empty table, too.
        This and what follows is None without ``known_rows``.
    people_below, people_below_next : int or None
        People with fewer than k such candidates (5 without ``k``). For one row more, None if the sets of rows are too many.
    own_columns : tuple of str or None
        The quasi-identifiers that have one value in all rows of each person: the attacker knows them.
    settled : bool
        Whether it is known what a row is. False if a column repeats people, and neither ``per`` nor ``per_row`` was given.
    warnings : tuple of str
        That it is not settled, and other columns that look like identifiers or single out too
        many rows: no figure counts them. Names and shares, no value.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> people = pa.table({"zip": ["98101", "98101", "98102", "98103"], "disease": ["flu", "cold", "flu", "flu"]})
    >>> figures = kanon_sql.audit(people, quasi_identifiers=["zip"], sensitive="disease")
    >>> figures.k, figures.uniques, figures.highest_risk, figures.distinct_l
    (1, 2, 1.0, 1)
    """

    k: int | None
    rows: int
    classes: int
    uniques: int
    highest_risk: float | None
    average_risk: float | None
    journalist_risk: float | None = None
    population_uniques: float | None = None
    population_uniques_zayatz: float | None = None
    population_uniques_pitman: float | None = None
    population_uniques_snb: float | None = None
    distinct_l: int | None = None
    frequency_l: Fraction | None = None
    entropy_l: float | None = None
    t: Fraction | None = None
    beta: Fraction | None = None
    delta: float | None = None
    k_map: int | None = None
    presence: Fraction | None = None
    k_known: int | None = None
    known_sets: int | None = None
    known_worst_set: tuple[str, ...] | None = None
    known_rows_below: int | None = None
    known_rows_below_next: int | None = None
    people: int | None = None
    history_candidates: int | None = None
    people_below: int | None = None
    people_below_next: int | None = None
    own_columns: tuple[str, ...] | None = None
    settled: bool = True
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return a few lines with what was measured, in rounded figures."""
        lines = {"rows": f"{self.rows:,}", "classes": f"{self.classes:,}"}
        one, many = ("row", "rows") if self.people is None else ("person", "people")
        if self.k is not None:
            lines["classes"] += f", the smallest of {how_many(self.k, one, many)}, {self.uniques:,} of a single {one}"
            lines["risk"] = f"{_share(self.highest_risk)} of the worst {one}, {_share(self.average_risk)} of the average {one}"
        if self.frequency_l is not None:
            others = f"frequency {float(self.frequency_l):.4g}, entropy {self.entropy_l:.4g}"
            lines["l-diversity"] = f"{self.distinct_l:,} distinct, {others}"
        if self.k_known is not None:
            worst = ", ".join(self.known_worst_set or ())
            lines["known columns"] = f"smallest class of {how_many(self.k_known, one, many)} by {worst}"
        if self.own_columns is not None and self.people is not None:
            fewest = "no candidates" if self.history_candidates is None else f"at least {self.history_candidates:,} candidates"
            lines["histories"] = f"{how_many(self.people, 'person', 'people')}, {fewest} each"
        for each in THRESHOLDS:
            found = getattr(self, each.written.threshold, None)  # of l-diversity there are several figures
            if found is not None:
                lines[audited_class(each).title] = f"{float(found):.4g}"
        reported = [*lines.items(), *(("warning", each) for each in self.warnings)]
        return "\n".join(f"{name:<18}{text}" for name, text in reported)


def _share(risk: float | None) -> str:
    return "-" if risk is None else f"{risk:.1%}"
