"""A word that is nearly one of ours: DuckDB reads it as a name, and fails at the next one."""

from __future__ import annotations

from kanon_sql.clause.alias import is_explicit_name
from kanon_sql.clause.condition_mistakes import begins_condition
from kanon_sql.clause.mistakes import EXAMPLE, is_like, without_by
from kanon_sql.clause.script import CorrectableError, Script
from kanon_sql.errors import ClauseError


def misspelled(script: Script) -> CorrectableError | None:
    """Return the first word of a text that is nearly one of ours, and what was meant; None if there is none.

    Parameters
    ----------
    script : Script
        A text that DuckDB cannot read; its brackets need not be matched.
    """
    for first, end in script.statements():
        found = _head(script, first)
        for place in range(first, end):
            found = found or _clause(script, place, end)
        if found is not None:
            return found
    return None


def lonely_guarantee(script: Script) -> ClauseError | None:
    """Return the error for a GUARANTEE in a statement without ANONYMIZE; None if there is none."""
    for first, end in script.statements():
        words = [script.word(place) for place in range(first, end)]
        if "ANONYMIZE" in words:
            continue
        for place in range(first, end):
            if is_like(script.word(place), "GUARANTEE") and begins_condition(script, place + 1):
                return script.error(f"{script.spelled(place)} without ANONYMIZE BY; hint: {EXAMPLE}", place)
    return None


def _head(script: Script, first: int) -> CorrectableError | None:
    """Return a statement about policies whose head is misspelled, such as CREATE ANONYMISATION POLICY."""
    word, place = script.word(first), first + 1
    if word not in {"CREATE", "DROP", "SHOW"}:
        return None
    if script.words(place, "OR", "REPLACE"):
        place += 2
    policy = "POLICIES" if word == "SHOW" else "POLICY"
    one, two = script.word(place), script.word(place + 1)
    if one == "POLICY":  # DuckDB has policies of no other kind
        return script.mistake(
            f"unknown statement {word} POLICY; hint: write {word} ANONYMIZATION POLICY", f"ANONYMIZATION {one}", place
        )
    if (one, two) == ("ANONYMIZATION", policy) or not (is_like(two, "POLICY") or is_like(two, "POLICIES")):
        return None
    if not is_like(one, "ANONYMIZATION") and not is_like(one, "ANONYMIZE"):
        return None
    problem = f"unknown statement {word} {one} {two}; hint: did you mean {word} ANONYMIZATION {policy}?"
    return script.mistake(problem, f"ANONYMIZATION {policy}", place, place + 1)


def _clause(script: Script, place: int, end: int) -> CorrectableError | None:
    """Return a clause whose first word is misspelled, or without its BY."""
    word = script.word(place)
    if not is_like(word, "ANONYMIZE") or is_explicit_name(script, place):
        return None
    begins = script.word(place + 1) == "BY" or script.words(place + 1, "WITH", "POLICY")
    later = (behind for behind in range(place + 1, end) if is_like(script.word(behind), "GUARANTEE"))
    if not begins and not any(begins_condition(script, behind + 1) for behind in later):
        return None
    if word == "ANONYMIZE":
        found = without_by(script, place)
        return found if isinstance(found, CorrectableError) and not begins else None
    return script.mistake(f"unknown word {script.spelled(place)}; hint: did you mean ANONYMIZE?", "ANONYMIZE", place)
