"""One query without set operations, in its parts: what it returns, what it reads, and whether it groups.

::

    [SELECT item {, item}] [FROM source {, source}] [WHERE ...] [GROUP BY ...] ...    in DuckDB, FROM may come first
    source := [alias :] table | (query) | (source JOIN source) | source JOIN source
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import TokenType

from kanon_sql.clause.script import Script
from kanon_sql.clause.split import BEHIND_CLAUSE, begins_query
from kanon_sql.model.validation import same_name

_AGGREGATE_WORDS = """
    ANY_VALUE APPROX_COUNT_DISTINCT APPROX_PERCENTILE APPROX_QUANTILE APPROX_TOP_K ARBITRARY ARGMAX ARGMIN ARG_MAX ARG_MAX_NULL
    ARG_MAX_NULLS_LAST ARG_MIN ARG_MIN_NULL ARG_MIN_NULLS_LAST ARRAY_AGG AVG BITSTRING_AGG BIT_AND BIT_OR BIT_XOR BOOL_AND
    BOOL_OR COLLECT_LIST COLLECT_SET COMBINE_AGGR CORR COUNT COUNTIF COUNT_IF COUNT_STAR COVAR_POP COVAR_SAMP DECIMAL_AVERAGE
    ENTROPY EVERY FAVG FIRST FSUM GEOMEAN GEOMETRIC_MEAN GROUP_CONCAT HISTOGRAM HISTOGRAM_EXACT JSON_GROUP_ARRAY
    JSON_GROUP_OBJECT JSON_GROUP_STRUCTURE KAHAN_SUM KURTOSIS KURTOSIS_POP LAST LIST LISTAGG LTTB MAD MAX MAX_BY MEAN MEDIAN
    MIN MIN_BY MODE PERCENTILE PERCENTILE_APPROX PERCENTILE_CONT PERCENTILE_DISC PRODUCT QUANTILE QUANTILE_CONT QUANTILE_DISC
    REGR_AVGX REGR_AVGY REGR_COUNT REGR_INTERCEPT REGR_R2 REGR_SLOPE REGR_SXX REGR_SXY REGR_SYY RESERVOIR_QUANTILE SEM SKEWNESS
    STD STDDEV STDDEV_POP STDDEV_SAMP STRING_AGG SUM SUMKAHAN SUM_NO_OVERFLOW TRY_AVG TRY_SUM VARIANCE VARIANT_GROUP_ARRAY
    VARIANT_GROUP_OBJECT VAR_POP VAR_SAMP WAVG WEIGHTED_AVG
"""

AGGREGATES = frozenset(_AGGREGATE_WORDS.split())
"""The aggregate functions of DuckDB and of Spark, and DuckDB's macros over them."""

_SUMMARIES = frozenset({"PIVOT", "PIVOT_WIDER", "SUMMARIZE"})

GROUPING_WORDS = AGGREGATES | _SUMMARIES | {"DISTINCT", "GROUP", "HAVING"}
"""Without one of these words, no query groups."""

