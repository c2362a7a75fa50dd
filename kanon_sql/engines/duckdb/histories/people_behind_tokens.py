"""The histories of the people behind tokens: the part of a release statement that gathers them from the rows handed out."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.model.policy import Policy

_ENTRY = """            SELECT {place} AS place, CAST("kanon#r".{column} AS VARCHAR) AS token,
                   {class_} * {columns} + {place} AS entry
            FROM {rows} AS "kanon#r\""""

_UNION = "\n            UNION ALL\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Where the tokens of a release are remembered, so that later releases are compared with them."""

    # SQL of the database whose tables remember them. An empty text stands for the session; NULL leaves it to the caller, who
    # compares them in a transaction of its own.
    home: str = "''"
    name: str = ""  # what the release is called there


IN_SESSION = Recorded()
"""Only the session remembers the tokens: no database holds the policy."""

STORED = "system.main.current_database()"
"""The home of what is released under a stored policy: the database in which it is looked up."""

APPENDED = Recorded(home="CAST(NULL AS VARCHAR)")
"""A batch of a release that grows: its tokens are noted in one transaction with its rows."""


TOKENS = """(SELECT system.main.list("kanon#h") FROM "kanon#histories" AS "kanon#h")"""
"""The histories as one list of structs; NULL without a token."""

AUDITED, JUDGED = '"kanon#audit"', '"kanon#linked"'
"""The expressions that say whether a release passed: where nothing is linked, and behind `histories`."""


def histories(policy: Policy, recorded: Recorded) -> str:
    """Return common table expressions, with a comma before each, that judge linked rows once the audit has passed.

    Notes
    -----
    A GROUP BY of the rows by their tokens, and a sort of the people by the classes of their rows.
    """
    if not policy.pseudonyms:
        return ""
    judged = text("histories_judged", tokens=TOKENS, home=recorded.home, called=literal(recorded.name))
    return _gathered(policy, '"kanon#rows"', 'CAST("kanon#class" AS BIGINT)') + judged


def histories_in_one_class(policy: Policy) -> str:
    """Return common table expressions, with a comma before each, of what tokens link at least: all rows show the same.

    Notes
    -----
    People whose histories are different here have different ones in every release.
    """
    return _gathered(policy, '"kanon#source"', "0")


def _gathered(policy: Policy, rows: str, class_: str) -> str:
    columns = len(policy.pseudonyms)
    entries = [
        _ENTRY.format(place=place, column=quoted(name), columns=columns, rows=rows, class_=class_)
        for place, name in enumerate(policy.pseudonyms)
    ]
    return text(
        "histories",
        entries=_UNION.join(entries),
        places=", ".join(f"system.main.bool_or(place = {place})" for place in range(columns)) if columns > 1 else "true",
    )
