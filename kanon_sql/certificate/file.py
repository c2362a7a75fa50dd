"""Certificates as files: JSON with one claim a line, so that an error can name the line, and a checksum at the end.

The checksum tells a slip or a change by hand. It is no signature: whoever changes a claim can also compute the checksum
anew, and what is left then is what can be computed from the tables again.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from kanon_sql.certificate.histories import HistoryRisk
from kanon_sql.certificate.status import Status
from kanon_sql.errors import CertificateError, raise_alone

FORMAT = "kanon-sql certificate 1"

_PRICES_A_LINE, _CHARGES_A_LINE = 20, 5

_WRITTEN = "hint: pass the file written by --certificate"

_CLAIM = re.compile(r'\s*"(\w+)"\s*:')
"""How a line begins that holds a claim."""

_EXACT = re.compile(r"[0-9]{1,60}(/[1-9][0-9]{0,59})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a claim may be: in words, as a test of the JSON value, and how it is read and written."""

    words: str
    fits: Callable[[Any], bool]
    read: Callable[[Any], Any] = lambda value: value
    write: Callable[[Any], str] = lambda value: json.dumps(value, ensure_ascii=False)


def is_whole(value: object) -> bool:
    """Return whether a JSON value is a whole number of at least 0."""
    return type(value) is int and value >= 0


def _is_exact(value: object) -> bool:
    return isinstance(value, str) and _EXACT.fullmatch(value) is not None and str(Fraction(value)) == value


def is_list_of(kind: type, value: object) -> bool:
    """Return whether a JSON value is a list of one kind."""
    return isinstance(value, list) and all(type(item) is kind for item in value)


def _is_history(value: object) -> bool:
    """Return whether a value is a `HistoryRisk` as plain data whose figures can be true."""
    if not isinstance(value, dict) or {*value} != {*HistoryRisk.__dataclass_fields__}:
        return False
    counts = [value[name] for name in ("people", "alone", "fewest", "releases")]
    if not isinstance(value["column"], str) or not all(map(is_whole, counts)) or not _is_exact(value["average"]):
        return False
    people, alone, fewest, _ = counts
    return bool(alone <= people and fewest <= Fraction(value["average"]) <= people and (alone > 0) == (fewest == 1))


def _price_lines(prices: tuple[int, ...] | None) -> str:
    if not prices:
        return "null" if prices is None else "[]"
    starts = range(0, len(prices), _PRICES_A_LINE)
    return "[\n" + ",\n".join(", ".join(map(str, prices[start : start + _PRICES_A_LINE])) for start in starts) + "\n  ]"


def _charge_lines(charges: tuple[tuple[int, ...], ...]) -> str:
    starts = range(0, len(charges), _CHARGES_A_LINE)
    lines = (json.dumps([list(each) for each in charges[start : start + _CHARGES_A_LINE]])[1:-1] for start in starts)
    return "[\n" + ",\n".join(lines) + "\n  ]" if charges else "[]"


TEXT = Kind(words="a string", fits=lambda value: isinstance(value, str))
WHOLE = Kind(words="a whole number of at least 0", fits=is_whole)
WHOLE_OR_NULL = Kind(words="a whole number of at least 0, or null", fits=lambda value: value is None or is_whole(value))
SECONDS = Kind(
    words="a number of at least 0",
    fits=lambda value: type(value) in (int, float) and value >= 0 and math.isfinite(value),
    read=float,
)
_EXACT_NUMBER = Kind(
    words='an exact number in lowest terms as a string, such as "7" or "7/2"',
    fits=_is_exact,
    read=Fraction,
    write=lambda value: f'"{value}"',
)
TEXTS = Kind(
    words="a list of strings",
    fits=lambda value: is_list_of(str, value),
    read=tuple,
)
STATUS = Kind(
    words=" or ".join(f'"{status.value}"' for status in Status),
    fits=lambda value: value in [status.value for status in Status],
    read=Status,
    write=lambda status: f'"{status.value}"',
)
_TRUTH = Kind(words="true or false", fits=lambda value: isinstance(value, bool))
OBJECT = Kind(
    words="a JSON object",
    fits=lambda value: isinstance(value, dict),
    read=lambda value: json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
    write=lambda text: str(text),
)
_PRICES = Kind(
    words="a list of whole numbers, or null",
    fits=lambda value: value is None or is_list_of(int, value),
    read=lambda value: None if value is None else tuple(value),
    write=_price_lines,
)
_CHARGES = Kind(
    words="a list of lists of 4 whole numbers",
    fits=lambda value: isinstance(value, list) and all(is_list_of(int, each) and len(each) == 4 for each in value),
    read=lambda value: tuple(map(tuple, value)),
    write=_charge_lines,
)

_HISTORIES = Kind(
    words="a list of token risks, each with a column and its figures",
    fits=lambda value: isinstance(value, list) and all(map(_is_history, value)),
    read=lambda value: tuple(map(HistoryRisk.from_dict, value)),
    write=lambda found: json.dumps([each.to_dict() for each in found], ensure_ascii=False),
)

