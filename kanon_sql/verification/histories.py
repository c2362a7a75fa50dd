"""What the tokens of a release give away, counted again in its rows: how many people have the same history."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kanon_sql.certificate import HistoryRisk
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import CertificateError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier, same_name

_CLASS = "system.main.create_sort_key(system.main.row({}), 'ASC NULLS LAST')"

_ENTRY = (
    "SELECT CAST({column} AS VARCHAR) AS token, {place} AS place, {shown} AS shown FROM released WHERE {column} IS NOT NULL"
)

_RISKS = """WITH histories AS (
    SELECT system.main.list(system.main.struct_pack(place := place, shown := shown)
                            ORDER BY place ASC NULLS LAST, shown ASC NULLS LAST) AS history,
           system.main.list(DISTINCT place) AS places
    FROM ({entries}) GROUP BY token
), alike AS (SELECT history, system.main.any_value(places) AS places, system.main.count(*) AS n FROM histories GROUP BY history)
SELECT coalesce(system.main.sum(n), 0)::BIGINT, coalesce(system.main.sum(n) FILTER (n = 1), 0)::BIGINT,
       coalesce(system.main.min(n), 0), coalesce(system.main.sum(n::HUGEINT * n), 0)::HUGEINT,
       coalesce(system.main.max(system.main.len(history)), 0) > 1
FROM alike WHERE system.main.list_contains(places, {place})"""

_PEOPLE = "SELECT system.main.min(n) FROM (SELECT system.main.count(DISTINCT {}) AS n FROM released GROUP BY {})"


def counted_histories(con: Any, policy: Policy) -> list[tuple[HistoryRisk, bool]]:
    """Return for each column of tokens what the rows of the table ``released`` give away, and whether a token is on several.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table, whose tokens are as they were released.
    policy : Policy
        Resolved.
    """
    shown = _CLASS.format(", ".join(quoted(qi.column) for qi in policy.quasi_identifiers))
    columns = [quoted(name) for name in policy.pseudonyms]
    entries = " UNION ALL ".join(_ENTRY.format(column=column, place=place, shown=shown) for place, column in enumerate(columns))
    found = []
    for place, name in enumerate(policy.pseudonyms):
        row = con.execute(_RISKS.format(entries=entries, place=place)).fetchall()[0]
        people, alone, fewest, squares, links = row
        average = Fraction(squares, people) if people else Fraction(0)
        risk = HistoryRisk(column=name, people=people, alone=alone, fewest=fewest, average=average, releases=0)
        found.append((risk, bool(links)))
    return found


def fewest_candidates(policy: Policy) -> int:
    """Return how many people must have the same history, unless tokens are linkable."""
    return max(2, policy.k, 1 if policy.people is None else policy.people.k)


def check_histories(claimed: Sequence[HistoryRisk], counted: Sequence[tuple[HistoryRisk, bool]], policy: Policy) -> None:
    """Check what a certificate claims of the tokens of a release.

    Parameters
    ----------
    claimed : sequence of HistoryRisk
        Its claims.
    counted : sequence of (HistoryRisk, bool)
        What `counted_histories` found.
    policy : Policy
        Resolved.

    Raises
    ------
    CertificateError
        When a claim does not hold, or tokens that are not linkable single people out in this release alone.

    """
    if [each.column for each in claimed] != [each.column for each, _ in counted]:
        raise CertificateError("histories", "it must list each pseudonym in the policy once, in order")
    least = fewest_candidates(policy)
    linkable = set(map(same_name, policy.linkable))
    for one, (two, links) in zip(claimed, counted, strict=True):
        column = as_identifier(one.column)
        if links and two.fewest < least and same_name(one.column) not in linkable:
            left = how_many(two.fewest, "candidate")
            fact = f"the tokens of {column} are not linkable, but leave a person with {left} in this release"
            raise CertificateError("histories", fact)
        if not agrees(one, two):
            raise CertificateError("histories", f"{column}: {one.describe()}; but the release has {two.describe()}")


def agrees(claimed: HistoryRisk, counted: HistoryRisk) -> bool:
    """Tell whether a claim may be true, given what the release alone has.

    Notes
    -----
    Together with earlier releases, histories only become more different: there are no fewer people, and no fewer of them alone.
    """
    if not claimed.releases:
        return claimed == counted
    return claimed.people >= counted.people and claimed.alone >= counted.alone and claimed.fewest <= counted.fewest


def history_texts(claimed: Sequence[HistoryRisk]) -> dict[str, str]:
    """Return what is known of the tokens of a release, for people."""
    return {
        f"tokens of {as_identifier(each.column)}": each.describe()
        + ("; counted again for this release only, because no other is available" if each.releases else "; counted again")
        for each in claimed
    }


def people_by_tokens(con: Any, policy: Policy) -> tuple[int, int] | None:
    """Return of how many people the class with fewest has rows, by their tokens in ``released``; None without rows, or tokens.

    Returns
    -------
    tuple of (int, int), optional
        At least and at most, which is one figure here.
    """
    if policy.people is None or policy.dropped:
        return None
    shown = _CLASS.format(", ".join(quoted(qi.column) for qi in policy.quasi_identifiers))
    fewest = con.execute(_PEOPLE.format(quoted(policy.people.per), shown)).fetchall()[0][0]
    return None if fewest is None else (fewest, fewest)
