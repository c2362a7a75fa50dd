"""Pseudonyms as the documentation defines them, computed anew."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import naive

from fuzz.domains import PLAIN
from fuzz.draw import Trial
from fuzz.known_secret import SECRET
from fuzz.table import Look, Table
from kanon_sql.certificate import Certificate


def pseudonym_of(trial: Trial) -> str | None:
    """The column that becomes tokens under a stored policy: one without a role, whose equal values have one text."""
    guarantee = trial.guarantee
    roles = {*guarantee.qi, *guarantee.sensitive, guarantee.per}
    able = [
        each.name
        for each in trial.columns
        if each.name not in roles
        and (each.domain in PLAIN or not each.domain.values)
        and not each.domain.twins
        and not each.domain.fold
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


def wrong_histories(certificate: Certificate, released: Table, name: str, quasi_identifiers: Sequence[str]) -> tuple[str, ...]:
    """What a certificate says of the tokens of a column that the released rows do not; earlier releases may add to it."""
    place, shown = released.column(name), [released.column(each) for each in quasi_identifiers]
    told = [(row[place], tuple(row[each] for each in shown)) for row in released.looks]
    counted = naive.candidates([told])
    (risk,) = certificate.histories
    people, alone, fewest = len(counted), counted.count(1), min(counted, default=0)
    if risk.releases:
        holds = risk.people >= people and risk.alone >= alone and risk.fewest <= fewest
    else:
        holds = (risk.people, risk.alone, risk.fewest) == (people, alone, fewest)
        holds = holds and risk.average * people == sum(counted)
    return () if holds else (f"the certificate says of tokens: {risk.describe()}; counted: {people}, {alone}, {fewest}",)
