"""Certificate files as they are read for verification: an error names the file and the line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kanon_sql.certificate.file import RELEASE, Document, Layout, read
from kanon_sql.errors import AuditError, CertificateError, raise_alone


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
        raise_alone(AuditError(f"there is no file {path}"))
    except OSError as error:
        raise_alone(AuditError(f"cannot read {path}: {error.strerror}"))
    except UnicodeDecodeError:
        raise_alone(AuditError(f"{path} is not UTF-8 text"))
    except CertificateError as error:
        raise_alone(AuditError(f"{path}, {error}"))


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
