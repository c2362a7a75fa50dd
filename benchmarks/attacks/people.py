"""Generated people, for the attacks that need no data set."""

from __future__ import annotations

import random
from typing import Any

DISEASES = ("flu", "asthma", "ulcer", "diabetes", "angina", "eczema", "HIV")
SHARES = (26, 21, 17, 14, 12, 9, 1)

QUASI_IDENTIFIERS = "['zip', 'age', 'sex']"

Columns = dict[str, list[Any]]


def people(rows: int, seed: int) -> Columns:
    """Return people with zip code, age, sex, a disease that follows the age a little, and a random number."""
    chance = random.Random(seed)
    ages = [chance.randrange(20, 80, 5) for _ in range(rows)]
    return {
        "zip": [98_100 + min(chance.randrange(12), chance.randrange(12)) for _ in range(rows)],
        "age": ages,
        "sex": [chance.choice("fm") for _ in range(rows)],
        "disease": [chance.choices(DISEASES, _shares(age))[0] for age in ages],
        "visit": [chance.randrange(2**60) for _ in range(rows)],
    }


def _shares(age: int) -> list[float]:
    """Return the shares of the diseases: two of them grow with the age."""
    return [share * (age / 40 if name in ("diabetes", "angina") else 1) for name, share in zip(DISEASES, SHARES, strict=True)]
