"""Tables of the population in the statement of a release: read once, coded by the row types, and counted by the audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kanon_sql.engines.duckdb.beside import beside
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.errors import PolicyError
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KMap, PopulationRequirement

_UNSEEN = "-1"
"""Stands for what no row type has."""


def populations(policy: Policy) -> str:
    """Return common table expressions, a comma before each, that read the populations of a policy and code them.

    Raises
    ------
    PolicyError
        When the quasi-identifiers are not named.
    """
    if policy.populations and policy.every_column:
        raise PolicyError("a population is counted where the quasi-identifiers are named; hint: qi := ['zip', 'age']")
    return "".join(_population(policy, name, number) for number, name in enumerate(policy.populations, 1))


def _population(policy: Policy, name: str, number: int) -> str:
    place = {qi.column: f"q{place}" for place, qi in enumerate(policy.quasi_identifiers, 1)}
    alias = quoted(name)
    linked = _units(policy)
    joins = [
        text(
            "population_values",
            values=", ".join(place[column] for column in unit),
            everybody=_named("everybody", number),
            unit=f'"kanon#u{each}"',
            match=" AND ".join(
                f'"kanon#e".{place[column]} IS NOT DISTINCT FROM "kanon#u{each}".{place[column]}' for column in unit
            ),
        )
        for each, unit in enumerate(linked, 1)
    ]
    each_unit = range(1, len(linked) + 1)
    return text(
        "population",
        everybody=_named("everybody", number),
        known=_named("known", number),
        coded=_named("coded", number),
        population=beside(name),
        alias=alias,
        own=", ".join(f"qi.{quoted(column)} AS {short}" for column, short in place.items()),
        theirs=", ".join(f"{alias}.{quoted(column)}" for column in place),
        codes=", ".join(f'"kanon#u{unit}".code AS c{unit}' for unit in each_unit),
        grouped=", ".join(f"coalesce(c{unit}, {_UNSEEN})::INTEGER AS c{unit}" for unit in each_unit),
        joins="".join(joins),
    )


def coded_populations(policy: Policy) -> str:
    """Return the coded populations as further arguments of a function, each a list of its rows."""
    each_unit = range(1, len(_units(policy)) + 1)
    fields = ", ".join([*(f"c{unit} := c{unit}" for unit in each_unit), "n := n"])
    return "".join(
        f", (SELECT system.main.list(system.main.struct_pack({fields})) FROM {_named('coded', number)})"  # noqa: S608
        for number, _ in enumerate(policy.populations, 1)
    )


def population_gate(policy: Policy) -> dict[str, str]:
    """Return the audit of what classes match in the populations of a policy, as slots of the release statement.

    Returns
    -------
    dict of str
        ``matches``, common table expressions with a comma before each; ``unmatched``, branches of a CASE.
    """
    audits, refusals = [_matches(policy, number) for number, _ in enumerate(policy.populations, 1)], []
    for place, requirement in enumerate(policy.population_requirements, 1):
        check = f'"kanon#population_check{place}"'
        matched = _named("matched", policy.populations.index(requirement.population) + 1)
        audits.append(text("audit_population", check=check, question=MATCHED[type(requirement)](requirement, matched)))
        refusals.append(text("audit_refusal", check=check, guarantee=literal(requirement.describe())))
    return {"matches": "".join(audits), "unmatched": "".join(refusals)}


def _matches(policy: Policy, number: int) -> str:
    hidden = {
        unit: f"system.main.list_contains(hidden, system.main.lower({literal(columns[0])}))"
        for unit, columns in enumerate(_units(policy), 1)
    }
    own = (f'CASE WHEN NOT {gone} THEN "kanon#k".c{unit} END AS k{unit}' for unit, gone in hidden.items())
    theirs = (f"CASE WHEN NOT {gone} THEN c{unit} END AS k{unit}" for unit, gone in hidden.items())
    match = [f'"kanon#o".{key} IS NOT DISTINCT FROM "kanon#m".{key}' for key in ("hidden", *(f"k{unit}" for unit in hidden))]
    return text(
        "audit_matches",
        matched=_named("matched", number),
        known=_named("known", number),
        coded=_named("coded", number),
        own=", ".join(own),
        theirs=", ".join(theirs),
        match=" AND ".join(match),
    )


def _mapped(requirement: KMap, matched: str) -> str:
    return text("audit_k_map", k=str(requirement.k), matched=matched)


MATCHED: dict[type[PopulationRequirement], Callable[[Any, str], str]] = {KMap: _mapped}
"""For each requirement a query with a row per class: whether it holds there, how bad it is, and a text that says so."""


def _units(policy: Policy) -> list[tuple[str, ...]]:
    """Return the columns, and the groups of linked ones, that are shown or hidden together."""
    return [tuple(unit) for unit in units([qi.column for qi in policy.quasi_identifiers], policy.linked)]


def _named(what: str, number: int) -> str:
    return f'"kanon#{what}{number}"'
