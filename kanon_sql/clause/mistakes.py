"""What is wrong where the clause cannot be read on, and what was probably meant."""

from __future__ import annotations

from sqlglot import TokenType

from kanon_sql.clause.condition_mistakes import ALIKE, BEHIND, begins_condition, is_name
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import Script
from kanon_sql.errors import ClauseError, hint_of, nearest
from kanon_sql.model.synonyms import OPTIONS
from kanon_sql.model.validation import as_identifier

EXAMPLE = "ANONYMIZE BY zip, age GUARANTEE k >= 5"

KINDS = ("DIGITS", "INTERVALS", "CUTS", "HIERARCHY", "BINS", "REGIONS", "RECTANGLES", "RANGES", "SETS", "MEANS", "MEDIANS")
"""The recodings: words behind IN."""

_FOR_BY = {"ON", "FOR", "OVER", "USING", "OF", "COLUMNS", "IN", "PER", "WITH"}
_FOR_GUARANTEE = {"WITH", "WHERE", "HAVING", "ENSURE", "ENSURING", "REQUIRE", "REQUIRING", "FOR", "USING", "TO", "AT"}
_FOR_IN = {"AS", "USING", "WITH", "TO", "BY", "INTO"}
_FOR_COMMA = {"AND", "&", "+", "|"}
_FOR_ENDS = (("TOP", "MAX", "MAXIMUM", "TOPCODE"), ("BOTTOM", "MIN", "MINIMUM", "BOTTOMCODE"))
"""What people write in the place of a word of the clause, or of a comma."""


def is_like(word: str, ours: str) -> bool:
    """Return whether a word is one of ours, or nearly."""
    return nearest(word, [ours], alike=ALIKE) is not None


def without_by(script: Script, place: int) -> ClauseError:
    """Return the error for the word ANONYMIZE where DuckDB would read it as an alias."""
    problem = (
        f"{script.word(place)} without BY would be read as an alias and release raw rows; hint: write "
        "ANONYMIZE BY ... GUARANTEE k >= ... or ANONYMIZE WITH POLICY ...; "
        'for an alias, write AS anonymize; for a column, "anonymize"'
    )
    word, following = script.word(place + 1), script.word(place + 2)
    if is_like(word, "POLICY"):
        meant, last = "WITH POLICY", place + 1
    elif word in {"WITH", "USING", "BY"} and is_like(following, "POLICY"):
        meant, last = "WITH POLICY", place + 2
    elif word == "WITH" and is_name(script, place + 2) and script.spelled(place + 3) in {"", ";", ")"}:
        meant, last = "WITH POLICY", place + 1
    elif word in _FOR_BY and not begins_condition(script, place + 2):
        meant, last = "BY", place + 1
    elif word != "GUARANTEE" and not begins_condition(script, place + 1):
        return script.mistake(problem, "ANONYMIZE BY", place)
    else:
        return script.error(problem, place)
    return script.mistake(problem, f"ANONYMIZE {meant}", place, last, shown=place)


def no_guarantee(reader: Reader, *, listed: bool) -> ClauseError:
    """Return the error for what stands in the place of GUARANTEE.

    Parameters
    ----------
    reader : Reader
        Stands in front of it.
    listed : bool
        Whether a further column could stand there, behind a comma.
    """
    script, place, word, spelled = reader.script, reader.place, reader.word, reader.spelled
    following = script.word(place + 1)
    if word == "KEEP":
        return reader.error(
            "KEEP must come before LINKED; hint: write BY city, zip KEEP notes LINKED (city, zip) GUARANTEE k >= 5"
        )
    if is_like(word, "GUARANTEE"):
        return reader.mistake(f"unknown word {spelled}; hint: did you mean GUARANTEE?", "GUARANTEE")
    if word in _FOR_GUARANTEE and begins_condition(script, place + 1):
        return reader.mistake(f"expected GUARANTEE, not {spelled}; hint: write {EXAMPLE}", "GUARANTEE")
    if (word or spelled) in BEHIND:
        if found := _guarantee_first(reader):
            return found
        return reader.error(f"GUARANTEE is missing{' before ' + word if word else ''}; hint: write {EXAMPLE}")
    if begins_condition(script, place):
        return reader.mistake(f"GUARANTEE is missing before {spelled}; hint: write {EXAMPLE}", f"GUARANTEE {spelled}")
    hint = "write zip IN DIGITS, or job IN HIERARCHY jobs"
    ends = ("TOP", "BOTTOM")
    if script.kind(place + 1) is TokenType.NUMBER and (near := nearest(word, ends, _FOR_ENDS) if word else None):
        return reader.mistake(f"expected TOP or BOTTOM, not {word}; hint: did you mean {near}?", near)
    if near := _kind(word):
        return reader.mistake(f"IN is missing before {word}; hint: {hint}", f"IN {near}")
    if word in _FOR_IN and (near := _kind(following)):
        return reader.mistake(f"expected IN, not {word}; hint: {hint}", f"IN {near}", place + 1)
    if reader.kind is TokenType.NUMBER and script.word(place - 1) in {"DIGITS", "INTERVALS"}:
        return reader.mistake(
            f"expected ( after {script.word(place - 1)}; hint: write age IN INTERVALS (5, 10)", f"({spelled})"
        )
    if spelled == "-" and listed:
        return _hyphen(reader)
    if listed:
        problem = f"expected a comma before the next column, or GUARANTEE; hint: write {EXAMPLE}"
        if (word or spelled) in _FOR_COMMA and is_name(script, place + 1):
            return reader.mistake(problem, f"{script.spelled(place - 1)},", first=place - 1)
        if is_name(script, place) or reader.kind is TokenType.STRING:
            return reader.mistake(problem, f"{script.spelled(place - 1)}, {spelled}", first=place - 1)
        return reader.error(problem)
    return reader.error("expected LINKED or GUARANTEE; hint: write BY a, b, c, d LINKED (a, b) LINKED (c, d) GUARANTEE k >= 5")


