"""Stored policies whose tokens link the rows of each person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.errors import PolicyError
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.validation import as_identifier, same_name

if TYPE_CHECKING:
    from kanon_sql.model.stored_policy import StoredPolicy


def histories_of(stored: StoredPolicy) -> LinkedHistories:
    """Return the guarantee of a policy with ``known_rows``.

    Raises
    ------
    PolicyError
        When it counts no people, or a number or a name is wrong.
    """
    people, rows = stored.policy.people, stored.known_rows
    if people is None or rows is None:
        raise PolicyError(f"{stored} has known_rows and counts no people; hint: k >= 5 PER patient LINKED FOR ANY 2 ROWS")
    names = tuple(qi.column for qi in stored.policy.quasi_identifiers)
    return LinkedHistories(k=people.k, per=people.per, known_rows=rows, quasi_identifiers=names, keep=stored.kept)


def check_histories(stored: StoredPolicy) -> None:
    """Refuse what linked histories do not support.

    Raises
    ------
    PolicyError
        Also as for `histories_of`.
    """
    plain = replace(histories_of(stored).roles, keep=None)
    if stored.pseudonyms or stored.groups or stored.policy != plain:
        raise PolicyError(
            f"{stored}: linked histories cannot be combined with other guarantees, recodings, weights, masks, linked "
            "columns, solvers, pseudonyms or groups; hint: leave them out"
        )


def histories_for(stored: StoredPolicy, columns: Iterable[str]) -> LinkedHistories:
    """Return the guarantee of a policy with ``known_rows`` for a query that returns only some of the columns.

    Raises
    ------
    PolicyError
        When there is no quasi-identifier or no person, or the policy needs other tables.
    """
    stored.require_alone()
    asked, names = histories_of(stored), list(columns)
    there = set(map(same_name, names))
    identifiers = [each for each in asked.quasi_identifiers if same_name(each) in there]
    if not identifiers or same_name(asked.per) not in there:
        raise PolicyError(f"the query needs {as_identifier(asked.per)} and a quasi-identifier of {stored}; hint: return them")
    keep = [each for each in asked.keep if same_name(each) in there]
    return replace(asked, quasi_identifiers=identifiers, keep=keep).resolved(names)
