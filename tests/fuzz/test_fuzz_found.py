"""Seeds of long runs that found something."""

from __future__ import annotations

import pytest

from fuzz.campaign import again


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
    ],
)
def test_what_a_long_run_found_is_mended(seed: str) -> None:
    verdict = again(seed)
    assert not verdict.found
    assert verdict.released
