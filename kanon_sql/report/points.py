"""The points of a curve: each a guarantee and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.certificate import Certificate
from kanon_sql.model.validation import plain_number

HEADS = (
    "k",
    "t",
    "status",
    "cost",
    "lower_bound",
    "gap",
    "suppressed_cells",
    "cells",
    "suppressed_share",
    "classes",
    "smallest_class",
    "algorithm",
    "seconds",
)
"""The columns of the CSV file, and the names in JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A guarantee and what it costs.

    Attributes
    ----------
    k : int
        Least number of rows of a class.
    t : Fraction or None
        The largest distance of a class from the whole table; None where no closeness is guaranteed.
    certificate : Certificate or None
        Of the audited release; None where no release can keep the guarantee.
    """

    k: int
    t: Fraction | None
    certificate: Certificate | None

    @property
    def guarantee(self) -> str:
        """Return the guarantee, on one line wherever it is shown."""
        text = f"k = {self.k:,}" + ("" if self.t is None else f", t = {float(self.t):.6g}")
        return text.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")

    def row(self) -> tuple[object, ...]:
        """Return the values under `HEADS`, exact numbers as texts; empty where there is no release."""
        c = self.certificate
        requirement = (self.k, "" if self.t is None else str(self.t))
        if c is None:
            return (*requirement, "INFEASIBLE", *[""] * (len(HEADS) - 3))
        return (
            *requirement,
            c.status.value,
            str(c.cost),
            str(c.lower_bound),
            f"{c.gap:.6f}",
            c.suppressed_cells,
            c.cells,
            f"{_share(c):.6f}",
            c.classes,
            "" if c.smallest_class is None else c.smallest_class,
            c.algorithm,
            f"{c.seconds:.3f}",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data by `HEADS`, exact numbers as in a certificate; None where there is no release."""
        c = self.certificate
        told: dict[str, Any] = {"status": "INFEASIBLE"} if c is None else {**c.to_dict(), "suppressed_share": _share(c)}
        told |= {"k": self.k, "t": None if self.t is None else plain_number(self.t)}
        return {name: told.get(name) for name in HEADS}


def _share(certificate: Certificate) -> float:
    return certificate.suppressed_cells / certificate.cells if certificate.cells else 0.0
