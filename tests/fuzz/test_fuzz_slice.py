"""The same few hundred trials of every surface each time; `python -m benchmarks --only fuzz` goes on with others.

A finding names its seed: ``python -m benchmarks --only fuzz --again SEED`` shows it again.
"""

from __future__ import annotations

import pytest

from fuzz.campaign import LEAST_RELEASED, Tally, surfaces

PARTS = [
    *(("coded", part, 300) for part in range(4)),
    *(("functions", part, 14) for part in range(3)),
    *(("clause", part, 14) for part in range(2)),
    ("policies", 0, 14),
    *(("python", part, 12) for part in range(2)),
    ("files", 0, 10),
    ("typed", 0, 10),
    ("moving", 0, 12),
    ("populations", 0, 12),
    ("macros", 0, 20),
]
"""Surface, part, trials: each part is a test, so that they are shared between processes."""


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("name", "part", "trials"), PARTS, ids=lambda each: str(each))
def test_a_slice_of_the_fuzz_finds_nothing(name: str, part: int, trials: int) -> None:
    tally = Tally()
    with surfaces() as judges:
        for number in range(trials):
            seed = f"{name}:slice {part}:{number}"
            tally.add(seed, judges[name](seed), 0.0)
    assert tally.found == []
    assert tally.share >= LEAST_RELEASED, tally.refusals
    assert name in ("moving", "python", "files", "typed") or tally.judged
