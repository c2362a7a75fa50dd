"""Certificates as files: the same again, one claim a line, and the line of what is wrong."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from fractions import Fraction

import pytest

from kanon_sql.certificate import Certificate, Status
from kanon_sql.certificate.file import read
from kanon_sql.errors import CertificateError
from kanon_sql.model.policy import Policy

POLICY = Policy.of(k=5, quasi_identifiers=["zip", 'Straße "1"\n'], weights={"zip": Fraction(5, 2)}, time_limit=60, suppress="*")

PEOPLE = Policy.of(k=5, quasi_identifiers=["zip"], per="patient")

CERTIFICATE = Certificate(
    requirements=("k >= 5",),
    algorithm="refine",
    reason="chosen automatically: few enough columns",
    status=Status.FEASIBLE,
    cost=Fraction(77, 2),
    lower_bound=Fraction(38),
    bound_method="Lagrangian relaxation",
    rows=60,
    row_types=45,
    suppressed_cells=20,
    cells=120,
    seconds=0.1,
    policy=POLICY.to_json(),
    prices=tuple(range(-2, 43)),
    scale=65536,
    unit=2,
    classes=7,
    smallest_class=5,
    number=1,
)
TEXT = CERTIFICATE.to_json()


@pytest.mark.parametrize(
    "certificate",
    [
        CERTIFICATE,
        replace(CERTIFICATE, prices=None),
        replace(CERTIFICATE, prices=()),
        replace(CERTIFICATE, classes=None, smallest_class=None, number=None, seconds=1e-9, cost=Fraction(10**30, 3)),
    ],
)
def test_what_is_written_is_read_again(certificate: Certificate) -> None:
    assert Certificate.from_json(certificate.to_json()) == certificate


def test_an_older_file_does_not_state_people_yet() -> None:
    later = ("smallest_class_people", "smallest_class_known_people")
    stated = replace(CERTIFICATE, policy=PEOPLE.to_json(), smallest_class=12, smallest_class_people=7)
    kept = [line for line in stated.to_json().splitlines(keepends=True)[:-2] if not any(f'"{name}"' in line for name in later)]
    digest = hashlib.sha256("".join(kept).encode()).hexdigest()
    older = Certificate.from_json("".join([*kept, f'  "sha256": "{digest}"\n}}\n']))
    assert older == replace(stated, smallest_class_people=None)
    assert (stated.smallest, stated.highest_risk) == ("7 people", 1 / 7)
    assert (older.smallest, older.highest_risk) == ("at least 5 people", 1 / 5)
    assert "the smallest of 7 people; no class has fewer than 12 rows" in repr(stated)


def test_it_is_json_with_one_claim_a_line() -> None:
    data = json.loads(TEXT)
    assert set(data) == {"format", "sha256"} | set(Certificate.__dataclass_fields__)
    assert (data["cost"], data["lower_bound"], data["policy"]["suppress"]) == ("77/2", "38", "*")
    lines = read(TEXT).lines
    assert set(lines) == set(data)
    assert len(set(lines.values())) == len(data)
    assert max(map(len, TEXT.splitlines())) < 400
    assert TEXT.splitlines()[-2].startswith('  "sha256"')


def test_the_checksum_is_that_of_all_lines_before_it() -> None:
    *body, last, brace = TEXT.splitlines(keepends=True)
    assert (last, brace) == (f'  "sha256": "{hashlib.sha256("".join(body).encode()).hexdigest()}"\n', "}\n")


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("0.1", "0.2"),
        TEXT.replace("60,", "60 ,"),
        TEXT.replace("\n", "\r\n"),
        TEXT + "\n",
        json.dumps(json.loads(TEXT)),
        TEXT.replace('"sha256": "', '"sha256": "0'),
    ],
)
def test_a_changed_text_does_not_fit_its_checksum(text: str) -> None:
    assert not read(text).intact
    with pytest.raises(CertificateError, match='"sha256": does not match the text'):
        Certificate.from_json(text)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('"rows": 60', '"rows": "60"', 'line 5: "rows": must be a whole number'),
        ('"rows": 60', '"rows": true', 'line 5: "rows": must be a whole number'),
        ('"rows": 60', '"rows": -1', 'line 5: "rows": must be a whole number'),
        ('"rows": 60', '"rows": 6e1', 'line 5: "rows": must be a whole number'),
        ('"rows": 60', '"roows": 60', 'line 5: "roows": is not a field'),
        ('  "rows": 60,\n', "", '"rows": is missing'),
        ('"rows": 60', '"policy": 60', 'line 5: "policy": occurs twice'),
        ('"rows": 60,', '"rows": 60', "line 6: not JSON: Expecting ',' delimiter"),
        ('"77/2"', '"38.5"', 'line 9: "cost": must be an exact number'),
        ('"77/2"', '"154/4"', 'line 9: "cost": must be an exact number'),
        ('"77/2"', '"1/0"', 'line 9: "cost": must be an exact number'),
        ('"77/2"', "38.5", 'line 9: "cost": must be an exact number'),
        ('"FEASIBLE"', '"BEST"', 'line 17: "status": must be "OPTIMAL" or "FEASIBLE"'),
        ("-2, -1,", "-2, 1.5,", 'line 22: "prices": must be a list of whole numbers'),
        ("0.1", "NaN", "not JSON: NaN"),
        ("0.1", "9" * 5000, "not readable JSON"),
        ("0.1", "[" * 100_000, "not readable JSON"),
        ('["k >= 5"]', '"k >= 5"', 'line 4: "requirements": must be a list of strings'),
        ("certificate 1", "certificate 2", 'line 2: "format": must be "kanon-sql certificate 1"'),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(before: str, after: str, says: str) -> None:
    assert before in TEXT
    with pytest.raises(CertificateError) as caught:
        read(TEXT.replace(before, after, 1))
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "cost 7"])
def test_another_text_is_no_certificate(text: str) -> None:
    with pytest.raises(CertificateError, match="JSON"):
        read(text)
