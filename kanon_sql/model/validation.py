"""Checks of what users write: numbers, names, lists, JSON objects; each error says what was expected."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from kanon_sql.errors import PolicyError, hint_of, raise_alone, use_one_of
from kanon_sql.model.synonyms import OPTIONS

_NAMED = 5
"""Most files that a hint lists."""

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_RESERVED_WORDS = """
    ALL ANALYSE ANALYZE AND ANY ARRAY AS ASC ASYMMETRIC BOTH CASE CAST CHECK COLLATE COLUMN CONSTRAINT CREATE DEFAULT
    DEFERRABLE DESC DESCRIBE DISTINCT DO ELSE END EXCEPT FALSE FETCH FOR FOREIGN FROM GROUP HAVING IN INITIALLY INTERSECT
    INTO LAMBDA LATERAL LEADING LIMIT NOT NULL OFFSET ON ONLY OR ORDER PIVOT PIVOT_LONGER PIVOT_WIDER PLACING PRIMARY
    QUALIFY REFERENCES RETURNING SELECT SHOW SOME SUMMARIZE SYMMETRIC TABLE THEN TO TRAILING TRUE UNION UNIQUE UNPIVOT
    USING VARIADIC WHEN WHERE WINDOW WITH
"""

RESERVED = frozenset(_RESERVED_WORDS.split())
"""DuckDB's reserved words: none of them names a table or a column without quotes."""

_QUOTED = RESERVED | {"GUARANTEE", "ROW"}
"""What stands in double quotes as a name: GUARANTEE ends the columns of a policy, and PER ROW names no column."""

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_FILE = re.compile(r"\.(?:csv|tsv|txt|parquet|json|jsonl|ndjson)(?:\.gz)?$", re.IGNORECASE)
"""How the name of a file ends."""

_LONG = 10_000
"""Bits of a number beyond which it is refused, about 3,000 digits."""

_HUGE = re.compile("e[+-]?0*[1-9][0-9]{3}", re.IGNORECASE)
"""An exponent of four digits: 1e999999 would be a number of a million digits."""

_HALF = "half of a surrogate pair, which is not a character; hint: write the character itself"

_SIMPLE = 10**6
"""A float may stand for a fraction whose denominator is at most this: 1 / 3 has no exact float."""


def same_name(name: str) -> str:
    """Return the form under which DuckDB compares identifiers: the case of ASCII letters does not count."""
    return name.translate(_LOWER)


def as_identifier(name: str) -> str:
    """Return a column name as SQL text spells it: in double quotes only where it needs them."""
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in _QUOTED:
        return name
    return '"' + name.replace('"', '""') + '"'


def named_file(name: str) -> str | None:
    """Return the file that stands in the place of a table, as its ending tells; None for the name of a table.

    Examples
    --------
    >>> named_file('"data/age.csv"'), named_file("age.parquet"), named_file("main.age_levels")
    ('data/age.csv', 'age.parquet', None)
    """
    plain = name[1:-1].replace('""', '"') if name.startswith('"') and name.endswith('"') else name
    return plain if _FILE.search(plain) and '"' not in plain else None


def missing_file(path: str | Path, endings: tuple[str, ...]) -> str:
    """Return what to say of a file that does not exist: which one was probably meant, or what its folder has."""
    folder = Path(path).parent
    try:
        names = sorted(each.name for each in folder.iterdir() if each.name.lower().endswith(endings))
    except OSError:
        return f"there is no folder {folder}; hint: check the path"
    others = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    has = f"the folder contains {others}" if names else f"the folder contains no {endings[0]} file"
    return f"there is no file {path}; hint: {hint_of(Path(path).name, names, has, spelled=str)}"


def as_text(text: str) -> str:
    """Return a text as SQL spells it, in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def as_arguments(sensitive: str, kind: str, more: Fraction | str | None, *, default: str) -> str:
    """Return what stands in the brackets of a term of the clause: no more than it takes."""
    shown = [as_identifier(sensitive)]
    if kind != default or more is not None:
        shown.append(as_text(kind))
    if more is not None:
        shown.append(as_text(more) if isinstance(more, str) else str(more))
    return ", ".join(shown)


def parsed(text: object, what: str) -> Any:
    """Return the data that a JSON text holds.

    Parameters
    ----------
    what : str
        What it is, for the error.

    Raises
    ------
    PolicyError
        When it is not JSON, holds a key twice (of which JSON readers take the last), a number that is none, half a surrogate
        pair, or too many levels.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise PolicyError(f"{what} has the key {encodable(key, 'a key')!r} twice; hint: remove one of the two")
            found[key] = value
        return found

    def refuse(constant: str) -> NoReturn:
        raise PolicyError(f"{what} is not JSON: {constant} is not a JSON number; hint: write a number such as 0.5, or null")

    if not isinstance(text, str):
        raise PolicyError(f"{what} must be JSON text, got {type(text).__name__}; hint: use json.dumps")
    try:
        data = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise_alone(PolicyError(f"{what} contains {_HALF}"))
    except json.JSONDecodeError as error:
        raise_alone(PolicyError(f"{what} is not JSON: {error}; hint: check that position, or generate the JSON with a program"))
    except PolicyError:
        raise
    except ValueError:
        raise_alone(PolicyError(f"{what} contains a number with thousands of digits; hint: round it"))
    except RecursionError:
        raise_alone(PolicyError(f"{what} is nested too deeply; hint: use fewer levels"))
    return data


