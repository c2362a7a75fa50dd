"""Certificate files as they are read for verification: an error names the file and the line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from kanon_sql.certificate.file import RELEASE, Document, Layout, read
from kanon_sql.errors import AuditError, CertificateError, raise_alone
from kanon_sql.model.validation import missing_file


def read_certificate(path: str, layout: Layout = RELEASE) -> Document:
    """Read a certificate file.

    Raises
    ------
    AuditError
        When it is no certificate; the message begins with the name of the file and the line.
    """
    try:
        return read(Path(path).read_bytes().decode(), layout)
    except FileNotFoundError:
        raise_alone(AuditError(missing_file(path, (".json",))))
    except OSError as error:
        raise_alone(AuditError(f"cannot read {path}: {error.strerror}"))
    except UnicodeDecodeError:
        raise_alone(AuditError(f"{path} is not UTF-8 text"))
    except CertificateError as error:
        placed = error.line is not None or error.field is not None
        raise_alone(AuditError(f"{path}{',' if placed else ':'} {error}"))


UNPROVEN = "not checked again"
"""How a report begins what it says of a claim that is not proven again."""


@contextmanager
def lines_named(path: str, document: Document) -> Iterator[None]:
    """Name the file and the line of a claim that does not hold.

    Raises
    ------
    AuditError
        In place of a CertificateError.
    """
    try:
        yield
    except CertificateError as error:
        at = CertificateError(error.field, error.fact, document.lines.get(error.field or ""))
        raise_alone(AuditError(f"{path}, {at}"))


def is_of(certificate: str, layout: Layout) -> bool:
    """Return whether a file says that it is a certificate of a kind."""
    try:
        with Path(certificate).open(encoding="utf-8", errors="replace") as file:
            return f'"{layout.format}"' in file.read(200)
    except OSError:
        return False


def require(field: str, claimed: object, found: object, whose: str) -> None:
    """Raise a CertificateError unless a claim is what was found."""
    if claimed != found:
        raise CertificateError(field, f"{claimed}, but {whose} {found}")


def require_between(field: str, claimed: Fraction | int, found: tuple[Fraction | int, Fraction | int], whose: str) -> None:
    """Raise a CertificateError unless a claim is between two figures."""
    if not found[0] <= claimed <= found[1]:
        raise CertificateError(field, f"{claimed}, but {whose} {between(found, str)}")


def require_bound(claimed: Fraction, proven: Fraction) -> Fraction:
    """Return the bound that prices prove; raise a CertificateError if it is below the claimed one."""
    if proven < claimed:
        raise CertificateError("lower_bound", f"{claimed}, but the prices prove only {proven}")
    return proven


def between(found: tuple[Any, Any], write: Callable[[Any], str]) -> str:
    """Return two figures in words, or one if they are equal."""
    return write(found[0]) if found[0] == found[1] else f"between {write(found[0])} and {write(found[1])}"
