"""A release in a few plain sentences, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.model.how_many import how_many
from kanon_sql.report.cautions import cautions
from kanon_sql.report.claims import Claim
from kanon_sql.report.measured import Measured
from kanon_sql.report.unit import percent_of
from kanon_sql.report.verdict import kept


def summary(facts: Measured, claims: Sequence[Claim]) -> list[str]:
    """Return whether a release may be handed out, how many rows look alike, the risk, and what was suppressed."""
    if not facts.rows:
        return ["The release has no rows."]
    if not kept(facts, claims):
        broken = "This release does not keep its guarantee, or is not that of its certificate, and must not be handed out."
        return [broken, _risk(facts), _loss(facts)]
    return [_alike(facts), _risk(facts), _loss(facts)]


def _alike(facts: Measured) -> str:
    k = facts.sizes[1]["k"]
    if facts.unit.per is not None:
        return f"Rows that share their quasi-identifiers are those of {facts.unit.surely}."
    if k > 1:
        others = how_many(k - 1, "other")
        return f"Every row of the release shares its quasi-identifiers with at least {others}."
    unique = facts.risk[1]["uniques"]
    return f"{how_many(unique, 'row of the release is', 'rows of the release are')} unique in the quasi-identifiers."


def _risk(facts: Measured) -> str:
    """Return the risk by the quasi-identifiers: a bound for all that an attacker may know, if no other column undoes it."""
    what, (before, after) = "row", (_share(each["prosecutor_risk"]) for each in facts.risk)
    if facts.unit.source is not None:
        what, before, after = "person", _share(facts.unit.source["prosecutor_risk"]), percent_of(facts.unit)
    if any(each.kind == "columns" for each in cautions(facts)):
        found = f"an attacker finds the right {what} with a probability of up to {after} ({before} in the source)"
        return f"From the quasi-identifiers alone, {found}. The other columns make it easier."
    if facts.unit.open is not None:
        found = f"an attacker finds the right one with a probability of up to {after} ({before} in the source)"
        return f"If each row is a person, {found}."
    found = f"finds the right {what} with a chance of at most {after} ({before} in the source)"
    return f"An attacker who knows only a person's quasi-identifiers {found}."


def _loss(facts: Measured) -> str:
    found = facts.utility
    suppressed = f"The release suppresses {_share(found['suppressed_share'])} of the cells of quasi-identifiers"
    coarser = found["generalized_cells"]
    return f"{suppressed} and generalizes {how_many(coarser, 'cell')}." if coarser else f"{suppressed}."


def _share(part: float | None) -> str:
    return "-" if part is None else f"{part:.2%}"
