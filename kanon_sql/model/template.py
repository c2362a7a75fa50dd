"""Rules to start a policy from: files of the package, each line with the paragraph of the rule behind it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from kanon_sql.errors import PolicyError, hint_of, use_one_of

TEMPLATES = ("hipaa-safe-harbor", "hipaa-expert", "gdpr", "cms-11", "opensafely")

KINDS = ("identifier", "place", "zip", "date", "birth_date", "date_part", "age", "birth_year")
"""The columns that rules are about. A place is smaller than a state; a part of a date is a month, a week or a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRule:
    """What a template does with the columns of a kind."""

    role: str  # as in `Role`
    rule: str  # the paragraph, and what it asks for
    # as the clause writes it; ``{year_of_birth_at_90}`` stands for the last year in which people of 90 were born
    recoding: str | None = None

    def recoding_on(self, day: date) -> str | None:
        """Return the recoding as it is on a day."""
        return None if self.recoding is None else self.recoding.format(year_of_birth_at_90=day.year - 90)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A rule to start from."""

    name: str  # what it is called
    title: str  # what rule it is
    source: str  # where that is written
    date: date  # when the rule was read
    notes: tuple[str, ...]  # what else to know
    k: int  # least number of rows of a class
    diverse: bool  # whether sensitive columns have to be l-diverse; else they are released unchanged
    t: Fraction | None  # how close sensitive columns have to be to the whole table
    rule: str  # why the guarantee is this one
    small_zip_areas: bool  # whether three digits of a zip code are shown of large areas only
    columns: dict[str, ColumnRule]  # by kind, one of `KINDS`

    def least_k(self, requested: int | None) -> int:
        """Return the requested k, or else that of the template.

        Raises
        ------
        PolicyError
            When it is smaller than that of the template.
        """
        if requested is not None and requested < self.k:
            raise PolicyError(f"the template {self.name} needs k >= {self.k}; hint: omit k, or set a larger one")
        return self.k if requested is None else requested


@cache
def template(name: str) -> Template:
    """Return a template of the package.

    Raises
    ------
    PolicyError
        When there is none of that name.

    Examples
    --------
    >>> template("cms-11").k, template("hipaa-safe-harbor").columns["age"].recoding
    (11, 'TOP 90')
    """
    if name not in TEMPLATES:
        hint = hint_of(name, TEMPLATES, use_one_of(TEMPLATES))
        raise PolicyError(f"there is no template {name!r}; hint: {hint}")
    text = files("kanon_sql.model").joinpath("policy_templates", f"{name}.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)
    guarantee = data["guarantee"]
    return Template(
        name=name,
        title=data["title"],
        source=data["source"],
        date=data["date"],
        notes=tuple(data["notes"]),
        k=guarantee["k"],
        diverse=guarantee["l"],
        t=Fraction(guarantee["t"]) if "t" in guarantee else None,
        rule=guarantee["rule"],
        small_zip_areas=data.get("small_zip_areas", False),
        columns={kind: ColumnRule(**rule) for kind, rule in data["columns"].items()},
    )
