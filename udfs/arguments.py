"""The named arguments that all table functions of kanon-sql share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from decimal import Decimal
from typing import Any

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.connect.wrong_arguments import for_measuring
from kanon_sql.engines.duckdb.gather.sources import release_of_table
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.written import read_masks, read_recodings
from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import POLICY_DEFAULTS
from kanon_sql.model.recodings import Generalization, Levels
from kanon_sql.model.requirements import KnownColumns, ThresholdRequirement
from kanon_sql.model.validation import same_name

NAMES = (
    "qi",
    "k",
    "known",
    "per",
    "per_row",
    "k_map",
    "presence",
    "population",
    "masks",
    "linked",
    "keep",
    "drop",
    "weights",
    "hierarchies",
    "recodings",
    "full_domain",
    "algorithm",
    "time_limit",
    "effort",
    "seed",
    "max_suppressed",
    "suppress",
    "row_order",
    "unlisted_limit",
)

_DEFAULTS = {**POLICY_DEFAULTS, "full_domain": False}


def releasing(
    name: str, *positional: str, requirement: type[ThresholdRequirement] | None = None, needed: str | None = None, **own: str
) -> tuple[Function, str]:
    """Return the planner and the macro of a table function that releases a table.

    Parameters
    ----------
    positional : str
        Its arguments behind the table, of `NAMES`.
    requirement : type of ThresholdRequirement, optional
        What else it guarantees: its column and its threshold are positional arguments too, its other parts named ones.
    needed : str, optional
        The hint of the error when the argument behind the table is NULL; None where it may be.
    own : str
        Defaults of its own for some of `NAMES`, as SQL.
    """
    required = [] if requirement is None else fields(requirement)
    own |= {each.name: _literal(each.default) for each in required if each.default is not MISSING}
    first = ["sa" if each.name == "sensitive" else each.name for each in required if each.default is MISSING]
    planner, given = f"kanon_plan_{name}", [each for each in own if each not in NAMES]

    def plan(session: Session, tbl: str, *values: Any) -> str:
        """Return the SQL of the release; runs when the statement is bound and touches no data."""
        if needed is not None and values[NAMES.index(positional[0])] is None:
            raise PolicyError(f"{name} needs {positional[0]}; hint: {needed}")
        second = values[0] if required else values[NAMES.index(positional[0])]
        if isinstance(second, list) and "masks" not in positional:
            raise for_measuring(name)
        guaranteed = dict(zip([each.name for each in required], values, strict=False))
        requirements = [] if requirement is None else [requirement(**guaranteed)]
        named = values[len(required) :]
        return release_of_table(session, tbl, policy(named, *requirements), named[NAMES.index("drop")])

    shared = {each: _literal(_DEFAULTS.get(each)) for each in NAMES if each not in positional}
    named = [f"{each} := {default}" for each, default in (own | shared | own).items()]
    head = ", ".join(["tbl", *positional, *first, *named])
    asks = ", ".join(["tbl", *first, *given, *NAMES])
    function = Function(name=planner, returns="VARCHAR", call=plan, refused=refusing_query)
    return function, f"{name}({head}) AS TABLE FROM system.main.query(system.main.{planner}({asks}))"


def _literal(value: object) -> str:
    """Return a default as SQL."""
    if value is None:
        return "NULL"
    return literal(value) if isinstance(value, str) else str(value).lower()


def policy(values: tuple[Any, ...], *about: ThresholdRequirement) -> Policy:
    """Build the policy from the values of `NAMES`, in that order, and further requirements.

    Raises
    ------
    PolicyError
        When an argument has the wrong type or asks for what is not built.
    """
    given = dict(zip(NAMES, values, strict=True))
    for name, hint in (
        ("weights", "of column to number; hint: pass MAP {'age': 3}"),
        ("hierarchies", "of column to table; hint: pass MAP {'age': 'age_levels'}"),
        ("recodings", "of column to text; hint: pass MAP {'zip': 'DIGITS (3)'}"),
    ):
        if given[name] is not None and not isinstance(given[name], Mapping):
            raise PolicyError(f"{name} must be a MAP {hint}")
    for name, hint in (
        ("qi", "['zip', 'age']"),
        ("masks", "[['zip', 'age'], []]"),
        ("linked", "[['city', 'zip']]"),
        ("keep", "['notes']"),
        ("drop", "['name', 'email']"),
    ):
        if given[name] is not None and not isinstance(given[name], list):
            raise PolicyError(f"{name} must be a list; hint: pass {hint}")
    qi, hierarchies, full_domain, _ = (given.pop(name) for name in ("qi", "hierarchies", "full_domain", "drop"))
    limit, known = given["time_limit"], given["known"]
    read = {
        "quasi_identifiers": qi,
        "masks": read_masks(given["masks"]),
        "recodings": coarsened(hierarchies, given["recodings"]),
        "algorithm": _algorithm(given["algorithm"], full_domain),
        "time_limit": float(limit) if isinstance(limit, Decimal) else limit,
        "requirements": about if known is None else [KnownColumns.against(each, known) for each in about],
    }
    return Policy.of(**{**given, **read})


def _algorithm(name: Any, full_domain: Any) -> Any:
    """Return the name of the algorithm; one level of each column for the whole table is the work of one of them."""
    if not isinstance(full_domain, bool):
        raise PolicyError("full_domain must be true or false; hint: pass full_domain := true")
    if full_domain and name not in ("auto", "full_domain"):
        raise PolicyError(f"full_domain := true selects the algorithm 'full_domain', not {name!r}; hint: pass only one of them")
    return "full_domain" if full_domain else name


def coarsened(hierarchies: Mapping[str, str] | None, recodings: Mapping[str, Any] | None) -> dict[str, Generalization]:
    """Return the recodings of columns, given those by the table of their hierarchy and those as the clause writes them.

    Raises
    ------
    PolicyError
        When a column is in both, or a recoding cannot be read.
    """
    both = {same_name(column) for column in hierarchies or {}} & {same_name(column) for column in recodings or {}}
    if both:
        raise PolicyError(f"{len(both)} columns have both a hierarchy and another recoding; hint: use only one")
    return {column: Levels(table=table) for column, table in (hierarchies or {}).items()} | read_recodings(recodings)
