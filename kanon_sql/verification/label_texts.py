"""Labels that tell their own values, read as texts: ranges, intervals and sets.

A value that could be taken for something else stands in double quotes, those within it doubled; so each label has one reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_NULL = " or NULL"


@dataclass(frozen=True, slots=True)
class Stretch:
    """The values from ``low`` to ``high``, as places in their order, and NULL with them if ``empty``."""

    low: int
    high: int
    empty: bool = False


def stretch(label: str, place: Mapping[str, int], *, empty: bool) -> Stretch | None:
    """Return what ``[17, 23]``, ``17``, or either with ``or NULL`` behind it stands for; None where no rule reads it.

    Parameters
    ----------
    label : str
        A text of the release.
    place : mapping of str to int
        The place of each value of the source in their order, the same for equal ones.
    empty : bool
        Whether a label may say that NULL is among the values.
    """
    text = label.removesuffix(_NULL)
    also = text != label
    if also and not empty:
        return None
    if not text.startswith("["):
        value = _value(text)
        return None if value is None or value not in place else Stretch(place[value], place[value], also)
    words = _listed(text, "[", "]")
    if words is None or len(words) != 2 or None in words:
        return None
    low, high = (place.get(word) for word in words if word is not None)
    # Values that are equal as numbers share a place: [1, 1.0] names two of them.
    return None if low is None or high is None or low > high or words[0] == words[1] else Stretch(low, high, also)


def members(label: str, place: Mapping[str | None, int]) -> list[int]:
    """Return the places of the values that ``{flu, gout, NULL}`` lists, or of the one that stands alone.

    Parameters
    ----------
    label : str
        A text of the release.
    place : mapping
        The place of each value, of NULL as of any other.

    Returns
    -------
    list of int
        Ascending; empty where no rule reads the label.
    """
    words: list[str | None] | None
    if label.startswith("{"):
        words = _listed(label, "{", "}", null=True)
        if words is not None and len(words) < 2:
            return []
    else:
        value = _value(label)
        words = None if value is None else [value]
    if words is None or any(word not in place for word in words):
        return []
    return sorted({place[word] for word in words})


def _value(text: str) -> str | None:
    """Return the value that stands alone, None where it should be in quotes or its quotes do not close."""
    if not text.startswith('"'):
        return None if text.startswith(("[", "{")) or text.endswith(_NULL) else text
    inside = text[1:-1]
    return inside.replace('""', '"') if len(text) > 1 and text.endswith('"') and '"' not in inside.replace('""', "") else None


def _listed(text: str, opening: str, closing: str, *, null: bool = False) -> list[str | None] | None:
    """Return the values between brackets, None where they are no such list."""
    if len(text) < 2 or not text.startswith(opening) or not text.endswith(closing):
        return None
    words: list[str | None] = []
    rest = text[1:-1]
    while True:
        if rest.startswith('"'):
            end = 1
            while rest[end : end + 1] != '"' or rest[end : end + 2] == '""':
                if end >= len(rest):
                    return None
                end += 2 if rest[end] == '"' else 1
            words.append(rest[1:end].replace('""', '"'))
            rest = rest[end + 1 :]
            if rest and not rest.startswith(", "):
                return None
            more, rest = bool(rest), rest[2:]
        else:
            word, comma, rest = rest.partition(", ")
            words.append(None if null and word == "NULL" else word)
            more = bool(comma)
        if not more:
            return words
