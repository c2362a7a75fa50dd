"""The suppressed cells that a reader gets back from columns released unchanged: counted in both tables, none of it sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.certificate.exposure import shares_given_back, unchanged_columns
from kanon_sql.engines.duckdb.hashes import value_hash
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.release.exposure import exposure, singled
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.report.columns import RELEASED, SOURCE

_EXPOSURE = 'WITH {counted} SELECT told FROM "kanon#exposure"'

_EVERY_PAIR = 2**62
"""More pairs of cells than a table has."""

_CONCEALED = """SELECT {j} AS j, x, system.main.unnest([true, false]) AS hidden, system.main.unnest([n - shown, shown]) AS n
    FROM (
        SELECT x, "kanon#b".n, CASE WHEN "kanon#b".value IS NULL THEN "kanon#b".n
                                    ELSE system.main.least("kanon#b".n, coalesce("kanon#a".n, 0)) END AS shown
        FROM (SELECT system.main.encode(CAST("kanon#s".{column} AS VARCHAR)) AS value, system.main.any_value({hash}) AS x,
                     system.main.count(*) AS n
              FROM {source} AS "kanon#s" GROUP BY 1) AS "kanon#b"
        LEFT JOIN (SELECT system.main.encode(CAST("kanon#r".{column} AS VARCHAR)) AS value, system.main.count(*) AS n
                   FROM {released} AS "kanon#r" GROUP BY 1) AS "kanon#a"
            ON "kanon#a".value = "kanon#b".value
    )"""
"""The cells of each value of a quasi-identifier: of those that the source shows, the release shows so many fewer."""


def given_back(con: Any, quasi_identifiers: Sequence[str], unreleased: str | None) -> dict[str, tuple[tuple[str, float], ...]]:
    """Return for each column released unchanged the quasi-identifiers of which it gives cells back, with their shares.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the tables `SOURCE` and `RELEASED`.
    quasi_identifiers : sequence of str
        The quasi-identifiers.
    unreleased : str, optional
        The column that only the source has.

    Notes
    -----
    The rule is that of the certificate: see ``exposure.sql``. O(n c q) for c columns and q quasi-identifiers.
    """
    concealed = [
        _CONCEALED.format(
            j=j,
            column=quoted(name),
            hash=value_hash(f'"kanon#s".{quoted(name)}'),
            source=quoted(SOURCE),
            released=quoted(RELEASED),
        )
        for j, name in enumerate(quasi_identifiers, 1)
    ]
    # Every column that is not a quasi-identifier is counted, and none is a suspect: that is a question of sampled tables.
    policy = Policy(quasi_identifiers=tuple(QuasiIdentifier(column=name) for name in quasi_identifiers), keep=())
    source, hidden = quoted(SOURCE), " UNION ALL ".join(concealed)
    before = singled(source, policy, unreleased, budget=_EVERY_PAIR)
    counted = f"{before}, {exposure(source, policy, unreleased, concealed=hidden)}"
    figures = con.execute(_EXPOSURE.format(counted=counted)).fetchall()[0][0]
    found: dict[str, list[tuple[str, float]]] = {}
    for (i, j), share in sorted(shares_given_back(figures).items()):
        found.setdefault(unchanged_columns(figures)[i], []).append((quasi_identifiers[j], share))
    return {name: tuple(pairs) for name, pairs in found.items()}
