"""How each surface spells the fix in an error: the clause, functions, Python, the command line, dbt and policies."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kanon_sql.errors import PolicyError
from kanon_sql.model.unit import Unit
from kanon_sql.model.validation import as_identifier, same_name

_Duck = Literal["clause", "function", "python", "command", "model", "policy", "json", "argument"]

Surface = Literal[_Duck, "spark", "dataframe", "spark function"]
"""The clause, a table function, Python, the command line, a dbt model, a stored policy, a stored policy as JSON or YAML, the
JSON argument of the function ``anonymize``; the clause on Spark, a DataFrame of Spark, or a table function of Spark. Errors
name the options of the surface."""

_MOST = 12
"""Most names that a hint lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What a surface calls things."""

    # by, keep: the quasi-identifiers, and what is released unchanged; empty if a column changes its role by `left_out` alone
    by: str
    keep: str
    left_out: str  # how columns are left out
    kept: str  # released unchanged
    people: str  # how people are counted
    rows: str  # rows that are people


def _arguments(by: str, sign: str, names: str, true: str) -> _Words:
    """Return the words of a call: the sign between a name and its value, how names are listed, and what is true."""
    return _Words(
        by=by,
        keep="keep",
        left_out=f"pass drop{sign}{names}",
        kept=f"pass keep{sign}{names}",
        people=f"pass per{sign}{{texts}}",
        rows=f"per_row{sign}{true}",
    )


_CLAUSE = _Words(
    by="BY",
    keep="KEEP",
    left_out="remove {it} from the SELECT",
    kept="write KEEP {spelled}",
    people="write {guarantee} PER {spelled}{scope}",
    rows="{rows}",
)
_PYTHON = _arguments("quasi_identifiers", "=", "[{texts}]", "True")
_JSON = _Words(
    by="quasi_identifiers",
    keep="kept",
    left_out="add {json} to identifiers",
    kept="add {json} to kept",
    people="add {people} to the requirements",
    rows='write {{"type": "k", "k": {k}, "per_row": true}}',
)

_WORDS: dict[Surface, _Words] = {
    "clause": _CLAUSE,
    "spark": _CLAUSE,
    "function": _arguments("qi", " := ", "[{texts}]", "true"),
    "spark function": _arguments("qi", " => ", "array({texts})", "true"),
    "python": _PYTHON,
    "dataframe": _PYTHON,
    "command": _Words(
        by="--qi",
        keep="--keep",
        left_out="pass --drop {word}",
        kept="pass --keep {word}",
        people="pass --per {word}",
        rows="--per-row",
    ),
    "model": _Words(
        by="",
        keep="",
        left_out="tag {it} as identifier",
        kept="tag {it} as insensitive",
        people="return {spelled}, tag it as identifier and set per={texts} in the config of the model",
        rows="set per_row=true",
    ),
    "policy": replace(
        _CLAUSE, left_out="write IDENTIFIER {spelled}", people="write {guarantee} PER {spelled}{scope} in the policy"
    ),
    "json": _JSON,
    "argument": replace(_JSON, keep="keep", left_out="remove {it} in a view", kept="add {json} to keep"),
}

_BACKTICKS = frozenset[Surface]({"spark", "dataframe", "spark function"})
"""Surfaces whose SQL takes a name in double quotes for a text."""

_KEYS: dict[Surface, str] = {"function": "by", "python": "by", "command": "--by", "dataframe": "by", "spark function": "by"}
"""The option for the keys of a table. On other surfaces, it is GROUP BY."""


def spelled(name: str, surface: Surface) -> str:
    """Return a column name as the SQL of a surface spells it."""
    found = as_identifier(name)
    return f"`{name.replace('`', '``')}`" if surface in _BACKTICKS and found != name else found


def left_out(names: Sequence[str], surface: Surface, *, chosen: bool = False, keys: bool = False) -> str:
    """Return how columns are left out of a release; ``chosen`` are quasi-identifiers by name, ``keys`` those of a table."""
    words = _WORDS[surface]
    if keys:
        return f"remove {_it(names)} from {_KEYS.get(surface, 'GROUP BY')}"
    out = _filled(words.left_out, names, surface)
    return f"{out} and remove {_it(names)} from {words.by}" if chosen and words.by else out


def quasi_identifiers(some: str, surface: Surface) -> str:
    """Return how some columns become quasi-identifiers."""
    return f"add {some} to {_WORDS[surface].by}" if _WORDS[surface].by else f"tag {some} as quasi_identifier"


def kept(names: Sequence[str], others: Sequence[str], surface: Surface) -> str:
    """Return how columns are released on purpose. ``others`` have no role either; KEEP requires one for every column."""
    own = set(map(same_name, names))
    listed = [*names, *(name for name in others if same_name(name) not in own)]
    many = len(listed) > max(_MOST, len(names))
    words = _filled(_WORDS[surface].kept, names if many else listed, surface)
    return f"{words} with all other columns that have no role" if many else words


def without_role(column: str, surface: Surface) -> PolicyError:
    """Return the refusal of a column without a role, if a policy lists the columns released unchanged."""
    words = _WORDS[surface]
    roles = f"add it to {words.keep} or {words.by}" if words.keep else "tag it as insensitive or as quasi_identifier"
    return PolicyError(
        f'the column "{column}" has no role, and {words.keep or "the policy"} requires one for every column; hint: {roles}, or '
        f"{_filled(words.left_out, [column], surface)}"
    )


def counted(column: str, unit: Unit, surface: Surface, released: Sequence[str]) -> str:
    """Return the two ways out if a column repeats people.

    Parameters
    ----------
    unit : Unit
        What is counted so far.
    surface : Surface
        The surface. Hints name its options.
    released : sequence of str
        The columns that the query returns.
    """
    words, key = _WORDS[surface], same_name(column)
    linked = bool(unit.scope) and not unit.known
    before = after = ""
    if surface in ("clause", "spark") and not unit.keys and key not in map(same_name, released):
        hidden = "" if linked else " (PER does not release it)"
        before = f"add {spelled(column, surface)} to the SELECT{hidden} and "
    for role, names in ((words.by, unit.by), (words.keep, unit.kept)):
        if role and key in map(same_name, names):
            after = f" and remove it from {role}"
    people = _filled(words.people, [column], surface, unit)
    rows = "" if linked else f", or {_filled(words.rows, [column], surface, unit)} if each row is a person"
    return f"{before}{people}{after}{rows}"


def measured(column: str, surface: Surface) -> str:
    """Return the two ways to say what a row is when a table is only measured."""
    words = _WORDS[surface]
    return f"{_filled(words.people, [column], surface)}, or {words.rows} if each row is a person"


def _it(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _filled(words: str, names: Sequence[str], surface: Surface, unit: Unit | None = None) -> str:
    counts = {} if unit is None else _counting(names[0], unit)
    return words.format(
        it=_it(names),
        spelled=", ".join(spelled(name, surface) for name in names),
        texts=", ".join(map(repr, names)),
        json=", ".join(json.dumps(name, ensure_ascii=False) for name in names),
        word=shlex.quote(",".join(names)),
        **counts,
    )


def _counting(column: str, unit: Unit) -> dict[str, object]:
    """Return the guarantee as it counts people, and as it counts rows that are people."""
    people: dict[str, object] = {"type": "people", "k": unit.least, "per": column}
    if unit.known:
        people = {"type": "known", "of": people, **json.loads(unit.known)}
    scope = f" {unit.scope}" if unit.scope else ""
    rows = f"k >= 1 PER ROW AND {unit.guarantee}{scope}" if scope else f"{unit.guarantee} PER ROW"
    return {
        "guarantee": unit.guarantee,
        "scope": scope,
        "rows": rows,
        "people": json.dumps(people, ensure_ascii=False),
        "k": 1 if scope else unit.least,
    }
