"""EXPLAIN ANONYMIZE: what a release would be up against, from the histogram alone; no row is released, no value is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kanon_sql.certificate.exposure import refuse_unlisted, unchanged_columns, warnings_of
from kanon_sql.engines.duckdb.connect.shadowing import unshadowed
from kanon_sql.engines.duckdb.gather.population import populations
from kanon_sql.engines.duckdb.gather.row_types import histogram, run_of, tables_of
from kanon_sql.engines.duckdb.gather.unit import settled_unit
from kanon_sql.engines.duckdb.histories.people_behind_tokens import TOKENS, histories_in_one_class
from kanon_sql.engines.duckdb.release.exposure import EXPOSED, exposure_at_once
from kanon_sql.errors import UnlistedColumnError
from kanon_sql.model import linked_columns
from kanon_sql.model.policy import Policy
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit_of_policy import unit_of
from kanon_sql.model.validation import as_identifier
from kanon_sql.solvers import by_parts
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.feasibility import feasible_requirement
from kanon_sql.solvers.guarantees import in_population
from kanon_sql.solvers.least_prices import least_prices
from kanon_sql.solvers.problem_classes import Masks, ProblemClass
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import alike
from kanon_sql.table.patterns import PatternSet, ordered, permitted
from kanon_sql.table.recoding import hidden_bits

CHEAPEST = 10
"""Masks that are tried on the whole table."""

_QUERY = """WITH "kanon#source" AS MATERIALIZED (
{body}
), {run}, "kanon#types" AS MATERIALIZED (
{histogram}
    WHERE {unshadowed}
){populations}{exposed}{linked}
SELECT system.main.unnest("kanon#e", recursive := true)
FROM (
    SELECT system.main.unnest(system.main.kanon_explain(
        run, (SELECT system.main.count(number) FROM "kanon#types"), {exposed_figures}, {tokens}{tables})) AS "kanon#e"
    FROM "kanon#run"
)"""


def explanation_query(body: str, policy: Policy, wide: str | None = None, surface: Surface = "clause") -> str:
    """Return the SQL of a query that explains the release of ``body``, which is run once; ``wide``, ``surface`` as for one."""
    row_types = histogram('"kanon#source"', policy, surface)["histogram"]
    slots = {"tables": tables_of(policy), "unshadowed": unshadowed()}
    slots["populations"] = populations(policy)
    if policy.keep == () and not policy.sensitive:
        slots |= {"exposed": "", "exposed_figures": "NULL"}
    else:
        counted = exposure_at_once('"kanon#source"', policy, released=False)
        slots |= {"exposed": f", {counted}", "exposed_figures": EXPOSED}
    slots |= (
        {"linked": histories_in_one_class(policy), "tokens": TOKENS} if policy.pseudonyms else {"linked": "", "tokens": "NULL"}
    )
    unit = settled_unit('"kanon#source"', unit_of(policy), surface, wide and f"({wide})")
    return _QUERY.format(body=body, run=run_of(policy, unit, surface), histogram=row_types, **slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of an explanation."""

    property: str  # what it is about
    value: str  # what there is to say
    cost: Fraction | None = None  # what that costs, as the user counts it
    rows_failing: int | None = None  # rows in classes that do not meet the guarantee, such as those below k


def explanation(table: CodedTable, policy: Policy, *, most: int | None = None, budget: Budget = UNLIMITED) -> list[Line]:
    """Explain what a release of a coded table would be up against.

    Parameters
    ----------
    table : CodedTable
        At least one row type.
    policy : Policy
        With the columns of the table.
    most : int, optional
        Row types that memory holds at once, where there are more.
    budget : Budget
        Time for the bound.

    Raises
    ------
    InfeasibleError
        When no release can meet the requirements.

    Notes
    -----
    O(m t log t) for each of `CHEAPEST` masks, and what the bound by row distance takes.
    """
    table.refuse_fewer(policy.fewest_rows)
    head = [
        *_head(policy),
        Line(property="rows", value=str(table.rows)),
        Line(property="row types", value=str(table.row_types)),
    ]
    head += [Line(property="grouping", value=each) for each in table.groupings]
    requirement = feasible_requirement(table, policy)
    problems = ProblemClass.of(policy)
    if not isinstance(problems, Masks):
        return [
            *head,
            Line(property="masks", value="none: classes show the range, the set, the mean or the median of their values"),
            Line(property="solver", value="{} ({})".format(*problems.algorithm(policy))),
        ]
    if policy.known_requirements:
        known = linked_columns.units([qi.column for qi in policy.quasi_identifiers], policy.linked)
        return [
            *head,
            *(Line(property="sets of known columns", value=str(each.count(known))) for each in policy.known_requirements),
            Line(property="solver", value="{} ({})".format(*problems.algorithm(policy))),
        ]
    patterns = permitted(table, policy)
    solver, reason = problems.choose(policy, listed=patterns.listed)
    name, guarantee = solver.name, problems.guarantee or solver.guarantee
    if policy.mask_costs is not None and guarantee.startswith("at most"):
        guarantee = "none: the proven factor applies to suppressed cells, but here masks have costs"
    if most is None:
        prices, method = least_prices(problems, patterns, requirement, budget)
        units = int(prices.price @ table.weight)
    else:
        from kanon_sql.solvers.by_parts.lower_bound import lower_bound

        name, reason, guarantee = by_parts.ALGORITHM, by_parts.reason(table.row_types, most), by_parts.GUARANTEE
        units, method = lower_bound(table, patterns, requirement.least, budget)
    bound = table.exact_cost(units)
    names = ", ".join(map(as_identifier, policy.grouped))
    releases = f"no release with the chosen groups of {names}" if names else "no release"
    return [
        *head,
        Line(property="masks", value=_counted(table, patterns)),
        Line(property="solver", value=f"{name} ({reason})"),
        Line(property="guarantee of the solver", value=guarantee),
        Line(property="lower bound", value=f"{method}: {releases} costs less", cost=bound),
        *_masks(table, _cheapest(table, patterns), _failing(requirement), budget),
    ]


