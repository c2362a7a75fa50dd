"""The word ANONYMIZE where stock DuckDB would take it for an alias, and release raw rows.

``FROM patients ANONYMIZE (zip, age)`` is valid SQL: a table alias with column names. So the word may stand without BY only
where it cannot be an implicit alias; wherever that is in doubt, it may not.
"""

from __future__ import annotations

from sqlglot import TokenType

from kanon_sql.clause.script import Script
from kanon_sql.model.validation import RESERVED

# Reserved words that end an expression or a sort key; behind them a name is an alias, if anything.
_ENDING = frozenset({"ASC", "DEFAULT", "DEFERRABLE", "DESC", "END", "FALSE", "INITIALLY", "NULL", "TRUE"})

BEFORE_NAMES = (RESERVED | {"BY", "GLOB", "ILIKE", "JOIN", "LIKE"}) - _ENDING
"""Words that end nothing and name no table or column: what follows is a name, never an implicit alias."""

# Behind these a name begins; the postfix operator "!" and the star of all columns are no such sign.
_SIGNS_BEFORE_NAMES = frozenset(("", *"([{,;.:=<>+-/%^|&~@#$", ">=", "<=", "**", "::"))

# What may follow an implicit alias, other than a word or a quoted name.
_SIGNS_AFTER_ALIAS = frozenset(("", *"()[]{},;"))

_PAIRS_BEFORE_NAMES = frozenset({(")", "OVER"), ("WITH", "RECURSIVE")})

# Words that lead a statement to the name of what it is about.
_STATEMENT_HEAD_WORDS = """
    ALTER ANALYZE CALL CHECKPOINT COPY CREATE DATABASE DEALLOCATE DETACH DROP EXECUTE EXISTS EXPLAIN FUNCTION IF INDEX
    MACRO NOT OR PRAGMA PREPARE RECURSIVE REPLACE SCHEMA SECRET SEQUENCE TABLE TEMP TEMPORARY TRIGGER TRUNCATE TYPE UNIQUE
    UPDATE USE VACUUM VIEW
"""

_STATEMENT_HEAD = frozenset(_STATEMENT_HEAD_WORDS.split())


def is_explicit_name(script: Script, place: int) -> bool:
    """Return whether the word is a part of a name, a parameter, an alias with AS or the target of INTO."""
    if script.spelled(place - 1) in {".", "$"}:
        return True
    return script.word(place - 1) in {"AS", "INTO"} and script.spelled(place - 2) != "."


def may_be_alias(script: Script, place: int) -> bool:
    """Return whether stock DuckDB could read the unquoted word at ``place`` as an implicit alias."""
    named = script.kind(place + 1) in {TokenType.VAR, TokenType.IDENTIFIER}
    if not named and script.spelled(place + 1) not in _SIGNS_AFTER_ALIAS:
        return False
    if (script.spelled(place - 2), script.word(place - 1)) in _PAIRS_BEFORE_NAMES:
        return False
    if script.word(place - 1) == "EXCLUDE" and _is_all_columns(script, place - 2):
        return False
    return _ends_operand(script, place - 1) and not _names_the_statement(script, place)


def _ends_operand(script: Script, place: int) -> bool:
    if script.word(place):
        # Behind a dot or a cast even a reserved word is a name.
        return script.spelled(place - 1) in {".", "::"} or script.word(place) not in BEFORE_NAMES
    if script.spelled(place) == "*":
        return _is_all_columns(script, place)
    return script.spelled(place) not in _SIGNS_BEFORE_NAMES


def _is_all_columns(script: Script, place: int) -> bool:
    if script.spelled(place) != "*":
        return False
    # Anything but a product: a product has an operand in front.
    return script.spelled(place - 1) == "*" or not _ends_operand(script, place - 1)


def _names_the_statement(script: Script, place: int) -> bool:
    first = place
    while script.word(first - 1) in _STATEMENT_HEAD:
        first -= 1
    begins = script.spelled(first - 1) in {"", ";"} or script.word(first - 1) == "AS"
    return (begins and first < place) or _alters(script, place)


def _alters(script: Script, place: int) -> bool:
    while place > 0 and script.spelled(place - 1) != ";":
        place -= 1
        if script.spelled(place) in {"(", "[", "{"}:
            return False
        place = script.partner.get(place, place)
    return script.word(place) == "ALTER"
