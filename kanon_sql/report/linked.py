"""What the tokens of a release link: counted in the release, or as the certificate says if earlier releases were compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.certificate import HistoryRisk
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name
from kanon_sql.verification.histories import counted_histories, fewest_candidates


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedTokens:
    """The tokens of one column."""

    counted: HistoryRisk  # what the rows of this release give away
    claimed: HistoryRisk  # the same by the certificate, together with earlier releases; nobody has those here
    links: bool  # whether a token is on several rows, here or in earlier releases
    linkable: bool  # whether the policy permits that these rows single people out
    least: int  # the fewest candidates that a person must have otherwise

    @property
    def singles_out(self) -> bool:
        """Return whether some person has too few candidates."""
        return self.links and min(self.counted.fewest, self.claimed.fewest) < self.least


def linked_tokens(con: Any, policy: Policy, claimed: Sequence[HistoryRisk]) -> tuple[LinkedTokens, ...]:
    """Return what the tokens of each column link.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table ``released``.
    policy : Policy
        Resolved against the source.
    claimed : sequence of HistoryRisk
        What the certificate says.
    """
    if not policy.pseudonyms:
        return ()
    claims, linkable = {same_name(each.column): each for each in claimed}, set(map(same_name, policy.linkable))
    found = []
    for counted, links in counted_histories(con, policy):
        claim = claims.get(same_name(counted.column), counted)
        found.append(
            LinkedTokens(
                counted=counted,
                claimed=claim,
                links=links or claim.releases > 0,
                linkable=same_name(counted.column) in linkable,
                least=fewest_candidates(policy),
            )
        )
    return tuple(found)
