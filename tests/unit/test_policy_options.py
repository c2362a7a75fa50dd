"""The options that every entrance shares: each is listed where a function is inspected, and no other one is taken."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pyarrow as pa
import pytest
from kanon_sql.udfs import arguments

import kanon_sql
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import AUDIT_DEFAULTS, POLICY_DEFAULTS, AuditOptions, PolicyOptions
from kanon_sql.report import report

TABLE = pa.table({"a": [1, 1, 1]})

ENTRANCES: list[tuple[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    ("anonymize", kanon_sql.anonymize, (TABLE,), POLICY_DEFAULTS),
    ("Policy.of", Policy.of, (), POLICY_DEFAULTS),
    ("audit", kanon_sql.audit, (TABLE,), AUDIT_DEFAULTS),
    ("report", report, (TABLE, TABLE), AUDIT_DEFAULTS),
]


@pytest.mark.parametrize(("name", "function", "arguments", "defaults"), ENTRANCES, ids=[each[0] for each in ENTRANCES])
def test_every_option_is_in_the_signature_and_no_other_one_is_taken(
    name: str, function: Callable[..., Any], arguments: tuple[Any, ...], defaults: dict[str, Any]
) -> None:
    found = inspect.signature(function).parameters
    assert {each: found[each].default for each in defaults} == defaults
    second = [each for each in found if found[each].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD][1:]
    assert second == (["k"] if function is kanon_sql.anonymize else ["released"] if function is report else [])
    assert all(found[each].kind is inspect.Parameter.KEYWORD_ONLY for each in defaults if each not in second)
    assert not any(each.kind is each.VAR_KEYWORD for each in found.values())
    assert "quasi_identifiers=None" in pydoc.plain(pydoc.render_doc(function))
    with pytest.raises(
        TypeError, match=r"got an unexpected keyword argument 'quasi_identifier'; hint: did you mean 'quasi_id"
    ) as caught:
        function(*arguments, quasi_identifier=["a"])
    assert str(caught.value).startswith(f"{name}() ")
    with pytest.raises(TypeError, match="unexpected keyword argument 'xyz'; hint: use one of "):
        function(*arguments, xyz=1)


def test_the_options_are_those_that_have_types_and_are_explained() -> None:
    for options, defaults in ((PolicyOptions, POLICY_DEFAULTS), (AuditOptions, AUDIT_DEFAULTS)):
        assert options.__optional_keys__ == defaults.keys()
        assert not options.__required_keys__
        documented = {each for line in inspect.getdoc(options).split("\n") for each in line.partition(" : ")[0].split(", ")}
        documented |= {each.strip() for line in inspect.getdoc(options).split("\n") for each in line.split(",")}
        assert defaults.keys() <= documented


def test_the_defaults_are_those_of_a_policy() -> None:
    own = {each.name: each.default for each in fields(Policy)}
    for name in ("algorithm", "time_limit", "seed", "max_suppressed", "suppress", "row_order"):
        assert POLICY_DEFAULTS[name] == own[name]
    assert Policy.of() == Policy.of(**POLICY_DEFAULTS) == Policy.of(k=2)
    assert type(Policy.of().least_class_size) is int


def test_a_k_that_is_written_counts_beside_a_population() -> None:
    about = {"quasi_identifiers": ["a"], "k_map": 5, "population": "everybody"}
    assert Policy.of(**about).least_class_size == 1
    assert Policy.of(**about, k=2).least_class_size == 2


def test_the_arguments_of_the_table_functions_are_options() -> None:
    assert {*arguments.NAMES} - {"qi", "hierarchies", "full_domain", "drop"} <= POLICY_DEFAULTS.keys()
