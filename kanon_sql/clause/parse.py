"""The grammar of the ANONYMIZE clause: from its tokens to a policy.

::

    ANONYMIZE BY item {, item} [KEEP column {, column}] {link} GUARANTEE cond {AND cond}
        [USING name [( option = value {, option = value} )]]
    ANONYMIZE WITH POLICY name
    option := time_limit | effort | seed | max_suppressed | suppress | row_order | unlisted_limit

Items and links are those of :mod:`kanon_sql.clause.columns`, conditions those of :mod:`kanon_sql.clause.conditions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import TokenType

from kanon_sql.clause.columns import ColumnList
from kanon_sql.clause.conditions import conditions
from kanon_sql.clause.masks import costs, cross
from kanon_sql.clause.mistakes import no_algorithm, no_equals, no_guarantee, no_option
from kanon_sql.clause.names import policy_name
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import Script
from kanon_sql.errors import PolicyError
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.validation import RESERVED, as_identifier

_OPTIONS = ("time_limit", "effort", "seed", "max_suppressed", "suppress", "row_order", "unlisted_limit")


def parse_clause(script: Script, place: int) -> tuple[Policy | LinkedHistories | str, int]:
    """Read the clause whose word ANONYMIZE is at ``place``.

    Parameters
    ----------
    place : int
        The word ANONYMIZE; BY or WITH POLICY follows.

    Returns
    -------
    policy : Policy, LinkedHistories or str
        What the clause asks for, or the name of the policy that does.
    end : int
        The place behind the last token of the clause.

    Raises
    ------
    ClauseError
        When the clause is incomplete, contradicts itself, or asks for what is not supported.
    """
    reader = Reader(script, place + 1)
    if reader.skip("WITH", "POLICY"):
        return policy_name(reader, "ANONYMIZE WITH POLICY research"), reader.place
    reader.place += 1
    columns = ColumnList(reader)
    items = reader.separated(columns.item)
    keep = columns.kept()
    linked = columns.links()
    if not reader.skip("GUARANTEE"):
        raise no_guarantee(reader, listed=not linked and keep is None)
    requirements = conditions(reader, columns.identifiers)
    solver = algorithm(reader) if reader.skip("USING") else {}

    def build() -> Policy | LinkedHistories:
        identifiers = tuple(columns.identifiers.values())
        if isinstance(requirements, LinkedHistories):
            _refuse(requirements, identifiers, masks=cross(items), linked=linked, solver=solver)
            named = tuple(each.column for each in identifiers)
            requested = replace(requirements, quasi_identifiers=named, keep=keep or ())
            _ = requested.roles
            return requested
        return Policy(
            quasi_identifiers=identifiers,
            requirements=requirements,
            masks=cross(items),
            mask_costs=costs(items),
            linked=linked,
            keep=keep,
            **solver,
        )

    return reader.checked(build, place), reader.place


def _refuse(
    requested: LinkedHistories, identifiers: Sequence[QuasiIdentifier], *, masks: object, linked: object, solver: object
) -> None:
    """Refuse parts of the clause that linked histories do not support.

    Raises
    ------
    PolicyError
        The error names the part.
    """
    for qi in identifiers:
        column = as_identifier(qi.column)
        if qi.recoding is not None:
            raise PolicyError(
                f"{requested.describe()} does not support IN, TOP or BOTTOM for {column}; hint: generalize {column} in the "
                "query"
            )
        if qi.weight != 1:
            raise PolicyError(f"{requested.describe()} does not support WEIGHT for {column}; hint: remove it")
    parts = {"sets of columns such as ROLLUP": masks, "LINKED columns": linked, "USING": solver}
    for part, given in parts.items():
        if given:
            raise PolicyError(f"{requested.describe()} does not support {part}; hint: remove it")


def algorithm(reader: Reader) -> dict[str, Any]:
    """Read what stands behind USING: the fields of the policy that say how it is solved."""
    if reader.ahead("SAMPLE"):
        raise reader.error("USING SAMPLE is part of the query; hint: write it before ANONYMIZE")
    if reader.kind is TokenType.IDENTIFIER:
        name = reader.unquote()
    elif reader.word and reader.word not in RESERVED:
        name = reader.spelled.lower()
        reader.place += 1
    else:
        raise no_algorithm(reader)
    options: dict[str, Any] = {"algorithm": name}
    if reader.skip("("):
        reader.separated(lambda: _option(reader, options))
        reader.expect(")", "after the options")
    return options


def _option(reader: Reader, options: dict[str, Any]) -> None:
    start, name = reader.place, reader.word.lower()
    if name not in _OPTIONS:
        raise no_option(reader, _OPTIONS)
    if name in options:
        raise reader.error(f"the option {name} is given twice; hint: write it once")
    reader.place += 1
    if not reader.skip("=") or reader.spelled == ">":
        raise no_equals(reader, name)
    options[name] = _value(reader)
    reader.checked(lambda: Policy(every_column=True, algorithm=options["algorithm"], **{name: options[name]}), start)


def _value(reader: Reader) -> str | int | float | None:
    if reader.kind is TokenType.STRING:
        return reader.unquote()
    if reader.skip("NULL"):
        return None
    number = reader.decimal()
    if number is None:
        raise reader.error("expected a number, a string in single quotes, or NULL; hint: write time_limit = 60")
    return float(number) if "." in number else int(number)
