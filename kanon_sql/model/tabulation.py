"""A table of counts and sums: its keys, its grouping sets, what it adds up, and the columns that it shows."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_identifier, same_name

MOST_KEYS = 30
"""Keys of a table."""

MOST_SETS = 4096
"""Grouping sets of a table."""

FINGERPRINT = "#"
"""How the mark of a table in `Tabulation.reads` begins, by which a copy or another name of it is recognized."""

_LEVEL = re.compile(r"(.+) IN ((?:DIGITS|INTERVALS|CUTS) \([^()]*\)[^()]*|HIERARCHY .+ \(\d+\))", re.DOTALL)

_HIERARCHY = re.compile(r"HIERARCHY (.+) \(\d+\)", re.DOTALL)


_CONDITION = "WHERE "
"""How the key of a condition begins: names are compared in lower case, so no column begins so."""


TEXT = r"""\$(?P<tag>\w*)\$(?s:.*?)\$(?P=tag)\$|\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'"""
"""A text as SQL spells it: between dollar signs, with escapes, or plain."""

_CONNECTIVE = re.compile(rf"""{TEXT}|"(?:[^"]|"")*"|[()\[\]{{}}]|\b(?:and|or|between|case|end)\b""", re.IGNORECASE)
"""What joins or encloses the parts of a condition, and the texts and names that may hold such words."""

_OPENING, _CLOSING = {"(", "[", "{", "case"}, {")", "]", "}", "end"}

Sets = list[tuple[int, ...]]
"""The keys of each grouping set; of a dimension those of each of its levels, finest first, and no key for the total."""


def named_table(parts: Iterable[str]) -> str:
    """Return the name of a table as `Tabulation.reads` has it; the parts are in the form that `same_name` compares."""
    return ".".join('"' + each.replace('"', '""') + '"' for each in parts)


def _quoted(name: str) -> str:
    """Return a name of `Tabulation.reads` with a dot in front; records of older versions have names without quotes."""
    return f".{name if name.startswith(chr(34)) else named_table([name])}"


def condition_key(condition: str) -> str:
    """Return the text of the key that says whether a condition holds."""
    return f"{_CONDITION}{condition}"


def holds(condition: str) -> str:
    """Return the SQL of that key: NULL is false, as in WHERE."""
    return f"coalesce(CAST(({condition}) AS BOOLEAN), false)"


def is_condition(key: str) -> bool:
    """Return whether the text of a key is that of a condition."""
    return key.startswith(_CONDITION)


def conjuncts(condition: str) -> list[str]:
    """Return the parts of a condition that all hold where it does; texts of which AND has no part stay whole.

    Examples
    --------
    >>> conjuncts("age between 5 and 9 and ( sex = 'f' or zip = '1' )"), conjuncts("age < 9 and sex = 'f' or zip = '1'")
    (['age between 5 and 9', "sex = 'f' or zip = '1'"], ["age < 9 and sex = 'f' or zip = '1'"])
    >>> conjuncts("( age < 9 and sex = 'f' )")
    ['age < 9', "sex = 'f'"]
    """
    found, depth, between, begin, closed = list[str](), 0, 0, 0, 0
    for each in _CONNECTIVE.finditer(condition):
        word = each[0].lower()
        depth += (word in _OPENING) - (word in _CLOSING)
        if word in _CLOSING and not depth:
            closed += 1
        elif depth < 0 or (word == "or" and not depth):
            return [condition]
        elif word == "between" and not depth:
            between += 1
        elif word == "and" and not depth and between:
            between -= 1
        elif word == "and" and not depth:
            found.append(condition[begin : each.start()].strip())
            begin = each.end()
    found.append(condition[begin:].strip())
    if len(found) > 1:
        return [part for each in found for part in conjuncts(each)]
    whole = found[0]
    return conjuncts(whole[1:-1].strip()) if closed == 1 and whole[0] == "(" and whole[-1] == ")" else [whole]


def level_key(text: str, level: str) -> str:
    """Return the text of a level of a key."""
    return f"{text} IN {level}"


def level_of(key: str) -> tuple[str, str] | None:
    """Return the key that a text is a level of, and the name of the level; None if it is no level.

    Examples
    --------
    >>> level_of(level_key("zip", "DIGITS (3)")), level_of(level_key("age", "CUTS (18) LEVEL 0")), level_of("zip")
    (('zip', 'DIGITS (3)'), ('age', 'CUTS (18) LEVEL 0'), None)
    """
    found = _LEVEL.fullmatch(key)
    return None if found is None else (found[1], found[2])


def hierarchy_level(table: str, level: int) -> str:
    """Return the name of a level that a table gives."""
    return f"HIERARCHY {table} ({level})"


