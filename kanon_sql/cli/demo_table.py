"""The invented hospital table of the demonstration, and the file that it leaves."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.errors import SourceError, raise_alone

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "visits.csv"

_FIRST_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Iris", "Jack", "Kim", "Leo", "Mia", "Noah", "Olga")
_INITIALS = "ABCDEFGHKLMNOPRSTVW"

_VISITS = 2.5
"""Visits of a patient, on average."""

# Neighbourhoods of one region: a few are large, most are small.
_ZIPS = ("00501", "00544", "06390", "11701", "11702", "11703", "11704", "11705")
_EDUCATION = ("none", "school", "college", "bachelor", "graduate")
_MARITAL = ("single", "married", "divorced", "widowed")
_DISEASES = ("asthma", "migraine", "fracture", "diabetes", "heart failure", "cancer", "influenza")

# What brings people to hospital, by the age up to which the row counts; one weight per disease.
_CAUSES = {
    20: (6, 1, 8, 1, 0.2, 0.4, 5),
    45: (3, 6, 5, 2, 1, 2, 4),
    65: (2, 4, 3, 6, 4, 5, 4),
    150: (1, 2, 5, 6, 8, 6, 6),
}


def visits(rows: int, seed: int) -> pa.Table:
    """Invent the visits of patients; the same arguments give the same table.

    Parameters
    ----------
    rows : int
        Number of visits.
    seed : int
        Seed of the generator.

    Returns
    -------
    pyarrow.Table
        ``patient_id``, ``name``, ``zip`` (text, with leading zeros), ``age`` (bands of ten years), ``sex``, ``marital`` and
        ``education`` of the patient, ``quarter`` and ``disease`` of the visit. Marital status, education and disease depend on
        age, influenza on the month, education on the zip code. Visits come in the order of their quarters.
    """
    import pyarrow as pa

    from kanon_sql.engines.built_arrays import numbers, texts

    rng = np.random.default_rng(seed)

    def draw(weights: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Draw one choice for each row of weights."""
        shares = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
        chosen: np.ndarray[Any, np.dtype[np.int64]] = (rng.random((len(weights), 1)) > shares[:, :-1]).sum(axis=1)
        return chosen

    people = max(1, round(rows / _VISITS))
    places = 1 / np.arange(1, len(_ZIPS) + 1)
    zips = draw(np.tile(places, (people, 1)))
    age = np.clip(rng.normal(52, 22, people), 0, 99).astype(np.int64)
    female = rng.random(people) < 0.53

    grown = age[:, None] >= 20
    marital = draw(
        np.where(
            grown, np.stack([90.0 - age, 20.0 + age, 0.5 * age, np.maximum(0.2, age - 55.0)], axis=1).clip(0.2), [1, 0, 0, 0]
        )
    )
    # Schools differ by neighbourhood; a child has no diploma yet.
    level = draw(np.where(grown, np.exp(-0.5 * (np.arange(5) - 1.2 - 0.15 * zips[:, None]) ** 2), [1, 0, 0, 0, 0]))

    names = zip(rng.choice(_FIRST_NAMES, people), rng.choice(list(_INITIALS), people), strict=True)
    number = rng.permutation(people) + 10_000

    # everybody comes once, and some again
    patient = np.concatenate([np.arange(people), rng.integers(0, people, rows - people)])
    month = np.sort(rng.integers(1, 13, rows))
    rng.shuffle(patient)
    limits = np.array(list(_CAUSES))
    causes = np.array(list(_CAUSES.values()), dtype=np.float64)[np.searchsorted(limits, age[patient], side="right")]
    causes[:, 6] *= np.where(np.isin(month, (12, 1, 2)), 3.0, 0.3)

    decade = age // 10 * 10
    of_person: dict[str, list[str]] = {
        "name": [f"{first} {initial}." for first, initial in names],
        "zip": [_ZIPS[code] for code in zips],
        "age": [f"{low}-{low + 9}" for low in decade],
        "sex": np.where(female, "female", "male").tolist(),
        "marital": [_MARITAL[code] for code in marital],
        "education": [_EDUCATION[code] for code in level],
    }
    of_visit = {
        "quarter": [f"2026-Q{(number + 2) // 3}" for number in month.tolist()],
        "disease": [_DISEASES[code] for code in draw(causes)],
    }
    columns = {name: texts(values[each] for each in patient) for name, values in of_person.items()}
    columns |= {name: texts(values) for name, values in of_visit.items()}
    return pa.table({"patient_id": numbers(number[patient])} | columns)


def write_visits(folder: str, rows: int, seed: int) -> None:
    """Write the table of `visits` to a new file in a folder, which is made if there is none.

    Raises
    ------
    SourceError
        When the file exists, or cannot be written.
    """
    from pyarrow.csv import write_csv

    from kanon_sql.engines.duckdb.files.staging import put_text

    place = Path(folder, FILE)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise_alone(SourceError(f"cannot create the folder {folder}: {error.strerror}; hint: choose a different folder"))
    if place.exists():
        raise SourceError(f"{place} already exists; hint: choose a different folder")
    text = BytesIO()
    write_csv(visits(rows, seed), text)
    put_text(text.getvalue().decode(), place, replace=False, private=False)
