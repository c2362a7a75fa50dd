"""Tables whose rows are people, or not: the truth about them is known, since they are made here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

Columns = dict[str, list[object]]


def visits(seed: int, people: int = 600, rows: int = 2_000) -> Columns:
    """Visits of patients, a few of whom move or change jobs."""
    draw = np.random.default_rng(seed)
    who = draw.integers(0, people, rows)
    zips, jobs, born = (draw.integers(0, many, people)[who] for many in (60, 25, 22_000))
    return {
        "visit": list(range(rows)),
        "patient_id": [f"P{each:05}" for each in who],
        "born": [f"{1930 + each // 300}-{1 + each % 12:02}-{1 + each % 28:02}" for each in born],
        "zip": _moved(draw, zips, 60),
        "sex": ["fm"[each] for each in draw.integers(0, 2, people)[who]],
        "job": _moved(draw, jobs, 25),
        "ward": draw.integers(0, 12, rows).tolist(),
    }


def orders(seed: int, rows: int = 2_000) -> Columns:
    """Orders of customers: products and shops repeat, too."""
    draw = np.random.default_rng(seed)
    who = draw.integers(0, 300, rows)
    return {
        "customer_id": who.tolist(),
        "birth_year": draw.integers(1930, 2005, 300)[who].tolist(),
        "sex": draw.integers(0, 2, 300)[who].tolist(),
        "zip": draw.integers(0, 100, 300)[who].tolist(),
        "product_id": draw.integers(0, 100, rows).tolist(),
        "shop_id": draw.integers(0, 30, rows).tolist(),
    }


def payroll(seed: int, people: int = 100) -> Columns:
    """A row for each employee and month."""
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), 12)
    return {
        "employee": who.tolist(),
        "month": np.tile(np.arange(12), people).tolist(),
        "birth_year": draw.integers(1955, 2003, people)[who].tolist(),
        "sex": draw.integers(0, 2, people)[who].tolist(),
        "job": draw.integers(0, 12, people)[who].tolist(),
        "city": draw.integers(0, 8, people)[who].tolist(),
    }


def households(seed: int, homes: int = 600) -> Columns:
    """People who share a household, its zip code, its income and mostly its race."""
    draw = np.random.default_rng(seed)
    home = np.repeat(np.arange(homes), draw.integers(1, 6, homes))
    race = np.where(draw.random(homes) < 0.6, 0, draw.integers(1, 5, homes))
    return {
        "household": home.tolist(),
        "zip": draw.integers(0, 80, homes)[home].tolist(),
        "income": draw.integers(0, 8, homes)[home].tolist(),
        "race": race[home].tolist(),
        "age": draw.integers(0, 95, len(home)).tolist(),
        "sex": draw.integers(0, 2, len(home)).tolist(),
    }


def at_home(seed: int, people: int = 220, homes: int = 170, times: float = 1.6) -> Columns:
    """Orders without a number of the customer: some share a name and some an address, and few columns describe them."""
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), draw.geometric(1 / times, people))
    return {
        "full_name": [f"N{each}" for each in draw.integers(0, 100, people)[who]],
        "address": [f"{each} Elm Street" for each in draw.integers(0, homes, people)[who]],
        "sex": draw.integers(0, 2, people)[who].tolist(),
        "income": draw.integers(0, 4, people)[who].tolist(),
        "product": draw.integers(0, 60, len(who)).tolist(),
    }


def namesakes(seed: int, people: int = 300, visits: int = 5) -> Columns:
    """Visits without a number of the patient: about two people share a first name and a surname."""
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), visits)
    return {
        "first_name": [f"F{each}" for each in draw.integers(0, 12, people)[who]],
        "surname": [f"S{each}" for each in draw.integers(0, 14, people)[who]],
        "zip": draw.integers(0, 4, people)[who].tolist(),
        "age": draw.integers(18, 90, people)[who].tolist(),
        "sex": draw.integers(0, 2, people)[who].tolist(),
        "disease": draw.integers(0, 6, len(who)).tolist(),
    }


def clinics(seed: int, people: int = 120, visits: int = 6) -> Columns:
    """Visits of patients whom each clinic numbers from 1; a few names are spelled in two ways."""
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), visits)
    return {
        "name": [f"N{each}{'h' * (each % 20 == 0 and not row % visits)}" for row, each in enumerate(who.tolist())],
        "clinic": (who % 4).tolist(),
        "patient_number": (who // 4 + 1).tolist(),
        "zip": draw.integers(0, 40, people)[who].tolist(),
        "age": draw.integers(18, 90, people)[who].tolist(),
        "sex": draw.integers(0, 2, people)[who].tolist(),
        "disease": draw.integers(0, 6, len(who)).tolist(),
    }


def spellings(seed: int) -> Columns:
    """Visits with nothing but a name that tells people apart, with and without accents, capital letters and spaces."""
    columns = clinics(seed)
    del columns["clinic"], columns["patient_number"]
    columns["name"] = [f"RENE{row // 6} " if row % 6 == 0 else f"René{row // 6}" for row in range(len(columns["name"]))]
    return columns


def families(seed: int, homes: int = 400) -> Columns:
    """People who share surname, address and telephone, and what goes with them."""
    draw = np.random.default_rng(seed)
    home = np.repeat(np.arange(homes), draw.integers(1, 6, homes))
    return {
        "surname": [f"S{each}" for each in draw.integers(0, 90, homes)[home]],
        "first_name": [f"F{each}" for each in draw.integers(0, 20, len(home))],
        "address": [f"{each} Elm Street" for each in home],
        "zip": draw.integers(0, 40, homes)[home].tolist(),
        "income": draw.integers(0, 4, homes)[home].tolist(),
        "nationality": draw.integers(0, 6, homes)[home].tolist(),
        "sex": draw.integers(0, 2, len(home)).tolist(),
        "job": draw.integers(0, 12, len(home)).tolist(),
    }


def single_people(seed: int, rows: int = 1_500) -> Columns:
    """One row for each person: names, places and traits that go together, and no key that repeats."""
    draw = np.random.default_rng(seed)
    zips = np.minimum(draw.geometric(0.02, rows), 200)
    sex, education = draw.integers(0, 2, rows), draw.integers(0, 8, rows)
    job = np.where(draw.random(rows) < 0.7, education * 3 + draw.integers(0, 3, rows), draw.integers(0, 24, rows))
    return {
        "surname": [f"S{each}" for each in np.minimum(draw.geometric(0.01, rows), 500)],
        "first_name": [f"F{each}" for each in sex * 100 + np.minimum(draw.geometric(0.05, rows), 99)],
        "zip": zips.tolist(),
        "city": (zips // 4).tolist(),
        "county": (zips // 20).tolist(),
        "region": (zips // 60).tolist(),
        "birth_year": draw.integers(1930, 2010, rows).tolist(),
        "sex": sex.tolist(),
        "education": education.tolist(),
        "job": job.tolist(),
        "diagnosis": draw.integers(0, 40, rows).tolist(),
    }


REPEATED: dict[Callable[[int], Columns], str] = {visits: "patient_id", orders: "customer_id", payroll: "employee"}
"""Tables in which people have several rows, and the column that says so."""


def table(columns: Columns) -> pa.Table:
    """Return the columns as an Arrow table."""
    return pa.table(columns)


def _moved(draw: np.random.Generator, values: np.ndarray, many: int) -> list[object]:
    rows = len(values)
    return np.where(draw.random(rows) < 0.04, draw.integers(0, many, rows), values).tolist()
