"""Keys that say something about each other: of the same columns, or of a part of the condition, or one determines the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kanon_sql.engines.cells.base_cells import row_numbers
from kanon_sql.model.tabulation import TEXT, conjuncts
from kanon_sql.table.arrays import Int64

_TEXT = re.compile(rf"{TEXT}|\bAS\s+\w+", re.IGNORECASE)
"""What is no column: texts, and the types of casts."""

_RESERVED = {"and", "any", "as", "case", "cast", "else", "end", "false", "in", "not", "null", "or", "then", "true", "when"}
"""Words that are no columns, either, unless they are quoted."""

_WORD = re.compile(r'"((?:[^"]|"")+)"|([^\W\d]\w*)(?!\w*\s*\()')


def related_keys(values: Int64, keys: Sequence[str], condition: str = "") -> list[set[int]]:
    """Return for each key the others that say something about it: not all their combinations are possible.

    Parameters
    ----------
    values : int64 array [b, d]
        The keys of the base cells.
    keys : sequence of str
        SQL of each key.
    condition : str
        What holds for everyone: the columns of each part of it say something about each other. "age < 25 OR job = 'x'" says
        which jobs go with an age of 30; "age < 25 AND job = 'x'" does not.

    Notes
    -----
    O(d^2 b log b). Words that only may be columns count as such: fewer combinations are then thought possible.
    """
    words, parts = list(map(_words, keys)), list(map(_words, conjuncts(condition) if condition else ()))
    count = [row_numbers(values, [(key,)])[1] for key in range(len(keys))]
    found: list[set[int]] = [set() for _ in keys]
    for one in range(len(keys)):
        for other in range(one):
            pairs = row_numbers(values, [(one, other)])[1]
            in_condition = any(words[one] & part and words[other] & part for part in parts)
            constant = min(count[one], count[other]) < 2  # says nothing about any key
            if in_condition or words[one] & words[other] or (not constant and pairs <= max(count[one], count[other])):
                found[one].add(other)
                found[other].add(one)
    return found


def _words(text: str) -> set[str]:
    """Return the words of an expression that may be columns."""
    return {
        quoted.lower() or word.lower()
        for quoted, word in _WORD.findall(_TEXT.sub("''", text.replace("system.main.", "")))
        if word.lower() not in _RESERVED
    }


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
