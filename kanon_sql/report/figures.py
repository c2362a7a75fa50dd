"""What a report tells, for programs: the figures of its page as plain data, without a cell value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.report.measured import Measured
from kanon_sql.report.page import Claim, kept, uncounted


def figures(facts: Measured, claims: Sequence[Claim]) -> dict[str, Any]:
    """Return the figures of a page.

    Parameters
    ----------
    facts : Measured
        What was counted.
    claims : sequence of Claim
        What a certificate says that was counted again.

    Returns
    -------
    dict
        Of texts, numbers, truth values and None: ``holds``, ``broken`` and ``uncounted`` (lists of texts), then the parts
        of the page.
    """
    broken = [f"{each.text}: {each.found}" for each in facts.requirements if each.kept is False]
    broken += [f"{each.name}: the certificate says {each.claimed}, counted {each.counted}" for each in claims if not each.holds]
    before, after = ({**sizes, **risk} for sizes, risk in zip(facts.sizes, facts.risk, strict=True))
    return {
        "holds": kept(facts, claims),
        "broken": broken,
        "uncounted": uncounted(facts),
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
    }
