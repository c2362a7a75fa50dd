"""Each guarantee has its file in every folder of guarantees, and what is asked there of all is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import get_args

import pytest
from test_house_imports import MODULES

from kanon_sql.engines.duckdb import guarantees as of_duckdb
from kanon_sql.engines.duckdb.guarantees import audited_guarantee as in_duckdb
from kanon_sql.engines.spark import guarantees as of_spark
from kanon_sql.engines.spark.guarantees import audited_guarantee as on_spark
from kanon_sql.model.requirements import (
    REQUIREMENTS,
    KAnonymity,
    KnownColumns,
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    ThresholdRequirement,
    standard_name,
)
from kanon_sql.solvers import guarantees as of_solvers
from kanon_sql.solvers.guarantees.attribute_requirement import AttributeRequirement
from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement
from kanon_sql.verification import guarantees as of_proofs
from kanon_sql.verification.guarantees.claimed_requirement import ClaimedRequirement

GROUPS = {
    "threshold": get_args(ThresholdRequirement),
    "values": get_args(SensitiveRequirement),
    "population": get_args(PopulationRequirement),
    "rows": (KAnonymity, KnownColumns),
}
"""The kinds of guarantees; each is of the first that has it."""

FOLDERS: dict[ModuleType, dict[str, type]] = {
    of_duckdb: {
        "threshold": in_duckdb.AuditedFigures,
        "values": in_duckdb.AuditedColumn,
        "population": in_duckdb.AuditedPopulation,
        "rows": in_duckdb.AuditedGuarantee,
    },
    of_spark: {
        "threshold": on_spark.AuditedFigures,
        "values": on_spark.AuditedColumn,
        "population": on_spark.AuditedGuarantee,
        "rows": on_spark.AuditedGuarantee,
    },
    of_proofs: {"threshold": ClaimedRequirement, "values": ClaimedRequirement},
}
"""For each folder what the guarantees with something to say answer there, by a class of their files."""

SOLVED = {"threshold": AttributeRequirement, "values": AttributeRequirement, "population": MatchedRequirement}
"""What it answers to solvers, who need no file for rows alone."""

MOST_FILES = 13
"""Files that name the class of a guarantee."""


def classes(requirement: type[Requirement]) -> Iterator[tuple[type, type]]:
    """Yield the class of a guarantee in each folder, with the base class that it has there."""
    group = next(name for name, members in GROUPS.items() if requirement in members)
    for folder, asked in FOLDERS.items():
        if group in asked:
            name = requirement.__name__ + ("Claim" if folder is of_proofs else "Audit")
            yield getattr(import_module(f"{folder.__name__}.{standard_name(requirement)}"), name), asked[group]
    if group in SOLVED:
        yield import_module(f"{of_solvers.__name__}.{standard_name(requirement)}").Required, SOLVED[group]


def test_the_list_has_every_requirement() -> None:
    assert {*REQUIREMENTS} == {*get_args(Requirement)} == {each for members in GROUPS.values() for each in members}


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=standard_name)
def test_every_guarantee_has_its_files(requirement: type[Requirement]) -> None:
    """Each class is complete: what is abstract is there."""
    for found, asked in classes(requirement):
        assert issubclass(found, asked)
        assert not getattr(found, "__abstractmethods__", None)
        assert found.__doc__


@pytest.mark.parametrize("requirement", get_args(ThresholdRequirement), ids=standard_name)
def test_few_files_name_a_guarantee(requirement: type[Requirement]) -> None:
    """Its own, the lists of the model and of solvers, and what everybody may import."""
    named = [path for path in MODULES.values() if re.search(rf"\b{requirement.__name__}\b", path.read_text(encoding="utf-8"))]
    assert len(named) <= MOST_FILES, named