_CLAIMS = {
    "policy": OBJECT,
    "requirements": TEXTS,
    "rows": WHOLE,
    "row_types": WHOLE,
    "cells": WHOLE,
    "suppressed_cells": WHOLE,
    "cost": _EXACT_NUMBER,
    "classes": WHOLE_OR_NULL,
    "smallest_class": WHOLE_OR_NULL,
    "smallest_class_people": WHOLE_OR_NULL,
    "known_columns": WHOLE_OR_NULL,
    "sets_audited": WHOLE_OR_NULL,
    "smallest_class_known": WHOLE_OR_NULL,
    "smallest_class_known_people": WHOLE_OR_NULL,
    "status": STATUS,
    "lower_bound": _EXACT_NUMBER,
    "bound_method": TEXT,
    "unit": WHOLE,
    "scale": WHOLE,
    "prices": _PRICES,
    "charges": _CHARGES,
    "algorithm": TEXT,
    "reason": TEXT,
    "seconds": SECONDS,
    "repeatable": _TRUTH,
    "unchanged": TEXTS,
    "information_loss": TEXTS,
    "warnings": TEXTS,
    "histories": _HISTORIES,
    "number": WHOLE_OR_NULL,
}
"""The fields of a certificate, in the order of the file."""

_LATER = {
    "charges": (),
    "histories": (),
    "known_columns": None,
    "sets_audited": None,
    "smallest_class_known": None,
    "smallest_class_known_people": None,
    "smallest_class_people": None,
}
"""Fields that files of this format did not always have, with what they hold there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One kind of certificate file."""

    format: str  # what the file says it is
    claims: Mapping[str, Kind]  # the fields of the certificate, in the order of the file
    later: Mapping[str, Any]  # fields that files of this format did not always have, with what they hold there
    lists: Mapping[str, Kind] = field(default_factory=dict)  # lists that only those files have in which they are not empty

    @property
    def fields(self) -> dict[str, Kind]:
        """Return all fields of the file."""
        named = Kind(words=f'"{self.format}"', fits=lambda value: value == self.format)
        return {"format": named, **self.claims, **self.lists, "sha256": TEXT}


RELEASE = Layout(format=FORMAT, claims=_CLAIMS, later=_LATER)
"""The certificate of released rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The claims of a certificate and where they stand."""

    claims: dict[str, Any]  # the fields of the certificate
    lines: dict[str, int]  # the line of each field, from 1
    intact: bool  # whether the checksum fits the text

    def require_checksum(self) -> None:
        """Raise a CertificateError unless the checksum fits the text."""
        if not self.intact:
            raise CertificateError("sha256", "does not match the text; a field was changed", self.lines.get("sha256"))


def write(certificate: Mapping[str, Any], layout: Layout = RELEASE) -> str:
    """Return the text of a certificate file from the fields of a certificate; the same fields give the same text."""
    claims = {name: kind.write(certificate[name]) for name, kind in layout.claims.items()}
    claims |= {name: kind.write(certificate[name]) for name, kind in layout.lists.items() if certificate[name]}
    lines = [f'  "{name}": {value},\n' for name, value in {"format": json.dumps(layout.format), **claims}.items()]
    text = "".join(["{\n", *lines])
    return text + _end(text)


def _end(text: str) -> str:
    """Return how a file ends that begins with ``text``."""
    return f'  "sha256": "{hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}"\n}}\n'


def read(text: str, layout: Layout = RELEASE) -> Document:
    """Read a certificate file; the checksum is compared, but left to the caller to judge.

    Raises
    ------
    CertificateError
        When the text is not JSON, or a field is unknown, missing, twice there or of a wrong type.
    """
    lines = dict(_lines(text))
    data, fields = _parsed(text, lines), layout.fields
    for name in data:
        if name not in fields:
            raise CertificateError(name, "is not a field of a certificate", lines.get(name))
    for name, kind in fields.items():
        if name not in data:
            if name not in {*layout.later, *layout.lists}:
                raise CertificateError(name, "is missing")
        elif not kind.fits(data[name]):
            raise CertificateError(name, f"must be {kind.words}", lines.get(name))
    claims = {**layout.later, **{name: kind.read(data[name]) for name, kind in layout.claims.items() if name in data}}
    claims |= {name: kind.read(data.get(name, [])) for name, kind in layout.lists.items()}
    body = "".join(line + "\n" for line in text.split("\n")[: lines.get("sha256", 1) - 1])
    return Document(claims=claims, lines=lines, intact=text == body + _end(body))


def _lines(text: str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(text.split("\n"), 1):
        if (claim := _CLAIM.match(line)) is not None:
            yield claim[1], number


def _parsed(text: str, lines: dict[str, int]) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise CertificateError(name, "occurs twice", lines.get(name))
            found[name] = value
        return found

    def refuse(constant: str) -> NoReturn:
        raise CertificateError(None, f"not JSON: {constant}; {_WRITTEN}")

    try:
        data = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise_alone(CertificateError(None, f"not JSON: {error.msg}; {_WRITTEN}", error.lineno))
    except (ValueError, RecursionError):  # a number of thousands of digits, a list in a list in a list ...
        raise_alone(CertificateError(None, f"not readable JSON; {_WRITTEN}"))
    if not isinstance(data, dict):
        raise CertificateError(None, f"not a JSON object; {_WRITTEN}")
    return data
