"""The verdict about a release in plain words and its figures, from the functions of the report: both say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor

from kanon_sql.certificate import Certificate
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.report.claims import counted_claims
from kanon_sql.report.measured import Measured
from kanon_sql.report.statement import stopped
from kanon_sql.report.unit import percent_of
from kanon_sql.report.verdict import Verdict, summary, verdict

COLOURS = {"kept": "good", "caution": "warn", "broken": "bad"}
"""The class of the page by the colour of the report."""

OF_COLUMNS = "columns"
"""The kind of cautions that the warnings of the certificate are about, too."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure and what it is."""

    value: str
    name: str


def verdict_of(certificate: Certificate, facts: Measured) -> Verdict:
    """Return the verdict that the report gives."""
    return verdict(facts, counted_claims(certificate, facts))


def sentences(certificate: Certificate, facts: Measured) -> list[str]:
    """Return whether the release may be handed out, who looks alike, and what was lost; the worst first."""
    found = verdict_of(certificate, facts)
    if not facts.rows:
        return ["The release has no rows."]
    if found.colour == "broken":
        return [found.headline, summary(facts, counted_claims(certificate, facts))[0]]
    said = [found.headline] if found.colour == "caution" else []
    return [*said, _alike(facts), loss_of(certificate, facts)]


def _alike(facts: Measured) -> str:
    k = facts.sizes[1]["k"]
    if facts.known:
        return stopped(facts)
    if facts.unit.per is not None:
        return f"Every released row is shared by {facts.unit.surely}."
    if k > 1:
        return f"Every released row is the same as at least {how_many(k - 1, 'other')} in the protected columns."
    return f"{how_many(facts.risk[1]['uniques'], 'released row is', 'released rows are')} unique in the protected columns."


def loss_of(certificate: Certificate, facts: Measured) -> str:
    """Return how much was lost, and how much had to be."""
    generalized = facts.utility["generalized_cells"]
    cells = facts.utility["cells"]
    lost = f"{certificate.suppressed_share:.1%} of the protected cells were suppressed"
    if generalized:
        lost += f" and {generalized / cells:.1%} generalized"
    if certificate.gap == 0:
        return f"{lost}. No release that keeps this guarantee loses less."
    if certificate.cost == certificate.suppressed_cells and certificate.cells:
        return f"{lost}; at least {floored(float(certificate.lower_bound) / certificate.cells)} had to be."
    if certificate.lower_bound == 0:
        return f"{lost}. How much of this loss could be avoided is not known."
    return f"{lost}. At most {raised(certificate.gap)} of this loss could be avoided."


def floored(share: float) -> str:
    """Return a share in percent, rounded down: it is what is proven at least."""
    return f"{floor(1000 * share + 1e-9) / 10:.1f}%"


def raised(share: float) -> str:
    """Return a share in percent, rounded up: it is what is proven at most."""
    return f"{ceil(1000 * share - 1e-9) / 10:.1f}%"


def tiles(certificate: Certificate, facts: Measured) -> list[Tile]:
    """Return the figures of a release: of people if its guarantee counts people."""
    cells, generalized = facts.utility["cells"], facts.utility["generalized_cells"]
    suppressed = f"{how_many(certificate.suppressed_cells, 'cell')} of {certificate.cells:,}"
    return [
        *_of_unit(facts),
        Tile(f"{certificate.suppressed_share:.1%}", f"of the protected cells suppressed: {suppressed}"),
        Tile(f"{generalized / cells if cells else 0:.1%}", f"of them generalized: {how_many(generalized, 'cell')}"),
    ]


def _of_unit(facts: Measured) -> Iterator[Tile]:
    unit, source = facts.unit, facts.unit.source
    if source is None:
        before, after = facts.risk
        who = "person" if unit.per_row else "row"
        yield Tile(f"{facts.rows:,}", "people released, one row each" if unit.per_row else "rows released")
        yield Tile(f"{facts.sizes[1]['k'] or 0:,}", f"{'people' if unit.per_row else 'rows'} in the smallest class")
        yield Tile(
            share(after["prosecutor_risk"]), f"highest risk of a {who}; {share(before['prosecutor_risk'])} in the source"
        )
        average = share(before["prosecutor_risk_average"])
        yield Tile(share(after["prosecutor_risk_average"]), f"average risk of a {who}; {average} in the source")
        return
    yield Tile(f"{source['people']:,}", f"people released, in {how_many(facts.rows, 'row')}")
    yield Tile(
        f"{unit.at_least:,}", "people in the smallest class" if _exact(facts) else "people or more in the smallest class"
    )
    yield Tile(percent_of(unit), f"highest risk of a person; {share(source['prosecutor_risk'])} in the source")
    yield Tile(
        f"{source['uniques']:,}", "people who were unique in the source" + ("; none is now" if unit.at_least > 1 else "")
    )


def _exact(facts: Measured) -> bool:
    unit = facts.unit
    return unit.exact or (unit.fewest is not None and unit.fewest[0] == unit.fewest[1])


def share(part: float | None) -> str:
    """Return a share in percent."""
    return "-" if part is None else f"{part:.1%}"


def empty_before(certificate: Certificate, facts: Measured) -> str | None:
    """Return why the losses by column add up to another number than the suppressed cells; None if they do not."""
    other = certificate.suppressed_cells - facts.utility["suppressed_cells"]
    if other > 0:
        cells = how_many(other, "suppressed cell was", "suppressed cells were")
        return f"{cells} already empty in the source. The losses by column and group leave them out."
    if other < 0:
        return f"The losses by column and group may include {how_many(-other, 'cell')} that were empty in the source."
    return None


def messages(certificate: Certificate, facts: Measured) -> list[str]:
    """Return the warnings of a release, in sentences; each fact once."""
    found = verdict_of(certificate, facts)
    kinds = {OF_COLUMNS, "tokens"} if certificate.warnings else set()
    said = [*certificate.warnings, *(each.text for each in found.cautions if each.kind not in kinds)]
    if found.uncounted:
        said.append(f"Not counted again for this page: {', '.join(found.uncounted)}")
    return [f"{each[:1].upper()}{each[1:]}{'' if each.endswith('.') else '.'}" for each in said]


def guarantee_of(certificate: Certificate) -> str:
    """Return what is guaranteed, as the clause writes it."""
    return ", ".join(certificate.requirements)


def protected_columns(certificate: Certificate) -> list[str]:
    """Return the quasi-identifiers of a release."""
    return [each.column for each in Policy.from_json(certificate.policy).quasi_identifiers]
