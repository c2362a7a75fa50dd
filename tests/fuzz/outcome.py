"""What a surface makes of a trial, and how errors count: a KanonError is a refusal, but an InternalError is a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import duckdb

from fuzz.checker import Claim, Rules
from fuzz.domains import CANARY
from fuzz.table import Table
from kanon_sql.certificate import Certificate
from kanon_sql.errors import InternalError, KanonError

_TOLD = re.compile(
    r"\b(?:PolicyError|UnknownColumnError|UnknownAlgorithmError|ClauseError|InfeasibleError|SourceError|AuditError|UnlistedColumnError)\b"
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A release as its reader gets it.

    ``ordered`` where the order of its rows is that of the release; ``found`` is what was wrong beside the check.
    """

    source: Table
    released: Table
    claim: Claim | None = None
    rules: Rules = field(default_factory=Rules)
    ordered: bool = False
    found: tuple[str, ...] = ()


class RefusedError(Exception):
    """A release that was refused as documented; ``kind`` is the class of the error."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class FoundError(Exception):
    """Something that must not happen."""


def claim_of(certificate: Certificate) -> Claim:
    """What a certificate says."""
    return Claim(
        cost=certificate.cost,
        lower_bound=certificate.lower_bound,
        optimal=certificate.status.value == "OPTIMAL",
        rows=certificate.rows,
        classes=certificate.classes,
        smallest_class=certificate.smallest_class,
        unchanged=certificate.unchanged,
        warnings=certificate.warnings,
    )


def refused(error: BaseException, *, foreign: bool = False) -> RefusedError:
    """Return the refusal that an error is.

    Parameters
    ----------
    error : BaseException
        What was raised.
    foreign : bool
        Whether DuckDB's own error is how the surface tells a refusal.

    Raises
    ------
    FoundError
        When it is none, or tells a cell.
    """
    for each in _chain(error):
        if CANARY in str(each):
            raise FoundError(f"an error shows a cell: {type(each).__name__}: {each}") from None
    message = " ".join(str(error).split())
    if isinstance(error, KanonError) and not isinstance(error, InternalError):
        return RefusedError(type(error).__name__, message)
    told = _TOLD.search(message)
    if foreign and isinstance(error, duckdb.Error) and (told or "kanon audit: " in message):
        return RefusedError(told[0] if told else "AuditError", message)
    raise FoundError(f"{type(error).__module__}.{type(error).__name__}: {message[:400]}") from error


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from or within, as a logger would print it and as ``raise ... from None`` keeps it."""
    waiting: list[Any] = [error]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += [other for other in (each.__cause__, each.__context__) if other is not None]


def reason(message: str) -> str:
    """A refusal without its names and numbers, to be counted."""
    message = re.sub(r"^Invalid Input Error: (?:\w+Error: )?", "", message)
    short = re.sub(r'"[^"]*"|\'[^\']*\'|\{[^}]*\}', "_", message.partition("; hint")[0])
    return re.sub(r"-?\d+(/\d+)?(\.\d+)?", "#", short)[:90]
