"""The pages of the studio."""

from __future__ import annotations

from kanon_sql.studio.pages import columns, counts, hand_over, hierarchy, ledger, opening, people, protection, result, tables
from kanon_sql.studio.pages.frame import look_of_elements
from kanon_sql.studio.session import Session


def build(session: Session) -> None:
    """Register every page."""
    look_of_elements()
    for each in (opening, people, columns, protection, result, hand_over, counts, tables, ledger, hierarchy):
        each.build(session)
