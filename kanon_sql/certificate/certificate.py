"""What a release proves about itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from kanon_sql.certificate.base import CertificateBase, Released
from kanon_sql.certificate.file import RELEASE
from kanon_sql.certificate.histories import HistoryRisk
from kanon_sql.certificate.status import Status
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier

WEAK = 0.1
"""The gap above which a lower bound is called weak: wide tables have such gaps, however good the release is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(CertificateBase):
    """The figures of one release.

    Attributes
    ----------
    requirements : tuple of str
        The guarantees, as the clause writes them.
    algorithm : str
        The solver that ran.
    reason : str
        Why it was this one.
    status : Status
        OPTIMAL only where ``lower_bound == cost``.
    cost, lower_bound : Fraction
        Weighted suppressed cells of this release, and a proven minimum for every release under the policy.
    bound_method : str
        The argument that proves the lower bound.
    rows, row_types : int
        Rows of the source, and their distinct combinations of quasi-identifiers.
    suppressed_cells, cells : int
        Suppressed cells, and all cells of quasi-identifiers. A suppressed NULL counts: it costs like any other cell, and a
        class may need it. The macro ``utility`` counts only cells that lose a value, so its figure may be smaller.
    seconds : float
        Time of solving.
    policy : str
        Canonical JSON of the policy, with the columns of the table.
    prices : tuple of int, optional
        Evidence for a lower bound that `verify` computes again: the price of a row of each row type. It is in units of
        ``1 / (scale * unit)`` of the cost. Row types are in the order of their codes.
    charges : tuple of tuple of int
        More of that evidence under a guarantee for known columns: what a row of a row type pays for a class. Each has four
        numbers: the row type, a set of quasi-identifiers as bits, the suppressed part of the set, and the amount. Amounts are
        in the units of the prices.
    scale, unit : int
        See ``prices``; ``unit`` is the common denominator of the weights.
    repeatable : bool
        Whether the same input gives the same rows again. False if no secret could be stored.
    unchanged : tuple of str
        The columns released unchanged, which no guarantee is about, including those named in KEEP.
    information_loss : tuple of str
        For each column in means or medians, the share of its deviation that is lost within classes, in percent: SSE / SST.
    warnings : tuple of str
        What these columns reveal, without values: columns without a role that single out rows, and columns from which
        suppressed cells can be recovered. Empty until the audit has passed.
    histories : tuple of HistoryRisk
        For each column of tokens, how many people share a history of visible quasi-identifiers.
    classes, smallest_class : int or None
        What the audit counted on the released rows; None until it has passed.
    smallest_class_people : int or None
        How many people the class with the fewest people has, counted by the audit. It may be another class than the one
        with the fewest rows. None if the guarantee counts rows, and in files that did not state it yet.
    known_columns : int or None
        How many quasi-identifiers an attacker may know, if the guarantee says so. None if it is about all of them,
        or about given sets.
    sets_audited, smallest_class_known : int or None
        By how many sets of known columns classes were counted, and the smallest class of any of these sets. None if the
        guarantee is about all columns, or the audit has not passed.
    smallest_class_known_people : int or None
        The fewest people of a class by any of these sets, if the guarantee counts people.
    number : int or None
        Running number among the releases of a connection.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> people = pa.table({"zip": ["98101", "98101", "98102", "98103"], "age": [34, 34, 51, 51]})
    >>> certificate = kanon_sql.anonymize(people, k=2).certificate
    >>> certificate.cost, certificate.lower_bound, certificate.status.value, certificate.smallest_class
    (Fraction(2, 1), Fraction(2, 1), 'OPTIMAL', 2)
    >>> Certificate.from_json(certificate.to_json()) == certificate
    True
    """

    LAYOUT = RELEASE

    requirements: tuple[str, ...]
    algorithm: str
    reason: str
    status: Status
    cost: Fraction
    lower_bound: Fraction
    bound_method: str
    rows: int
    row_types: int
    suppressed_cells: int
    cells: int
    seconds: float
    policy: str
    prices: tuple[int, ...] | None = field(default=None, repr=False)
    charges: tuple[tuple[int, int, int, int], ...] = field(default=(), repr=False)
    scale: int = 1
    unit: int = 1
    repeatable: bool = True
    unchanged: tuple[str, ...] = ()
    information_loss: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    histories: tuple[HistoryRisk, ...] = ()
    classes: int | None = None
    smallest_class: int | None = None
    smallest_class_people: int | None = None
    known_columns: int | None = None
    sets_audited: int | None = None
    smallest_class_known: int | None = None
    smallest_class_known_people: int | None = None
    number: int | None = None

    @property
    def gap(self) -> float:
        """Return the share of the cost that is not proven to be needed, 0 to 1."""
        return float((self.cost - self.lower_bound) / self.cost) if self.cost else 0.0

    @property
    def audited(self) -> bool:
        """Return whether the released rows passed the audit."""
        return self.classes is not None

    def passed(self, classes: int, smallest_class: int | None, people: int | None = None) -> Certificate:
        """Return the certificate with what the audit counted: classes, the smallest in rows, and the smallest in people."""
        return replace(self, classes=classes, smallest_class=smallest_class, smallest_class_people=people)

    @property
    def saving(self) -> str:
        """Return what the lower bound means, for people."""
        return saving_of(self.gap, nothing_proven=self.lower_bound == 0)

    @property
    def least_people(self) -> int | None:
        """Return the fewest people of a class: as counted, or in older files at least k. None if rows are counted."""
        requested = Policy.from_json(self.policy).people_of_classes
        return self.smallest_class_people or (None if requested is None else requested.k)

    @property
    def highest_risk(self) -> float | None:
        """Return the highest prosecutor risk: of a person if the guarantee counts people, else of a row; None without rows."""
        if not self.smallest_class:
            return None
        return 1 / (self.least_people or self.smallest_class)

    @property
    def smallest(self) -> str:
        """Return the size of the smallest class in words: in people if the guarantee counts people."""
        if self.smallest_class is None:
            return "-"
        if (people := self.least_people) is None:
            return how_many(self.smallest_class, "row")
        exactly = "" if self.smallest_class_people else "at least "
        return f"{exactly}{how_many(people, 'person', 'people')}"

    @property
    def _smallest(self) -> str:
        """Return the smallest class in people and in rows: these may be two classes."""
        of_rows = self.smallest_class is None or self.least_people is None
        return self.smallest if of_rows else self.smallest + _no_fewer(self.smallest_class)

    @property
    def _by_known(self) -> str:
        """Return what was counted by known columns, in words."""
        columns = self.cells // self.rows if self.rows else 0
        known = "the sets of the guarantee" if self.known_columns is None else f"any {self.known_columns} of {columns} columns"
        reported = f"classes by {known} ({how_many(self.sets_audited or 0, 'set')})"
        rows, people = self.smallest_class_known, self.smallest_class_known_people
        if rows is None:
            return reported
        smallest = how_many(rows, "row") if people is None else how_many(people, "person", "people") + _no_fewer(rows)
        return f"{reported}, the smallest of {smallest}"

    @property
    def suppressed_share(self) -> float:
        """Return the share of the cells that are suppressed; 0 for an empty table."""
        return self.suppressed_cells / self.cells if self.cells else 0.0

    def figures(self) -> dict[str, str]:
        """Return what the certificate says in rounded figures, for people."""
        return {
            "guarantee": ", ".join(self.requirements),
            "rows": f"{self.rows:,}, {how_many(self.row_types, 'distinct combination')}",
            "classes": "-" if self.classes is None else f"{self.classes:,}",
            "smallest class": self._smallest,
            **({"known columns": self._by_known} if self.sets_audited is not None else {}),
            "suppressed cells": f"{self.suppressed_cells:,} of {self.cells:,} ({self.suppressed_share:.1%})",
            "cost": f"{float(self.cost):,.12g}, lower bound {float(self.lower_bound):,.12g}: {self.saving}",
            **({"information loss": ", ".join(self.information_loss)} if self.information_loss else {}),
            **{f"tokens of {as_identifier(each.column)}": each.describe() for each in self.histories},
            "algorithm": f"{self.algorithm} ({self.reason})",
            "solved": f"{self.status.value}, {self.seconds:.2f} s",
            **({"released unchanged": ", ".join(self.unchanged)} if self.unchanged else {}),
            **({"warnings": "\n".join(self.warnings)} if self.warnings else {}),
        }

    def __repr__(self) -> str:
        """Return six lines, and one for each warning: the policy and the prices are left to the attributes."""
        reported = self.figures()
        lines = {name: reported[name] for name in ("guarantee", "rows", "classes", "suppressed cells", "cost", "solved")}
        lines["classes"] += f", the smallest of {reported['smallest class']}" if self.audited else " (not audited)"
        lines["solved"] += f", {self.algorithm}"
        lines["solved"] += f"; released unchanged: {len(self.unchanged)}" if self.unchanged else ""
        named = [*lines.items(), *(("warning", each) for each in self.warnings)]
        return "\n".join(f"{name:<18}{text}" for name, text in named)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: exact numbers as int, or as text if they are not integers."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        data["status"] = self.status.value
        for name in ("requirements", "unchanged", "information_loss", "warnings"):
            data[name] = list(data[name])
        data["histories"] = [each.to_dict() for each in self.histories]
        data["prices"] = None if self.prices is None else list(self.prices)
        data["charges"] = [list(each) for each in self.charges]
        for name in ("cost", "lower_bound"):
            data[name] = int(data[name]) if data[name].denominator == 1 else str(data[name])
        return {**data, "gap": self.gap}


@dataclass(frozen=True, kw_only=True, repr=False)
class Release(Released[Certificate]):
    """A released table and its certificate.

    Attributes
    ----------
    table : object
        The released rows, of the kind that came in: Arrow, pandas, polars, or a DuckDB relation.
    certificate : Certificate
        What is proven about them.
    sql : str
        The statement that made the release.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> people = pa.table({"zip": ["98101", "98101", "98102", "98103"], "age": [34, 34, 51, 51]})
    >>> release = kanon_sql.anonymize(people, k=2)
    >>> release.table.num_rows, release.table["zip"].null_count
    (4, 2)
    """


def _no_fewer(rows: int | None) -> str:
    return f"; no class has fewer than {how_many(rows or 0, 'row')}"


def saving_of(gap: float, *, nothing_proven: bool) -> str:
    """Return what a lower bound means, for people."""
    if gap <= WEAK:
        return "no release costs less" if gap == 0 else f"at most {gap:.1%} of the cost could be saved"
    if nothing_proven:
        return "the bound is weak, and proves nothing about cheaper releases"
    return f"the bound is weak, and only proves that no release costs less than {1 - gap:.1%} of this cost"
