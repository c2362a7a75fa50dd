"""Names of columns are recognized in eight languages, and names that only resemble them are not."""

from __future__ import annotations

import warnings

import column_names
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_sql.recognition import recognized_name
from kanon_sql.recognition.name_patterns import name_rules
from kanon_sql.recognition.names import _compiled, called, matches

PERSONAL = {
    *(
        "street address",
        "date of birth",
        "year of birth",
        "postal code",
        "coordinate",
        "income",
        "age",
        "sex",
        "marital status",
    ),
    *("job", "nationality", "place smaller than a state", "region", "race", "religion", "education", "language"),
}


@pytest.mark.parametrize("kind", column_names.KINDS)
def test_names_say_what_their_speakers_take_them_for(kind: str) -> None:
    for name in column_names.split(column_names.KINDS[kind]):
        found = recognized_name(name)
        assert found is not None, name
        assert (found.kind, found.reason, found.personal) == (kind, "by its name", kind in PERSONAL), name


def test_other_names_say_nothing() -> None:
    assert [name for name in column_names.split(column_names.OTHERS) if recognized_name(name)] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("patientId", "patient_id"),
        ("PatientID", "patient_id"),
        ("SSNNumber", "ssn_number"),
        ("Straße / Hausnr.", "strasse_hausnr"),
        ("  E-Mail ", "e_mail"),
        ("Année de naissance", "annee_de_naissance"),
        ("płeć", "plec"),
        ("ŁÓDŹ", "lodz"),
        ("patiënt", "patient"),
        ("zip5", "zip5"),
        ("", ""),
        ("年齢", ""),
    ],
)
def test_a_name_has_words(name: str, words: str) -> None:
    assert called(name) == words


def test_umlauts_are_one_letter_or_two() -> None:
    for name in ("Schüler-Nr", "Schueler-Nr", "SCHULER_NR"):
        found = recognized_name(name)
        assert found is not None
        assert found.role == "identifier"


def test_each_rule_has_a_pattern_that_is_no_text_of_sql() -> None:
    for rule in name_rules():
        assert "'" not in rule.pattern + rule.exceptions
        assert rule.role in ("identifier", "quasi-identifier", "sensitive") or rule.paragraph


@st.composite
def _fitting(draw: st.DrawFn) -> str:
    """Return a name that fits some rule, or nearly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pattern = draw(st.sampled_from(name_rules())).pattern
        name = draw(st.from_regex(pattern, fullmatch=True, alphabet="abcdefghijklmnopqrstuvwxyz0123456789_"))
    return name if draw(st.booleans()) else name[1:]


@settings(max_examples=300)
@given(_fitting())
def test_a_name_fits_a_rule_by_its_whole_pattern(name: str) -> None:
    """Where a name has none of the parts that most words of a rule have, only the rest of its pattern is compiled."""
    for rule in name_rules():
        assert matches(name, rule) == (_compiled(rule.pattern).fullmatch(name) is not None)
