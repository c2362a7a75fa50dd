"""What a guarantee counts: rows, people by a column, or rows that are people because the author says so."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from kanon_sql.model.validation import as_identifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a guarantee counts, and by which columns."""

    guarantee: str  # what is counted, as the clause writes it without its PER: ``'k >= 5'``
    least: int  # rows that a class has at least, by all columns or by those that an attacker knows
    scope: str = ""  # what an attacker knows, if not all columns: ``'FOR ANY 3 COLUMNS'``
    known: str = ""  # the same as JSON; empty for linked histories
    by: tuple[str, ...] = ()  # the quasi-identifiers of a release, or the keys of a table
    every_column: bool = False  # whether these are all columns without another role, because the author names none
    per: str | None = None  # the column that tells people apart
    per_row: bool = False  # whether the author says that each row is a person
    recoded: tuple[str, ...] = ()  # those of ``by`` whose cells are generalized
    roles: tuple[str, ...] = ()  # further columns that the policy names on purpose
    sensitive: tuple[str, ...] = ()  # the sensitive ones of these
    kept: tuple[str, ...] = ()  # those of these that it releases unchanged
    keys: bool = False  # whether ``by`` are the keys of a table of counts and sums

    @property
    def counts_rows_only(self) -> bool:
        """Return whether the guarantee needs no people: the author says that rows are some, or asks for no class."""
        return self.per_row or self.least == 1

    def describe(self) -> str:
        """Return what is counted as the clause writes it."""
        people = "" if self.per is None else f" PER {as_identifier(self.per)}"
        return f"{self.guarantee}{people}{self.scope and f' {self.scope}'}"

    def to_json(self) -> str:
        """Return the canonical text."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Unit:
        """Read the text of `to_json`."""
        data: dict[str, Any] = json.loads(text)
        return cls(**(data | {name: tuple(each) for name, each in data.items() if isinstance(each, list)}))