def _counted(table: CodedTable, patterns: PatternSet) -> str:
    """Return how many masks there are; with ladders they are level vectors."""
    many = str(len(patterns.shown)) if patterns.listed else f"up to 2^{len(table.columns)}, too many to list"
    return f"{many}, as level vectors" if table.has_ladders else many


def _cheapest(table: CodedTable, patterns: PatternSet) -> PatternSet:
    """Return the cheapest masks; where they are not listed, those that hide one level of one column at most."""
    if not patterns.listed:
        everything = (1 << len(table.columns)) - 1
        one = [everything, *(everything & ~(1 << places[0]) for places in table.ladders.values())]
        patterns = ordered(table, np.array(one, np.uint64))
    return PatternSet(shown=patterns.shown[:CHEAPEST], cost=patterns.cost[:CHEAPEST])


def _masks(
    table: CodedTable, patterns: PatternSet, failing: Callable[[Int64, np.uint64], int], budget: Budget
) -> Iterator[Line]:
    hidden = hidden_bits(patterns.shown, len(table.columns)).astype(np.bool_)
    for number, (bits, shown, cost) in enumerate(zip(hidden, patterns.shown, patterns.cost.tolist(), strict=True)):
        budget.report("masks", number / len(hidden))
        yield Line(
            property="mask",
            value=_spelled(table, bits),
            cost=table.exact_cost(cost * table.rows),
            rows_failing=failing(alike(table.codes, table.cardinality, bits), shown),
        )


def _spelled(table: CodedTable, hidden: np.ndarray) -> str:
    """Return what a mask shows, in the order of the columns; of a ladder the level, 0 being the value itself."""
    shown = []
    for names, places in table.ladders.items():
        level = int(hidden[places].sum())
        if level < len(places):
            shown += [name if len(places) == 1 else f"{name} at level {level}" for name in names]
    return ", ".join(shown) or "nothing"


def _failing(requirement: ClassRequirement) -> Callable[[Int64, np.uint64], int]:
    """Return a function from the class of each row type, and the mask, to the rows in classes that break the requirement."""
    table = requirement.table

    def count(number: Int64, shown: np.uint64) -> int:
        every = np.arange(table.row_types, dtype=np.int32)
        broken = ~requirement.holds(number, every, table.weight)[number]
        for each in requirement.population:
            broken |= in_population(each, table).broken(number, shown)
        return int(table.weight[broken].sum())

    return count


def empty_explanation(policy: Policy) -> list[Line]:
    """Explain a release without rows."""
    head = _head(policy)
    return [*head, Line(property="rows", value="0"), Line(property="solver", value="none (there is nothing to solve)")]


def exposure_lines(figures: Mapping[str, Any] | None, policy: Policy) -> list[Line]:
    """Return what the columns that would be released unchanged tell, from the counts of ``exposure.sql``."""
    if figures is None:
        return []
    names = ", ".join(map(as_identifier, unchanged_columns(figures)))
    unchanged = [Line(property="released unchanged", value=names)] if names else []
    warnings = [Line(property="warning", value=each) for each in warnings_of(figures, policy, released=False)]
    try:
        refuse_unlisted(figures, policy, "clause", released=False)
    except UnlistedColumnError as refusal:
        return [*unchanged, *warnings, Line(property="refusal", value=str(refusal))]
    return [*unchanged, *warnings]


def _head(policy: Policy) -> list[Line]:
    return [
        Line(property="guarantee", value=" AND ".join(requirement.describe() for requirement in policy.requirements)),
        Line(property="quasi-identifiers", value=", ".join(qi.column for qi in policy.quasi_identifiers)),
    ]
