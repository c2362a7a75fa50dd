"""The verdict about a release: green, amber or red, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kanon_sql.model.how_many import how_many
from kanon_sql.report.cautions import Caution, cautions, warnings
from kanon_sql.report.claims import Claim
from kanon_sql.report.measured import Measured
from kanon_sql.report.unit import percent_of

Colour = Literal["kept", "caution", "broken"]

_BUT = {
    "columns": "columns released unchanged undo it",
    "tokens": "tokens link rows that single people out together",
    "same rows": "the release has the same rows as the source",
    "unique rows": "rows of the release are unique",
    "people": "it counts rows, although people have several",
    "identifiers": "a released column looks like an identifier",
}
"""By the kind of a caution what it says against a guarantee that is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the banner of a page says."""

    colour: Colour  # ``'kept'`` is green, ``'caution'`` is amber, ``'broken'`` is red
    headline: str  # the sentence
    cautions: tuple[Caution, ...]  # why the release is dangerous though its guarantee may be kept
    warnings: tuple[str, ...]  # what columns released unchanged tell below the limits
    uncounted: tuple[str, ...]  # the guarantees that were not counted
    foreign: bool  # whether the certificate is not that of the release


def verdict(facts: Measured, claims: Sequence[Claim]) -> Verdict:
    """Return the verdict about a release and the claims of its certificate."""
    found = cautions(facts)
    missing = [each.text for each in facts.requirements if each.kept is None]
    holds = kept(facts, claims)
    counted = "The part of the guarantee that was counted holds" if missing else "The guarantee is kept"
    if not holds and facts.unit.broken:
        headline = f"The guarantee is broken: a class has rows from fewer than {facts.unit.least} people."
    elif not holds:
        headline = "The guarantee is broken."
    elif found:
        headline = f"Caution: {counted[0].lower()}{counted[1:]}, but {_but(found)}."
    else:
        headline = f"{counted}."
    return Verdict(
        colour="broken" if not holds else "caution" if found or missing else "kept",
        headline=headline,
        cautions=tuple(found),
        warnings=tuple(warnings(facts)),
        uncounted=tuple(missing),
        foreign=not all(claim.holds for claim in claims),
    )


def _but(found: Sequence[Caution]) -> str:
    if found[0].kind == "people":
        return _BUT["people"]
    columns = [each for each in found if each.kind == "columns"]
    if columns and all(each.decided for each in columns):
        return "columns released unchanged on purpose undo it"
    return _BUT[found[0].kind]


def kept(facts: Measured, claims: Iterable[Claim]) -> bool:
    """Return whether all counted guarantees are kept, also for people, and all recounted claims hold."""
    counted = all(each.kept is not False for each in facts.requirements) and not facts.unit.broken
    return counted and all(claim.holds for claim in claims)


def summary(facts: Measured, claims: Sequence[Claim]) -> list[str]:
    """Return whether a release may be handed out, how many rows look alike, the risk, and what was suppressed."""
    if not facts.rows:
        return ["The release has no rows."]
    if not kept(facts, claims):
        broken = "This release breaks its guarantee or does not match its certificate. Do not hand it out."
        return [broken, _risk(facts), _loss(facts)]
    return [_alike(facts), _risk(facts), _loss(facts)]


def _alike(facts: Measured) -> str:
    k = facts.sizes[1]["k"]
    if facts.unit.per is not None:
        return f"Rows that share their quasi-identifiers belong to {facts.unit.surely}."
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
    suppressed = f"The release suppresses {_share(found['suppressed_share'])} of the quasi-identifier cells"
    coarser = found["generalized_cells"]
    return f"{suppressed} and generalizes {how_many(coarser, 'cell')}." if coarser else f"{suppressed}."


def _share(part: float | None) -> str:
    return "-" if part is None else f"{part:.2%}"
