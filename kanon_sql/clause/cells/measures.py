"""What an aggregate of the SELECT list adds up: people, people who meet a condition, or a sum."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.clause.cells.select_list import plain_text, text_of
from kanon_sql.clause.script import Script

_COMPARING = frozenset({"=", "==", "<>", "!=", "<", ">", "<=", ">="})

_BOOLEAN = frozenset({"NOT", "IN", "IS", "LIKE", "ILIKE", "BETWEEN", "AND", "OR", "EXISTS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What is added up."""

    condition: str = ""  # SQL of the condition that counted people meet; empty without one
    condition_text: str = ""  # a text that tells conditions apart
    value: str = ""  # SQL of the numbers of a sum; empty for counts
    value_text: str = ""  # a text that tells them apart


def read_added(script: Script, word: str, start: int, end: int, filtered: tuple[int, int] | None) -> Added | None:
    """Return what an aggregate adds up; None if that is not a count of rows or a sum.

    Parameters
    ----------
    word : str
        The name of the function.
    start, end : int
        The places of its arguments.
    filtered : tuple of int, optional
        The places of the condition of FILTER.

    Notes
    -----
    The sum of a condition, of a condition cast to a number, of ``CASE WHEN condition THEN 1 ELSE 0 END`` and of
    ``if(condition, 1, 0)`` are counts.
    """
    counts = word in {"COUNT", "COUNT_STAR"} and (start == end or (script.spelled(start) == "*" and start + 1 == end))
    if counts or (word in {"COUNT_IF", "COUNTIF"} and start < end):
        conditions = [] if counts else [(start, end)]
        return _count(script, [*conditions, *([] if filtered is None else [filtered])])
    if word != "SUM" or start >= end or script.word(start) == "DISTINCT":
        return None
    if any(script.keyword(place) in {"ORDER", "FILTER"} for place in script.level(start, end)):
        return None
    condition = _indicator(script, start, end)
    if condition is not None:
        return _count(script, [condition, *([] if filtered is None else [filtered])])
    value, text = text_of(script, start, end), plain_text(script, start, end)
    if filtered is None:
        return Added(value=value, value_text=text)
    where, tested = text_of(script, *filtered), plain_text(script, *filtered)
    return Added(value=f"CASE WHEN {where} THEN {value} END", value_text=f"CASE WHEN {tested} THEN {text} END")


def _count(script: Script, conditions: list[tuple[int, int]]) -> Added:
    sql, texts = ([read(script, *each) for each in conditions] for read in (text_of, plain_text))
    if len(conditions) < 2:
        return Added(condition="".join(sql), condition_text="".join(texts))
    return Added(
        condition=" AND ".join(f"({each})" for each in sql), condition_text=" AND ".join(f"({each})" for each in texts)
    )


def _indicator(script: Script, start: int, end: int) -> tuple[int, int] | None:
    """Return the condition that a summed expression counts, None if it is a number."""
    inner = _within(script, start, end)
    if inner != (start, end):
        return _indicator(script, *inner)
    if script.word(start) == "CAST" and script.spelled(start + 1) == "(" and script.partner[start + 1] == end - 1:
        last = next((place for place in script.level(start + 2, end - 1) if script.word(place) == "AS"), end - 1)
        return _condition(script, start + 2, last)
    cast = next((place for place in script.level(start, end) if script.spelled(place) == "::"), None)
    if cast is not None and cast + 2 >= end:
        return _condition(script, start, cast)
    if script.word(start) == "CASE" and script.word(end - 1) == "END":
        return _case(script, start, end)
    if script.word(start) == "IF" and script.spelled(start + 1) == "(" and script.partner[start + 1] == end - 1:
        return _if(script, start + 2, end - 1)
    return _condition(script, start, end)


def _if(script: Script, start: int, end: int) -> tuple[int, int] | None:
    """Return the condition of ``if(condition, 1, 0 | NULL)`` from the places of its arguments."""
    comma = next((place for place in script.level(start, end) if script.spelled(place) == ","), end)
    rest = [script.word(place) or script.spelled(place) for place in range(comma, end)]
    return (start, comma) if rest in ([",", "1", ",", "0"], [",", "1", ",", "NULL"]) else None


def _case(script: Script, start: int, end: int) -> tuple[int, int] | None:
    """Return the condition of ``CASE WHEN condition THEN 1 [ELSE 0 | NULL] END``."""
    words = {place: script.word(place) for place in range(start + 1, end - 1)}
    if sum(word in {"WHEN", "CASE"} for word in words.values()) != 1 or words.get(start + 1) != "WHEN":
        return None
    then = next((place for place, word in words.items() if word == "THEN"), None)
    if then is None:
        return None
    rest = [script.word(place) or script.spelled(place) for place in range(then + 1, end - 1)]
    return (start + 2, then) if rest in (["1"], ["1", "ELSE", "0"], ["1", "ELSE", "NULL"]) else None


def _condition(script: Script, start: int, end: int) -> tuple[int, int] | None:
    """Return the places of an expression if it is a condition by its look."""
    start, end = _within(script, start, end)
    places = list(script.level(start, end))
    looks = any(script.spelled(each) in _COMPARING or script.keyword(each) in _BOOLEAN for each in places)
    return (start, end) if looks and script.word(start) != "CASE" else None


def _within(script: Script, start: int, end: int) -> tuple[int, int]:
    """Return the places within the brackets around an expression."""
    while script.spelled(start) == "(" and script.partner[start] == end - 1:
        start, end = start + 1, end - 1
    return start, end
