"""Whether libraries confirm what texts look like: checksums of numbers, and the plans of telephone numbers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

_REGIONS = ("US", "DE", "FR", "ES", "IT", "NL", "PT", "BR", "PL", "GB", "AT", "CH", "BE", "MX")
"""Countries whose telephone numbers are often written without a country code. They speak the languages of this package."""

_MOST = 200
"""Number of texts that are checked. More would take time and not change the answer."""


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
