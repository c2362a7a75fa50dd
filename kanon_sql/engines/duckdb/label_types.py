"""The types of what is released: labels are texts, means DOUBLE, medians of the type of their column; none lists values."""

from __future__ import annotations

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.microaggregation import Means
from kanon_sql.model.policy import Policy

_UNLISTED = r"""system.main.json_transform('null', CASE WHEN system.main.contains({kind}, 'ENUM(')
    THEN system.main.to_json(system.main.regexp_replace({kind}, 'ENUM\((''([^'']|'''')*''(, )?)*\)', 'VARCHAR', 'g'))
    ELSE '"NULL"' END)"""


def typed_labels(policy: Policy) -> list[str]:
    """Return what puts the label of each generalized column in the place of its value."""
    labels = ((name, f'"kanon#piece".labels[{number}]') for number, name in enumerate(policy.generalized, 1))
    return [f"{_typed(policy, name, label)} AS {quoted(name)}" for name, label in labels]


def typed_values(policy: Policy) -> list[str]:
    """Return the generalized columns of a source in the types in which they are released, but those that keep theirs."""
    kept = {name for name, recoding in policy.aggregated.items() if not isinstance(recoding, Means)}
    return [
        f"CAST({quoted(name)} AS {'DOUBLE' if name in policy.aggregated else 'VARCHAR'}) AS {quoted(name)}"
        for name in policy.generalized
        if name not in kept
    ]


def differs(policy: Policy, name: str, label: str, value: str) -> str:
    """Return whether a label is another value than the one behind it; a mean of equal numbers is not."""
    kind = "DOUBLE" if isinstance(policy.aggregated.get(name), Means) else "VARCHAR"
    return f"TRY_CAST({label} AS {kind}) IS DISTINCT FROM TRY_CAST({value} AS {kind})"


def unlisted_null(value: str) -> str:
    """Return a NULL of the type of a value, each ENUM in it being a VARCHAR: the labels of an ENUM tell what was suppressed.

    Notes
    -----
    Beside the value it sets the type of the result, which is known when the statement is planned. The type is that of a list
    of the value, because the type of NULL is not known then.
    """
    return _UNLISTED.format(kind=f"system.main.left(system.main.typeof(system.main.list_value({value})), -2)")


def _typed(policy: Policy, name: str, label: str) -> str:
    recoding = policy.aggregated.get(name)
    if recoding is None:
        return label
    return f"CAST({label} AS DOUBLE)" if isinstance(recoding, Means) else f"system.main.cast_to_type({label}, {quoted(name)})"
