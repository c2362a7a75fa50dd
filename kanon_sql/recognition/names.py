"""What the name of a column says, by the rules of `names.toml`."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import category, normalize

from kanon_sql.recognition.name_patterns import NameRule, name_rules, not_identifying
from kanon_sql.recognition.recognized import Recognized

_BY_NAME = "by its name"

_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d"}
)
"""Letters that are no letter with a mark. `sql/parts/called.sql` has the same."""

_BOUNDARY = re.compile("([a-z0-9])([A-Z])")
_ACRONYM = re.compile("([A-Z])([A-Z][a-z])")
_BETWEEN = re.compile("[^a-z0-9]+")


def folded(text: str) -> str:
    """Return a text in small letters without accents and apostrophes.

    Examples
    --------
    >>> folded("Peñafiel, O'Néill"), folded("Königstraße 3")
    ('penafiel, oneill', 'konigstrasse 3')
    """
    return _plain(text).lower().replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "")


def _plain(text: str) -> str:
    if text.isascii():
        return text
    return "".join(letter for letter in normalize("NFD", text) if category(letter) != "Mn").translate(_LETTERS)


def called(name: str) -> str:
    """Return a name in small letters without accents, its words joined by underscores.

    Examples
    --------
    >>> called("Straße / Hausnr."), called("patientId"), called("Année de naissance"), called("SSNNumber")
    ('strasse_hausnr', 'patient_id', 'annee_de_naissance', 'ssn_number')
    """
    words = _ACRONYM.sub(r"\1_\2", _BOUNDARY.sub(r"\1_\2", _plain(name)))
    return _BETWEEN.sub("_", words.lower()).strip("_")


def recognized_name(name: str) -> Recognized | None:
    """Return what a column of this name seems to say about people, None if the name says nothing.

    Parameters
    ----------
    name : str
        The name, in English, German, French, Spanish, Italian, Dutch, Portuguese or Polish.

    Examples
    --------
    >>> recognized_name("Patienten-ID")
    Recognized(role='identifier', kind='record number', reason='by its name', personal=False)
    >>> recognized_name("email_verified"), recognized_name("capital-gain")
    (None, None)
    """
    rule = named(name)
    return (
        None
        if rule is None or not rule.role
        else Recognized(role=rule.role, kind=rule.kind, reason=_BY_NAME, personal=rule.personal)
    )


def said(rule: NameRule | None) -> Recognized | None:
    """Return what a rule says, None if there is none, or one that has no role."""
    if rule is None or not rule.role:
        return None
    return Recognized(role=rule.role, kind=rule.kind, reason=_BY_NAME, personal=rule.personal)


def named(name: str) -> NameRule | None:
    """Return the first rule that a name fits."""
    words = called(name)
    return next((rule for rule in name_rules() if _fits(words, rule)), None)


def matches(words: str, rule: NameRule) -> bool:
    """Return whether the words of a name match the pattern of a rule."""
    if any(part in words for part in rule.parts):
        return _compiled(rule.pattern).fullmatch(words) is not None
    return any(part in words for part in rule.rest_parts) and _compiled(rule.rest).fullmatch(words) is not None


def _fits(words: str, rule: NameRule) -> bool:
    if not matches(words, rule):
        return False
    exceptions = rule.exceptions or (not_identifying() if rule.role == "identifier" else "")
    return not exceptions or not _compiled(exceptions).fullmatch(words)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
