"""Each guarantee has its file in every folder of guarantees, and what is asked there of all is complete."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, get_args

import pytest
from test_house_imports import MODULES

from kanon_sql.engines.guarantees import audited_class
from kanon_sql.engines.guarantees.audited_guarantee import AuditedColumn, AuditedFigures, AuditedGuarantee, AuditedPopulation
from kanon_sql.model.requirements import (
    REQUIREMENTS,
    KAnonymity,
    KnownColumns,
    LDiversity,
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    TCloseness,
    ThresholdRequirement,
    standard_name,
)
from kanon_sql.solvers.guarantees import required_class
from kanon_sql.solvers.guarantees.attribute_requirement import AttributeRequirement
from kanon_sql.solvers.guarantees.population_requirement import MatchedRequirement
from kanon_sql.verification.guarantees import claimed_class
from kanon_sql.verification.guarantees.claimed_requirement import ClaimedRequirement

GROUPS = {
    "threshold": get_args(ThresholdRequirement),
    "values": get_args(SensitiveRequirement),
    "population": get_args(PopulationRequirement),
    "rows": (KAnonymity, KnownColumns),
}
"""The kinds of guarantees; each is of the first that has it."""

ASKED: dict[Callable[[Any], type], dict[str, type]] = {
    audited_class: {
        "threshold": AuditedFigures,
        "values": AuditedColumn,
        "population": AuditedPopulation,
        "rows": AuditedGuarantee,
    },
    claimed_class: {"threshold": ClaimedRequirement, "values": ClaimedRequirement},
    required_class: {"threshold": AttributeRequirement, "values": AttributeRequirement, "population": MatchedRequirement},
}
"""What each floor answers about the guarantees of a group, by a class of their files; solvers need no file for rows alone."""

MOST_FILES = {LDiversity: 13, TCloseness: 10}
"""Files that name the class of a guarantee; 6 but for those whose variants and metrics others ask for."""


def classes(requirement: type[Requirement]) -> Iterator[tuple[type, type]]:
    """Yield the class of a guarantee on each floor, with the base class that it has there."""
    group = next(name for name, members in GROUPS.items() if requirement in members)
    for found, asked in ASKED.items():
        if group in asked:
            yield found(requirement), asked[group]


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
    assert len(named) <= MOST_FILES.get(requirement, 6), named
