"""The named arguments that all table functions of kanon-sql share."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.policy import Policy
from kanon_sql.requirements import Requirement

NAMES = ("qi", "k", "masks", "linked", "weights", "hierarchies", "algorithm", "time_limit", "seed", "suppress")

_DEFAULTS = {"k": "2", "algorithm": "'auto'", "seed": "0"}


def signature(name: str, *positional: str, **own: str) -> str:
    """Return the head of a table macro: the positional arguments, its own and then the shared ones with their defaults."""
    shared = {each: _DEFAULTS.get(each, "NULL") for each in NAMES if each not in positional}
    named = [f"{each} := {default}" for each, default in (own | shared).items()]
    return f"{name}({', '.join((*positional, *named))})"


def plan_call(function: str, *own: str) -> str:
    """Return the call of a planner: the table, its own arguments, and the shared ones in their order."""
    return f"{function}({', '.join(('tbl', *own, *NAMES))})"


def policy(values: tuple[Any, ...], *requirements: Requirement) -> Policy:
    """Build the policy from the values of `NAMES`, in that order, and further requirements.

    Raises
    ------
    PolicyError
        When an argument has the wrong type or asks for what is not built.
    """
    given = dict(zip(NAMES, values, strict=True))
    if given["hierarchies"] is not None:
        raise PolicyError("hierarchies are not supported yet; hint: leave them out, cells are shown or suppressed")
    weights = given["weights"]
    if weights is not None and not isinstance(weights, Mapping):
        raise PolicyError("weights must be a MAP of column to number; hint: MAP {'age': 3}")
    for name, hint in (("qi", "['zip', 'age']"), ("masks", "[['zip', 'age'], []]"), ("linked", "[['city', 'zip']]")):
        if given[name] is not None and not isinstance(given[name], list):
            raise PolicyError(f"{name} must be a list; hint: {hint}")
    limit = given["time_limit"]
    return Policy.of(
        k=given["k"],
        quasi_identifiers=given["qi"],
        masks=given["masks"],
        linked=given["linked"],
        weights=weights,
        requirements=requirements,
        algorithm=given["algorithm"],
        time_limit=float(limit) if isinstance(limit, Decimal) else limit,
        seed=given["seed"],
        suppress=given["suppress"],
    )
