"""The macros in plain SQL: releases of tables with equal values that look different, and what the certificate says of them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import duckdb

import kanon_sql
from fuzz.checker import Claim
from fuzz.domains import INTEGER, NASTY, ZIPS, Domain
from fuzz.draw import Column, Trial
from fuzz.guarantee import Guarantee
from fuzz.known_secret import SECRET
from fuzz.outcome import FoundError, Outcome, RefusedError, refused
from fuzz.spelling import text
from fuzz.sql_surfaces import store
from fuzz.table import read_pair
from fuzz.trials import Verdict, judge

SQL = Path(__file__).parents[2] / "sql" / "kanon.sql"

TWINS = tuple(each for each in NASTY if each.twins)


def _by_package(seed: str) -> bool:
    """Whether the package makes the release, and not the macro."""
    return Random(f"{seed} maker").random() < 0.3


def drawn(seed: str) -> Trial:
    """Draw a table of at most three quasi-identifiers, one at least with twins, and a number for each row."""
    draw = Random(seed)
    # the package shows one text for all that a collation takes for one, which is no suppression by the certificate
    twins = tuple(each for each in TWINS if not (each.fold and _by_package(seed)))
    domains = [draw.choice(twins), *(draw.choice((*twins, INTEGER, ZIPS)) for _ in range(draw.choice([0, 1, 1, 2])))]
    names = draw.sample(["zip", "age", 'a"b', "Select", "two words", "source", "qi", "cells"], len(domains))
    picked_columns = [draw.sample(each.values, min(len(each.values), draw.randint(1, 4))) for each in domains]
    size = draw.randint(1, 7) if draw.random() < 0.6 else draw.randint(8, 30)
    masks = None
    if draw.random() < 0.3:
        masks = (*(tuple(name for name in names if draw.random() < 0.6) for _ in range(draw.randint(1, 3))), ())
    return Trial(
        seed=seed,
        columns=(*map(Column, names, domains), Column("id", Domain("INTEGER", ()))),
        rows=tuple((*map(draw.choice, picked_columns), str(number)) for number in range(size)),
        guarantee=Guarantee(qi=tuple(names), k=draw.choice([1, 2, 2, 3, 4]), masks=masks, kept=("id",)),
        trees={},
    )


class Macros:
    """A connection of stock DuckDB with the macros, and one with the functions of the package in the place of two of them."""

    def __init__(self) -> None:
        self.cons: dict[bool, Any] = {}

    def close(self) -> None:
        """Close the connections."""
        for con in self.cons.values():
            con.close()
        self.cons.clear()

    def judge(self, seed: str) -> Verdict:
        """Release a trial twice and say what is wrong with the release, or with its certificate in plain SQL."""
        return judge(self, drawn(seed))

    def _connection(self, package: bool) -> Any:
        if package not in self.cons:
            con = duckdb.connect()
            con.execute("SET enable_progress_bar = false")
            con.execute(SQL.read_text(encoding="utf-8"))
            self.cons[package] = kanon_sql.register(con, secret=SECRET) if package else con
        return self.cons[package]

    def release(self, trial: Trial) -> Outcome:
        """Release a trial.

        Raises
        ------
        RefusedError
            When it is refused.
        FoundError
            When it fails in another way.
        """
        package = _by_package(trial.seed)
        con, guarantee = self._connection(package), trial.guarantee
        store(con, trial, "t")
        qi = f"[{', '.join(map(text, guarantee.qi))}]"
        given = f"k := {guarantee.k}, qi := {qi}, keep := ['id']"
        call = f"k_anonymize('t', {given})"
        if guarantee.masks is not None:
            masks = ", ".join(f"[{', '.join(map(text, mask))}]" for mask in guarantee.masks)
            call = f"pattern_guided('t', [{masks}], {given})"
        try:
            con.execute(f"CREATE OR REPLACE TABLE released AS FROM {call}")
        except Exception as error:
            if "kanon: rows are left over" in str(error):
                raise RefusedError("InfeasibleError", str(error)) from None
            raise refused(error, foreign=True) from None  # every kind of it is judged
        source, released = read_pair(con, "t", "released", trial.folds)
        found = con.execute(f"FROM suppression_certificate('released', 't', {guarantee.k}, {qi})").fetchall()[0]
        status, smallest, classes, rows, _, suppressed, bound, _ = found
        if status not in ("OPTIMAL", "FEASIBLE"):
            raise FoundError(f"the certificate says {status}")
        counted = con.execute(f"SELECT k, classes FROM k_anonymity('released', {qi})").fetchall()[0]
        if counted != (smallest, classes):
            raise FoundError(f"k_anonymity counts {counted}, the certificate {smallest, classes}")
        claim = Claim(
            cost=Fraction(suppressed),
            lower_bound=Fraction(bound),
            optimal=status == "OPTIMAL",
            rows=rows,
            classes=classes,
            smallest_class=smallest,
        )
        return Outcome(source=source, released=released, claim=claim, ordered=not package)


__all__ = ["Macros", "drawn"]
