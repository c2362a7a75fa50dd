"""The columns that a policy names: one that is not there is an error of ours, not one about generated SQL."""

from __future__ import annotations

import json
from collections.abc import Iterable

from kanon_sql.engines.duckdb.connect.binding import heard
from kanon_sql.engines.duckdb.gather.from_items import from_item
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import METRICS
from kanon_sql.model.surfaces import Surface

Named = tuple[str, str]
"""What names a column, and the column."""

_KNOWN = """{heard} AS "kanon#heard{number}",
system.main.query(system.main.kanon_columns_known({key}, {named}, {policy}, {surface})) AS "kanon#known{number}", """


def columns_heard(
    relations: Iterable[tuple[str, Iterable[Named]]], policy: Policy | None = None, surface: Surface = "clause"
) -> str:
    """Return SQL for the beginning of a FROM list, which looks for columns when it is bound; it has one row.

    Parameters
    ----------
    relations : iterable of (str, iterable of Named)
        Relations, as they stand in SQL, and the columns that each has to have.
    policy : Policy, optional
        What has to give a role to each column of the first relation.

    Notes
    -----
    The columns are heard and compared before what follows asks for them.
    """
    found = ""
    for number, (relation, named) in enumerate(relations, 1):
        key = f"columns {number}"
        policy_text = "NULL" if policy is None or number > 1 else literal(policy.to_json())
        slots = {
            "key": literal(key),
            "named": literal(json.dumps(list(named))),
            "policy": policy_text,
            "surface": literal(surface),
        }
        found += _KNOWN.format(heard=heard(key, relation), number=number, **slots)
    return found


def policy_columns_heard(source: str, policy: Policy, surface: Surface) -> str:
    """Return the same for the columns that a policy names of its source, and those of its tables of distances."""
    distances = {each.metric for each in policy.closeness} - set(METRICS)
    own = ("a", "b", "distance")
    tables = [(from_item(name), [(f"the metric {name!r}", each) for each in own]) for name in sorted(distances)]
    return columns_heard([(source, policy.named_columns), *tables], policy if policy.keep is not None else None, surface)