def _guarantee_first(reader: Reader) -> ClauseError | None:
    """Return the error for a GUARANTEE in front of ANONYMIZE; None if there is none."""
    script, place = reader.script, reader.place
    clause = _before(script, place, "ANONYMIZE")
    first = None if clause is None else _before(script, clause, "GUARANTEE")
    if clause is None or first is None or not begins_condition(script, first + 1):
        return None
    guarantee = script.text[script.start(first) : script.stop(clause - 1)]
    columns = script.text[script.start(clause) : script.stop(place - 1)]
    problem = f"GUARANTEE must come after the columns of ANONYMIZE BY; hint: write {EXAMPLE}"
    return script.mistake(problem, f"{columns} {guarantee}", first, place - 1, shown=first)


def _before(script: Script, place: int, word: str) -> int | None:
    """Return the place of the last such word in front of a place, in the same brackets."""
    while place > 0 and script.spelled(place - 1) not in {"(", "[", "{", ";"}:
        place = script.partner.get(place - 1, place - 1)
        if script.word(place) == word:
            return place
    return None


def _kind(word: str) -> str | None:
    return nearest(word, KINDS, alike=ALIKE) if word else None


def _hyphen(reader: Reader) -> ClauseError:
    """Return the error for a name with hyphens that is not quoted: DuckDB's own parser would subtract."""
    script, first, last = reader.script, reader.place - 1, reader.place - 1
    while script.spelled(last + 1) == "-" and script.stop(last) == script.start(last + 1) and script.spelled(last + 2):
        last += 2
    name = script.text[script.start(first) : script.stop(last)]
    problem = f'a name with a hyphen needs double quotes; hint: write "{name}"'
    return reader.error(problem) if last == first else reader.mistake(problem, f'"{name}"', last, first=first)


def no_recoding(reader: Reader) -> ClauseError:
    """Return the error for what stands in the place of a recoding, behind IN."""
    quoted = reader.spelled[1:-1] if reader.kind in {TokenType.STRING, TokenType.IDENTIFIER} else ""
    if reader.word in {"TOP", "BOTTOM"}:
        before = reader.place - 1  # IN
        return reader.mistake(f"{reader.word} cannot follow IN; hint: write age TOP 90", reader.word, first=before)
    near = nearest(reader.word or quoted, KINDS)
    hint = f"did you mean {near}?" if near else f"use one of {', '.join(KINDS)}"
    if near is None and reader.kind is TokenType.STRING:
        hint, near = f"write IN HIERARCHY {reader.spelled}", f"HIERARCHY {reader.spelled}"
    problem = f"expected a recoding after IN; hint: {hint}"
    return reader.error(problem) if near is None else reader.mistake(problem, near)


