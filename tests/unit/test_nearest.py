"""The one helper that finds what a misspelled name was meant to be."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from kanon_sql.errors import UnknownAlgorithmError, UnknownColumnError, hint_of, nearest
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import POLICY_DEFAULTS
from kanon_sql.model.requirements import GUARANTEES
from kanon_sql.model.synonyms import OPTIONS

ROOT = Path(__file__).resolve().parent.parent.parent

ADULT = [
    *(
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "education-num",
        "marital-status",
        "occupation",
        "relationship",
        "race",
        "sex",
    ),
    *("capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
]


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("native-cuntry", "native-country"),
        ("native_country", "native-country"),
        ("NATIVE COUNTRY", "native-country"),
        ("natve", None),
        ("educaton", "education"),
        ("rcae", "race"),
        ("", None),
        (7, None),
    ],
)
def test_a_column(wrong: object, meant: str | None) -> None:
    assert nearest(wrong, ADULT) == meant


def test_the_near_column_comes_first_however_long_the_list() -> None:
    told = str(UnknownColumnError.of("native-cuntry", ADULT, "the policy"))
    assert told.startswith(
        'unknown column "native-cuntry" in the policy; hint: did you mean "native-country"? The columns are "age", '
    )
    assert told.endswith(", ...")
    assert "did you mean" not in str(UnknownColumnError.of("zzz", ADULT, "the policy"))


def test_columns_that_are_equally_near_are_both_named() -> None:
    told = str(UnknownColumnError.of("capital", ADULT, "KEEP"))
    assert '; hint: did you mean "capital-gain" or "capital-loss"? The columns are' in told
    assert nearest("capital", ADULT) == "capital-gain"


def test_the_near_algorithm_comes_first() -> None:
    told = str(UnknownAlgorithmError.of("optmal", ["auto", "optimal"]))
    assert told == "there is no algorithm 'optmal'; hint: did you mean 'optimal'? The algorithms are auto, optimal"


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("qi", "quasi_identifiers"),
        ("QIs", "quasi_identifiers"),
        ("identifiers", "quasi_identifiers"),
        ("quasi-identifers", "quasi_identifiers"),
        ("sa", "sensitive"),
        ("hierarchies", "recodings"),
        ("timeout", "time_limit"),
        ("k_anonymity", "k"),
        ("algoritm", "algorithm"),
        ("xyz", None),
    ],
)
def test_an_option_by_its_other_names(wrong: str, meant: str | None) -> None:
    assert nearest(wrong, POLICY_DEFAULTS, OPTIONS) == meant


def test_a_name_that_is_known_means_itself() -> None:
    for name in POLICY_DEFAULTS:
        assert nearest(name, POLICY_DEFAULTS, OPTIONS) == name
    assert nearest("hierarchies", ["recodings", "hierarchies"], OPTIONS) == "hierarchies"
    assert nearest("quasi_identifiers", ["tbl", "k", "qi"], OPTIONS) == "qi"


@pytest.mark.parametrize("groups", [OPTIONS, GUARANTEES])
def test_no_other_name_means_two_things(groups: tuple[tuple[str, ...], ...]) -> None:
    names = [name for group in groups for name in group]
    assert len(names) == len(set(names))


def test_hints() -> None:
    assert hint_of("x", ["abc"], "the letters are abc") == "the letters are abc"
    assert hint_of("abd", ["abc"], "the letters are abc") == "did you mean 'abc'?"
    assert hint_of("abd", ["abc"], "the letters are abc", spelled=str.upper, always=True) == (
        "did you mean ABC? The letters are abc"
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"quasi_identifers": []}', "did you mean 'quasi_identifiers'?"),
        ('{"qi": []}', "did you mean 'quasi_identifiers'?"),
        ('{"quasi_identifiers": [{"colum": "zip"}]}', "did you mean 'column'?"),
        ('{"quasi_identifiers": [{"column": "zip", "recoding": {"type": "digts"}}]}', "did you mean 'digits'?"),
        ('{"requirements": [{"type": "k_anonymty", "k": 5}]}', "did you mean 'k'?"),
        ('{"requirements": [{"type": "l-diversity", "l": 5}]}', "did you mean 'l'?"),
        ('{"requirements": [{"type": "people", "k": 5, "pre": "id"}]}', "did you mean 'per'?"),
        ('{"quasi_identifiers": [{"column": "zip"}], "row_order": "sorce"}', "did you mean 'source'?"),
    ],
)
def test_keys_and_types_of_json(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match="; hint: ") as caught:
        Policy.from_json(text)
    assert str(caught.value).endswith(f"; hint: {hint}")


@pytest.mark.everything
def test_no_second_helper() -> None:
    """Only the one module compares spellings; others show which lines of two texts differ."""
    lines = {"ndiff", "unified_diff"}
    for path in ROOT.glob("kanon_sql/**/*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        imported = (node for node in nodes if isinstance(node, ast.ImportFrom))
        names |= {str(node.module) for node in imported if not {each.name for each in node.names} <= lines}
        assert "difflib" not in names or path.name == "errors.py", path
