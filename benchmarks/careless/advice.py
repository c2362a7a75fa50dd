"""What an error offers: the ways out, in the order in which its text names them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

WAYS = {
    "one row": r"\bone row per person\b",
    "join": r"\bone column of (?:both|all its spellings)\b",
    "per row": r"PER ROW|--per-row|per_row\b",
    "per": r"""(?:\bPER\b|--per\b|\bper ?(?::=|=>?))[ =]*(?!ROW\b)['"`\w]""",
    "keep": r"\bKEEP\b|--keep|\bkeep\b",
    "drop": r"\bleaves? (?:\S+ ){0,12}?out\b|--drop|\bdrop\b|\bIDENTIFIER\b|\bto identifiers\b|\bremove\b",
    "by": r"\b(?:in|into|to) BY\b|--qi|\b(?:in|to) qi\b|\bto quasi_identifiers\b|\bput (?:\S+ ){1,4}into\b",
}

ON_PURPOSE = ("per row", "keep")
"""Ways that a careless user of the lab does not take: whoever writes them knows what they do."""


REASON = re.compile(r"\((?:by|looks|it)\b[^)]*\)")
"""Why a column is named, which may contain what is a name elsewhere."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One way out.

    Attributes
    ----------
    way : str
        One of `WAYS`.
    columns : tuple of str
        The columns that it is about.
    option : bool
        Whether the text names an option of the surface for it, such as ``--drop``.
    """

    way: str
    columns: tuple[str, ...]
    option: bool = False


def ways_out(text: str, names: Collection[str], told: Sequence[str] = (), gone: Collection[str] = ()) -> list[Advice]:
    """Return the ways out of an error.

    Parameters
    ----------
    text : str
        The error.
    names : collection of str
        The columns of the table.
    told : sequence of str
        The columns that the error carries as attributes, as SQL spells them; without them its text is searched.
    gone : collection of str
        The columns that are left out already.

    Examples
    --------
    >>> ways_out("a column has no role: zip singles out; hint: leave it out of the SELECT, or name it in KEEP", ["zip", "age"])
    [Advice(way='drop', columns=('zip',), option=False), Advice(way='keep', columns=('zip',), option=False)]
    """
    head, hint = _parts(text)
    known = {_folded(name): name for name in names}
    about = [known[_folded(each)] for each in told if _folded(each) in known] or columns_in(REASON.sub("", head), names)
    places = sorted((found.start(), way) for way, rule in WAYS.items() if (found := re.search(rule, hint)))
    ways = []
    for number, (start, way) in enumerate(places):
        end = places[number + 1][0] if number + 1 < len(places) else len(hint)
        own = hint[start:end]
        option = bool(re.search(r"--drop|drop ?:?=", own))
        columns = (columns_in(own, names) or about) if way in ("per", "join", "one row") or option else about
        if way == "per":
            columns = columns[:1]
        elif way == "drop":
            columns = [each for each in columns if each not in gone]
            columns = columns[: -(-len(columns) // 2)] if re.search(r"\bsome of them\b", own) else columns
        ways.append(Advice(way, tuple(columns), option))
    return ways


def columns_in(text: str, names: Collection[str]) -> list[str]:
    """Return the columns that a text names, in its order; a name inside a longer one does not count."""
    found: dict[str, int] = {}
    taken: list[tuple[int, int]] = []
    for name in sorted(names, key=len, reverse=True):
        quoted = re.escape(name.replace('"', '""'))
        for each in re.finditer(rf"""(?<![\w"'`.-])["'`]?{quoted}["'`]?(?![\w"'`-])""", text):
            if not any(start < each.end() and each.start() < end for start, end in taken):
                taken.append(each.span())
                found.setdefault(name, each.start())
    return sorted(found, key=lambda name: found[name])


def _parts(text: str) -> tuple[str, str]:
    """Return what is wrong and what to do about it."""
    for mark in ("hint:", "Hint:", "nothing was released ("):
        if mark in text:
            head, _, hint = text.partition(mark)
            return head, hint
    return text, text


def _folded(name: str) -> str:
    return name.strip('"').replace('""', '"').casefold()
