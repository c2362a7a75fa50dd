"""Pseudonyms as the documentation defines them, computed anew."""

from __future__ import annotations

import hmac
from dataclasses import replace
from random import Random

from fuzz.draw import Trial
from fuzz.known_secret import SECRET
from fuzz.pools import PLAIN
from fuzz.table import Look, Table


def pseudonym_of(trial: Trial) -> str | None:
    """The column that becomes tokens under a stored policy: one without a role, whose equal values have one text."""
    promise = trial.promise
    roles = {*promise.qi, *promise.sensitive, promise.per}
    able = [
        each.name
        for each in trial.columns
        if each.name not in roles
        and (each.pool in PLAIN or not each.pool.values)
        and not each.pool.twins
        and not each.pool.fold
    ]
    draw = Random(f"{trial.seed} pseudonym")
    return draw.choice(able) if able and draw.random() < 0.5 else None


def with_tokens(table: Table, name: str | None) -> Table:
    """The table with tokens in the place of a column."""
    if name is None:
        return table
    place = table.column(name)
    key = hmac.digest(SECRET, b"kanon-sql 1: pseudonyms", "sha256")

    def tokened(row: tuple[Look, ...]) -> tuple[Look, ...]:
        cell = row[place]
        token = None if cell is None else hmac.digest(key, cell.encode(), "sha256")[:16].hex()
        return (*row[:place], token, *row[place + 1 :])

    types = (*table.types[:place], "VARCHAR", *table.types[place + 1 :])
    return replace(table, types=types, looks=[*map(tokened, table.looks)], values=[*map(tokened, table.values)])