def hierarchy_of(key: str) -> str | None:
    """Return the table that gives the level of a key, as SQL spells it; None if none does."""
    level = level_of(key)
    found = None if level is None else _HIERARCHY.fullmatch(level[1])
    return None if found is None else found[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A column of the table."""

    name: str
    kind: str  # what it shows: 'key', 'count', 'sum' or 'grouping'
    # Which key or which sum, the keys that GROUPING is about, or the condition that counted people meet. Of several keys, which
    # are levels, it shows the first one that a row has.
    places: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabulation:
    """The shape of a table."""

    keys: tuple[str, ...]  # the keys, as texts that tell them apart
    sums: tuple[str, ...]  # what is summed, as texts that tell sums apart
    sets: tuple[tuple[int, ...], ...]  # the keys of each grouping set, in their order
    items: tuple[Item, ...]  # the columns
    source: str  # what the rows are read from, as a text that tells sources apart
    reads: tuple[str, ...]  # what it reads: names of tables, each part quoted, names of files, and fingerprints of contents
    condition: str = ""  # the condition of WHERE as a text that tells conditions apart; empty if there is none

    def __post_init__(self) -> None:
        """Check the numbers of keys and of grouping sets."""
        if not self.keys:
            raise PolicyError("PROTECT needs at least one key; hint: write GROUP BY region")
        if len(self.keys) > MOST_KEYS:
            raise PolicyError(f"a protected table can have at most {MOST_KEYS} keys; hint: remove keys from GROUP BY")
        if len(self.sets) > MOST_SETS:
            raise PolicyError(f"a protected table can have at most {MOST_SETS} grouping sets; hint: list the sets to publish")

    @property
    def count(self) -> str:
        """Return the count as a condition names it."""
        counts = (as_identifier(each.name) for each in self.items if each.kind == "count" and not each.places)
        return next(counts, "count(*)")

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the key of the condition where tables with different conditions are counted together."""
        return (condition_key(self.condition),) if self.condition else ()

    @property
    def filters(self) -> tuple[int, ...]:
        """Return the keys of the conditions of counts, in their order."""
        return tuple(sorted({key for each in self.items if each.kind == "count" for key in each.places}))

    @property
    def groups(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Return the keys of all counted groups, and the conditions among them: of rows, then of filtered counts."""
        rows = [(chosen, ()) for chosen in self.sets]
        return (*rows, *((tuple(sorted({*chosen, key})), (key,)) for key in self.filters for chosen in self.sets))

    def meets(self, other: Tabulation, *, fingerprints: bool = True) -> bool:
        """Return whether both read a table, by its name or its mark; a name without its schema may be that of any schema."""
        if fingerprints and any(each.startswith(FINGERPRINT) for each in {*self.reads} & {*other.reads}):
            return True
        mine, theirs = ([_quoted(each) for each in table.reads if not each.startswith(FINGERPRINT)] for table in (self, other))
        return any(one.endswith(two) or two.endswith(one) for one in mine for two in theirs)

    def repeats(self, other: Tabulation) -> bool:
        """Return whether another table has the same keys, sums and rows of the same source, whatever its columns are called."""
        mine, theirs = ((each.keys, each.sums, each.sets, each.source, each.condition, each.filters) for each in (self, other))
        return mine == theirs

    def named(self, name: str, kind: str) -> Item | None:
        """Return the column of a name, in the form that SQL compares, if it is of that kind."""
        return next((each for each in self.items if each.kind == kind and same_name(each.name) == same_name(name)), None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the canonical text."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tabulation:
        """Read plain data of `to_dict`.

        Raises
        ------
        KeyError, TypeError
            When something is missing, or a name is not a text.
        """
        names = (name for each in data["items"] for name in (each["name"], each["kind"]))
        condition = data.get("condition", "")
        texts = (*data["keys"], *data["sums"], *data["reads"], data["source"], condition, *names)
        if not all(isinstance(each, str) for each in texts):
            raise TypeError("a name is not a string")
        return cls(
            keys=tuple(data["keys"]),
            sums=tuple(data["sums"]),
            sets=tuple(tuple(each) for each in data["sets"]),
            items=tuple(Item(name=each["name"], kind=each["kind"], places=tuple(each["places"])) for each in data["items"]),
            source=data["source"],
            reads=tuple(data["reads"]),
            condition=condition,
        )


def plain(parts: Sequence[Sets]) -> Sets:
    """Return every combination of the levels of some dimensions."""
    if math.prod(map(len, parts)) > MOST_SETS:
        raise PolicyError(f"levels create more than {MOST_SETS} grouping sets; hint: use fewer levels")
    return [tuple(key for level in each for key in level) for each in product(*parts)]


def cube(parts: Sequence[Sets]) -> Sets:
    """Return every combination of the levels of some dimensions and their totals."""
    if math.prod(len(part) + 1 for part in parts) > MOST_SETS:
        raise PolicyError(f"CUBE creates more than {MOST_SETS} grouping sets; hint: list the sets to publish")
    return plain([[*part, ()] for part in parts])


def rollup(parts: Sequence[Sets]) -> Sets:
    """Return the levels of the last dimension within all others, then of the one before it, and so on to the total."""
    found: Sets = []
    for last in range(len(parts) - 1, -1, -1):
        above = tuple(key for part in parts[:last] for key in part[0])
        found.extend((*above, *level) for level in parts[last] if level)
    return [*found, ()]
