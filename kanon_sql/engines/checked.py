"""A release that first looks for the columns it names: one that is not there is an error of ours, not of generated SQL."""

from __future__ import annotations

import json
from collections.abc import Iterable

from kanon_sql.engines.names import literal, table_name
from kanon_sql.engines.release import release_query
from kanon_sql.policy import Policy
from kanon_sql.requirements import METRICS, TCloseness

Named = tuple[str, str]
"""What names a column, and the column."""

_CHECKED = """WITH "kanon#checked" AS NOT MATERIALIZED (
{body}
)
-- relations are bound from the left to the right: the columns are heard and compared before the release asks for them
SELECT "kanon#released".*
FROM {heard}(
{released}
) AS "kanon#released\""""

_HEARD = """(
    SELECT count(*) FROM (SELECT COLUMNS(lambda "kanon#c": kanon_column({key}, "kanon#c")) FROM {relation} WHERE false)
) AS "kanon#heard{number}", query(kanon_columns_known({key}, {named})) AS "kanon#known{number}", """


def checked_release(source: str, policy: Policy, *, query: bool = False) -> str:
    """Return the SQL of a release as `release_query` does, before which the columns that the policy names are looked for.

    Parameters
    ----------
    source : str
        A quoted table name, or with ``query`` the text of a query, which is used once.
    policy : Policy
        The promise.
    query : bool
        Whether ``source`` is a query.
    """
    return checked(
        source if query else f"FROM {source}",
        policy.named_columns,
        release_query('FROM "kanon#checked"', policy, query=True) if query else release_query(source, policy),
        distances={each.metric for each in policy.requirements if isinstance(each, TCloseness)} - set(METRICS),
    )


def checked(body: str, named: Iterable[Named], released: str, *, distances: Iterable[str] = ()) -> str:
    """Return a query that looks for columns when it is bound, and then is another query.

    Parameters
    ----------
    body : str
        The query that has to have the columns.
    named : iterable of Named
        The columns.
    released : str
        The other query, which may read ``"kanon#checked"``.
    distances : iterable of str
        Names of tables of distances, which have columns of their own to have.
    """
    asked = {'"kanon#checked"': list(named)}
    for name in sorted(distances):
        asked[table_name(name)] = [(f"the metric {name!r}", column) for column in ("a", "b", "distance")]
    heard = (
        _HEARD.format(key=literal(f"columns {number}"), relation=relation, named=literal(json.dumps(each)), number=number)
        for number, (relation, each) in enumerate(asked.items(), 1)
    )
    return _CHECKED.format(body=body, heard="".join(heard), released=released)
