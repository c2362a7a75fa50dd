"""Column names in the audit macros: one only where DuckDB takes them for one, which folds the letters A to Z alone."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import duckdb
import pytest

COLUMNS = [("É", "é"), ("İ", "i"), ("Σ", "ς")]

OF_ONE_TABLE = (
    "equivalence_classes('t', {qi})",
    "k_anonymity('t', {qi})",
    "k_known('t', {qi}, 1)",
    "history_risk('t', 'id', {qi}, 1)",
    "k_mapping('t', {qi}, 't')",
    "delta_presence('t', {qi}, 't')",
    "reidentification_risk('t', {qi}, population := 't')",
    "l_diversity('t', {qi}, 'd')",
    "l_diversity('t', [{first}, 'd'], {second})",
    "t_closeness('t', [{first}, 'd'], {second})",
    "beta_likeness('t', [{first}, 'd'], {second})",
    "delta_disclosure('t', [{first}, 'd'], {second})",
    "suda_scores('t', qi := {qi})",
    "unique_columns('t', 2, {qi})",
    "utility('t', 't', {qi})",
    "marginals('t', 't', qi := {qi})",
    "propensity('t', 't', qi := {qi})",
    "correlations('t', 't', {qi})",
    "predictability('t', 't', {first}, [{second}])",
    "group_loss('t', 't', {qi}, {first})",
    "imputed('t', qi := {qi})",
    "weighted_rows('t', 't', [{first}], [{second}])",
    "intersection_risk('t', 't', 'id', {qi})",
    "suppression_certificate('t', 't', 2, {qi})",
    "k_anonymize('t', 2, qi := {qi}, keep := ['id', 'd'])",
    "pattern_guided('t', [[{second}], []], k := 2, qi := {qi}, keep := ['id', 'd'])",
    "l_diversify('t', 'd', 1.2, qi := {qi}, keep := ['id'])",
    "t_close('t', 'd', 0.5, qi := {qi}, keep := ['id'])",
)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("names", COLUMNS)
def test_letters_that_duckdb_does_not_fold_are_two_columns(con: Any, names: tuple[str, str]) -> None:
    rng = random.Random(7)
    rows = [(n, rng.randint(0, 1), rng.choice("uv"), rng.choice("xy")) for n in range(40)]
    one, two = (f'"{name}"' for name in names)
    con.execute(f"CREATE TABLE t (id INTEGER, {one} INTEGER, {two} VARCHAR, d VARCHAR)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    first, second = (f"'{name}'" for name in names)
    for call in OF_ONE_TABLE:
        con.execute(f"FROM {call.format(qi=f'[{first}, {second}]', first=first, second=second)}").fetchall()
    smallest = min(Counter((number, letter) for _, number, letter, _ in rows).values())
    (found,) = con.execute(f"SELECT k FROM k_anonymity('t', [{first}, {second}])").fetchall()
    assert found == (smallest,)


@pytest.mark.parametrize("macro", ["k_anonymity('t', {qi})", "equivalence_classes('t', {qi})", "l_diversity('t', {qi}, 'd')"])
def test_letters_that_it_folds_are_one_column(con: Any, macro: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a, 2 AS d")
    with pytest.raises(duckdb.Error, match="qi names a column twice"):
        con.execute(f"FROM {macro.format(qi=['a', 'A'])}")
