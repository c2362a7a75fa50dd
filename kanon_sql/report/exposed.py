"""What columns released unchanged tell, whoever made the release: each row is counted, with a certificate or without.

The same of tokens: as counted in the release, or as the certificate says if earlier releases were compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kanon_sql.certificate import HistoryRisk
from kanon_sql.certificate.exposure import shares_given_back, unchanged_columns
from kanon_sql.engines.duckdb.audit.other_columns import people_in, singled_out
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.hashes import value_hash
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.release.exposure import exposure, singled
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.unlisted import Limits
from kanon_sql.model.validation import same_name
from kanon_sql.report.columns import RELEASED, SOURCE
from kanon_sql.verification.histories import counted_histories, fewest_candidates

_LIMITS = Limits()
"""A page judges by the default: a policy that permits more does not make the release safer."""

Role = Literal["unlisted", "kept", "sensitive", "token"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """A column released unchanged."""

    name: str  # the column
    # ``'kept'`` or ``'sensitive'`` if the policy names it, which makes its release a decision; ``'token'`` if it shows tokens
    # in the place of identifiers; else ``'unlisted'``
    role: Role
    rows: int  # rows of the release
    single: int  # those with a value that fewer than ``shared`` rows have, or people if the policy counts them
    shared: int = 2  # how many have to share a value, see `kanon_sql.model.unlisted`
    people: bool = False  # whether these are people
    # quasi-identifiers, each with the share of its suppressed cells that the column gives back
    given_back: tuple[tuple[str, float], ...] = ()

    @property
    def decided(self) -> bool:
        """Return whether the policy names the column."""
        return self.role != "unlisted"

    @property
    def singles_out(self) -> bool:
        """Return whether the column alone singles out too many rows; nobody knows a person's token without the secret."""
        return self.role != "token" and _LIMITS.singled_out(self.single, self.rows)

    @property
    def undone(self) -> tuple[tuple[str, float], ...]:
        """Return the quasi-identifiers of which it gives too many suppressed cells back."""
        return tuple((name, share) for name, share in self.given_back if share > _LIMITS.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """The columns that are neither quasi-identifiers nor sensitive, and show no tokens, two or more of them."""

    columns: tuple[str, ...]  # their names
    rows: int  # rows of the release
    single: int  # those with values there together that no other row has
    decided: bool  # whether the policy names all of them

    @property
    def singles_out(self) -> bool:
        """Return whether they single out too many rows."""
        return self.single > _LIMITS.most * self.rows


def exposed_columns(con: Any, policy: Policy, rows: int) -> tuple[tuple[Exposed, ...], Together | None]:
    """Return the columns of a release that are released unchanged, each alone and all but the sensitive ones together.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the tables ``source`` and ``released``, and the views of both without suppressed cells.
    policy : Policy
        Resolved against the source.
    rows : int
        Rows of the release.

    Notes
    -----
    A GROUP BY for each column, one for all together, and that of `given_back`.
    """
    shown = [qi.column for qi in policy.quasi_identifiers]
    names = [name for name in columns(con, "released") if name not in shown]
    if not names:
        return (), None
    given = given_back(con, shown, next(iter(policy.dropped), None))
    person = None if policy.people is None else policy.people.per
    shared = Limits(k=policy.hidden_among).shared(rows if person is None else people_in(con, "source", person))
    found = tuple(
        Exposed(
            name=name,
            role=_role(policy, name),
            rows=rows,
            single=_singled_out(con, [name], person, 2 if name in policy.pseudonyms else shared),
            shared=shared,
            people=person is not None,
            given_back=given.get(name, ()),
        )
        for name in names
    )
    return found, _together(con, person, [each for each in found if each.role not in ("sensitive", "token")], rows)


def _singled_out(con: Any, names: Sequence[str], person: str | None, fewest: int = 2) -> int:
    """Count in the release; with a person in the source, which alone has that column, and has the same in these."""
    return singled_out(con, "released" if person is None else "source", names, fewest, person)


def _together(con: Any, person: str | None, found: Sequence[Exposed], rows: int) -> Together | None:
    if len(found) < 2:
        return None
    names = tuple(each.name for each in found)
    decided = all(each.decided for each in found)
    return Together(columns=names, rows=rows, single=_singled_out(con, names, person), decided=decided)


def _role(policy: Policy, name: str) -> Role:
    if name in policy.sensitive:
        return "sensitive"
    if name in policy.pseudonyms:
        return "token"
    return "kept" if name in (policy.keep or ()) else "unlisted"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedTokens:
    """The tokens of one column."""

    counted: HistoryRisk  # what the rows of this release give away
    claimed: HistoryRisk  # the same by the certificate, together with earlier releases; nobody has those here
    links: bool  # whether a token is on several rows, here or in earlier releases
    linkable: bool  # whether the policy permits that these rows single people out
    least: int  # the fewest candidates that a person must have otherwise

    @property
    def singles_out(self) -> bool:
        """Return whether some person has too few candidates."""
        return self.links and min(self.counted.fewest, self.claimed.fewest) < self.least


def linked_tokens(con: Any, policy: Policy, claimed: Sequence[HistoryRisk]) -> tuple[LinkedTokens, ...]:
    """Return what the tokens of each column link.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table ``released``.
    policy : Policy
        Resolved against the source.
    claimed : sequence of HistoryRisk
        What the certificate says.
    """
    if not policy.pseudonyms:
        return ()
    claims, linkable = {same_name(each.column): each for each in claimed}, set(map(same_name, policy.linkable))
    found = []
    for counted, links in counted_histories(con, policy):
        claim = claims.get(same_name(counted.column), counted)
        found.append(
            LinkedTokens(
                counted=counted,
                claimed=claim,
                links=links or claim.releases > 0,
                linkable=same_name(counted.column) in linkable,
                least=fewest_candidates(policy),
            )
        )
    return tuple(found)