def encodable(text: str, what: str) -> str:
    """Return a text that can be written in UTF-8, as DuckDB takes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise_alone(PolicyError(f"{what} contains {_HALF}"))
    return text


def fraction(value: Any, what: str) -> Fraction:
    """Return a number exactly.

    Parameters
    ----------
    value : int, Fraction, Decimal, float or str
        A text is a number, or a quotient such as ``'1/3'``. A float counts as the decimal it is written as (0.3 is 3/10)
        unless that has a denominator above 10^6 and the nearest fraction that has not is the same float (1 / 3 is 1/3).
    what : str
        What the number is, for the error.
    """
    try:
        if isinstance(value, bool) or (isinstance(value, str) and _HUGE.search(value)):
            raise TypeError
        if isinstance(value, float):
            return _of_float(value)
        exact = Fraction(value)
        exact = Fraction(int(exact.numerator), int(exact.denominator))  # not numpy's integers, which overflow
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise_alone(PolicyError(f"{what} must be a number, got {type(value).__name__}; hint: write a number such as 3 or 0.5"))
    _refuse_long(exact.numerator, what)
    _refuse_long(exact.denominator, what)
    return exact


def _refuse_long(value: object, what: str) -> None:
    """Refuse a number that no message could show: Python writes at most 4,300 digits."""
    if isinstance(value, int) and value.bit_length() > _LONG:
        raise PolicyError(f"{what} has thousands of digits; hint: round it")


def _of_float(value: float) -> Fraction:
    written = Fraction(str(value))
    simple = written.limit_denominator(_SIMPLE)
    return simple if float(simple) == value else written


def plain_number(number: Fraction) -> int | str:
    """Return a number as JSON holds it exactly: a whole number, or a text such as '1/3'."""
    return int(number) if number.denominator == 1 else str(number)


def one_of(value: object, known: Iterable[str], what: str) -> str:
    """Return one of the known names."""
    names = list(known)
    if isinstance(value, str) and value in names:
        return value
    shown = repr(value) if isinstance(value, str) else type(value).__name__
    hint = hint_of(value, names, f"use {', '.join(map(repr, names))}")
    raise PolicyError(f"{what} cannot be {shown}; hint: {hint}")


def whole(value: object, what: str, least: int) -> int:
    """Return a whole number of at least ``least``."""
    _refuse_long(value, what)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        shown = value if isinstance(value, int | float) else type(value).__name__
        raise PolicyError(
            f"{what} must be a whole number of at least {least}, got {shown}; hint: write a number such as {max(least, 5)}"
        )
    return value


def named(value: object, what: str, kind: str = "a column name", hint: str = "write a name such as 'zip'") -> str:
    """Return the name of a column, or of what ``kind`` says."""
    if not isinstance(value, str) or not value:
        shown = "an empty text" if value == "" else type(value).__name__
        raise PolicyError(f"{what} must be {kind}, got {shown}; hint: {hint}")
    return encodable(value, what)


def refuse_twice(names: Iterable[str], where: str) -> None:
    """Refuse names of which two are the same."""
    seen: set[str] = set()
    for name in names:
        if same_name(name) in seen:
            raise PolicyError(f'the column "{name}" occurs twice in {where}; hint: list it once')
        seen.add(same_name(name))


def listed(value: object, what: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise PolicyError(f"{what} must be a list, got {type(value).__name__}; hint: put it in square brackets")
    return value


def as_tuple(value: Any, what: str) -> tuple[Any, ...]:
    """Return a tuple as it is, and a list as one."""
    return value if isinstance(value, tuple) else tuple(listed(value, what))


def losses(value: Any) -> tuple[Fraction, ...]:
    """Return the losses of levels."""
    found = tuple(fraction(each, "the loss of a level") for each in as_tuple(value, "loss"))
    bounds = (Fraction(0), *found, Fraction(1))
    if found and any(high <= low for low, high in pairwise(bounds)):
        raise PolicyError("level losses must be in ascending order, above 0 and below 1; hint: write LOSS (0.1, 0.4)")
    return found


def by_name(value: object, what: str, hint: str) -> Mapping[str, Any]:
    """Return a mapping of names, an empty one for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) and name for name in value):
        got = "other keys" if isinstance(value, Mapping) else type(value).__name__
        raise PolicyError(f"{what} must be a mapping whose keys are names, got {got}; hint: {hint}")
    return value


def known_keys(value: object, known: set[str], what: str, needed: Iterable[str] = ()) -> dict[str, Any]:
    """Return a JSON object that has no unknown key, and all keys ``needed``."""
    if not isinstance(value, dict):
        raise PolicyError(f"{what} must be a JSON object, got {type(value).__name__}; hint: write keys and values in braces")
    keys = use_one_of(sorted(known))
    for key in value:
        if key not in known:
            raise PolicyError(f"{what} has the unknown key {key!r}; hint: {hint_of(key, known, keys, synonyms=OPTIONS)}")
    for key in needed:
        if key not in value:
            raise PolicyError(f"{what} lacks the key {key!r}; hint: add it")
    return value
