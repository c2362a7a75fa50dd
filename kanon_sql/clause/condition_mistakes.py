"""What is wrong where a condition of GUARANTEE cannot be read on, and what was probably meant."""

from __future__ import annotations

from sqlglot import TokenType

from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import Script
from kanon_sql.errors import ClauseError, nearest
from kanon_sql.model.requirements import GUARANTEES, REQUIREMENTS
from kanon_sql.model.validation import as_text

_TERMS = ("k", *(each.written.word for each in REQUIREMENTS if hasattr(each, "written")))
"""Words that a condition begins with."""

ALIKE = 0.75
"""How alike a word and one of ours are, of which it may be a misspelling."""

BEHIND = {"", ";", ")", "]", "}", "ORDER", "LIMIT", "OFFSET", "FETCH", "ON", "RETURNING", "WITH", "USING"}
"""What may stand behind a guarantee, so that in its place it is missing."""

_SIGNS = {"(", ">", ">=", "=", "<", "<=", "≥", "≤", ":", "-"}
"""What may follow the first word of a condition, rightly or not."""

_WRITTEN = {"=>": ">=", "=<": "<=", "> =": ">=", "< =": "<=", "≥": ">=", "≤": "<="}
"""Comparisons as they are written elsewhere."""

_ANY = {"=", "==", ":=", ":", "IS", "IS AT LEAST", "AT LEAST", "IS AT MOST", "AT MOST"}
"""What is written for any comparison: each guarantee knows one."""


def begins_condition(script: Script, place: int) -> bool:
    """Return whether a condition begins at a place, such as k >= 5, k = 5 or 5 <= k."""
    following = script.spelled(place + 1)
    if script.kind(place) is TokenType.NUMBER:
        return following in _SIGNS
    return _term(script.word(place)) is not None and (following in _SIGNS or script.kind(place + 1) is TokenType.NUMBER)


def _term(word: str) -> str | None:
    return nearest(word, _TERMS, GUARANTEES, alike=ALIKE) if word else None


def no_condition(script: Script, place: int) -> ClauseError:
    """Return the error for what stands in the place of k, l(...), t(...) and the like."""
    word, end = script.word(place), script.partner.get(place, place)
    if script.spelled(place) == "(" and begins_condition(script, place + 1):
        inside = script.text[script.stop(place) : script.start(end)]
        return script.mistake(
            "parentheses around a condition are not allowed; hint: write GUARANTEE k >= 5", inside, place, end, shown=place
        )
    if not word:
        return script.error("expected a condition; hint: write GUARANTEE k >= 5", place)
    end = script.after(place + 1) if script.spelled(place + 1) == "(" else place + 1
    condition = script.text[script.start(place) : script.stop(end - 1)]
    if near := _term(word):
        return script.mistake(f"{condition} is not supported; hint: did you mean {near}?", near, place)
    *first, last = _TERMS[:1] + tuple(f"{term}(...)" for term in _TERMS[1:])
    hint = f"use {', '.join(first)} or {last}, as in GUARANTEE k >= 5"
    return script.error(f"{condition} is not supported; hint: {hint}", place, end - 1)


def no_hyphen(script: Script, place: int) -> ClauseError | None:
    """Return the error for a guarantee that is spelled as in papers, such as k-anonymity; None if it is not."""
    if script.spelled(place + 1) != "-" or not script.word(place + 2):
        return None
    spelled = script.text[script.start(place) : script.stop(place + 2)]
    near = _term("k-anonymity" if script.kind(place) is TokenType.NUMBER else spelled)
    if near is None:
        return None
    meant = f"k >= {script.spelled(place)}" if script.kind(place) is TokenType.NUMBER else near
    return script.mistake(f"{spelled} is not supported; hint: did you mean {near}?", meant, place, place + 2)


def no_comparison(reader: Reader, wanted: str, behind: str, example: str) -> ClauseError:
    """Return the error for what stands in the place of a comparison.

    Parameters
    ----------
    reader : Reader
        Stands in front of it.
    wanted, behind : str
        The comparison, and the term that it follows; behind the number of ``5 <= k`` any comparison is wanted.
    example : str
        What a hint shows.
    """
    script, place = reader.script, reader.place
    problem = f"expected {wanted} after {behind}; hint: "
    for last in (place + 2, place + 1, place):
        text = script.text[script.start(place) : script.stop(last)] if script.spelled(last) else ""
        spelled = " ".join(text.upper().split())
        meant = _WRITTEN.get(spelled, wanted if spelled in _ANY and wanted in _WRITTEN.values() else None)
        if meant is not None:
            return reader.mistake(f"{problem}write {meant} instead of {text}, as in {example}", f" {meant} ", last)
    if reader.kind is TokenType.NUMBER and wanted in _WRITTEN.values():
        return reader.mistake(f"{problem}write {example}", f"{wanted} {reader.spelled}")
    if reader.ahead("(") and script.kind(place + 1) is TokenType.NUMBER and script.spelled(place + 2) == ")":
        return reader.mistake(f"{problem}write {example}", f" {wanted} {script.spelled(place + 1)}", place + 2, shown=place)
    if script.kind(place - 1) is TokenType.NUMBER and (reader.word or reader.spelled) in BEHIND | {"AND"}:
        number = script.spelled(place - 1)
        return script.mistake(f"{problem}write {example}", f"k >= {number}", place - 1)
    return reader.error(f"{problem}write {example}")


def no_column_of(reader: Reader, word: str, example: str) -> ClauseError:
    """Return the error for a guarantee such as l without the brackets around its column."""
    problem = f"expected ( after {word.lower()}; hint: write {example}"
    if is_name(reader.script, reader.place) and reader.script.spelled(reader.place + 1) in _SIGNS:
        return reader.mistake(problem, f"({reader.spelled})")
    return reader.error(problem)


def no_text(reader: Reader, what: str, hint: str) -> ClauseError:
    """Return the error for what stands in the place of a text in single quotes."""
    problem = f"expected {what} in single quotes; hint: {hint}"
    if not is_name(reader.script, reader.place):
        return reader.error(problem)
    spelled = reader.spelled
    return reader.mistake(problem, as_text(spelled if reader.word else spelled[1:-1].replace(spelled[0] * 2, spelled[0])))


def is_name(script: Script, place: int) -> bool:
    """Return whether a name, quoted or not, stands at a place."""
    return script.kind(place) in {TokenType.VAR, TokenType.IDENTIFIER}
