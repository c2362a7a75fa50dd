"""Columns that repeat people are found in tables of which the truth is known, in any order of the rows, and in samples."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import numpy as np
import people_tables
import pytest
from people_tables import REPEATED, Columns

from kanon_sql.recognition import recognized_name
from kanon_sql.recognition.evidence import topic_of
from kanon_sql.recognition.lost_keys import people_without_key
from kanon_sql.recognition.pairs import Pairs, SampledRows
from kanon_sql.recognition.repeated_people import RepeatedPeople, repeated_people

SEEDS = range(6)


def sampled(columns: Columns, parts: int = 1, seed: int = 0) -> SampledRows:
    """Return the rows as hashes; of many parts, a half of the rows is drawn, and each column brings one part of its values."""
    hashes = np.stack([np.array([_hash(value) for value in values], np.uint64) for values in columns.values()], axis=1)
    filled = np.stack([[value is not None for value in values] for values in columns.values()], axis=1)
    drawn = np.random.default_rng(seed).random(len(hashes)) < (1 if parts == 1 else 0.5)
    here = drawn | ((hashes & np.uint64(parts - 1)) == 0).any(axis=1)
    return SampledRows(
        names=tuple(columns),
        hashes=hashes[here],
        filled=filled[here],
        drawn=drawn[here],
        varied=tuple(len(set(values)) > 64 for values in columns.values()),
        years={place: np.array(columns[name], float)[here] for place, name in enumerate(columns) if name == "age"},
        rows=len(hashes),
        parts=parts,
    )


def _hash(value: object) -> int:
    return int.from_bytes(blake2b(repr(value).encode(), digest_size=8).digest(), "little")


def found_in(sample: SampledRows, per: str | None = None) -> list[RepeatedPeople]:
    kinds = {place: recognized_name(name) for place, name in enumerate(sample.names)}
    personal = {place: topic_of(kind, "") for place, kind in kinds.items() if kind and kind.personal}
    identifying = {place for place, kind in kinds.items() if kind and kind.kind == "record number"}
    pairs = Pairs(sample, None if per is None else sample.names.index(per))
    return repeated_people(pairs, personal, identifying, joined=sample.parts == 1)


def certain(found: list[RepeatedPeople]) -> list[str]:
    return [each.columns[0] for each in found if each.certain]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", REPEATED, ids=lambda make: make.__name__)
def test_people_with_several_rows_are_found(make: Callable[[int], Columns], seed: int) -> None:
    columns = make(seed)
    found = found_in(sampled(columns))
    assert certain(found)[0] == REPEATED[make]
    assert found[0].people == len(set(columns[REPEATED[make]]))
    assert found[0].rows == len(columns[REPEATED[make]])
    assert found[0].bits >= 6


@pytest.mark.parametrize("seed", SEEDS)
def test_people_who_are_counted_are_not_found_again(seed: int) -> None:
    assert not found_in(sampled(people_tables.visits(seed)), per="patient_id")
    assert certain(found_in(sampled(people_tables.visits(seed)), per="visit")) == ["patient_id"]


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(30))
def test_single_people_repeat_nobody(seed: int) -> None:
    columns = people_tables.single_people(seed, rows=100 + 50 * seed)
    everything = sampled(columns)
    assert not certain(repeated_people(Pairs(everything), dict(enumerate(columns)), joined=True))
    assert not certain(found_in(everything))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_household_is_no_person(seed: int) -> None:
    """It is worth a warning: its rows agree on more than those of a shop."""
    found = found_in(sampled(people_tables.households(seed)))
    assert not certain(found)
    assert [each.columns for each in found] == [("household",)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_rows_and_columns_is_of_no_account(seed: int) -> None:
    columns = people_tables.visits(seed, people=200, rows=900)
    order = np.random.default_rng(seed).permutation(900)
    shuffled: Columns = {name: [columns[name][place] for place in order] for name in columns}
    assert found_in(sampled(shuffled)) == found_in(sampled(columns))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SEEDS)
def test_a_sample_shows_what_all_rows_show(seed: int) -> None:
    columns = people_tables.visits(seed, people=6_000, rows=20_000)
    (whole,), (part,) = (
        [each for each in found_in(sampled(columns, parts)) if each.columns == ("patient_id",)] for parts in (1, 8)
    )
    assert part.certain
    assert part.shared == whole.shared
    assert part.people == pytest.approx(whole.people, rel=0.25)


@pytest.mark.parametrize("parts", [1, 8])
@pytest.mark.parametrize("number", ["number", "patient_no"])
@pytest.mark.parametrize("seed", SEEDS)
def test_two_columns_may_be_a_key_together(seed: int, number: str, parts: int) -> None:
    """A clinic numbers its patients from 1: neither the clinic nor the number says who it is."""
    columns = people_tables.visits(seed) if parts == 1 else people_tables.visits(seed, people=6_000, rows=20_000)
    who = [int(str(each)[1:]) for each in columns.pop("patient_id")]
    columns |= {"site": [each % 7 for each in who], number: [each // 7 for each in who]}
    found = [each for each in found_in(sampled(columns, parts)) if each.certain]
    if parts > 1 and number == "number":
        assert not found  # of a large table, any two columns are too many
    else:
        assert [set(each.columns) for each in found] == [{"site", number}]
        assert found[0].people == pytest.approx(len(set(who)), rel=0.0 if parts == 1 else 0.25)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_looks_like_an_identifier_needs_less(seed: int) -> None:
    """Sex and city are worth 4 bits: too few for any column, and enough for an e-mail address that repeats."""
    draw = np.random.default_rng(seed)
    who = draw.integers(0, 40, 200)
    columns: Columns = {
        "email": [f"u{each}@example.org" for each in who],
        "sex": [("f", "m")[each % 2] for each in who],
        "city": [f"c{each * 7 % 8}" for each in who],
        "device": draw.integers(0, 3, 200).tolist(),
    }
    pairs = Pairs(sampled(columns))
    assert not certain(repeated_people(pairs, {1: "sex", 2: "city"}))
    assert certain(repeated_people(pairs, {1: "sex", 2: "city"}, {0})) == ["email"]
    assert not repeated_people(pairs, {3: "device"}, {0})


@pytest.mark.parametrize("seed", SEEDS)
def test_patients_may_move(seed: int) -> None:
    """A seventh of the visits have another zip code, and most patients are women: the number still tells who it is."""
    draw = np.random.default_rng(seed)
    who = draw.integers(0, 130, 400)
    columns: Columns = {
        "patient_id": who.tolist(),
        "sex": (np.arange(130) % 8 > 0)[who].tolist(),
        "job": (who * 7 % 12).tolist(),
    }
    columns |= {"zip": np.where(draw.random(400) < 0.16, draw.integers(0, 60, 400), who * 11 % 60).tolist()}
    assert certain(found_in(sampled(columns))) == ["patient_id"]
    elsewhere = columns | {"zip": draw.integers(0, 60, 400).tolist(), "job": draw.integers(0, 12, 400).tolist()}
    assert not certain(found_in(sampled(elsewhere)))


def test_partners_of_one_age_group_are_two_people() -> None:
    draw = np.random.default_rng(4)
    home = np.arange(3_000) // 2
    columns: Columns = {
        "household": home.tolist(),
        "zip": draw.integers(0, 90, 1_500)[home].tolist(),
        "income": draw.integers(0, 9, 1_500)[home].tolist(),
        "religion": draw.integers(0, 7, 1_500)[home].tolist(),
        "nationality": draw.integers(0, 5, 1_500)[home].tolist(),
        "sex": draw.integers(0, 2, 3_000).tolist(),
    }
    found = found_in(sampled(columns))
    assert not certain(found)
    assert [each.columns for each in found] == [("household",)]


def test_few_rows_show_nothing() -> None:
    columns = {name: values[:30] for name, values in people_tables.payroll(1).items()}
    assert not found_in(sampled(columns))


def test_equal_rows_are_not_taken_for_those_of_one_person() -> None:
    """Few distinct combinations of values make many equal rows; they stand in no order that would put them side by side."""
    draw = np.random.default_rng(3)
    columns: Columns = {
        "shop": draw.integers(0, 12, 4_000).tolist(),
        "sex": draw.integers(0, 2, 4_000).tolist(),
        "age": draw.integers(20, 28, 4_000).tolist(),
        "zip": draw.integers(0, 9, 4_000).tolist(),
    }
    assert not found_in(sampled(columns))


def test_ages_grow() -> None:
    columns = people_tables.visits(5)
    ages: Columns = {**columns, "age": [1990 - int(str(each)[:4]) + place % 2 for place, each in enumerate(columns["born"])]}
    del ages["born"]
    (found,) = found_in(sampled(ages))
    assert "age" in found.shared


@pytest.mark.parametrize("seed", SEEDS)
def test_ages_tell_a_shop_from_a_person(seed: int) -> None:
    """A shop serves one place, where nearly all have one job and one income; a patient returns for forty years."""
    draw = np.random.default_rng(seed)

    def nearly(values: np.ndarray, many: int) -> list[int]:
        return np.where(draw.random(len(values)) < 0.02, draw.integers(0, many, len(values)), values).tolist()

    place = draw.integers(0, 25, 1_500)
    people: Columns = {"shop": nearly(place * 7 % 25, 25), "zip": place.tolist(), "age": draw.integers(18, 90, 1_500).tolist()}
    people |= {"job": nearly(place % 12, 12), "income": nearly(place * 5 % 7, 7)}
    assert not certain(found_in(sampled(people)))
    patient = draw.integers(0, 300, 1_500)
    visits: Columns = {"patient": patient.tolist(), "zip": (patient % 25).tolist(), "job": (patient * 7 % 12).tolist()}
    visits |= {"income": (patient * 5 % 7).tolist(), "age": (18 + patient * 11 % 40 + draw.integers(0, 40, 1_500)).tolist()}
    assert certain(found_in(sampled(visits))) == ["patient"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lost_key_shows_in_rows_that_agree_on_everything(seed: int) -> None:
    columns = people_tables.visits(seed)
    without = sampled({name: columns[name] for name in ("born", "zip", "sex", "job")})
    assert people_without_key(Pairs(without), range(4)) > 100
    alone = people_tables.single_people(seed)
    single = sampled({name: alone[name] for name in ("zip", "birth_year", "sex", "education", "job")})
    assert people_without_key(Pairs(single), range(5)) < 100
