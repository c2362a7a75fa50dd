"""k may be the second argument, for every kind of table."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import PolicyError

TABLE = pa.table({"zip": ["a"] * 6 + ["b"] * 4})


def relation() -> Any:
    con = duckdb.connect()
    con.register("zips", TABLE)
    return con.table("zips")


KINDS = {
    "arrow": lambda: TABLE,
    "batch": lambda: TABLE.to_batches()[0],
    "pandas": lambda: TABLE.to_pandas(),
    "polars": lambda: pl.from_arrow(TABLE),
    "lazy": lambda: pl.from_arrow(TABLE).lazy(),
    "relation": relation,
}


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_k_is_the_second_argument(kind: str) -> None:
    release = kanon_sql.anonymize(KINDS[kind](), 5)
    assert release.certificate.requirements == ("k >= 5",)
    assert (release.certificate.smallest_class, release.certificate.suppressed_cells) == (5, 5)
    named = kanon_sql.anonymize(KINDS[kind](), k=5)
    assert named.certificate.policy == release.certificate.policy


def test_without_k_it_is_two() -> None:
    assert kanon_sql.anonymize(TABLE).certificate.requirements == ("k >= 2",)


@pytest.mark.parametrize("wrong", [None, "5", 5.0, True, 0])
def test_a_k_that_is_no_number_is_refused(wrong: Any) -> None:
    with pytest.raises(PolicyError, match="k must be a whole number of at least 1"):
        kanon_sql.anonymize(TABLE, wrong)
    with pytest.raises(PolicyError, match="k must be a whole number of at least 1"):
        kanon_sql.anonymize(pd.DataFrame({"zip": [1]}), k=wrong)


def test_two_of_k_and_a_third_argument_are_refused() -> None:
    with pytest.raises(TypeError, match="multiple values for argument 'k'"):
        kanon_sql.anonymize(TABLE, 5, k=5)  # type: ignore[misc]
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments but 3"):
        kanon_sql.anonymize(TABLE, 5, ["zip"])  # type: ignore[misc]