def no_list(reader: Reader, start: int) -> ClauseError:
    """Return the error for columns in brackets where no list begins; without the brackets, every mask is permitted."""
    script, end = reader.script, reader.script.partner.get(start, start)
    inside = script.text[script.stop(start) : script.start(end)] if end > start else ""
    kinds = "CUBE (...), ROLLUP (...), GROUPING SETS ((...), ...), or (lat, lon) IN RECTANGLES"
    problem = f"a list of columns needs a keyword before it; hint: write {kinds}"
    return script.mistake(problem, inside, start, end, shown=start) if inside.strip() else script.error(problem, start)


def behind_clause(script: Script, place: int) -> ClauseError:
    """Return the error for what stands behind a clause, and does not go on with it."""
    word, spelled = script.word(place), script.spelled(place)
    problem = f"unexpected {spelled} after the ANONYMIZE clause; hint: {_continued(word)}"
    if word == "OR" or (spelled in {",", "&"} and begins_condition(script, place + 1)):
        return script.mistake(problem, " AND", place)
    if begins_condition(script, place):
        return script.mistake(problem, f"AND {spelled}", place)
    guarantee = _before(script, place, "GUARANTEE")
    named = script.spelled(place + 1) not in {"", ";"}
    if word in {"KEEP", "LINKED"} and guarantee is not None and named:
        last = script.after(place + 1) - 1
        while script.spelled(last + 1) == ",":
            last += 2
        columns = script.text[script.start(place) : script.stop(last)]
        conditions = script.text[script.start(guarantee) : script.stop(place - 1)]
        return script.mistake(problem, f"{columns} {conditions}", place, last, first=guarantee, shown=place)
    near = nearest(word, ["AND", "USING", "ORDER", "LIMIT", "OFFSET", "PER"], alike=ALIKE) if word else None
    return script.error(problem, place) if near in {None, word} else script.mistake(problem, str(near), place)


def _continued(word: str) -> str:
    if word == "PER":
        return "write PER directly after k, as in GUARANTEE k >= 5 PER patient_id"
    if word == "USING":
        return "write USING only once"
    if word in {"KEEP", "LINKED"}:
        return f"write {word} after the columns and before GUARANTEE"
    if word == "OR":
        return "join conditions with AND"
    return "join conditions with AND, and write ORDER and LIMIT last"


def no_algorithm(reader: Reader) -> ClauseError:
    """Return the error for what stands in the place of an algorithm, behind USING."""
    problem = "expected the name of an algorithm; hint: write USING auto (time_limit = 60)"
    quoted = reader.spelled[1:-1] if reader.kind is TokenType.STRING else ""
    return reader.mistake(problem, as_identifier(quoted)) if quoted else reader.error(problem)


def no_option(reader: Reader, known: tuple[str, ...]) -> ClauseError:
    """Return the error for an option that there is not."""
    hint = hint_of(reader.word, known, f"use one of {', '.join(known)}", spelled=str, synonyms=OPTIONS)
    problem, near = f"unknown option {reader.spelled}; hint: {hint}", nearest(reader.word, known, OPTIONS)
    return reader.error(problem) if near is None else reader.mistake(problem, near)


def no_equals(reader: Reader, name: str) -> ClauseError:
    """Return the error for what stands between an option and its value; an equals sign may be a part of it."""
    problem = f"expected = after {name}; hint: write USING auto (time_limit = 60)"
    if reader.spelled == ">" or reader.ahead(":", "="):  # => and :=
        last = reader.place + reader.ahead(":", "=")
        return reader.mistake(problem, " = ", last, first=reader.place - (reader.spelled == ">"))
    if reader.kind in {TokenType.NUMBER, TokenType.STRING}:
        return reader.mistake(problem, f"= {reader.spelled}")
    return reader.error(problem)


def no_part(reader: Reader, known: tuple[str, ...]) -> ClauseError:
    """Return the error for a part of a policy that there is not."""
    hint = hint_of(reader.word, known, f"use one of {', '.join(known)}", spelled=str, synonyms=OPTIONS)
    if is_like(reader.word, "SENSITIVE"):
        example = "GUARANTEE k >= 5 AND l(disease) >= 2"
        return reader.error(
            f"unknown policy part {reader.spelled}; hint: write a sensitive column in the guarantee, as in {example}"
        )
    problem, near = f"unknown policy part {reader.spelled}; hint: {hint}", nearest(reader.word, known, OPTIONS)
    return reader.error(problem) if near is None else reader.mistake(problem, near)


def no_on(reader: Reader, problem: str) -> ClauseError:
    """Return the error for what stands in the place of ON, behind the name of a policy."""
    return reader.mistake(problem, "ON") if reader.word in {"FOR", "OF", "TO", "FROM", "IN"} else reader.error(problem)
