"""Tables that have lost the column that tells people apart: far too many rows agree on all quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from kanon_sql.recognition.pairs import FEWEST_PAIRS, Pairs


def people_without_key(pairs: Pairs, quasi_identifiers: Sequence[int]) -> float:
    """Return how many times more pairs of rows agree on all quasi-identifiers than if these were independent.

    Parameters
    ----------
    quasi_identifiers : sequence of int
        Their places. A column that another one determines counts once with it.

    Returns
    -------
    float
        The factor; 0 if too few pairs agree. Correlated columns of single people make it some tens. A table with hundreds or
        more has several rows of the same people, without the column that says so.
    """
    agreeing, all_pairs = _agreeing(pairs, quasi_identifiers)
    if agreeing < FEWEST_PAIRS:
        return 0.0
    several = [each for each in quasi_identifiers if pairs.values(each) > 1]
    finest = sorted(several, key=lambda each: -pairs.values(each))
    apart = [each for place, each in enumerate(finest) if not any(pairs.determines(one, each) for one in finest[:place])]
    return agreeing / all_pairs / prod(_agreeing(pairs, [each])[0] / all_pairs for each in apart)


def _agreeing(pairs: Pairs, columns: Sequence[int]) -> tuple[float, float]:
    """Return how many pairs of rows are equal in some columns, and how many pairs there are."""
    sizes = np.unique(pairs.together(columns), return_counts=True)[1].astype(np.float64)
    equal, every = (float((each * (each - 1)).sum()) / 2 for each in (sizes, sizes.sum()))
    return equal, every
