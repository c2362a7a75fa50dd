"""Keys that say something about each other: those of the same columns, and those of which one determines the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kanon_sql.engines.cells.base_cells import row_numbers
from kanon_sql.table.arrays import Int64

_TEXT = re.compile(r"'(?:[^']|'')*'|\bAS\s+\w+", re.IGNORECASE)
"""What is no column: texts, and the types of casts."""

_RESERVED = {"and", "any", "as", "case", "cast", "else", "end", "false", "in", "not", "null", "or", "then", "true", "when"}
"""Words that are no columns, either, unless they are quoted."""

_WORD = re.compile(r'"((?:[^"]|"")+)"|([^\W\d]\w*)(?!\w*\s*\()')


def related_keys(values: Int64, keys: Sequence[str]) -> list[set[int]]:
    """Return for each key the others that say something about it: not all their combinations are possible.

    Parameters
    ----------
    values : int64 array [b, d]
        The keys of the base cells.
    keys : sequence of str
        SQL of each key.

    Notes
    -----
    O(d^2 b log b). Words that only may be columns count as such: fewer combinations are then thought possible.
    """
    words = [
        {
            quoted.lower() or word.lower()
            for quoted, word in _WORD.findall(_TEXT.sub("''", text.replace("system.main.", "")))
            if word.lower() not in _RESERVED
        }
        for text in keys
    ]
    count = [row_numbers(values, [(key,)])[1] for key in range(len(keys))]
    found: list[set[int]] = [set() for _ in keys]
    for one in range(len(keys)):
        for other in range(one):
            pairs = row_numbers(values, [(one, other)])[1]
            constant = min(count[one], count[other]) < 2  # says nothing about any key
            if words[one] & words[other] or (not constant and pairs <= max(count[one], count[other])):
                found[one].add(other)
                found[other].add(one)
    return found


def components(related: Sequence[Iterable[int]], used: Iterable[int]) -> list[list[int]]:
    """Return some keys in parts of which none says anything about another one."""
    left, found = set(used), list[list[int]]()
    while left:
        part, waiting = set[int](), [min(left)]
        while waiting:
            key = waiting.pop()
            if key in left:
                left.remove(key)
                part.add(key)
                waiting += related[key]
        found.append(sorted(part))
    return found
