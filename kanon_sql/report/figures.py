"""What a report tells, for programs: the figures of its page as plain data, without a cell value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.report.claims import Claim
from kanon_sql.report.measured import Measured
from kanon_sql.report.unit import MeasuredUnit
from kanon_sql.report.verdict import verdict


def figures(facts: Measured, claims: Sequence[Claim]) -> dict[str, Any]:
    """Return the figures of a page.

    Parameters
    ----------
    claims : sequence of Claim
        What a certificate says that was counted again.

    Returns
    -------
    dict
        Of texts, numbers, truth values and None: ``holds``, ``verdict``, ``broken``, ``cautions``, ``warnings`` and
        ``uncounted`` (lists of texts), then the parts of the page.
    """
    broken = [f"{each.text}: {each.found}" for each in facts.requirements if each.kept is False]
    if facts.unit.broken:
        broken.append(f"a class has rows from fewer than {facts.unit.least} people: {facts.unit.smallest}")
    broken += [
        f"{each.name}: the certificate states {each.claimed}, but {each.counted} was found" for each in claims if not each.holds
    ]
    before, after = ({**sizes, **risk} for sizes, risk in zip(facts.sizes, facts.risk, strict=True))
    found = verdict(facts, claims)
    together = facts.together
    return {
        "holds": found.colour != "broken",
        "verdict": found.colour,
        "broken": broken,
        "cautions": [each.text for each in found.cautions],
        "warnings": list(found.warnings),
        "uncounted": list(found.uncounted),
        "guarantee": [{"requirement": each.text, "holds": each.kept, "found": each.found} for each in facts.requirements],
        "certificate": [
            {"claim": each.name, "claimed": each.claimed, "counted": each.counted, "holds": each.holds} for each in claims
        ],
        "source": before,
        "release": after,
        "utility": facts.utility,
        "columns": [
            {"column": each.name, "suppressed": each.suppressed, "coarsened": each.coarsened, "empty": each.empty}
            for each in facts.columns
        ],
        "unchanged": list(facts.unchanged),
        "exposed": [
            {"column": each.name, "role": each.role, "singled_out": each.single, "given_back": dict(each.given_back)}
            for each in facts.exposed
        ],
        "singled_out_together": None if together is None else together.single,
        "same_rows": facts.same_rows,
        "unit": _unit(facts.unit),
        "identifiers": dict(facts.identifiers),
        "left_out": list(facts.left_out),
    }


def _unit(unit: MeasuredUnit) -> dict[str, Any]:
    return {
        "per": unit.per,
        "per_row": unit.per_row,
        "settled": unit.open is None,
        "repeats": None if unit.repeated is None else unit.repeated.column,
        "people": None if unit.source is None else unit.source["people"],
        "smallest_class": None if unit.fewest is None else list(unit.fewest),
        "smallest_class_stated": unit.stated if unit.exact else None,
        "highest_risk": unit.risk,
    }
