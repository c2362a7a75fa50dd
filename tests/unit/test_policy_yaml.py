"""Policies in YAML: what two readers may read in two ways, and what grows when it is read, is an error with its line."""

from __future__ import annotations

import time

import pytest

from kanon_sql.errors import PolicyError
from kanon_sql.model.policy_file import read, written

pytest.importorskip("yaml", reason="PyYAML is not installed")

POLICY = """\
policies:
  - name: {name}
    table: patients
    quasi_identifiers:
      - {{column: {column}, weight: {weight}}}
    requirements:
      - {{type: k, k: {k}}}
      - {{type: l, sensitive: disease, l: {l}}}
"""

PLAIN = {"name": "research", "column": "zip", "weight": "1", "k": "5", "l": "2"}

LINES = {"name": 2, "column": 5, "weight": 5, "k": 7, "l": 8}


def refusal(text: str) -> str:
    with pytest.raises(PolicyError) as refused:
        read(text, "p.yaml")
    return str(refused.value)


@pytest.mark.parametrize("place", [*PLAIN])
@pytest.mark.parametrize(
    "value", ["010", "08", "0x10", "0b101", "1_000", "1:30", "190:20:30.15", "-0_1", "1_0.5", ".inf", ".nan", "\u0663"]
)
def test_a_number_in_another_notation_is_refused(place: str, value: str) -> None:
    told = refusal(POLICY.format(**PLAIN | {place: value}))
    assert told == (
        f"p.yaml, line {LINES[place]}: {value!r} is not a plain decimal number; hint: write 10 or 0.5, and put text in quotes"
    )


@pytest.mark.parametrize("place", [*PLAIN])
@pytest.mark.parametrize(
    ("value", "told"),
    [
        *((word, "is true, false or null in some YAML parsers") for word in ("yes", "No", "ON", "off")),
        ("2020-01-01", "is a date in some YAML parsers"),
        ("2020-01-01 10:00:00", "is a date in some YAML parsers"),
        ("2020-02-31", "is a date in some YAML parsers"),
        ("<<", "has a special meaning"),
        ("=", "has a special meaning"),
    ],
)
def test_a_word_of_yaml_is_refused(place: str, value: str, told: str) -> None:
    found = refusal(POLICY.format(**PLAIN | {place: value}))
    assert found.startswith(f"p.yaml, line {LINES[place]}: {value!r} {told}")
    assert "in quotes" in found


@pytest.mark.parametrize("value", ["no", "010", "1:30", "2020-01-01", "<<", "=", "null", "~", "5", "0x10", "1e3"])
def test_in_quotes_each_is_a_name_and_is_written_so(value: str) -> None:
    found = read(POLICY.format(**PLAIN | {"column": f"'{value}'", "name": f'"{value}"'}), "p.yaml")
    assert (found[0].name, found[0].policy.quasi_identifiers[0].column) == (value, value)
    assert read(written(found, ".yaml"), "p.yaml") == found


@pytest.mark.parametrize(
    ("value", "least"), [("2", "2"), ("2.5", "5/2"), ("+3", "3"), ("2.", "2"), ("3.0e+0", "3"), ("20e-1", "2"), (".5e1", "5")]
)
def test_plain_decimals_are_numbers(value: str, least: str) -> None:
    policy = read(POLICY.format(**PLAIN | {"l": value}), "p.yaml")[0].policy
    assert policy.requirements[1].describe() == f"l(disease) >= {least}"


@pytest.mark.parametrize("place", ["weight", "k", "l"])
@pytest.mark.parametrize("digits", [41, 4000, 5000])
def test_a_number_of_many_digits_is_refused(place: str, digits: int) -> None:
    told = refusal(POLICY.format(**PLAIN | {place: "9" * digits}))
    assert told == f"p.yaml, line {LINES[place]}: a number has {digits:,} characters (maximum 40); hint: round it"


def test_a_tag_is_refused() -> None:
    for value in ('!!int "010"', "!!float 5", "!k 5", '! "5"', "!!binary aaaa"):
        assert "line 7: YAML tags are not supported" in refusal(POLICY.format(**PLAIN | {"k": value}))


def test_nested_aliases_are_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    began = time.monotonic()
    assert refusal("\n".join(lines)) == "p.yaml, line 2: YAML aliases are not supported; hint: repeat the value"
    assert "YAML aliases are not supported" in refusal("policies: &p [*p]")
    assert "YAML aliases are not supported" in refusal("x: &x {k: 1}\npolicies: [*x]")
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("nest", ["[", "{a: ", "- "])
def test_depth_is_limited(nest: str) -> None:
    began = time.monotonic()
    for depth in (21, 2_000):
        assert "more than 20 levels" in refusal(nest * depth)
    assert "more than 20 levels" in refusal("policies:\n" + "\n".join(" " * i + "a:" for i in range(1, 300)))
    assert time.monotonic() - began < 5


def test_length_is_limited() -> None:
    text = "# " + "x" * 500_000
    assert refusal(text) == ("p.yaml is too long for YAML: 500,002 characters (maximum 500,000); hint: split it, or use JSON")
    assert "is empty" in refusal(text[:500_000])
