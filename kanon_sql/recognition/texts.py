"""What the name and a sample of the texts of a column reveal, by the rules of `names.toml` and `forms.toml`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module

from kanon_sql.recognition.form_patterns import ANSWER, LEAST_NUMBERS, LEAST_TEXTS, LONGEST, NUMBER, Form, dates, forms
from kanon_sql.recognition.name_patterns import NameRule
from kanon_sql.recognition.names import folded, named, said
from kanon_sql.recognition.recognized import Recognized

_MOST_NUMBERS = 0.8
"""A column is numeric if at least this share of its texts are numbers."""

_REGIONS = ("US", "DE", "FR", "ES", "IT", "NL", "PT", "BR", "PL", "GB", "AT", "CH", "BE", "MX")
"""Countries whose telephone numbers are often written without a country code. They speak the languages of this package."""

_MOST = 200
"""Number of texts that are checked. More would take time and not change the answer."""


def recognized(name: str, texts: Sequence[str | None]) -> Recognized | None:
    """Return what a column seems to say about people, None if neither its name nor its texts say anything.

    Parameters
    ----------
    name : str
        The name of the column.
    texts : sequence of str or None
        A sample of its values as texts. With fewer than 20, only dates are recognized.

    Notes
    -----
    Texts with a form of their own (an e-mail address) decide first, then the name. `profile` counts the same in SQL.

    Examples
    --------
    >>> recognized("contact", [f"u{i}@example.org" for i in range(20)])
    Recognized(role='identifier', kind='e-mail address', reason='looks like e-mail', personal=False)
    >>> recognized("phone", ["yes", "no", "no"])
    """
    starts = (each[:LONGEST].strip(" ") for each in texts if each is not None)
    shown = [text for text in starts if text not in ("", "*")]
    enough = len(shown) >= LEAST_TEXTS
    found = _formed(shown, "") if enough else None
    if found is not None:
        return found
    rule = named(name)
    by_name = None if rule is None or not _fits(rule, shown) else said(rule)
    if by_name is not None and by_name.role == "identifier":
        return by_name
    dated = bool(shown) and _share(shown, dates().look, 0.8)
    found = _formed(shown, "identifiers") if enough and not dated else None
    if found is not None or by_name is not None:
        return found or by_name
    if dated:
        return Recognized(role="quasi-identifier", kind="date", reason="looks like dates")
    return _formed(shown, "names") if enough else None


def _fits(rule: NameRule, shown: list[str]) -> bool:
    """Return whether texts do not contradict a name."""
    if not shown:
        return True
    if rule.role == "identifier" and _share(shown, ANSWER, 1.0):
        return False
    if rule.textual or rule.numeric:
        return _share(shown, NUMBER, _MOST_NUMBERS) == rule.numeric
    return True


def _formed(shown: list[str], after: str) -> Recognized | None:
    """Return the first form that enough texts have."""
    for form in (each for each in forms() if each.after == after):
        if _has(shown, form):
            return Recognized(role="identifier", kind=form.kind, reason=form.reason, personal=form.personal)
    return None


def _has(shown: list[str], form: Form) -> bool:
    texts = [folded(text) for text in shown] if form.folded else shown
    if form.distinct and len(set(shown)) < form.distinct * len(shown):
        return False
    if form.mean_length and sum(map(len, shown)) < form.mean_length * len(shown):
        return False
    if not _share(texts, form.look, form.share) or (form.some and not _share(texts, form.some, form.some_share)):
        return False
    if form.weights and len(set(shown)) < LEAST_NUMBERS:
        return False
    like = [text for text in texts if _compiled(form.look).fullmatch(text)]
    return not form.library or confirmed(like, form.library, form.share)


def _share(texts: Sequence[str], look: str, share: float) -> bool:
    """Return whether at least a share of texts has a form; stop as soon as too many do not."""
    pattern = _compiled(look)
    others = (1 - share) * len(texts) + 1e-9
    missed = 0
    for text in texts:
        missed += pattern.fullmatch(text) is None
        if missed > others:
            return False
    return True


@cache
def _compiled(look: str) -> re.Pattern[str]:
    return re.compile(look, re.ASCII)


def confirmed(texts: Sequence[str], libraries: Sequence[str], share: float) -> bool:
    """Return whether at least a share of texts is valid by one of the libraries; the libraries are only loaded here.

    Parameters
    ----------
    texts : sequence of str
        Texts that have the form.
    libraries : sequence of str
        Modules of python-stdnum, or ``'phonenumbers'``.
    share : float
        Least share of valid texts.
    """
    asked = texts[:_MOST]
    valid = sum(any(_valid(text, library) for library in libraries) for text in asked)
    return valid >= share * len(asked)


def _valid(text: str, library: str) -> bool:
    if library == "phonenumbers":
        # only digits in one piece need a second look: other numbers have these forms by chance
        return not text.isdigit() or _is_phone(text)
    return bool(import_module(f"stdnum.{library}").is_valid(text.replace("-", "").replace(" ", "")))


def _is_phone(digits: str) -> bool:
    import phonenumbers

    return any(phonenumbers.is_valid_number(phonenumbers.parse(digits, region)) for region in _REGIONS)
