"""Every requirement has an entry in each table about requirements."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import get_args

import pytest

from kanon_sql.engines.duckdb.gate import QUESTIONS
from kanon_sql.engines.duckdb.measures import FIGURES, MEASURED
from kanon_sql.engines.duckdb.population_gate import MATCHED
from kanon_sql.engines.duckdb.verdicts import CHECKS, VERDICTS
from kanon_sql.engines.spark.questions import QUESTIONS as SPARK_QUESTIONS
from kanon_sql.model.requirements import (
    REQUIREMENTS,
    KAnonymity,
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    ThresholdRequirement,
)
from kanon_sql.report.guarantees import REPORTED
from kanon_sql.report.sensitive import FIGURES_TOLD
from kanon_sql.solvers import guarantees
from kanon_sql.solvers.guarantees.attribute_requirement import AttributeRequirement
from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement

ON_VALUES = {
    "SQL audit": QUESTIONS,
    "SQL audit of Spark": SPARK_QUESTIONS,
}
"""Tables about requirements on sensitive values; k alone has code of its own."""

ON_CLASSES = {"list": dict.fromkeys(REQUIREMENTS), "check of a released table": CHECKS, "report": REPORTED}


ON_THRESHOLDS = {"figures": FIGURES, "their names": MEASURED, "their words": FIGURES_TOLD, "verdict": VERDICTS}


@pytest.mark.parametrize("table", ON_VALUES.values(), ids=ON_VALUES)
def test_every_requirement_on_sensitive_values_is_in_each_table(table: Mapping[type[SensitiveRequirement], object]) -> None:
    assert {*table} == {*get_args(SensitiveRequirement)}


@pytest.mark.parametrize("table", ON_CLASSES.values(), ids=ON_CLASSES)
def test_every_requirement_is_in_each_table(table: Mapping[type[Requirement], object]) -> None:
    assert (
        {*table} == {KAnonymity, *get_args(PopulationRequirement), *get_args(SensitiveRequirement)} == {*get_args(Requirement)}
    )


@pytest.mark.parametrize("table", ON_THRESHOLDS.values(), ids=ON_THRESHOLDS)
def test_every_requirement_with_a_threshold_is_in_each_table(table: Mapping[type[ThresholdRequirement], object]) -> None:
    assert {*table} == {*get_args(ThresholdRequirement)}


def test_every_requirement_on_the_population_is_audited() -> None:
    assert {*MATCHED} == {*get_args(PopulationRequirement)}


@pytest.mark.parametrize("requirement", guarantees.CLASSES, ids=lambda each: each.__name__)
def test_solvers_know_every_requirement_but_that_of_rows(requirement: type[Requirement]) -> None:
    """Each has a class in its file which is complete: what is abstract is there."""
    assert {*guarantees.CLASSES} == {*get_args(Requirement)} - {KAnonymity}
    module, name = guarantees.CLASSES[requirement]
    found = getattr(import_module(f"{guarantees.__name__}.{module}"), name)
    asked = AttributeRequirement if requirement in get_args(SensitiveRequirement) else MatchedRequirement
    assert issubclass(found, asked)
    assert not found.__abstractmethods__
