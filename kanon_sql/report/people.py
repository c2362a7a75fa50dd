"""The people of the classes of a release, counted in its source, as far as labels that are values tell."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np

from kanon_sql.engines.duckdb.files import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.policy import Policy
from kanon_sql.verification.class_people import Covers, fewest_people
from kanon_sql.verification.histories import people_by_tokens
from kanon_sql.verification.readings import Domain
from kanon_sql.verification.shown_cells import read_cells


def people_of(con: Any, policy: Policy) -> tuple[int, int] | None:
    """Return of how many people the class with fewest has rows, at least and at most.

    None where the source does not tell. A column with a label that is no value of the source tells nothing here: the two
    figures are farther apart than those of ``kanon verify``, which reads labels.
    """
    if (found := people_by_tokens(con, policy)) is not None:
        return found
    chosen = [qi.column for qi in policy.quasi_identifiers]
    others = [quoted(name) for name in columns(con, "released") if name not in chosen]
    try:
        cells = read_cells(con, policy, others)
    except duckdb.Error:  # columns of the two files have types that cannot be compared
        return None
    return fewest_people(cells, [_covers(domain) for domain in cells.domains])


def _covers(domain: Domain) -> Covers:
    shown = np.flatnonzero(domain.cells)
    if (domain.rows[shown[shown != (-1 if domain.hidden is None else domain.hidden)]] == 0).any():
        return lambda _: None
    return lambda label: None if label == domain.hidden else np.array([label])
