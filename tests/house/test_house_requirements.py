"""Each guarantee has its file in every folder of guarantees, and what is asked there of all is complete."""

from __future__ import annotations

from importlib import import_module
from typing import get_args

import pytest

from kanon_sql.engines.duckdb.guarantees import audited_class
from kanon_sql.engines.duckdb.guarantees.audited_guarantee import (
    AuditedColumn,
    AuditedFigures,
    AuditedGuarantee,
    AuditedPopulation,
)
from kanon_sql.engines.spark.questions import QUESTIONS as SPARK_QUESTIONS
from kanon_sql.model.requirements import (
    REQUIREMENTS,
    KAnonymity,
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    ThresholdRequirement,
)
from kanon_sql.solvers import guarantees
from kanon_sql.solvers.guarantees.attribute_requirement import AttributeRequirement
from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement

GROUPS = (ThresholdRequirement, SensitiveRequirement, PopulationRequirement)


def asked(requirement: type[Requirement], *bases: type) -> type:
    """Return the base class of the first group that a guarantee is in, the last one if it is in none."""
    return next((base for base, group in zip(bases, GROUPS, strict=False) if requirement in get_args(group)), bases[-1])


def test_the_list_has_every_requirement() -> None:
    assert {*REQUIREMENTS} == {*get_args(Requirement)} == {KAnonymity, *get_args(SensitiveRequirement | PopulationRequirement)}


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.__name__)
def test_every_requirement_has_its_files(requirement: type[Requirement]) -> None:
    """Each file has a class which is complete: what is abstract is there. Solvers need none of k alone."""
    found = [
        (audited_class(requirement), asked(requirement, AuditedFigures, AuditedColumn, AuditedPopulation, AuditedGuarantee))
    ]
    if requirement is not KAnonymity:
        module, name = guarantees.CLASSES[requirement]
        known = getattr(import_module(f"{guarantees.__name__}.{module}"), name)
        found.append((known, asked(requirement, AttributeRequirement, AttributeRequirement, MatchedRequirement)))
    for each, base in found:
        assert issubclass(each, base)
        assert not each.__abstractmethods__
        assert each.__doc__


def test_spark() -> None:
    assert {*SPARK_QUESTIONS} == {*get_args(SensitiveRequirement)}
