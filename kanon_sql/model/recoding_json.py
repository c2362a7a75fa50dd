"""A recoding as plain JSON data, and back."""

from __future__ import annotations

from dataclasses import MISSING, fields
from fractions import Fraction
from typing import Any

from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.recodings import KINDS, Generalization
from kanon_sql.model.validation import known_keys, plain_number

SUPPRESS = "suppress"
"""The recoding of a column whose cells are shown or hidden, nothing in between."""


def to_json(recoding: Generalization | None) -> Any:
    """Return a recoding as plain JSON data."""
    if recoding is None:
        return SUPPRESS
    kind = next(name for name, each in KINDS.items() if isinstance(recoding, each))
    found: dict[str, Any] = {"type": kind}
    for each in fields(recoding):
        value = getattr(recoding, each.name)
        if value is None or value is False:  # an end that there is not, and values that may be shown
            continue
        found[each.name] = [_plain(part) for part in value] if isinstance(value, tuple) else _plain(value)
    return found


def from_json(item: Any) -> Generalization | None:
    """Read a recoding from plain JSON data; what may be left out takes its default."""
    if item is None or item == SUPPRESS or isinstance(item, Generalization):
        return item if isinstance(item, Generalization) else None
    kind = item.get("type") if isinstance(item, dict) else item
    if not isinstance(kind, str) or kind not in KINDS:
        shown = repr(kind) if isinstance(kind, str) else type(kind).__name__
        hint = hint_of(kind, KINDS, f"the types are {SUPPRESS}, {', '.join(KINDS)}")
        raise PolicyError(f"a recoding has the unknown type {shown}; hint: {hint}")
    built = KINDS[kind]
    names = {each.name: each.default is MISSING for each in fields(built)}
    data = known_keys(
        item if isinstance(item, dict) else {"type": kind},
        {"type", *names},
        f"the recoding {kind!r}",
        [name for name, must in names.items() if must],
    )
    return built(**{key: value for key, value in data.items() if key != "type"})


def _plain(value: Any) -> Any:
    return plain_number(value) if isinstance(value, Fraction) else value
