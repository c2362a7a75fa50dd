"""What a protected table proves about itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from kanon_sql.certificate.base import CertificateBase, Released
from kanon_sql.certificate.file import write
from kanon_sql.certificate.status import Status
from kanon_sql.certificate.table_file import PROTECTED, TableEvidence
from kanon_sql.model.how_many import how_many
from kanon_sql.model.protection import Protection, coalition_in_words


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableCertificate(CertificateBase):
    """The figures of one protected table.

    Attributes
    ----------
    requirements : tuple of str
        The guarantees, as the clause writes them.
    algorithm : str
        The solver that ran.
    status : Status
        OPTIMAL only if ``lower_bound == cost``.
    cost, lower_bound : int
        What the secondary rows cost, and a proven minimum for every table that is as safe. Of tables that were solved together,
        both are about all of them.
    bound_method : str
        The argument that proves the lower bound.
    base_cells, rows : int
        Combinations of all keys that have rows in the source, and rows of the table; a filtered count is a row.
    primary, secondary : int
        Rows suppressed because of what they are, and because others would follow from them.
    empty_rows : int
        Rows that nobody is in and that are suppressed, too, so that no suppressed row is the only possible one of its group.
    witnesses : int
        Other tables that agree with everything shown: one for each primary row and measure, and for a sum another with less.
        Groups of too few people that rows of several grouping sets name together have one, too. With
        ``AGAINST CONTRIBUTORS`` there may be more. The gate added all of them up.
    seconds : float
        Time of solving.
    tabulation, protection : str
        Canonical JSON of the table and of its protection.
    warnings : tuple of str
        What the table may reveal nevertheless.
    number : int or None
        Running number among the protected tables of a connection.
    together : str or None
        Canonical JSON of the tables that were solved together, and of the earlier ones that they respect, with all their keys
        and sums; None if the table is alone.
    prove : callable
        Makes the evidence, which may be large.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> people = pa.table({"region": ["n", "n", "s", "s"] * 4, "sex": ["f", "m", "f", "m"] * 3 + ["f"] * 4})
    >>> certificate = kanon_sql.protect(people, ["region", "sex"], k=4).certificate
    >>> certificate.status.value, certificate.primary, certificate.secondary, certificate.lower_bound
    ('OPTIMAL', 2, 2, 2)
    >>> TableCertificate.from_json(certificate.to_json()) == certificate
    True
    """

    LAYOUT = PROTECTED

    requirements: tuple[str, ...]
    algorithm: str
    status: Status
    cost: int
    lower_bound: int
    bound_method: str
    base_cells: int
    rows: int
    primary: int
    secondary: int
    witnesses: int
    seconds: float
    tabulation: str
    protection: str
    empty_rows: int = 0
    warnings: tuple[str, ...] = ()
    number: int | None = None
    together: str | None = None
    prove: Callable[[], TableEvidence] = field(compare=False)

    def __eq__(self, other: object) -> bool:
        """Return whether two certificates claim the same, by the same evidence."""
        if not isinstance(other, TableCertificate):
            return NotImplemented
        return self.to_dict() == other.to_dict() and self.evidence == other.evidence

    @property
    def evidence(self) -> TableEvidence:
        """Return what `kanon verify` checks."""
        return self.prove()

    @property
    def gap(self) -> float:
        """Return the share of the cost that is not proven to be needed, 0 to 1."""
        return (self.cost - self.lower_bound) / self.cost if self.cost else 0.0

    def figures(self) -> dict[str, str]:
        """Return what the certificate says in rounded figures, for people."""
        suppressed = self.primary + self.secondary
        share = suppressed / self.rows if self.rows else 0.0
        saving = "no table costs less" if not self.gap else f"at most {self.gap:.1%} of the cost could be saved"
        return {
            "guarantee": ", ".join(self.requirements),
            "protected": "each row, and each overlap of rows",
            **({"attackers": f"also {coalition_in_words(pooled)}"} if (pooled := self._contributors) else {}),
            **({"named rows": "; ".join(named)} if (named := self._named_rows()) else {}),
            "rows": f"{self.rows:,}, from {how_many(self.base_cells, 'base cell')}",
            "suppressed": f"{suppressed:,} ({share:.1%}): {self.primary:,} primary, {self.secondary:,} secondary"
            + (f", and {how_many(self.empty_rows, 'empty row')}" if self.empty_rows else ""),
            "cost": f"{self.cost:,}, lower bound {self.lower_bound:,}: {saving}",
            "witnesses": f"{self.witnesses:,}, each checked",
            "solved": f"{self.status.value}, {self.seconds:.2f} s, {self.algorithm}",
            **({"warnings": "\n".join(self.warnings)} if self.warnings else {}),
        }

    @property
    def _contributors(self) -> int:
        """Return how many people of the table may share what they know."""
        requested = json.loads(self.protection)
        return int(requested.get("contributors", 0)) if isinstance(requested, dict) else 0

    def _named_rows(self) -> tuple[str, ...]:
        return Protection.from_dict(json.loads(self.protection)).named_rows

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "prove"}
        return {**data, "status": self.status.value, "requirements": list(self.requirements), "gap": self.gap}

    def to_json(self) -> str:
        """Return the text of a certificate file: one claim a line, witnesses, multipliers, a checksum at the end."""
        evidence = self.evidence
        parts = {name: getattr(evidence, name) for name in TableEvidence.__dataclass_fields__}
        return write({name: getattr(self, name) for name in self.__dataclass_fields__} | parts, PROTECTED)

    @classmethod
    def from_claims(cls, claims: dict[str, Any]) -> Self:
        """Return the certificate of what a file claims."""
        parts = {name: claims[name] for name in TableEvidence.__dataclass_fields__ if name in claims}
        evidence = TableEvidence(**parts)
        return cls(
            **{name: value for name, value in claims.items() if name not in parts},
            witnesses=len(parts["witnesses"]),
            prove=lambda: evidence,
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class ProtectedTable(Released[TableCertificate]):
    """A protected table and its certificate.

    Attributes
    ----------
    table : object
        The rows, of the kind that came in: Arrow, pandas, polars, or a DuckDB relation.
    certificate : TableCertificate
        What is proven about them.
    sql : str
        The statement that made the table.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> people = pa.table({"region": ["n", "n", "s", "s"] * 4, "sex": ["f", "m", "f", "m"] * 3 + ["f"] * 4})
    >>> protected = kanon_sql.protect(people, ["region", "sex"], k=4)
    >>> protected.table.num_rows, protected.table["n"].null_count
    (9, 4)
    """
