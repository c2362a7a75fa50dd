"""What a recoding makes of the values of a column, before anything is released."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.generalize.ladders import ladders
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.policy import Policy
from kanon_sql.model.printable import printable
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Digits, Generalization, Intervals, chooses_groups
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.solvers.budget import Budget

if TYPE_CHECKING:
    from kanon_sql.studio.source import Source

VALUES = 2_000
"""Values that a preview reads."""

LABELS = 8
"""Labels of a level that it shows."""


def preview(source: Source, column: str, recoding: Generalization) -> list[tuple[str, list[str]]]:
    """Return the levels of a recoding, each with a few of its labels; empty if the labels depend on the classes.

    Raises
    ------
    PolicyError
        When the column cannot be generalized so.
    """
    if not isinstance(recoding, Digits | Intervals | Cuts | Coded) or chooses_groups(recoding):
        return []
    texts = source.values(column, VALUES)
    policy = Policy(quasi_identifiers=(QuasiIdentifier(column=column, recoding=recoding),), requirements=(KAnonymity(k=2),))
    ladder = ladders(policy, {column: texts}, np.ones(len(texts), np.int64), {}, Budget())[column]
    found = []
    for level, (labels, shown) in enumerate(zip(ladder.labels, ladder.shown, strict=True)):
        if shown and level:
            distinct = sorted({printable(label) for label in labels if label is not None})
            step = max(1, len(distinct) // LABELS)
            found.append((f"level {level}: {len(distinct):,} labels", distinct[::step][:LABELS]))
    return found
