"""The rules of `forms.toml`. It imports nothing of the package: `build_sql.py` runs this file in a checkout."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

_FILE = Path(__file__).with_name("forms.toml")

LEAST_TEXTS = 20
"""Least number of texts in a column for their form to count as evidence."""

LEAST_NUMBERS = 10
"""Least number of different texts in a column for a checksum to count as evidence."""

LONGEST = 500
"""Characters of a text that are read; all forms are shorter, except free text."""

NUMBER = "[+-]?[0-9]+([.,][0-9]+)?"
"""A number."""

ANSWER = "(?i)(0|1|t|f|y|n|j|s|true|false|yes|no|ja|nein|nee|oui|non|si|sì|sí|sim|não|nao|tak|nie)"
"""An answer to a question, such as whether somebody has a telephone."""


@dataclass(frozen=True)
class Form:
    """A form of texts; `forms.toml` says what each attribute is."""

    kind: str
    reason: str
    paragraph: str
    look: str
    share: float = 0.8
    personal: bool = False
    folded: bool = False
    after: Literal["", "identifiers", "names"] = ""
    some: str = ""
    some_share: float = 0.0
    mean_length: int = 0
    distinct: float = 0.0
    weights: tuple[int, ...] = ()
    crossed: bool = False
    modulus: int = 1
    library: tuple[str, ...] = ()
    sign: str = ""
    hold: str = ""


@dataclass(frozen=True)
class Dates:
    """Forms of dates; `forms.toml` says what each attribute is."""

    look: str
    compact: str
    years: str
    hold: str


@cache
def forms() -> tuple[Form, ...]:
    """Return the forms in their order."""
    given = "|".join(_read()["parts"]["given_names"])
    return tuple(_form(each, given) for each in _read()["forms"])


@cache
def dates() -> Dates:
    """Return the forms of dates."""
    return Dates(**_read()["dates"])


def _form(given: dict[str, Any], given_names: str) -> Form:
    facts: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    facts["some"] = facts.get("some", "").replace("{given_names}", given_names)
    return Form(**facts)


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
