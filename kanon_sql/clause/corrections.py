"""The clause that was probably meant: known mistakes are put right, one after the other, until the text can be read."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import TokenType

from kanon_sql.clause.alias import is_explicit_name
from kanon_sql.clause.condition_mistakes import begins_condition
from kanon_sql.clause.definitions import begins_definition, parse_definition
from kanon_sql.clause.mistakes import EXAMPLE, is_like, without_by
from kanon_sql.clause.parse import parse_clause
from kanon_sql.clause.script import CorrectableError, Script
from kanon_sql.clause.split import check_tail, find_sites
from kanon_sql.errors import ClauseError

_MOST_MISTAKES = 8
"""Mistakes that are put right in one clause: with more, it is anybody's guess."""

_LONGEST = 200
"""Characters of a hint; of a longer clause it shows what is near its first mistake."""

_END = {";", ")", "]", "}"}

_PARTS = {"BY", "KEEP", "LINKED", "GUARANTEE", "USING", "IDENTIFIER"}


def corrected(wrong: CorrectableError) -> ClauseError:
    """Return a mistake as the error that shows the whole clause without mistakes, if it can be read then."""
    return wrong.hinting(_meant(wrong))


def not_our_word(sql: str) -> ClauseError | None:
    """Return the error for a word that is nearly one of ours, in a text that DuckDB cannot read; None if there is none."""
    try:
        script = Script.read(sql)
    except ClauseError:  # an open quote: any word may be a part of a text
        return None
    found = misspelled(script)
    return (ungrouped_protect(script) or lonely_guarantee(script)) if found is None else corrected(found)


def read_as_meant(script: Script) -> ClauseError | None:
    """Return the same, but only for a word without which the whole text can be read."""
    found = misspelled(script)
    meant = None if found is None else _meant(found)
    return None if found is None or meant is None else found.hinting(meant)


def clauses(script: Script) -> Iterator[tuple[int, int]]:
    """Yield the first place of each clause, or statement about policies, and the place behind its last.

    Raises
    ------
    ClauseError
        When one cannot be read; those before it have come.
    """
    for first, end in script.statements():
        if begins_definition(script, first):
            parse_definition(script, first, end)
            yield first, end
            continue
        for site in find_sites(script, first, end):
            behind = parse_clause(script, site.clause)[1]
            check_tail(script, behind)
            yield site.clause, behind


def _meant(wrong: CorrectableError) -> str | None:
    """Return the clause of a mistake as it was probably meant; None if it still could not be read."""
    sql, found = wrong.sql, wrong
    for _ in range(_MOST_MISTAKES):
        sql = "".join((sql[: found.start], found.instead, sql[found.stop :]))
        try:
            script = Script.read(sql)
            script.match_brackets()
            for first, end in clauses(script):
                behind = end
                while behind < len(script.tokens) and script.spelled(behind) not in _END:
                    behind = script.after(behind)  # an order and a limit
                if script.start(first) <= wrong.start <= script.stop(behind - 1):
                    return _shown(script, first, end if wrong.start <= script.stop(end - 1) else behind, wrong.start)
        except CorrectableError as another:
            found = another
            continue
        except ClauseError:
            return None
        return None
    return None


def _shown(script: Script, first: int, end: int, offset: int) -> str:
    """Return a clause on one line, without comments and values of the table; of a long one, what is around an offset."""
    texts = [_token(script, place) for place in range(first, end)]
    if sum(map(len, texts)) <= _LONGEST:
        return "".join(texts).strip()
    near = max(place for place in range(first, end) if script.start(place) <= offset or place == first)
    start = next((place for place in range(near, first, -1) if script.word(place) in _PARTS), first)
    shown = "... " if start > first else ""
    for place in range(start, end):
        if len(shown) + len(texts[place - first]) > _LONGEST:
            return f"{shown} ..."
        shown += texts[place - first] if place > start else texts[place - first].strip()
    return shown


def _token(script: Script, place: int) -> str:
    """Return a token, with one blank in front where the text has a gap."""
    gap = " " if place and script.stop(place - 1) < script.start(place) else ""
    if script.kind(place) is TokenType.STRING and script.word(place - 4) == "ALPHA":
        return f"{gap}'...'"  # a value of the table
    return gap + script.spelled(place)


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


def ungrouped_protect(script: Script) -> ClauseError | None:
    """Return the error for a PROTECT that ends no GROUP BY, with what it would compare; None if there is none."""
    for place in range(len(script.tokens)):
        if script.word(place) == "PROTECT" and script.word(place + 1) and script.spelled(place + 2) in {">=", ">", "=", "<="}:
            return script.error(
                "PROTECT needs a GROUP BY before it; hint: write SELECT region, count(*) AS n FROM people GROUP BY CUBE "
                "(region) PROTECT n >= 5",
                place,
            )
    return None


def lonely_guarantee(script: Script) -> ClauseError | None:
    """Return the error for a GUARANTEE in a statement without ANONYMIZE; None if there is none."""
    for first, end in script.statements():
        words = [script.word(place) for place in range(first, end)]
        if "ANONYMIZE" in words:
            continue
        for place in range(first, end):
            if is_like(script.word(place), "GUARANTEE") and begins_condition(script, place + 1):
                return script.error(f"{script.spelled(place)} needs ANONYMIZE BY before it; hint: write {EXAMPLE}", place)
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
