"""What columns released unchanged tell, whoever made the release: each row is counted, with a certificate or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kanon_sql.engines.duckdb.audit.other_columns import people_in, singled_out
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.model.policy import Policy
from kanon_sql.model.unlisted import Limits
from kanon_sql.report.given_back import given_back

_LIMITS = Limits()
"""A page judges by the default: a policy that permits more does not make the release safer."""

Role = Literal["unlisted", "kept", "sensitive", "token"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """A column released unchanged.

    Attributes
    ----------
    name : str
        The column.
    role : str
        ``'kept'`` or ``'sensitive'`` if the policy names it, which makes its release a decision; ``'token'`` if it shows
        tokens in the place of identifiers; else ``'unlisted'``.
    rows, single : int
        Rows of the release, and those with a value that fewer than ``shared`` rows have, or people if the policy counts them.
    shared : int
        How many have to share a value, see `kanon_sql.model.unlisted`.
    people : bool
        Whether these are people.
    given_back : tuple of (str, float)
        Quasi-identifiers, each with the share of its suppressed cells that the column gives back.
    """

    name: str
    role: Role
    rows: int
    single: int
    shared: int = 2
    people: bool = False
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
    """The columns that are neither quasi-identifiers nor sensitive, and show no tokens, two or more of them.

    Attributes
    ----------
    columns : tuple of str
        Their names.
    rows, single : int
        Rows of the release, and those with values there together that no other row has.
    decided : bool
        Whether the policy names all of them.
    """

    columns: tuple[str, ...]
    rows: int
    single: int
    decided: bool

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
