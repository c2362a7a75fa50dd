"""What every equivalence class of a release has to meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.validation import known_keys, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymity:
    """Every equivalence class holds at least ``k`` rows. Merging classes keeps it."""

    k: int

    def __post_init__(self) -> None:
        whole(self.k, "k", 1)

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows."""
        return self.k

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"k >= {self.k}"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": "k", "k": self.k}


Requirement = KAnonymity
"""The requirements that exist; a conjunction is a tuple of them."""

_REQUIREMENTS: dict[str, type[Requirement]] = {"k": KAnonymity}


def requirement_from_json(item: object) -> Requirement:
    """Read a requirement from plain JSON data."""
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str) or kind not in _REQUIREMENTS:
        raise PolicyError(f"a requirement has the unknown type {kind!r}; hint: the types are {', '.join(_REQUIREMENTS)}")
    requirement = _REQUIREMENTS[kind]
    data = known_keys(item, {"type", *requirement.__dataclass_fields__}, f"the requirement {kind!r}", kind)
    return requirement(**{key: value for key, value in data.items() if key != "type"})
