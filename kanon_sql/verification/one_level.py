"""Releases that show one level of each column in the whole table: full-domain recodings, and those that drop columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.verification.coded_source import SUPPRESSED, CodedSource
from kanon_sql.verification.readings import Reading
from kanon_sql.verification.shown_cells import Cells


def check_one_level(coded: CodedSource, cells: Cells, readings: Sequence[Reading]) -> None:
    """Check a release by `full_domain` or `attribute`, as far as the policy itself names one of them.

    Parameters
    ----------
    coded : CodedSource
        The source.
    cells : Cells
        Both tables.
    readings : sequence of Reading [m]
        What the labels of each quasi-identifier mean.

    Raises
    ------
    AuditError
        When a column shows several levels, or more rows are suppressed than the policy grants.
    """
    policy = coded.policy
    if policy.algorithm not in ("full_domain", "attribute"):
        return
    released, source = cells.released, cells.source
    hidden = [-1 if domain.hidden is None else domain.hidden for domain in cells.domains]
    gone = (released.codes == hidden).all(axis=1)
    empty = np.ones(len(source.codes), np.bool_)
    for c, (qi, each) in enumerate(zip(policy.quasi_identifiers, readings, strict=True)):
        labels = np.unique(released.codes[~gone, c]).tolist()
        levels = [each.levels(label) | ({SUPPRESSED} if label == hidden[c] else set()) for label in labels]
        common = frozenset.intersection(*levels) if levels else frozenset({SUPPRESSED})
        if policy.algorithm == "attribute":
            common &= {_finest(coded, qi.column), SUPPRESSED}
        if not common:
            raise AuditError(f'the column "{qi.column}" is shown at several levels, but {policy.algorithm} shows only one')
        if SUPPRESSED not in common:
            empty &= each.empty[source.codes[:, c]]
    suppressed = int(released.count[gone].sum())
    granted = int((policy.max_suppressed or 0) * int(source.count.sum()))
    if not gone.all() and suppressed > granted + int(source.count[empty].sum()):
        raise AuditError(
            f"{how_many(suppressed, 'row of the release is', 'rows of the release are')} suppressed entirely, but "
            f"{policy.algorithm} may suppress only {granted}"
        )


def _finest(coded: CodedSource, column: str) -> int:
    """Return the finest level that a column may show: that of its values, or of the groups that stand for them."""
    ladder = coded.ladders.get(column)
    return 0 if ladder is None else int(np.flatnonzero(ladder.shown)[0])
