"""Whom the rows of a release describe: what its guarantee counts, and of how many people the smallest class has rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.audit.people_figures import audited_unit, people_figures
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.printable import printable
from kanon_sql.model.repetition import RepeatedPeopleError
from kanon_sql.model.unit_of_policy import unit_of
from kanon_sql.report.columns import RELEASED
from kanon_sql.report.people import people_of

_SHOWN = "SELECT system.main.count(*) FROM {released} WHERE {column} IS NOT NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredUnit:
    """What a release counts."""

    least: int  # how many a class needs
    per: str | None = None  # the column by which the guarantee counts people
    per_row: bool = False  # whether the policy says that each row is a person
    # of how many people a certificate says that every class has rows at least: as counted when the release was made
    stated: int | None = None
    exact: bool = False  # whether the certificate says that some class has just so many
    # the column that repeats people though the guarantee counts rows; None without one
    repeated: RepeatedPeopleError | None = None
    source: dict[str, Any] | None = None  # the `people_figures` of the source, if people are counted
    # of how many people the smallest class of the release has rows, at least and at most; None if nothing shows it
    fewest: tuple[int, int] | None = None

    @property
    def open(self) -> RepeatedPeopleError | None:
        """Return why it was not settled what a row is; None if it was."""
        return None if self.per_row else self.repeated

    @property
    def broken(self) -> bool:
        """Return whether a class surely has rows of too few people though its rows are enough."""
        return self.open is not None and self.fewest is not None and self.fewest[1] < self.least

    @property
    def at_least(self) -> int:
        """Return of how many people each class has rows at least: as counted here, or when the release was made."""
        stated = self.stated or 0
        return stated if self.fewest is None else min(max(self.fewest[0], stated), self.fewest[1])

    @property
    def surely(self) -> str:
        """Return `at_least` in words."""
        return f"at least {how_many(self.at_least, 'person', 'people')}"

    @property
    def risk(self) -> float | None:
        """Return the highest risk of a person; None if people are not counted, or nothing shows whose the rows are."""
        return None if self.per is None or not self.at_least else 1 / self.at_least

    @property
    def smallest(self) -> str:
        """Return of how many people the smallest class has rows, in words."""
        if self.fewest is not None and self.fewest[0] == self.fewest[1]:
            return how_many(self.fewest[0], "person", "people")
        if self.stated is not None:
            people = how_many(self.at_least, "person", "people")
            return f"{people if self.exact else f'at least {people}'}, counted when the release was made"
        if self.fewest is None:
            return "not counted: nothing shows whose the rows are"
        return f"{self.fewest[0]:,} to {self.fewest[1]:,} people, by the rows of the source that may be theirs"


def measured_unit(
    con: Any, policy: Policy, whole: str, generalized: Sequence[str], certificate: Certificate | None
) -> MeasuredUnit:
    """Return what a release counts.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the tables of a report.
    policy : Policy
        Resolved against the source.
    whole : str
        The source with all its columns: those that were left out are evidence, too.
    generalized : sequence of str
        Quasi-identifiers with labels that are no values of the source.
    certificate : Certificate, optional
        That of the release.
    """
    names = [qi.column for qi in policy.quasi_identifiers]
    unit, least = unit_of(policy), policy.least_class_size
    repeated = audited_unit(con, whole, names, unit.per, False, "command", raw=True).open if least > 1 else None
    if unit.per is not None:
        counted_people = policy.people_of_classes
        return MeasuredUnit(
            least=least if counted_people is None else counted_people.k,
            per=unit.per,
            stated=None if counted_people is None or certificate is None else certificate.least_people,
            exact=certificate is not None and certificate.smallest_class_people is not None,
            repeated=repeated,
            source=people_figures(con, "source", names, unit.per),
            fewest=None if counted_people is None else people_of(con, policy),
        )
    fewest = None if repeated is None else _fewest(con, repeated.column, names, generalized)
    return MeasuredUnit(least=least, per_row=unit.per_row, repeated=repeated, fewest=fewest)


def _fewest(con: Any, person: str, names: Sequence[str], generalized: Sequence[str]) -> tuple[int, int] | None:
    """Return the people of the smallest class by a column that the release shows; a value of it in the class is one person."""
    if person not in columns(con, "released") or person in generalized:
        return None
    if person in names:
        shown = con.execute(_SHOWN.format(released=quoted(RELEASED), column=quoted(person))).fetchall()[0][0]
        return (1, 1) if shown else None
    fewest = people_figures(con, RELEASED, names, person)["k"]
    return None if fewest is None else (fewest, fewest)


def unit_text(unit: MeasuredUnit, rows: int) -> str:
    """Return about how many people a release is."""
    counted = how_many(rows, "row")
    if unit.per is not None and unit.source is not None:
        return f"{how_many(unit.source['people'], 'person', 'people')} in {counted}; {printable(unit.per)} identifies them"
    if unit.per_row:
        but = "" if unit.repeated is None else f", although {printable(unit.repeated.column)} repeats people"
        return f"{counted}: the policy says PER ROW, so each row is a person{but}"
    if unit.repeated is not None:
        people = f"{printable(unit.repeated.column)} suggests {how_many(unit.repeated.people, 'person', 'people')}"
        return f"not settled: {people} in {counted}, but the guarantee counts rows"
    return f"{counted}; no column repeats people, so each row counts as a person"


def percent_of(unit: MeasuredUnit) -> str:
    """Return the highest risk of a person in percent."""
    return "100.0%" if unit.risk is None else f"{unit.risk:.1%}"
