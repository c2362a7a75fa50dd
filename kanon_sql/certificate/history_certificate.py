"""What is known of a release that links the rows of each person, and what a released database states about a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from kanon_sql.certificate.base import CertificateBase
from kanon_sql.certificate.certificate import Certificate, saving_of
from kanon_sql.certificate.file import OBJECT, SECONDS, TEXT, TEXTS, WHOLE, WHOLE_OR_NULL, Layout
from kanon_sql.errors import CertificateError, PolicyError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy

HISTORIES = Layout(
    format="kanon-sql history certificate 1",
    claims={
        "policy": OBJECT,
        "guarantee": TEXT,
        "k": WHOLE,
        "people": WHOLE,
        "rows": WHOLE,
        "own_columns": TEXTS,
        "linked_people": WHOLE,
        "linked_rows": WHOLE,
        "fewest_candidates": WHOLE_OR_NULL,
        "people_below_next": WHOLE_OR_NULL,
        "suppressed_cells": WHOLE,
        "cells": WHOLE,
        "lower_bound": WHOLE,
        "bound_method": TEXT,
        "seconds": SECONDS,
        "warnings": TEXTS,
    },
    later={},
)
"""The certificate of linked histories; its number is of the session."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HistoryCertificate(CertificateBase):
    """What a release guarantees of histories, and what it costs.

    Attributes
    ----------
    guarantee : str
        The guarantee, as the clause writes it.
    policy : str
        The guarantee with its columns: the JSON of `LinkedHistories`.
    k : int
        The least number of people.
    people, rows : int
        People and rows of the source.
    own_columns : tuple of str
        The quasi-identifiers that have one value in all rows of each person: the attacker knows them.
    linked_people, linked_rows : int
        People and rows that show tokens. The other rows show no quasi-identifier and no token.
    fewest_candidates : int or None
        The fewest people who have the same known rows, counted in the release; None if nobody is linked.
    people_below_next : int or None
        People for whom an attacker finds fewer than k, with one known row more; None if there are too many sets of rows.
    suppressed_cells, cells : int
        Of the quasi-identifiers.
    lower_bound : int
        The number of suppressed cells of every release is at least this.
    bound_method : str
        What proves it.
    seconds : float
        Time to search.
    warnings : tuple of str
        What the columns that are released unchanged reveal.
    number : int or None
        The number of the release in its session, from 1.

    Examples
    --------
    >>> import kanon_sql
    >>> import pyarrow as pa
    >>> wards = ["eye", "skin", "eye", "skin", "eye", "heart", "eye", "birth"]
    >>> visits = pa.table({"patient": [1, 1, 2, 2, 3, 3, 4, 4], "ward": wards})
    >>> release = kanon_sql.link_histories(visits, 2, per="patient", quasi_identifiers=["ward"])
    >>> release.certificate.suppressed_cells, release.certificate.lower_bound, release.certificate.gap
    (2, 2, 0.0)
    """

    LAYOUT = HISTORIES

    guarantee: str
    policy: str
    k: int
    people: int
    rows: int
    own_columns: tuple[str, ...]
    linked_people: int
    linked_rows: int
    fewest_candidates: int | None
    people_below_next: int | None
    suppressed_cells: int
    cells: int
    lower_bound: int
    bound_method: str
    seconds: float
    warnings: tuple[str, ...] = ()
    number: int | None = None

    @property
    def gap(self) -> float:
        """Return the share of the cost that a better release might save."""
        cost = self.suppressed_cells
        return float(Fraction(cost - self.lower_bound, cost)) if cost else 0.0

    @property
    def saving(self) -> str:
        """Return what the lower bound means, for people."""
        return saving_of(self.gap, nothing_proven=self.lower_bound == 0)

    @property
    def suppressed_share(self) -> float:
        """Return the share of the cells that are suppressed; 0 for an empty table."""
        return self.suppressed_cells / self.cells if self.cells else 0.0

    @property
    def requirements(self) -> tuple[str, ...]:
        """Return the guarantee."""
        return (self.guarantee,)

    @property
    def asked(self) -> LinkedHistories:
        """Return the guarantee with its columns.

        Raises
        ------
        CertificateError
            When the policy is none.
        """
        try:
            histories = LinkedHistories.from_json(self.policy)
            histories.check_roles()
        except (PolicyError, TypeError, AttributeError) as error:
            raise_alone(CertificateError("policy", f"it is invalid: {error}"))
        return histories

    def figures(self) -> dict[str, str]:
        """Return what the certificate says in rounded figures, for people."""
        fewest, below = self.fewest_candidates, self.people_below_next
        candidates = "no candidates" if fewest is None else f"at least {how_many(fewest, 'candidate')} each"
        suppressed = f"{how_many(self.suppressed_cells, 'cell')} ({self.suppressed_share:.1%})"
        linked = how_many(self.linked_people, "person", "people")
        fewer = {} if below is None else {"one more row": f"{below:,} of {linked} have fewer than {self.k} candidates"}
        return {
            "guarantee": self.guarantee,
            "linked": f"{linked}, {candidates}",
            **fewer,
            "suppressed": f"{suppressed}, at least {self.lower_bound:,} in every release",
            "rows": f"{self.linked_rows:,} of {self.rows:,} are linked",
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        data = asdict(self) | {"own_columns": list(self.own_columns), "warnings": list(self.warnings), "gap": self.gap}
        del data["number"]  # it is of the session
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedRelease:
    """A released table whose tokens link the rows of each person, and its certificate.

    Attributes
    ----------
    table
        The table, of the kind of the source.
    certificate : HistoryCertificate
        What it guarantees.

    Examples
    --------
    >>> import kanon_sql
    >>> import pyarrow as pa
    >>> wards = ["eye", "skin", "eye", "skin", "eye", "heart", "eye", "birth"]
    >>> visits = pa.table({"patient": [1, 1, 2, 2, 3, 3, 4, 4], "ward": wards})
    >>> release = kanon_sql.link_histories(visits, 2, per="patient", quasi_identifiers=["ward"])
    >>> release.table.column_names, release.certificate.fewest_candidates
    (['patient', 'ward'], 2)
    """

    table: Any
    certificate: HistoryCertificate


Stated: TypeAlias = Certificate | HistoryCertificate
"""What a released database states about a table."""


def stated(text: str) -> Stated:
    """Return the certificate of a text.

    Raises
    ------
    CertificateError
        When it is none.
    """
    return HistoryCertificate.from_json(text) if f'"{HISTORIES.format}"' in text[:200] else Certificate.from_json(text)


def guaranteed_by(certificate: Stated) -> Policy:
    """Return what is guaranteed of the rows; that of linked histories names the roles of its columns."""
    if isinstance(certificate, HistoryCertificate):
        return certificate.asked.roles
    return Policy.from_json(certificate.policy)
