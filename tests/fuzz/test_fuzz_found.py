"""Seeds of long runs that found something."""

from __future__ import annotations

import pytest

from fuzz.campaign import again


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "seed",
    [
        "coded:2026:19460",  # the greedy left a row over, and a release was there
        "coded:2026:120284",  # the same, with sensitive values
        "coded:2026:207563",  # the same, with people
        "files:2027:30",  # a bound that rests on a search, as one that prices prove
        "python:2028:439",  # an empty map and NULL have one hash, and changed places
        "policies:2027:63",  # texts that a collation takes for one
        "clause:2032:336",  # the values 0 and 00, equal as numbers, under the label of one of them
        "clause:2032:420",  # a sensitive zero of the other sign, in a map
        "functions:2035:1520",  # the largest unsigned number, which Arrow hands on as -1, in the order of values
        "functions:2037:3766",  # rows that differ in the sign of a sensitive zero changed places
        "functions:2037:4421",  # the sides of a join changed, and with them the order of the rows
        "policies:2040:57",  # the text of suppression stands for another that a collation takes for it
        "functions:4001:23",  # an empty list and NULL have one hash, and the one NULL singled nobody out
        "functions:4002:80",  # the same
        "clause:4102:99",  # the least and the highest UHUGEINT have one hash, too
        "policies:2041:0",  # a set of two texts that a collation takes for one costs nothing
        "files:9101:197",  # a JSON file without rows names no columns
        "python:9302:282",  # a decimal column of pandas that shows zeros alone
        "populations:9201:70",  # a value of the population that is longer than all of the source has no label with stars
    ],
)
def test_what_a_long_run_found_is_repaired(seed: str) -> None:
    verdict = again(seed)
    assert not verdict.found
    assert verdict.released or "a collation takes" in verdict.reason  # DuckDB 2 joins what a collation calls equal


@pytest.mark.everything
@pytest.mark.sweep
def test_no_mask_is_left_where_the_finest_levels_are_hidden() -> None:
    verdict = again("policies:2034:436")
    assert not verdict.found
    assert verdict.reason.startswith("InfeasibleError")
