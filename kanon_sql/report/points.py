"""The points of a curve: each a guarantee and what it costs; and the policies that a source is released under for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.sources import release_of_table
from kanon_sql.engines.duckdb.policies.stored_policies import under_policy
from kanon_sql.model.policy import Policy
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import plain_number
from kanon_sql.report.usefulness import Usefulness

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
    "smallest_class_people",
    "algorithm",
    "seconds",
    "policy",
    "marginals",
    "median_error",
    "accuracy",
)
"""The columns of the CSV file, and the names in JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A guarantee and what it costs."""

    k: int  # least number of rows of a class
    t: Fraction | None  # the largest distance of a class from the whole table; None where no closeness is guaranteed
    certificate: Certificate | None  # of the audited release; None where no release can keep the guarantee
    name: str = ""  # what tells the policy apart from others with this guarantee; empty if nothing does
    usefulness: Usefulness | None = None  # what the release is still good for, if that was measured

    @property
    def guarantee(self) -> str:
        """Return the guarantee, on one line wherever it is shown."""
        text = f"k = {self.k:,}" + ("" if self.t is None else f", t = {float(self.t):.6g}")
        text += f", {self.name}" if self.name else ""
        return text.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")

    def row(self) -> tuple[object, ...]:
        """Return the values under `HEADS`, exact numbers as texts; empty where there is no release."""
        c = self.certificate
        requirement = (self.k, "" if self.t is None else str(self.t))
        if c is None:
            return (*requirement, "INFEASIBLE", *[""] * (len(HEADS) - 7), self.name, "", "", "")
        return (
            *requirement,
            c.status.value,
            str(c.cost),
            str(c.lower_bound),
            f"{c.gap:.6f}",
            c.suppressed_cells,
            c.cells,
            f"{c.suppressed_share:.6f}",
            c.classes,
            *("" if each is None else each for each in (c.smallest_class, c.smallest_class_people)),
            c.algorithm,
            f"{c.seconds:.3f}",
            self.name,
            *("" if each is None else f"{each:.6f}" for each in self._useful),
        )

    @property
    def _useful(self) -> tuple[float | None, float | None, float | None]:
        found = self.usefulness
        if found is None:
            return None, None, None
        return found.marginals, None if found.answers is None else found.answers.median, found.kept_accuracy

    def to_dict(self) -> dict[str, Any]:
        """Return plain data by `HEADS`, exact numbers as in a certificate; None where there is no release."""
        c = self.certificate
        figures: dict[str, Any] = (
            {"status": "INFEASIBLE"} if c is None else {**c.to_dict(), "suppressed_share": c.suppressed_share}
        )
        figures |= {"k": self.k, "t": None if self.t is None else plain_number(self.t), "policy": self.name or None}
        figures |= zip(("marginals", "median_error", "accuracy"), self._useful, strict=True)
        return {name: figures.get(name) for name in HEADS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A policy, and the query that releases the table ``source`` under it."""

    policy: Policy
    name: str  # what tells it apart from others with its guarantee
    query: str  # the release

    @property
    def label(self) -> str:
        """Return the guarantee and the name."""
        closeness = [f"t = {float(each.t):.6g}" for each in self.policy.closeness]
        return ", ".join([f"k = {self.policy.k:,}", *closeness, *([self.name] if self.name else [])])

    @classmethod
    def of(
        cls, session: Session, policy: Policy, name: str = "", drop: Sequence[str] | None = None, surface: Surface = "python"
    ) -> Candidate:
        """Return a policy whose columns are those of the source without the dropped ones; see `release_of_table`."""
        return cls(policy=policy, name=name, query=release_of_table(session, "source", policy, drop, surface))

    @classmethod
    def stored(cls, stored: StoredPolicy, columns: list[str]) -> Candidate:
        """Return a policy from a file, for a source with these columns."""
        stored.check_columns(columns)
        policy = stored.policy_for(stored.released(columns))
        query = under_policy("FROM source", stored, "kanon_plan_release", surface="json")
        return cls(policy=policy, name=stored.name, query=query)
