"""What is wrong where the clause cannot be read on: the word that is missing or misspelled, and what to write."""

from __future__ import annotations

from kanon_sql.clause.reader import Reader
from kanon_sql.clause.recodings import KINDS
from kanon_sql.errors import ClauseError, nearest

_EXAMPLE = "ANONYMIZE BY zip, age GUARANTEE k >= 5"

_BEHIND = {"", ";", ")", "]", "}", "ORDER", "LIMIT", "OFFSET", "FETCH", "ON", "RETURNING", "WITH", "USING"}
"""What may stand behind a guarantee, so that in its place it is missing."""

_CONDITIONS = {"K", "L", "T", "ALPHA"}

_WRITTEN = {"=>": ">=", "=<": "<=", "> =": ">=", "< =": "<=", "≥": ">=", "≤": "<=", "==": ">=", ":=": ">="}
"""Comparisons as they are written elsewhere."""


def no_guarantee(reader: Reader, *, listed: bool) -> ClauseError:
    """Return the error for what stands in the place of GUARANTEE.

    Parameters
    ----------
    reader : Reader
        Stands in front of it.
    listed : bool
        Whether a further column could stand there, behind a comma.
    """
    word, spelled = reader.word, reader.spelled
    if word == "KEEP":
        return reader.error("KEEP stands in front of LINKED; hint: BY city, zip KEEP notes LINKED (city, zip) GUARANTEE k >= 5")
    if (word or spelled) in _BEHIND:
        return reader.error(f"GUARANTEE is missing{' in front of ' + word if word else ''}; hint: {_EXAMPLE}")
    if word in _CONDITIONS and reader.script.spelled(reader.place + 1) in {"(", ">", ">=", "=", "=>", "<", "<="}:
        return reader.error(f"GUARANTEE is missing in front of {spelled}; hint: {_EXAMPLE}")
    if nearest(word.lower(), ["guarantee"]):
        return reader.error("expected GUARANTEE; hint: did you mean GUARANTEE?")
    if word in KINDS:
        return reader.error(f"IN is missing in front of {word}; hint: zip IN DIGITS, job IN HIERARCHY jobs")
    if listed:
        return reader.error(f"expected a comma in front of a further column, or GUARANTEE; hint: {_EXAMPLE}")
    return reader.error("expected LINKED or GUARANTEE; hint: BY a, b, c, d LINKED (a, b) LINKED (c, d) GUARANTEE k >= 5")


def no_comparison(reader: Reader, wanted: str, behind: str, example: str) -> ClauseError:
    """Return the error for what stands in the place of a comparison.

    Parameters
    ----------
    reader : Reader
        Stands in front of it.
    wanted, behind : str
        The comparison, and the term that it follows.
    example : str
        What a hint shows.
    """
    script, place = reader.script, reader.place
    two = script.text[script.start(place) : script.stop(place + 1)] if script.spelled(place + 1) else ""
    for spelled, last in ((" ".join(two.split()), place + 1), (reader.spelled, place)):
        if spelled in _WRITTEN:
            meant = _WRITTEN[spelled] if spelled not in {"==", ":="} else wanted
            return script.error(
                f"expected {wanted} behind {behind}; hint: {meant} in place of {spelled}, as in {example}", place, last
            )
    return reader.error(f"expected {wanted} behind {behind}; hint: {example}")
