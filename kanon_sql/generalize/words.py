"""Labels that list values: ranges, intervals and sets. A text that could be taken for something else is put in quotes."""

from __future__ import annotations

from collections.abc import Container, Sequence

from kanon_sql.table.ladder import Label


def alone(text: str) -> str:
    """Return what a class shows of its only value.

    Examples
    --------
    >>> alone("Smith, John"), alone("[draft]")
    ('Smith, John', '"[draft]"')
    """
    return quoted(text) if text.startswith(("[", "{", '"')) or text.endswith(" or NULL") else text


def listed(opening: str, texts: Sequence[Label], closing: str, values: Container[Label]) -> str:
    """Return several values between brackets, NULL as ``NULL``.

    Parameters
    ----------
    opening, closing : str
        The brackets.
    texts : sequence of Label
        The values that are listed.
    values : container of Label
        The values of the column; where the label is one of them, all its words get quotes.

    Examples
    --------
    >>> listed("{", ["flu", "gout, acute", None], "}", ())
    '{flu, "gout, acute", NULL}'
    """
    plain = opening + ", ".join(map(_word, texts)) + closing
    if plain not in values:
        return plain
    return opening + ", ".join("NULL" if text is None else quoted(text) for text in texts) + closing


def quoted(text: str) -> str:
    """Return a text in double quotes, those within it doubled."""
    return '"' + text.replace('"', '""') + '"'


def _word(text: Label) -> str:
    if text is None:
        return "NULL"
    return quoted(text) if ", " in text or text.startswith('"') or text == "NULL" else text
