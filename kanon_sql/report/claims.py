"""The claims of a certificate, each next to what was counted in the two tables."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.verification.histories import agrees

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate
    from kanon_sql.report.measured import Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A figure of a certificate next to the same figure, counted again."""

    name: str  # what it is
    claimed: str
    counted: str
    holds: bool  # whether they agree


def counted_claims(c: Certificate, facts: Measured) -> list[Claim]:
    """Return the claims of a certificate that can be counted in the tables."""
    # A cell that was empty before may be counted as suppressed or not.
    least = sum(max(0, each.hidden - each.empty) for each in facts.columns)
    most = sum(each.hidden for each in facts.columns)
    release = facts.sizes[1]
    exact = {
        "rows": (c.rows, facts.rows),
        "cells of quasi-identifiers": (c.cells, facts.rows * len(facts.columns)),
        "classes": (c.classes, release["classes"]),
        "rows of the smallest class": (c.smallest_class, release["k"]),
    }
    found = [Claim(name=name, claimed=_count(one), counted=_count(two), holds=one == two) for name, (one, two) in exact.items()]
    counted = _count(least) if least == most else f"{least:,} to {most:,}"
    hidden = Claim(
        name="suppressed cells", claimed=_count(c.suppressed_cells), counted=counted, holds=least <= c.suppressed_cells <= most
    )
    return [*found, *_of_people(c, facts), hidden, *_of_tokens(facts), *_of_policy(c, facts)]


def _of_people(c: Certificate, facts: Measured) -> list[Claim]:
    """Return what the certificate says of the people of the smallest class, if the two tables show whose rows it has."""
    claimed, unit = c.smallest_class_people, facts.unit
    if claimed is None or (unit.per is not None and unit.fewest is None):
        return []
    least, most = (0, 0) if unit.per is None or unit.fewest is None else unit.fewest
    counted = "rows are counted" if unit.per is None else _count(least) if least == most else f"{least:,} to {most:,}"
    name = "people of the smallest class"
    return [Claim(name=name, claimed=_count(claimed), counted=counted, holds=least <= claimed <= most)]


def _of_tokens(facts: Measured) -> list[Claim]:
    """Return what the certificate says of tokens; those that single people out must be linkable."""
    return [
        Claim(
            name=f"tokens of {as_identifier(each.counted.column)}",
            claimed=each.claimed.describe(),
            counted=each.counted.describe(),
            holds=agrees(each.claimed, each.counted) and (each.linkable or not each.singles_out),
        )
        for each in facts.linked
    ]


def _of_policy(c: Certificate, facts: Measured) -> list[Claim]:
    """Return what the certificate says of its policy and of the columns: that of another file says otherwise."""
    policy = Policy.from_json(c.policy)
    required = ", ".join(each.describe() for each in policy.requirements)
    claimed = ", ".join(c.requirements)
    found = [Claim(name="guarantee", claimed=claimed, counted=required, holds=claimed == required)]
    if not facts.rows:  # an empty release has no columns in its certificate
        return found
    sensitive = set(map(same_name, policy.sensitive))
    unchanged = [each.name for each in facts.exposed if same_name(each.name) not in sensitive]
    holds = set(map(same_name, c.unchanged)) == set(map(same_name, unchanged))
    names = [", ".join(each) or "none" for each in (c.unchanged, unchanged)]
    return [*found, Claim(name="columns released unchanged", claimed=names[0], counted=names[1], holds=holds)]


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def other_fields(c: Certificate) -> list[tuple[str, str]]:
    """Return what a certificate says about how the release was made."""
    policy = json.loads(c.policy)
    limit = policy.get("time_limit")

    def number(value: Fraction) -> str:
        return f"{float(value):,.12g}"

    return [
        ("status", f"{c.status.value}: {c.saving}"),
        ("cost", f"{number(c.cost)} (weighted cells)"),
        ("lower bound", f"{number(c.lower_bound)}, by {c.bound_method}"),
        ("gap", f"{c.gap:.2%} of the cost"),
        ("distinct combinations", f"{c.row_types:,} of quasi-identifiers in the source"),
        ("solver", f"{c.algorithm} ({c.reason})"),
        ("seed", str(policy.get("seed", 0))),
        ("time", f"{c.seconds:.2f} s, {'without limit' if limit is None else f'at most {limit:g} s'}"),
        *(("warning", each) for each in c.warnings),
        ("SHA-256", json.loads(c.to_json())["sha256"]),
    ]
