"""The pages of the studio."""

from __future__ import annotations

from kanon_sql.studio.pages import counts, data, hand_over, hierarchy, look, policy, solve, tables
from kanon_sql.studio.session import Session


def build(session: Session) -> None:
    """Register every page."""
    for each in (data, policy, solve, look, hand_over, counts, tables, hierarchy):
        each.build(session)
