"""What is released in place of a value: labels are texts, means DOUBLE, medians of the type of their column.

No type lists values.
"""

from __future__ import annotations

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Means, OwnValues

_UNLISTED = r"""system.main.json_transform('null', CASE WHEN system.main.contains({kind}, 'ENUM(')
    THEN system.main.to_json(system.main.regexp_replace({kind}, 'ENUM\((''([^'']|'''')*''(, )?)*\)', 'VARCHAR', 'g'))
    ELSE '"NULL"' END)"""


def typed_labels(policy: Policy) -> list[str]:
    """Return what puts the label of each generalized column in the place of its value."""
    labels = ((name, f'"kanon#piece".labels[{number}]') for number, name in enumerate(policy.generalized, 1))
    return [f"{_typed(policy, name, label)} AS {quoted(name)}" for name, label in labels]


def own_values(policy: Policy) -> set[int]:
    """Return the numbers of the generalized columns whose classes show their own values."""
    recodings = (qi.recoding for qi in policy.quasi_identifiers if qi.recoding is not None)
    return {number for number, recoding in enumerate(recodings, 1) if isinstance(recoding, OwnValues)}


def label_of(policy: Policy, number: int) -> str:
    """Return the text of a label: pieces carry a token for what a class shows of its own values, which may be long."""
    label = f"labels[{number}]"
    if number not in own_values(policy):
        return label
    return f"{_looked_up(policy, number)}.word"


def _looked_up(policy: Policy, number: int) -> str:
    """Return what a token stands for: its place in a list, because a join for each column would take much memory."""
    place = f"CAST(system.main.substr(labels[{number}], {len(policy.suppress or '') + 1}) AS INTEGER) + 1"
    return f'(SELECT words FROM "kanon#fit")[{number}][{place}]'  # noqa: S608


def labels_of(policy: Policy) -> str:
    """Return the labels of a piece with a text for each token."""
    if not own_values(policy):
        return "labels"
    return f"[{', '.join(label_of(policy, number) for number, _ in enumerate(policy.generalized, 1))}] AS labels"


def typed_values(policy: Policy) -> list[str]:
    """Return the generalized columns of a source in the types in which they are released, but those that keep theirs."""
    kept = {name for name, recoding in policy.aggregated.items() if not isinstance(recoding, Means)}
    return [
        f"CAST({quoted(name)} AS {'DOUBLE' if name in policy.aggregated else 'VARCHAR'}) AS {quoted(name)}"
        for name in policy.generalized
        if name not in kept
    ]


def differs(policy: Policy, number: int, value: str) -> str:
    """Return whether a label is another value than the one behind it; a mean of equal numbers is not."""
    label, kind = f"labels[{number}]", "VARCHAR"
    if number in own_values(policy):
        looked_up = _looked_up(policy, number)
        same = f"system.main.hash({looked_up}.word) IS DISTINCT FROM system.main.hash(CAST({value} AS VARCHAR))"
        return f"CASE WHEN {label} IS NULL THEN {value} IS NOT NULL ELSE {same} END"
    if isinstance(policy.aggregated.get(policy.generalized[number - 1]), Means):
        kind = "DOUBLE"
    return f"TRY_CAST({label} AS {kind}) IS DISTINCT FROM TRY_CAST({value} AS {kind})"


def unlisted_null(value: str) -> str:
    """Return a NULL of the type of a value, each ENUM in it being a VARCHAR: the labels of an ENUM tell what was suppressed.

    Notes
    -----
    Next to the value, it sets the type of the result, which is known when the statement is planned. The type is that of a list
    of the value, because the type of NULL is not known then.
    """
    return _UNLISTED.format(kind=f"system.main.left(system.main.typeof(system.main.list_value({value})), -2)")


def _typed(policy: Policy, name: str, label: str) -> str:
    recoding = policy.aggregated.get(name)
    if recoding is None:
        return label
    return f"CAST({label} AS DOUBLE)" if isinstance(recoding, Means) else f"system.main.cast_to_type({label}, {quoted(name)})"