_BEFORE_TABLE = frozenset({"TABLE", "UNPIVOT", "PIVOT_LONGER"})
_BEHIND_FROM = BEHIND_CLAUSE | frozenset({"SELECT", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY"})


@dataclass(frozen=True, slots=True)
class Grouping:
    """What makes the rows of a query groups."""

    what: str  # how the query says it
    first: int  # the first token of where it says it, as a place
    last: int  # the last one
    summary: bool = False  # whether no row is that of one person, whatever column the query returns


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """The parts of a query, as places of tokens."""

    # where each item of the SELECT list begins and ends; None where all columns of FROM are returned
    items: tuple[tuple[int, int], ...] | None = None
    # where each table or subquery of FROM begins; those that only filter rows (SEMI JOIN, ANTI JOIN) are left out
    sources: tuple[int, ...] = ()
    grouping: Grouping | None = None  # how it groups, if it does


def read_select(script: Script, start: int, end: int) -> Select:
    """Take a query apart that begins at ``start`` and ends before ``end``."""
    if script.word(start) in _SUMMARIES:
        return Select(grouping=Grouping(script.word(start), start, start, summary=True))
    if script.word(start) in _BEFORE_TABLE:
        return Select(sources=(start + 1,))
    items: tuple[tuple[int, int], ...] | None = None
    sources: tuple[int, ...] = ()
    grouping: Grouping | None = None
    for place in script.level(start, end):
        word = script.word(place) if place == start else script.keyword(place)  # AS may stand in front
        if word == "SELECT":
            items = _items(script, place + 1, end)
        elif word == "FROM" and script.word(place - 1) != "DISTINCT":
            sources = tuple(sources_of(script, place + 1, end))
        grouping = grouping or _grouping(script, place, word)
    calls = (call for item in items or () for call in _calls(script, *item))
    return Select(items=items, sources=sources, grouping=grouping or next(calls, None))


def _grouping(script: Script, place: int, word: str) -> Grouping | None:
    """Return what begins with the word at a place, if it groups."""
    if word in _SUMMARIES:
        return Grouping(word, place, place, summary=True)
    if word == "GROUP" and script.word(place + 1) == "BY":
        return Grouping("GROUP BY", place, place + 1)
    # IS DISTINCT FROM and IS NOT DISTINCT FROM compare two values.
    if word == "HAVING" or (word == "DISTINCT" and script.word(place - 1) not in {"IS", "NOT"}):
        return Grouping(word, place, place)
    return None


def _items(script: Script, start: int, end: int) -> tuple[tuple[int, int], ...]:
    if script.word(start) in {"ALL", "DISTINCT"}:
        start += 1
        if script.word(start) == "ON" and script.spelled(start + 1) == "(":
            start = script.after(start + 1)
    cuts = [start - 1]
    for place in script.level(start, end):
        word = script.keyword(place)
        if word in _BEHIND_FROM or (word == "FROM" and script.word(place - 1) != "DISTINCT"):
            end = place
            break
        if script.spelled(place) == ",":
            cuts.append(place)
    return tuple((before + 1, behind) for before, behind in zip(cuts, [*cuts[1:], end], strict=True))


def _calls(script: Script, start: int, end: int) -> Iterator[Grouping]:
    """Yield the calls of aggregate functions that are not window functions, from ``start`` to before ``end``."""
    place = start
    while place < end:
        if script.spelled(place) == "(" and begins_query(script, place):
            place = script.after(place)
            continue
        if script.spelled(place + 1) == "(" and (name_at(script, place) or "").upper() in AGGREGATES:
            behind = script.after(place + 1)
            while script.word(behind) in {"FILTER", "WITHIN", "GROUP", "IGNORE", "RESPECT", "NULLS"}:
                behind += 1
                behind = script.after(behind) if script.spelled(behind) == "(" else behind
            if script.word(behind) != "OVER":
                yield Grouping(f"{script.spelled(place)}(...)", place, place)
        place += 1


def sources_of(script: Script, start: int, end: int) -> Iterator[int]:
    """Yield where the tables and subqueries begin that stand behind a FROM."""
    yield start
    for place in script.level(start, end):
        word = script.keyword(place)
        if word in _BEHIND_FROM or script.words(place, "LATERAL", "VIEW"):
            return
        if script.spelled(place) == "," or (word == "JOIN" and script.word(place - 1) not in {"SEMI", "ANTI"}):
            yield place + 1


def origin(script: Script, select: Select, column: str) -> str | None:
    """Return which column of FROM a query returns as ``column``, if it returns one as it is."""
    if select.items is None:
        return column
    stars = False
    for start, end in select.items:
        place = start
        while script.spelled(place + 1) == ".":
            place += 2
        stars = stars or (script.spelled(place) == "*" and place + 1 == end)
        named, alias = name_at(script, place), place + 1 + (script.word(place + 1) == "AS")
        shown = named if place + 1 == end else name_at(script, alias) if alias + 1 == end else None
        if named is not None and shown == column:
            return named
    return column if stars else None


def name_at(script: Script, place: int) -> str | None:
    """Return the name at a place in the form that `same_name` compares; None where there is no word and no quoted name."""
    spelled = script.spelled(place)
    if script.kind(place) is TokenType.IDENTIFIER:
        return same_name(spelled[1:-1].replace(spelled[0] * 2, spelled[0]))
    return same_name(spelled) if script.kind(place) is TokenType.VAR else None
